/** Effects sent to a receiver of the operator's. The receiver tells repetitions apart by the key, which is the effect id.
 *  It controls its status and its bytes: the status is read, the bytes are not. */

import { failureCode, openExchange } from '../../../adapters/outbound/transport.ts'
import type { OutboundSettings } from '../../../adapters/outbound/wire.ts'
import type { EffectSink } from '../contract.ts'

const DEADLINE_MS = 10_000
/** Statuses of 4xx after which the same request may go through. */
const PASSING = new Set([408, 425, 429])

export function webSink(url: string, { enabled, ...settings }: OutboundSettings, deadlineMs = DEADLINE_MS): EffectSink {
  return {
    kind: 'web',
    name: 'web',
    async deliver({ effect_id, bytes }) {
      if (!enabled) throw failure('TRANSPORT_DISABLED')
      const limit = AbortSignal.timeout(deadlineMs)
      const status = await send(url, effect_id, bytes, settings, limit).catch((error: unknown) => {
        throw failure(limit.aborted ? 'ETIMEDOUT' : codeOf(error))
      })
      if (status < 200 || status > 299) throw failure(statusCode(status))
    },
    delivered: null,
  }
}

async function send(
  url: string,
  effectId: string,
  bytes: Uint8Array,
  { privateHosts, from = null }: Omit<OutboundSettings, 'enabled'>,
  signal: AbortSignal,
): Promise<number> {
  const headers = { 'idempotency-key': effectId, accept: '*/*' }
  const body = new TextDecoder().decode(bytes)
  const response = await openExchange({ url, body, headers, from, signal }, privateHosts)
  response.destroy()
  return response.statusCode ?? 0
}

const statusCode = (status: number): string =>
  PASSING.has(status) ? `HTTP_${status}` : `HTTP_${Math.trunc(status / 100)}XX`

/** The system's own word where it has one, ours for what our rules refused. */
function codeOf(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException
  return typeof code === 'string' && /^E(?!RR_)[A-Z_]{2,30}$/.test(code) ? code : failureCode(error)
}

const failure = (code: string): Error => Object.assign(new Error(`the effect was not delivered: ${code}`), { code })
