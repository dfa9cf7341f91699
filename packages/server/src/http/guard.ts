/** Everything that is decided before a single byte of the body is read. */
import type { FastifyRequest } from 'fastify'
import { admit, type Caller } from '../access.ts'
import { ServiceError } from '../errors.ts'
import type { Operation } from '../operation.ts'
import type { Exchange } from './exchange.ts'
import { fenceOf, foreignReason } from './fence.ts'
import { clientKey, type RateLimiter, rateLimiter } from './rate-limit.ts'
import type { HttpDeps, HttpSettings } from './server.ts'

/** Throws the refusal, in this order: shutting down, unreadable, over the rate, foreign, not admitted, compressed. */
export type Guard = (exchange: Exchange, op: Operation | null) => void

export function guardOf(settings: HttpSettings, deps: HttpDeps): Guard {
  const fence = fenceOf(settings)
  const limiter = settings.ratePerMinute > 0 ? rateLimiter(settings.ratePerMinute) : null
  return (exchange, op) => {
    const { request } = exchange
    const limited = limiter !== null && op?.exempt !== true ? limiter : null
    if (deps.state.draining && op?.exempt !== true) throw draining()
    refuseOverdrawn(exchange)
    refuseAmbiguousTarget(request)
    if (limited) meterClient(limited, `ip ${clientKey(request.ip)}`, exchange, deps)
    if (op === null) return
    if (op.method !== 'GET') refuseForeign(request)
    const caller = admitCaller(request, op, deps)
    exchange.caller = caller
    if (limited && caller.keyId !== null)
      meterClient(limited, `key ${caller.namespace} ${caller.keyId}`, exchange, deps)
    if (op.method !== 'GET') refuseCompressed(request)
  }

  function refuseForeign(request: FastifyRequest): void {
    const { host, origin, 'sec-fetch-site': site } = request.headers
    const reason = foreignReason(fence, { host, origin, fetchSite: typeof site === 'string' ? site : undefined })
    if (reason !== null) throw new ServiceError('cross_origin_refused', reason)
  }
}

const draining = () =>
  new ServiceError('draining', 'the service is shutting down; retry elsewhere', {
    headers: { 'retry-after': '5' },
  })

function refuseOverdrawn({ overdrawn, request }: Exchange): void {
  if (!overdrawn) return
  request.raw.socket.destroy()
  throw new ServiceError('malformed_request', 'read the answers before sending more requests')
}

function refuseCompressed({ headers }: FastifyRequest): void {
  const { 'content-encoding': content, 'transfer-encoding': transfer } = headers
  const plain = content === undefined || content.toLowerCase() === 'identity'
  if (plain && (transfer === undefined || transfer.toLowerCase() === 'chunked')) return
  throw new ServiceError('unsupported_media_type', 'send the body uncompressed')
}

/** A target that is no path, or two Host headers, are read differently by the proxy in front and by us; no Host leaves
 *  nothing to compare. */
function refuseAmbiguousTarget(request: FastifyRequest): void {
  if (!request.raw.url?.startsWith('/')) throw new ServiceError('malformed_request', 'send the path of the operation')
  const hosts = countOf(request, 'host')
  if (hosts === 1 || (hosts === 0 && request.raw.httpVersionMinor === 0)) return
  throw new ServiceError('malformed_request', 'send exactly one Host header')
}

function admitCaller(request: FastifyRequest, op: Operation, { credentials, hashToken, metrics }: HttpDeps): Caller {
  const current = credentials()
  const need = { scope: op.scope, writes: op.method !== 'GET' && op.scope !== null }
  try {
    // Of repeated Authorization headers the parsed ones show the first alone; the raw list shows whether there were two.
    const header =
      current.mode !== 'open' && countOf(request, 'authorization') > 1 ? ['several'] : request.headers.authorization
    return admit(current, header, need, hashToken)
  } catch (error) {
    if (error instanceof ServiceError) metrics.authFailed(error.code)
    throw error
  }
}

function countOf(request: FastifyRequest, name: string): number {
  const { rawHeaders } = request.raw
  let count = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const given = rawHeaders[at]!
    if (given.length === name.length && given.toLowerCase() === name) count += 1
  }
  return count
}

function meterClient(limiter: RateLimiter, key: string, exchange: Exchange, { clock, metrics }: HttpDeps): void {
  const verdict = limiter(key, clock.monotonic())
  exchange.headers = {
    'ratelimit-limit': String(verdict.limit),
    'ratelimit-remaining': String(verdict.remaining),
    'ratelimit-reset': String(verdict.resetSeconds),
  }
  if (verdict.allowed) return
  metrics.rateLimited()
  throw new ServiceError('rate_limited', `wait ${verdict.resetSeconds} s before the next request`, {
    headers: { 'retry-after': String(verdict.resetSeconds) },
  })
}
