/** The print of another service, read at the URL that the operator named. */
import type { PublicKey } from '@orch/core'
import type { Outbound } from '../../../../adapters/outbound/contract.ts'
import type { Clock } from '../../../../platform/clock.ts'
import { envelopeIn, judgePeerPrint } from '../peer-print.ts'
import type { PriceSymbol, ThirdParty } from '../schemas.ts'

export const PEER_PROVIDER = 'price-peer'
const MAX_BYTES = 256 * 1024
const DEADLINE_MS = 5_000
const TTL_SECONDS = 5

export interface PeerSettings {
  url: string
  keys: readonly PublicKey[]
}

export type ReadPeer = (symbol: PriceSymbol, signal: AbortSignal) => Promise<ThirdParty>

const NOTHING = { reason: null, price: null, difference_bps: null, observed_at: null, keyid: null } as const
const NOT_CONFIGURED: ThirdParty = { ...NOTHING, state: 'NOT_CONFIGURED', mode: 'unreachable' }

export function openPeer(settings: PeerSettings | null, outbound: Pick<Outbound, 'get'>, clock: Clock): ReadPeer {
  if (settings === null) return async () => NOT_CONFIGURED
  const limits = { normalise: envelopeIn, ttlSeconds: TTL_SECONDS, maxBytes: MAX_BYTES, deadlineMs: DEADLINE_MS }
  return async (symbol, signal) => {
    const outcome = await outbound.get(PEER_PROVIDER, settings.url, {}, limits, signal)
    if (!outcome.ok) {
      const reason = 'failure' in outcome ? outcome.failure.code : outcome.code
      return { ...NOTHING, state: 'UNREACHABLE', mode: 'unreachable', reason }
    }
    const mode = outcome.state === 'SNAPSHOT' ? 'live' : 'cached'
    const judged = await judgePeerPrint(outcome.value, settings.keys, symbol, clock.now())
    if (!judged.ok) return { ...NOTHING, state: 'REJECTED', mode, reason: judged.reason }
    const { ok: _, ...print } = judged
    return { ...NOTHING, state: 'VERIFIED', mode, ...print }
  }
}
