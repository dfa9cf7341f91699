/** A review as it leaves the service. */
import type { Review } from '../../domain/reviews/review.ts'
import { reviewItem } from '../../domain/reviews/review-item.ts'

/** The item as it was opened: what the reviewer gets to read of the request is not in it. */
export function toReviewNotice(review: Review): Record<string, unknown> {
  const { findings: _, votes: __, reviewed: ___, final_receipt: ____, ...item } = reviewItem(review, 'pending', 'held')
  return item
}
