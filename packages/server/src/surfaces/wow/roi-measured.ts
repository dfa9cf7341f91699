/** What the gates did in this process, counted. Counts stay counts: they are never multiplied into money. */
import { type ClockNow, measured, reading } from '@orch/core'
import type { Tallies } from '../../governance-contract.ts'

export function roiMeasured(tallies: () => Tallies, now: ClockNow) {
  const { label, value, read_at } = measured(reading('counters of the decision pipeline', now, tallies))
  return {
    label,
    read_at,
    since: value.since,
    decisions: value.decisions,
    fired_by_gate: Object.fromEntries(value.gates.map(({ name, fired }) => [name, fired])),
    reviews: value.reviews,
    first_seq: value.firstSeq,
    last_seq: value.lastSeq,
  }
}
