import type { Socket } from 'node:net'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { admit, type Credentials } from '../access.ts'
import { ERRORS, type ErrorCode, ServiceError } from '../errors.ts'
import type { Operation } from '../operation.ts'
import type { Clock, HttpMetrics, Log, Tracing } from '../ports.ts'
import { type Exchange, requestId } from './exchange.ts'
import { fenceOf, foreignReason } from './fence.ts'
import { mount, type ReplyObserver } from './mount.ts'
import { clientKey, rateLimiter } from './rate-limit.ts'
import { refusalOf } from './refusal.ts'

declare module 'fastify' {
  interface FastifyRequest {
    exchange: Exchange
  }
  interface FastifyContextConfig {
    op?: Operation
    route?: string
  }
}

export interface HttpSettings {
  baseUrl: string | null
  allowedHosts: readonly string[] | null
  ratePerMinute: number
  maxConnections: number
  trustProxy: number
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
}

export const LIMITS = {
  headerBytes: 16 * 1024,
  headersMs: 10_000,
  bodyMs: 30_000,
  keepAliveMs: 65_000,
  requestMs: 60_000,
} as const

/** Headers that never change. Pages set their own content policy; everything else may not be rendered at all. */
const STANDING = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
}

export function createHttp(operations: readonly Operation[], settings: HttpSettings, deps: HttpDeps): FastifyInstance {
  const app = Fastify({
    logger: false,
    trustProxy: settings.trustProxy === 0 ? false : (_address: string, hop: number) => hop < settings.trustProxy,
    http: { maxHeaderSize: LIMITS.headerBytes, connectionsCheckingInterval: 1_000, highWaterMark: 64 * 1024 },
    requestTimeout: LIMITS.bodyMs,
    keepAliveTimeout: LIMITS.keepAliveMs,
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    routerOptions: { maxParamLength: 4096 },
    clientErrorHandler: answerBrokenClient,
    frameworkErrors: (error, request, reply) => {
      openExchange(request, reply, deps)
      answerError(error, request, reply, deps)
    },
  })
  app.server.headersTimeout = LIMITS.headersMs
  app.server.maxConnections = settings.maxConnections
  app.decorateRequest('exchange')
  acceptOnlyJson(app)
  const guard = guardOf(settings, deps)
  const inFlight = overseeRequests(app, deps)
  app.addHook('onRequest', (request, reply, done) => {
    openExchange(request, reply, deps)
    inFlight.add(request)
    guard(request, reply)
    done()
  })
  app.addHook('onResponse', (request, reply, done) => {
    inFlight.delete(request)
    closeExchange(request, reply, deps)
    done()
  })
  app.addHook('onRequestAbort', (request, done) => {
    request.exchange.abort?.abort(new Error('the client left'))
    done()
  })
  app.setErrorHandler((error, request, reply) => answerError(error, request, reply, deps))
  app.setNotFoundHandler(() => {
    throw new ServiceError('not_found', 'no operation has this path; look it up in /openapi.json')
  })
  mount(app, operations, deps.observe)
  return app
}

/** Bodies arrive as bytes and are parsed by the operation’s own reader. Everything that is not JSON has no parser, and
 *  so is refused by its type alone. */
function acceptOnlyJson(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    /^application\/(?:[a-z0-9.+-]+\+)?json\s*(?:;\s*charset="?utf-8"?\s*)?$/i,
    { parseAs: 'buffer' },
    (_request, body, done) => done(null, body),
  )
}

function openExchange(request: FastifyRequest, reply: FastifyReply, deps: HttpDeps): void {
  const { op, route = 'unmatched' } = request.routeOptions.config ?? {}
  const method = op?.method ?? (route === 'unmatched' ? 'ANY' : request.method)
  const meter = deps.metrics.request(method, route)
  const span = deps.tracing.request(`${method} ${route}`, request.headers)
  request.exchange = {
    id: requestId(request.headers['x-request-id']),
    startedAt: deps.clock.monotonic(),
    span,
    meter,
    caller: null,
    code: null,
    abort: null,
  }
  meter.begin()
  reply.headers(STANDING)
  reply.header('x-request-id', request.exchange.id)
  reply.header('traceparent', span.traceparent)
}

function closeExchange(request: FastifyRequest, reply: FastifyReply, { clock, log }: HttpDeps): void {
  const { exchange } = request
  const elapsed = clock.monotonic() - exchange.startedAt
  exchange.meter.end(reply.statusCode, elapsed / 1000)
  exchange.span.end(reply.statusCode)
  const level = reply.statusCode >= 500 ? 'error' : reply.statusCode >= 400 ? 'info' : 'debug'
  if (!log.isLevelEnabled(level)) return
  log[level](
    {
      request_id: exchange.id,
      trace_id: exchange.span.traceId,
      route: request.routeOptions.config?.route ?? 'unmatched',
      method: request.method,
      status: reply.statusCode,
      duration_ms: Math.round(elapsed * 1000) / 1000,
      code: exchange.code ?? undefined,
      actor_key_id: exchange.caller?.keyId ?? undefined,
    },
    'request',
  )
}

