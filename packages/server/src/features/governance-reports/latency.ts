/** Latency as it was timed: quantiles by nearest rank over the newest durations of each operation and target. */
import { type ClockNow, measured, reading } from '@orch/core'
import { nearestRank } from '../../platform/ring.ts'
import type { LatencyRow } from './schemas.ts'

export interface Calls {
  id: string
  count: number
  errors: number
  lastAt: string | null
  durationsMs: readonly number[]
}

/** Fewer calls than these say nothing about so high a quantile. */
const NEEDED = { p50: 1, p95: 20, p99: 100 } as const

export function latencyRow(calls: Calls, now: ClockNow): LatencyRow {
  const { id, count, errors, lastAt: last_at } = calls
  const found = quantiles(calls.durationsMs)
  if (found.max_ms === null)
    return { id, count, errors, ...found, last_at, label: 'UNAVAILABLE', reason: 'NEVER_CALLED' }
  const { label, value } = measured(reading('monotonic clock of this process', now, () => found))
  const short = value.p95_ms === null || value.p99_ms === null
  return { id, count, errors, ...value, last_at, label, reason: short ? 'INSUFFICIENT_SAMPLES' : null }
}

function quantiles(durationsMs: readonly number[]) {
  const sorted = [...durationsMs].sort((a, b) => a - b)
  const rank = (percent: number, needed: number) =>
    sorted.length < needed ? null : micro(nearestRank(sorted, percent)!)
  return {
    window_count: sorted.length,
    p50_ms: rank(50, NEEDED.p50),
    p95_ms: rank(95, NEEDED.p95),
    p99_ms: rank(99, NEEDED.p99),
    max_ms: sorted.length === 0 ? null : micro(sorted.at(-1)!),
  }
}

/** To the microsecond, which is as fine as the clock is honest. */
const micro = (milliseconds: number): number => Math.round(milliseconds * 1000) / 1000
