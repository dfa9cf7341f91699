/** One JSON request to a configured URL. Nothing that went wrong is said in the other side's words. */
import { parseStrictJson } from '@orch/core'
import type { ExchangeRequest, JsonExchange } from './contract.ts'
import { bodyParts, failureCode, JSON_TYPE, openExchange, refuseUnfit } from './transport.ts'

export interface OutboundSettings {
  enabled: boolean
  /** Hosts that may resolve to a private address. */
  privateHosts: readonly string[]
  /** Our public address, sent to whoever is asked, where the operator named one. */
  from?: string | null
}

export const jsonExchange =
  ({ enabled, ...settings }: OutboundSettings): JsonExchange =>
  async (request, signal) => {
    if (!enabled) return { ok: false, code: 'TRANSPORT_DISABLED' }
    const limit = AbortSignal.timeout(request.deadlineMs)
    try {
      const bytes = await send(request, settings, signal ? AbortSignal.any([signal, limit]) : limit)
      return { ok: true, value: parseStrictJson(bytes) }
    } catch (error) {
      return { ok: false, code: limit.aborted ? 'RESPONSE_DEADLINE' : failureCode(error) }
    }
  }

async function send(
  { url, body, status, maxBytes }: ExchangeRequest,
  { privateHosts, from = null }: Omit<OutboundSettings, 'enabled'>,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const asked = { url, headers: { accept: 'application/json' }, from, signal }
  const response = await openExchange(body === undefined ? asked : { ...asked, body }, privateHosts)
  refuseUnfit(response, { status, type: JSON_TYPE, maxBytes })
  return Buffer.concat(await Array.fromAsync(bodyParts(response, maxBytes)))
}
