import type { IncomingMessage, ServerResponse } from 'node:http'
import Fastify, { type FastifyInstance } from 'fastify'
import type { Credentials } from '../access.ts'
import { ServiceError } from '../errors.ts'
import type { Operation } from '../operation.ts'
import type { BrowserPages, Clock, HttpMetrics, Log, Tracing } from '../ports.ts'
import { allowedMethods, badPathRefusals, nearestPath, surfaceBoundaries } from './allowed-methods.ts'
import { answerClientError, answerOnSocket } from './client-error.ts'
import { capConnections } from './connections.ts'
import { createGuard, JSON_BODY } from './guard.ts'
import { LIMITS, type Limits } from './limits.ts'
import { mount, opening, type ReplyObserver } from './mount.ts'
import type { RequestContext } from './request-context.ts'
import { RequestTracker } from './request-tracker.ts'
import { foreignType } from './response.ts'

declare module 'fastify' {
  interface FastifyRequest {
    exchange: RequestContext
  }
}

export interface HttpSettings {
  baseUrl: string | null
  allowedHosts: readonly string[] | null
  ratePerMinute: number
  maxConnections: number
  maxConnectionsPerClient: number
  trustProxy: number
  limits?: Partial<Limits>
}

export interface HttpDeps {
  clock: Clock
  log: Log
  metrics: HttpMetrics
  tracing: Tracing
  credentials: () => Credentials
  hashToken: (token: string) => Uint8Array
  state: { draining: boolean }
  observe: ReplyObserver | null
  /** Null where nothing but programs asks. */
  pages: BrowserPages | null
}

export function createHttp(operations: readonly Operation[], settings: HttpSettings, deps: HttpDeps): FastifyInstance {
  const limits = { ...LIMITS, ...settings.limits }
  const tracker = new RequestTracker(deps, limits)
  const app = Fastify({
    ...serverOptions(settings, limits),
    clientErrorHandler: answerClientError(tracker, deps, limits.headersMs),
    frameworkErrors(error, request, reply) {
      const refusal = error.code === 'FST_ERR_BAD_URL' ? unreadable(request, reply) : null
      if (refusal !== null) return tracker.refuse(request.exchange, refusal)
      tracker.refuse(tracker.open(request, reply, labelRoute(tracker, request, 'unmatched')), error)
    },
  })
  app.server.headersTimeout = limits.headersMs
  app.server.maxConnections = settings.maxConnections
  capConnections(app.server, settings.maxConnectionsPerClient)
  answerWhatNodeWouldAnswer(app, deps)
  acceptOnlyJson(app)
  app.decorateRequest('exchange')
  app.addHook('preClose', async () => tracker.abortStreams('the service is closing'))
  app.addHook('onClose', async () => tracker.stop())
  app.setErrorHandler((error, request) =>
    tracker.refuse(request.exchange, isForeignType(error) ? foreignType(request.headers['content-type']) : error),
  )
  const guard = createGuard(settings, deps)
  const unreadable = badPathRefusals(operations, (op, method, route) =>
    opening(op, { tracker, guard, pages: deps.pages }, tracker.label(method, route, op.id)),
  )
  refuseUnmatched(app, operations, tracker, guard)
  mount(app, operations, { tracker, guard, observe: deps.observe, pages: deps.pages })
  return app
}

const serverOptions = (settings: HttpSettings, limits: Limits) => ({
  logger: false,
  trustProxy: settings.trustProxy === 0 ? false : (_address: string, hop: number) => hop < settings.trustProxy,
  // A missing Host is refused by the guard, in the shape of every other refusal.
  http: {
    maxHeaderSize: limits.headerBytes,
    connectionsCheckingInterval: limits.sweepMs,
    requireHostHeader: false,
  },
  requestTimeout: limits.bodyTimeoutMs,
  keepAliveTimeout: limits.keepAliveMs,
  return503OnClosing: false,
  forceCloseConnections: 'idle' as const,
  routerOptions: { maxParamLength: 4096 },
})

/** Left alone, Node answers these itself, without a request id and in no shape a caller could read. */
function answerWhatNodeWouldAnswer(app: FastifyInstance, deps: HttpDeps): void {
  app.server.on('connect', (_request, socket) => answerOnSocket(socket as never, 'method_not_allowed', deps))
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response))
  app.server.on('checkContinue', (request, response) => {
    continueWhenRead(request, response)
    app.server.emit('request', request, response)
  })
}

/** A client that asks first gets its 100 Continue when its body is read, and not before its headers were checked: a length
 *  above the limit is refused with nothing sent. Until then nothing may follow on the connection, for it is not
 *  known whether the body will. */
function continueWhenRead(request: IncomingMessage, response: ServerResponse): void {
  const keepAlive = response.shouldKeepAlive
  response.shouldKeepAlive = false
  request.on('newListener', function goOn(name) {
    if (name !== 'data' && name !== 'readable') return
    request.off('newListener', goOn)
    if (response.headersSent) return
    response.shouldKeepAlive = keepAlive
    response.writeContinue()
  })
}

/** Bodies arrive as bytes and are parsed by the operation's own reader. Everything that is not JSON has no parser, and
 *  so is refused by its type alone. */
function acceptOnlyJson(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(JSON_BODY, { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
}

const isForeignType = (error: unknown): boolean =>
  (error as { code?: unknown } | null)?.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE'

/** Decided before the body is read: a path that no operation serves takes none. */
function refuseUnmatched(
  app: FastifyInstance,
  operations: readonly Operation[],
  tracker: RequestTracker,
  guard: ReturnType<typeof createGuard>,
): void {
  const allowed = allowedMethods(operations)
  const suggest = nearestPath(operations)
  const boundaryOf = surfaceBoundaries(operations)
  app.addHook('onRequest', (request, reply, done) => {
    if (!request.is404) return done()
    const asked = request.url.split('?', 1)[0]!
    const path = allowed.of(asked)
    const exchange = tracker.open(request, reply, labelRoute(tracker, request, path?.route ?? 'unmatched'))
    exchange.boundary = boundaryOf(asked)
    guard(exchange, null)
    if (path === null) {
      const near = suggest(asked)
      const hint =
        near === null ? 'GET /openapi.json lists them all' : `did you mean ${near}? GET /openapi.json lists them all`
      throw new ServiceError('not_found', `no operation has this path; ${hint}`)
    }
    const { allow } = path
    throw new ServiceError('method_not_allowed', `the method is not one that this path answers; use ${allow}`, {
      headers: { allow },
    })
  })
}

/** The methods of the standard. A caller may write any other that the parser takes: they share one label, so that their
 *  number is not the caller's to choose. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'CONNECT'])

const labelRoute = (tracker: RequestTracker, { method }: { method: string }, route: string) =>
  tracker.label(METHODS.has(method) ? method : 'OTHER', route)
