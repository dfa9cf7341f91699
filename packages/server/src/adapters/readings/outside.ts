/** What the readings ask of the outside: a JSON document or a status line of a configured address, through the one
 *  transport. Whoever answers controls every byte and the pace; where it goes, how much is read and how often it is asked
 *  are ours. Nothing here rejects for what the other side does. */
import { parseStrictJson, sha256Hex } from '@orch/core'
import type { Clock } from '../../ports.ts'
import type { OutboundSettings } from '../outbound/json-exchange.ts'
import {
  bodyParts,
  type ExchangeFailure,
  failureCode,
  JSON_TYPE,
  openExchange,
  Refused,
  refuseUnfit,
} from '../outbound/transport.ts'
import { Cooldowns } from './cooldowns.ts'

export type Failure = { ok: false; code: ExchangeFailure | 'REDIRECT_DENIED' | 'PROVIDER_COOLDOWN' }
export type Document = { ok: true; value: unknown; bytes_sha256: string }
export type StatusLine = { ok: true; http_status: number; latency_ms: number }

export interface Asked {
  url: string
  headers?: Record<string, string>
  maxBytes?: number
}

export interface Outside {
  json(asked: Asked, signal: AbortSignal): Promise<Document | Failure>
  /** The body is dropped unread and a redirect is a status like any other. */
  probe(url: string, signal: AbortSignal): Promise<StatusLine | Failure>
}

const CONNECT_MS = 3_000
const FIRST_BYTE_MS = 6_000
const WHOLE_MS = 12_000
const MAX_BYTES = 4 * 2 ** 20
const MOST_REDIRECTS = 2
const REDIRECTS = new Set([301, 302, 303, 307, 308])

class RedirectDenied extends Error {}

export function outside({ enabled, privateHosts }: OutboundSettings, clock: Clock): Outside {
  const cooldowns = new Cooldowns(clock)
  const open = async ({ url, headers = {} }: Asked, signal: AbortSignal) => {
    const late = new AbortController()
    const timer = setTimeout(() => late.abort(), FIRST_BYTE_MS)
    const limit = AbortSignal.any([signal, late.signal])
    try {
      return await openExchange({ url, headers, connectMs: CONNECT_MS, signal: limit }, privateHosts)
    } catch (error) {
      throw late.signal.aborted ? new Refused('RESPONSE_DEADLINE') : error
    } finally {
      clearTimeout(timer)
    }
  }
  const ask = async <T>(url: string, signal: AbortSignal, work: (limit: AbortSignal) => Promise<T>) => {
    if (!enabled) return { ok: false, code: 'TRANSPORT_DISABLED' } as const
    const origin = new URL(url).origin
    if (cooldowns.holds(origin)) return { ok: false, code: 'PROVIDER_COOLDOWN' } as const
    const begun = clock.monotonic()
    const limit = AbortSignal.any([signal, AbortSignal.timeout(WHOLE_MS)])
    try {
      const found = await work(limit)
      cooldowns.answered(origin)
      return found
    } catch (error) {
      const code = codeOf(error, limit)
      cooldowns.failed(origin, code, begun)
      return { ok: false, code } as const
    }
  }
  return {
    json: (asked, signal) =>
      ask(asked.url, signal, async (limit) => {
        const maxBytes = asked.maxBytes ?? MAX_BYTES
        const response = await following(asked, (at) => open({ ...asked, url: at, headers: jsonHeaders(asked) }, limit))
        cooldowns.hear(new URL(asked.url).origin, response.headers)
        refuseUnfit(response, { status: 200, type: JSON_TYPE, maxBytes })
        const bytes = Buffer.concat(await Array.fromAsync(bodyParts(response, maxBytes)))
        return { ok: true, value: parseStrictJson(bytes), bytes_sha256: sha256Hex(bytes) }
      }),
    probe: (url, signal) =>
      ask(url, signal, async (limit) => {
        const begun = clock.monotonic()
        const response = await open({ url, headers: { accept: '*/*' } }, limit)
        response.destroy()
        const latency_ms = Math.round((clock.monotonic() - begun) * 1000) / 1000
        return { ok: true, http_status: response.statusCode ?? 0, latency_ms }
      }),
  }
}

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
    if (next === null || next.origin !== new URL(url).origin || hops === MOST_REDIRECTS) throw new RedirectDenied()
    at = next.href
  }
}

function codeOf(error: unknown, limit: AbortSignal): Failure['code'] {
  if (error instanceof RedirectDenied) return 'REDIRECT_DENIED'
  if (error instanceof Refused) return error.code
  return limit.aborted ? 'RESPONSE_DEADLINE' : failureCode(error)
}