/** Everything that is decided before a single byte of the body is read, in this order. */
function guardOf(settings: HttpSettings, deps: HttpDeps): (request: FastifyRequest, reply: FastifyReply) => void {
  const fence = fenceOf(settings)
  const limiter = settings.ratePerMinute > 0 ? rateLimiter(settings.ratePerMinute) : null
  return (request, reply) => {
    const op = request.routeOptions.config?.op
    if (deps.state.draining && !op?.exempt)
      throw new ServiceError('draining', 'the service is shutting down; retry elsewhere', {
        headers: { connection: 'close', 'retry-after': '5' },
      })
    if (limiter !== null && !op?.exempt) meterClient(limiter, `ip ${clientKey(request.ip)}`, reply, deps)
    if (op === undefined) return
    if (op.method !== 'GET') refuseForeignWrites(request)
    request.exchange.caller = admitCaller(request, op, deps)
    if (limiter !== null && request.exchange.caller.keyId !== null)
      meterClient(limiter, `key ${request.exchange.caller.keyId}`, reply, deps)
    const encoding = request.headers['content-encoding']
    if (encoding !== undefined && encoding !== 'identity') {
      deps.metrics.bodyRejected('encoding')
      throw new ServiceError('unsupported_media_type', 'send the body uncompressed')
    }
  }

  function refuseForeignWrites(request: FastifyRequest): void {
    const { host, origin, 'sec-fetch-site': site } = request.headers
    const reason = foreignReason(fence, { host, origin, fetchSite: typeof site === 'string' ? site : undefined })
    if (reason !== null) throw new ServiceError('cross_origin_refused', reason)
  }
}

function admitCaller(
  request: FastifyRequest,
  op: Operation,
  { credentials, hashToken, metrics }: HttpDeps,
): NonNullable<Exchange['caller']> {
  try {
    // Node joins repeated Authorization headers by dropping all but the first; the raw list shows whether there were two.
    const header = countOf(request, 'authorization') > 1 ? ['several'] : request.headers.authorization
    return admit(
      credentials(),
      header,
      { scope: op.scope, writes: op.method !== 'GET' && op.scope !== null },
      hashToken,
    )
  } catch (error) {
    if (error instanceof ServiceError) metrics.authFailed(error.code)
    throw error
  }
}

function countOf(request: FastifyRequest, name: string): number {
  if (request.headers[name] === undefined) return 0
  const { rawHeaders } = request.raw
  let count = 0
  for (let at = 0; at < rawHeaders.length; at += 2) if (rawHeaders[at]?.toLowerCase() === name) count += 1
  return count
}

function meterClient(
  limiter: ReturnType<typeof rateLimiter>,
  key: string,
  reply: FastifyReply,
  { clock, metrics }: HttpDeps,
): void {
  const verdict = limiter(key, clock.monotonic())
  reply.header('ratelimit-limit', verdict.limit)
  reply.header('ratelimit-remaining', verdict.remaining)
  reply.header('ratelimit-reset', verdict.resetSeconds)
  if (verdict.allowed) return
  metrics.rateLimited()
  throw new ServiceError('rate_limited', `wait ${verdict.resetSeconds} s before the next request`, {
    headers: { 'retry-after': String(verdict.resetSeconds) },
  })
}

/** Ends what takes longer than the request limit. One sweep a second costs less than a timer per request. */
function overseeRequests(app: FastifyInstance, { clock }: HttpDeps): Set<FastifyRequest> {
  const inFlight = new Set<FastifyRequest>()
  const sweep = setInterval(() => {
    const limit = clock.monotonic() - LIMITS.requestMs
    for (const request of inFlight) {
      if (request.exchange.startedAt > limit) break
      if (request.raw.socket.destroyed) continue
      request.exchange.abort?.abort(new Error('the request limit is over'))
    }
  }, 1_000)
  sweep.unref()
  app.addHook('onClose', async () => clearInterval(sweep))
  return inFlight
}

function answerError(error: unknown, request: FastifyRequest, reply: FastifyReply, { log, metrics }: HttpDeps): void {
  const { exchange } = request
  const refusal = refusalOf(error, exchange.id)
  exchange.code = refusal.code
  if (refusal.status === 413 || refusal.status === 415) metrics.bodyRejected(refusal.code)
  if (refusal.unexpected) log.error({ request_id: exchange.id, err: error }, 'unexpected failure')
  reply
    .code(refusal.status)
    .header('content-type', 'application/json; charset=utf-8')
    .headers(refusal.headers)
    .send(JSON.stringify(refusal.body))
}

/** Node found the bytes unreadable before there was a request: answer on the bare socket and close it. */
function answerBrokenClient(error: NodeJS.ErrnoException, socket: Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET') return void socket.destroy()
  const code = BROKEN[error.code ?? ''] ?? 'malformed_request'
  const id = requestId(undefined)
  const body = JSON.stringify({ error: { code, message: ERRORS[code].action, request_id: id } })
  const standing = Object.entries({ ...STANDING, 'x-request-id': id }).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(
    `HTTP/1.1 ${ERRORS[code].status} ${code}\r\ncontent-type: application/json; charset=utf-8\r\ncontent-length: ${Buffer.byteLength(body)}\r\n${standing.join('')}connection: close\r\n\r\n${body}`,
  )
}

const BROKEN: Record<string, ErrorCode> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
}
