/** What the readings ask of the outside: a JSON document or a status line of a configured address, through the one
 *  transport. Whoever answers controls every byte and the pace; where it goes, how much is read and how often it is asked
 *  are ours. Nothing here rejects for what the other side does. */
import { parseStrictJson, sha256Hex } from '@orch/core'
import type { OutboundSettings } from '../../../adapters/outbound/json-exchange.ts'
import {
  bodyParts,
  type ExchangeFailure,
  failureCode,
  JSON_TYPE,
  openExchange,
  Refused,
  refuseUnfit,
} from '../../../adapters/outbound/transport.ts'
import type { Clock } from '../../../ports.ts'
import type { Measure, Provider } from '../contract.ts'
import { Cooldowns, type Source } from './backoff.ts'

export type Failure = {
  ok: false
  code: ExchangeFailure | 'REDIRECT_DENIED' | 'PROVIDER_COOLDOWN'
  /** Nothing was sent, so nothing was found out about the other side. */
  unasked?: true
}
export type Document = { ok: true; value: unknown; bytes_sha256: string }
export type StatusLine = { ok: true; http_status: number; latency_ms: number }

export interface Asked {
  provider: Provider
  url: string
  headers?: Record<string, string>
  maxBytes?: number
  /** One that wants a credential has answered: asking it again is no burden to it. */
  closedIsAnswer?: true
}

export interface Outside {
  json(asked: Asked, signal: AbortSignal): Promise<Document | Failure>
  /** The body is dropped unread and a redirect is a status like any other. */
  probe(asked: Pick<Asked, 'provider' | 'url'>, signal: AbortSignal): Promise<StatusLine | Failure>
  /** The operator wants nothing sent. */
  isOff: boolean
  /** Whether it failed and has not answered since. */
  isResting(provider: Provider): boolean
}

const CONNECT_MS = 3_000
const FIRST_BYTE_MS = 6_000
const WHOLE_MS = 12_000
const MAX_BYTES = 4 * 2 ** 20
const MAX_REDIRECTS = 2
const REDIRECTS = new Set([301, 302, 303, 307, 308])

class RedirectDenied extends Error {}

export function outside(
  { enabled, privateHosts, from = null }: OutboundSettings,
  clock: Clock,
  measure: Measure,
): Outside {
  const cooldowns = new Cooldowns(clock)
  const open = async ({ url, headers = {} }: Omit<Asked, 'provider'>, signal: AbortSignal) => {
    const late = new AbortController()
    const timer = setTimeout(() => late.abort(), FIRST_BYTE_MS)
    const limit = AbortSignal.any([signal, late.signal])
    try {
      return await openExchange({ url, headers, connectMs: CONNECT_MS, from, signal: limit }, privateHosts)
    } catch (error) {
      throw late.signal.aborted ? new Refused('RESPONSE_DEADLINE') : error
    } finally {
      clearTimeout(timer)
    }
  }
  const attempt = async <T extends { ok: true }>(
    asked: Asked,
    signal: AbortSignal,
    work: (limit: AbortSignal) => Promise<T>,
  ): Promise<T | Failure> => {
    const source = sourceOf(asked)
    const begun = clock.monotonic()
    const limit = AbortSignal.any([signal, AbortSignal.timeout(WHOLE_MS)])
    try {
      const found = await work(limit)
      cooldowns.answered(source)
      return found
    } catch (error) {
      const code = codeOf(error, limit)
      if (asked.closedIsAnswer && CLOSED.test(code)) cooldowns.answered(source)
      else cooldowns.failed(source, code, begun)
      return { ok: false, code }
    }
  }
  const ask = async <T extends { ok: true }>(
    asked: Asked,
    signal: AbortSignal,
    work: (limit: AbortSignal) => Promise<T>,
  ): Promise<T | Failure> => {
    if (!enabled) return { ok: false, code: 'TRANSPORT_DISABLED', unasked: true }
    if (cooldowns.holds(sourceOf(asked))) return { ok: false, code: 'PROVIDER_COOLDOWN', unasked: true }
    return measure(asked.provider, () => attempt(asked, signal, work))
  }
  return {
    json: (asked, signal) =>
      ask(asked, signal, async (limit): Promise<Document> => {
        const maxBytes = asked.maxBytes ?? MAX_BYTES
        const response = await following(asked, (at) => open({ url: at, headers: jsonHeaders(asked) }, limit))
        cooldowns.hear(sourceOf(asked), response.headers)
        refuseUnfit(response, { status: 200, type: JSON_TYPE, maxBytes })
        const bytes = Buffer.concat(await Array.fromAsync(bodyParts(response, maxBytes)))
        return { ok: true, value: parseStrictJson(bytes), bytes_sha256: sha256Hex(bytes) }
      }),
    probe: (asked, signal) =>
      ask(asked, signal, async (limit): Promise<StatusLine> => {
        const begun = clock.monotonic()
        const response = await open({ url: asked.url, headers: { accept: '*/*' } }, limit)
        response.destroy()
        const latency_ms = Math.round((clock.monotonic() - begun) * 1000) / 1000
        return { ok: true, http_status: response.statusCode ?? 0, latency_ms }
      }),
    isOff: !enabled,
    isResting: (provider) => cooldowns.isResting(provider),
  }
}

const sourceOf = ({ provider, url }: Asked): Source => `${provider} ${new URL(url).origin}`
const CLOSED = /^UPSTREAM_HTTP_(?:401|403)$/

const jsonHeaders = ({ headers }: Asked) => ({ accept: 'application/json', ...headers })

type Opened = Awaited<ReturnType<typeof openExchange>>

/** A credential travels with the request, so a redirect may lead nowhere but to the same origin, and not for long. */
async function following({ url }: Asked, open: (url: string) => Promise<Opened>): Promise<Opened> {
  let at = url
  for (let hops = 0; ; hops++) {
    const response = await open(at)
    if (!REDIRECTS.has(response.statusCode ?? 0)) return response
    response.destroy()
    const next = URL.parse(response.headers.location ?? '', at)
    if (next === null || next.origin !== new URL(url).origin || hops === MAX_REDIRECTS) throw new RedirectDenied()
    at = next.href
  }
}

function codeOf(error: unknown, limit: AbortSignal): Failure['code'] {
  if (error instanceof RedirectDenied) return 'REDIRECT_DENIED'
  if (error instanceof Refused) return error.code
  return limit.aborted ? 'RESPONSE_DEADLINE' : failureCode(error)
}
