/** Everything that is decided before a single byte of the body is read. */
import type { FastifyRequest } from 'fastify'
import { admit, type Caller } from '../access.ts'
import { ServiceError } from '../errors.ts'
import { type Boundary, type Operation, scopesOf } from '../operation.ts'
import { crossOriginReason, readOriginRules, unknownHostReason } from './origin-check.ts'
import { clientKey, type RateLimiter, rateLimiter } from './rate-limit.ts'
import type { RequestContext } from './request-context.ts'
import { foreignType } from './response.ts'
import type { HttpDeps, HttpSettings } from './server.ts'

/** The types a body may have: JSON and its relatives, in UTF-8. */
export const JSON_BODY = /^application\/(?:[a-z0-9.+-]+\+)?json\s*(?:;\s*charset="?utf-8"?\s*)?$/i

/** Throws the refusal, in this order: shutting down, unreadable, over the rate, for a foreign host, from a foreign page,
 *  not admitted, not ready, compressed. */
export type Guard = (exchange: RequestContext, op: Operation | null) => void

export function createGuard(settings: HttpSettings, deps: HttpDeps): Guard {
  const rules = readOriginRules(settings)
  const limiter = settings.ratePerMinute > 0 ? rateLimiter(settings.ratePerMinute) : null
  return (exchange, op) => {
    const { request } = exchange
    const limited = limiter !== null && op?.exempt !== true ? limiter : null
    if (deps.state.draining && op?.exempt !== true) throw draining()
    refuseUnwanted(exchange)
    refuseAmbiguousTarget(request)
    if (limited) meterClient(limited, `ip ${clientKey(request.ip)}`, exchange, deps)
    if (op?.anyHost !== true) refuseForeignHost(request)
    if (op === null) return
    // A path that cannot be read names nothing, and its refusal says that.
    if (op.precheck !== undefined && request.params !== null) refuseUnnamed(request, op.precheck)
    if (op.method !== 'GET' || mayAppend(request, op)) refuseForeignPage(request)
    const caller = admitCaller(request, op, deps)
    exchange.caller = caller
    if (limited && caller.keyId !== null)
      meterClient(limited, `key ${caller.namespace} ${caller.keyId}`, exchange, deps)
    op.ready?.()
    if (op.boundary?.admit !== undefined) admitByBoundary(request, op.boundary.admit)
    if (op.method !== 'GET') refuseCompressed(request)
  }

  /** Host itself and never X-Forwarded-Host: a page can set that one on its own requests. */
  function refuseForeignHost({ headers }: FastifyRequest): void {
    const reason = unknownHostReason(rules, headers.host)
    if (reason !== null) throw new ServiceError('cross_origin_refused', reason)
  }

  function refuseForeignPage({ headers }: FastifyRequest): void {
    const { host, origin, 'sec-fetch-site': site } = headers
    const reason = crossOriginReason(rules, { host, origin, fetchSite: typeof site === 'string' ? site : undefined })
    if (reason !== null) throw new ServiceError('cross_origin_refused', reason)
  }
}

/** A browser sends a GET from any page, so the one that can append is fenced where it would. */
const mayAppend = (request: FastifyRequest, op: Operation): boolean =>
  request.method === 'GET' && op.mayAppend?.(request.query as Record<string, unknown>) === true

const draining = () => new ServiceError('draining', 'the service is shutting down; retry elsewhere')

function refuseUnwanted({ unwanted, request }: RequestContext): void {
  if (!unwanted) return
  request.raw.socket.destroy()
  throw new ServiceError(
    'malformed_request',
    'more requests came on this connection than may wait in it; read an answer before the next request, for example one at a time',
  )
}

function refuseUnnamed(request: FastifyRequest, precheck: NonNullable<Operation['precheck']>): void {
  precheck(request.params as Record<string, string>)
  refuseForeignType(request)
  refuseCompressed(request)
}

/** No body needs no type; whether it may be missing is the operation's to say. */
function refuseForeignType({ headers }: FastifyRequest): void {
  const { 'content-type': type, 'content-length': length = '0', 'transfer-encoding': transfer } = headers
  const absent = type === undefined && transfer === undefined && length === '0'
  if (absent || JSON_BODY.test(type ?? '')) return
  throw foreignType(type)
}

/** The boundary has judged the type: the framework's reader must not judge it once more by another rule. */
function admitByBoundary({ raw }: FastifyRequest, admit: NonNullable<Boundary['admit']>): void {
  admit(raw.headers)
  if (raw.headers['content-type'] !== undefined) raw.headers['content-type'] = 'application/json'
}

function refuseCompressed({ headers }: FastifyRequest): void {
  const { 'content-encoding': content, 'transfer-encoding': transfer } = headers
  const plain = content === undefined || content.toLowerCase() === 'identity'
  if (plain && (transfer === undefined || transfer.toLowerCase() === 'chunked')) return
  throw new ServiceError(
    'unsupported_media_type',
    'the header Content-Encoding or Transfer-Encoding says that the body is encoded; send it as it is, and send Content-Encoding: identity or none',
  )
}

/** A target that is no path, or two Host headers, are read differently by the proxy in front and by us; no Host leaves
 *  nothing to compare. What follows on such a connection is not to be trusted either. */
function refuseAmbiguousTarget(request: FastifyRequest): void {
  if (!request.raw.url?.startsWith('/'))
    throw ambiguous('the request line has no path; send one such as GET /healthz HTTP/1.1')
  const hosts = countHeaders(request, 'host')
  if (hosts === 1 || (hosts === 0 && request.raw.httpVersionMinor === 0)) return
  throw ambiguous('the header Host is missing or there are several; send one such as Host: 127.0.0.1:8080')
}

const ambiguous = (message: string) =>
  new ServiceError('malformed_request', message, { headers: { connection: 'close' } })

function admitCaller(request: FastifyRequest, op: Operation, { credentials, hashToken, metrics }: HttpDeps): Caller {
  const current = credentials()
  const scopes = scopesOf(op)
  const need = { scopes, writes: op.method !== 'GET' && scopes.length > 0 }
  try {
    // Of repeated Authorization headers the parsed ones show the first alone; the raw list shows whether there were two.
    const header =
      current.mode !== 'open' && countHeaders(request, 'authorization') > 1
        ? ['several']
        : request.headers.authorization
    return admit(current, header, need, hashToken)
  } catch (error) {
    if (error instanceof ServiceError) metrics.authFailed(error.code)
    throw error
  }
}

function countHeaders(request: FastifyRequest, name: string): number {
  const { rawHeaders } = request.raw
  let count = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const given = rawHeaders[at]!
    if (given.length === name.length && given.toLowerCase() === name) count += 1
  }
  return count
}

function meterClient(limiter: RateLimiter, key: string, exchange: RequestContext, { clock, metrics }: HttpDeps): void {
  const verdict = limiter(key, clock.monotonic())
  exchange.headers = {
    ...exchange.headers,
    'ratelimit-limit': String(verdict.limit),
    'ratelimit-remaining': String(verdict.remaining),
    'ratelimit-reset': String(verdict.resetSeconds),
  }
  if (verdict.allowed) return
  metrics.rateLimited()
  throw new ServiceError(
    'rate_limited',
    `this client sent more requests than ORCH_RATE_PER_MINUTE lets it; wait ${verdict.resetSeconds} s, as the header Retry-After says`,
    {
      headers: { 'retry-after': String(verdict.resetSeconds) },
    },
  )
}
