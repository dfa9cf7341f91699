/** What waits for a person: how much of it, since when, and the newest of it. The payload of a review is not shown here. */
import { REVIEWS_COUNTED_TO } from '../../domain/reviews/review.ts'
import type { ReviewQueue } from '../../governance/contract.ts'
import type { Caller } from './admission.ts'

export const MAX_REVIEWS = 10

export type WaitingReviews = Awaited<ReturnType<typeof readReviews>>
export type ReviewRow = WaitingReviews['items'][number]

type Queue = Pick<ReviewQueue, 'list' | 'counts' | 'fourEyes'>

export async function readReviews(queue: Queue, caller: Caller, reviewUrl: (reviewId: string) => string | null) {
  const query = { state: 'pending', operation: null, limit: MAX_REVIEWS, after: null } as const
  const [{ items }, { counts, oldestPendingSeconds }] = await Promise.all([
    queue.list(caller, query),
    queue.counts(caller),
  ])
  return {
    namespace: caller.namespace,
    waiting: counts.pending ?? null,
    counted_to: REVIEWS_COUNTED_TO,
    oldest_seconds: oldestPendingSeconds,
    four_eyes: queue.fourEyes,
    items: items.map(({ review_id, operation, reasons, requested_by, created_at, expires_at }) => ({
      review_id,
      operation,
      reasons,
      requested_by: requested_by.owner,
      created_at,
      expires_at,
      review_url: reviewUrl(review_id),
    })),
    order: 'newest first' as const,
  }
}
