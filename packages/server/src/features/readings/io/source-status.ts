/** What the latest readings add up to: how each source ended, and how old the whole is. */
import type { Probe, SnapshotState, SourceState, Stored } from '../contract.ts'
import { ageOf } from './latest.ts'
import type { Scheduler } from './scheduler.ts'

/** A snapshot older than this many intervals is stale. */
const STALE_AFTER = 3

type Kind = Stored<object>
type SourceOutcome = SourceState['end']

const isFailed = ({ last_error }: Kind): boolean => last_error !== null
const isTried = (reading: Kind): boolean => isFailed(reading) || reading.value !== null

/** A part that failed is a failure of the whole. */
export function outcome(readings: readonly Kind[]): SourceOutcome {
  if (readings.some(isFailed)) return 'failed'
  return readings.some(isTried) ? 'ok' : 'never'
}

/** For what is to be up: an answer that says it is not is a failure too. */
export const probesOutcome = (probes: readonly Stored<Probe>[], rest: readonly Kind[] = []): SourceOutcome =>
  probes.some(({ value }) => value !== null && !(value.http_status >= 200 && value.http_status < 400))
    ? 'failed'
    : outcome([...probes, ...rest])

/** Links lead to many places that have nothing to do with each other: the source fails where none of them is reached. */
export function linksOutcome(links: readonly Kind[]): SourceOutcome {
  const tried = links.filter(isTried)
  if (tried.length === 0) return 'never'
  return tried.every(isFailed) ? 'failed' : 'ok'
}

/** As old as the oldest reading in it. Without a round nothing is a snapshot yet, and without a source nothing ever is. */
export function snapshotState(
  { servedFrom, roundAt }: Pick<Scheduler, 'servedFrom' | 'roundAt'>,
  readings: readonly Kind[],
  intervalMs: number,
  now: number,
): SnapshotState {
  if (roundAt === null) return { served_from: 'warming', fetched_at: null, age_seconds: null, stale: true }
  const [fetched_at = null] = readings.flatMap(({ fetched_at: at }) => at ?? []).sort()
  const age_seconds = fetched_at === null ? null : ageOf(fetched_at, now)
  const isOld = ({ age_seconds: age }: Kind) => age === null || age * 1000 > STALE_AFTER * intervalMs
  return { served_from: servedFrom, fetched_at, age_seconds, stale: readings.length === 0 || readings.some(isOld) }
}
