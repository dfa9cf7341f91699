/** The evidence of a run, by the class of its organ. */
import type { EvidenceClass } from '../../domain/organ-table.ts'
import { isBuilt } from './not-built.ts'
import type { Organ, OrganReading, Outcome } from './organ.ts'
import type { OrganItem } from './schemas.ts'

/** What was read of clocks and counters while the op ran. */
export interface Meter {
  startedAt: string
  wallUs: number
  cpuUs: number
  readings: OrganReading[]
}

interface Ran {
  organ: Organ
  item: OrganItem
  op: string
  seed: number
}

type Evidence = Record<string, unknown>

const RNG = 'pure-rand 8 xoroshiro128plus; one stream for each (organ, version, op, seed, trial) from SHA-256'
export const organDoc = (id: string): string => `docs/organs.md#${id.toLowerCase()}`

const BY_CLASS: Record<EvidenceClass, (ran: Ran, outcome: Outcome, meter: Meter) => Evidence> = {
  SIMULATED: ({ organ }) => ({ simulator: `orch.organ.${organ.id}`, rng: RNG }),
  MEASURED: (_ran, { state }, { startedAt, wallUs, cpuUs, readings }) => ({
    clock: 'process.hrtime.bigint',
    started_at: startedAt,
    wall_us: wallUs,
    cpu_us: cpuUs,
    readings,
    ...(state === undefined ? {} : { state }),
  }),
  MODELED: ({ organ }) => ({ model: `orch.organ.${organ.id}` }),
  UNAVAILABLE: () => ({}),
}

export function buildEvidence(ran: Ran, outcome: Outcome, meter: Meter): Evidence {
  const { organ, item, op, seed } = ran
  // What is not there has no simulator, no generator and no document.
  if (!isBuilt(organ)) return { version: organ.version, seed_used: false, ...organ.evidence }
  return {
    ...BY_CLASS[item.evidence_class](ran, outcome, meter),
    version: organ.version,
    ...(organ.ops[op]?.usesSeed ? { seed } : { seed_used: false }),
    ...organ.evidence,
    ...outcome.evidence,
    doc: organDoc(organ.id),
  }
}
