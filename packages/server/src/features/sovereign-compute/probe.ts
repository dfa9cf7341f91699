/** One look at a capability: what was found, or why nothing was. */
import { measured, readingAsync } from '@orch/core'
import { type Clock, isoNow } from '../../platform/clock.ts'
import { runCheck } from '../../platform/run-check.ts'
import type { Capability, CapabilityId, Tier } from './schemas.ts'

export interface Found {
  tier: Tier
  facts: Record<string, unknown>
  /** Set where nothing answered. */
  reason?: string
  /** Of what another service said: when it was asked. */
  askedAt?: number
}

export interface Probe {
  id: CapabilityId
  name: string
  source: string
  look(signal: AbortSignal): Promise<Found>
}

/** The whole record is made within two seconds. */
const LIMIT_MS = 1_900

/** Never rejects. What a probe threw stays inside: it may name files and hosts. */
export async function runProbe({ id, name, source, look }: Probe, clock: Clock): Promise<Capability> {
  const startedAt = clock.now()
  const failed = (code: string): Found => ({
    tier: 'WIRED-UNREACHABLE',
    facts: {},
    reason: code === 'CHECK_TIMEOUT' ? `no answer within ${LIMIT_MS} ms` : 'the probe failed',
  })
  const now = () => isoNow(clock)
  const taken = await readingAsync(
    source,
    now,
    async () => (await runCheck(look, { clock, ms: LIMIT_MS, failed })).found,
  )
  const { tier, facts, reason, askedAt } = taken.value
  const common = { id, name, tier, facts, source, read_at: taken.readAt }
  const asked = askedAt === undefined ? {} : askedFacts(askedAt, startedAt, clock.now(), reason !== undefined)
  if (reason !== undefined) return { ...common, label: 'UNAVAILABLE', ...asked, reason }
  // What was asked for an earlier request is a sample with its date.
  const isCached = askedAt !== undefined && askedAt < startedAt
  return { ...common, label: isCached ? 'SAMPLE' : measured(taken).label, ...asked }
}

const askedFacts = (askedAt: number, startedAt: number, now: number, failed: boolean) => ({
  mode: failed ? ('unreachable' as const) : askedAt < startedAt ? ('cached' as const) : ('live' as const),
  fetched_at: new Date(askedAt).toISOString(),
  age_seconds: Math.max(0, Math.round((now - askedAt) / 1000)),
})
