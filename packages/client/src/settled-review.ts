// Waiting for people. Asking again changes nothing, so a lost answer costs one more question.
import type { Client } from './client.ts'
import type { Review } from './govern-errors.ts'
import { wait } from './retry.ts'

export type Patience = { pollMs: number; signal: AbortSignal }

/** The review once it is no longer pending. Ends with the reason of the signal, or the error of a call that failed. */
export async function settledReview(
  client: Pick<Client, 'call'>,
  reviewId: string,
  { pollMs, signal }: Patience,
): Promise<Review> {
  for (;;) {
    const review = await client.call('reviews.read', { params: { review_id: reviewId } }, { signal })
    if (review.state !== 'pending') return review
    await wait(pollMs, signal)
  }
}
