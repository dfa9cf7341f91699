/** What governance did here, each number read when somebody asks and never multiplied into money. */
import { type ClockNow, measured, reading, readingAsync, sha256Hex, unavailable } from '@orch/core'
import { pemOf, type RingKey } from '../../domain/keys.ts'
import { GOVERNANCE_CHAIN } from '../../domain/receipts/governance-page.ts'
import { REVIEWS_COUNTED_TO } from '../../domain/reviews/review.ts'
import type { Viewer } from '../../domain/visibility.ts'
import type { Call } from '../../operation.ts'
import { nearestRank } from '../../platform/ring.ts'
import type { CallSeries, Ports } from '../../ports.ts'
import type { LatencyRow } from './schemas.ts'

/** Fewer calls than these say nothing about so high a quantile. */
const NEEDED = { p50: 1, p95: 20, p99: 100 } as const

/** Latency as it was timed: quantiles by nearest rank over the newest durations of one operation or target. */
export function latencyRow(
  {
    id,
    count,
    errors,
    lastAt: last_at,
    durationsMs,
  }: Pick<CallSeries, 'id' | 'count' | 'errors' | 'lastAt' | 'durationsMs'>,
  now: ClockNow,
): LatencyRow {
  const found = quantiles(durationsMs)
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

/** The forms of the key; JSON where it is as welcome as another. */
export const KEY_FORMS = ['application/json', 'application/x-pem-file', 'text/plain'] as const

const VERIFY_URL = '/api/orch/v1/verify/receipt'

/** The verification key as a record. It is the one that receipts recorded now are signed with. */
export function keyRecord(key: RingKey | null, now: ClockNow) {
  if (key === null) {
    const { label, reason } = unavailable('signing is off: no key signs receipts here')
    return { ...NO_KEY, verify_url: VERIFY_URL, label, read_at: null, reason }
  }
  const { label, value, read_at } = measured(reading('the key ring of this ledger', now, () => key))
  return {
    pem: pemOf(value),
    keyid: value.keyid,
    key_kind: value.kind,
    algorithm: 'ECDSA-P256-SHA256',
    // Of the bytes themselves: whoever compares it compares the key and not our word for it.
    spki_sha256: sha256Hex(new Uint8Array(value.spki)),
    verify_url: VERIFY_URL,
    label,
    read_at,
    reason: null,
  }
}

const NO_KEY = { pem: null, keyid: null, key_kind: null, algorithm: null, spki_sha256: null }

/** The governance chain of the caller's namespace, read and re-checked for the request that asks. */
export async function ledgerPage(
  ledger: Pick<Ports['ledger'], 'queries' | 'reportBreak'>,
  viewer: Viewer,
  limit: number,
  now: ClockNow,
) {
  const read = () => ledger.queries.governancePage(viewer, limit)
  const { label, value, read_at } = measured(
    await readingAsync(`the chain ${GOVERNANCE_CHAIN} of this ledger`, now, read),
  )
  const { first_break_seq: seq } = value.window
  if (seq !== null)
    ledger.reportBreak(`the chain ${GOVERNANCE_CHAIN} is broken at seq ${seq}`, {
      nodeIndex: null,
      ns: viewer.namespace,
      chain: GOVERNANCE_CHAIN,
      seq,
    })
  return { ...value, order: 'newest first, by seq', updated_at: read_at, label }
}

/** Reviews as the store holds them now, and beside them what this process counted since it started. */
export async function roiMeasured(
  { governance, reviews }: Pick<Ports, 'governance' | 'reviews'>,
  caller: Call['caller'],
  now: ClockNow,
) {
  const count = async () => (await reviews.counts(caller)).counts
  const { label, value, read_at } = measured(await readingAsync('review store', now, count))
  const { since, decisions, verdicts, outputScans, reviewsOpened, gates, firstSeq, lastSeq } = governance.tallies(
    caller.namespace,
  )
  const since_start = {
    since,
    decisions,
    verdicts,
    output_scans: outputScans,
    reviews_opened: reviewsOpened,
    fired_by_gate: Object.fromEntries(gates.map(({ name, fired }) => [name, fired])),
    first_seq: firstSeq,
    last_seq: lastSeq,
  }
  return { label, read_at, reviews: value, reviews_exact_to: REVIEWS_COUNTED_TO, since_start }
}
