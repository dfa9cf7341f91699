/** A review as it is shown. */
import { isClosed, linked, type Review, type ReviewState } from './review.ts'

export type ReviewItem = ReturnType<typeof reviewItem>

export function reviewItem(review: Review, state: ReviewState, payload: 'held' | 'erased') {
  const [opened] = review.events
  const closing = review.events.findLast(({ kind }) => kind === 'vote' || kind === 'expired')
  const settled = state === 'pending' ? null : (closing?.receipt ?? null)
  return {
    schema: 'orch.review/v1' as const,
    review_id: review.review_id,
    state,
    operation: review.operation,
    reviewed: opened?.receipt ? { receipt_id: opened.receipt, digest: opened.receipt } : null,
    input_sha256: review.input_sha256,
    rules_digest: review.rules_digest,
    policy_digest: review.policy_digest,
    reasons: review.reasons,
    findings: review.findings,
    lambda: review.lambda,
    requested_by: review.requested_by,
    created_at: review.created_at,
    expires_at: review.expires_at,
    valid_until: review.valid_until,
    required_approvals: review.required_approvals,
    votes: review.events.flatMap(({ vote, at, receipt }) => (vote ? [{ ...vote, at, receipt_id: receipt }] : [])),
    final_receipt: settled,
    consumed_by: review.events.find(({ kind }) => kind === 'consumed')?.receipt ?? null,
    step: review.step,
    payload_state: payload,
  }
}

/** The outcome of a verdict, once its receipt is known. */
export const decidedItem = (review: Review, state: ReviewState, receipt: string): ReviewItem =>
  reviewItem(linked(review, receipt), state, isClosed(state) ? 'erased' : 'held')
