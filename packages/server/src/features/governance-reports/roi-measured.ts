/** Reviews as the store holds them now, and beside them what this process counted since it started. Counts stay counts:
 *  they are never multiplied into money. */
import { type ClockNow, measured, readingAsync } from '@orch/core'
import { REVIEWS_COUNTED_TO } from '../../domain/reviews/review.ts'
import type { Governance, ReviewQueue } from '../../governance/contract.ts'
import type { Call } from '../../operation.ts'

type Caller = Call['caller']

interface Sources {
  governance: Pick<Governance, 'tallies'>
  reviews: Pick<ReviewQueue, 'counts'>
}

export async function roiMeasured({ governance, reviews }: Sources, caller: Caller, now: ClockNow) {
  const count = async () => (await reviews.counts(caller)).counts
  const { label, value, read_at } = measured(await readingAsync('review store', now, count))
  return {
    label,
    read_at,
    reviews: value,
    reviews_exact_to: REVIEWS_COUNTED_TO,
    since_start: sinceStart(governance, caller),
  }
}

function sinceStart(governance: Sources['governance'], { namespace }: Caller) {
  const { since, decisions, verdicts, outputScans, reviewsOpened, gates, firstSeq, lastSeq } =
    governance.tallies(namespace)
  return {
    since,
    decisions,
    verdicts,
    output_scans: outputScans,
    reviews_opened: reviewsOpened,
    fired_by_gate: Object.fromEntries(gates.map(({ name, fired }) => [name, fired])),
    first_seq: firstSeq,
    last_seq: lastSeq,
  }
}
