// The three ways in which a governed function does not run. Each says what there is to show for it.
import type { Decision, ReceiptSummary } from './generated/operations.ts'
import type { Reply } from './operations.ts'

export type ReviewTicket = NonNullable<Decision['review']>
export type Review = Reply<'reviews.read'>

/** The service, or a person it asked, said no. The receipt is the evidence of it. */
export class GovernedDenial extends Error {
  readonly reasons: readonly string[]
  readonly receipt: ReceiptSummary
  /** Where a person denied it or nobody answered in time: the review, which names the receipt of the verdict. */
  readonly review: Review | null

  constructor({ reasons, receipt }: Asked, review: Review | null = null) {
    super(review ? `the review ${review.review_id} ended ${review.state}` : `denied: ${reasons.join(', ')}`)
    this.name = 'GovernedDenial'
    this.reasons = reasons
    this.receipt = receipt
    this.review = review
  }
}

/** A person has to decide first: call again once the review is approved, or wait. */
export class ReviewRequired extends Error {
  readonly reasons: readonly string[]
  readonly receipt: ReceiptSummary
  readonly review: ReviewTicket

  constructor({ reasons, receipt, review }: Asked & { review: ReviewTicket }) {
    super(`a person has to decide on ${review.review_id}: ${reasons.join(', ')}`)
    this.name = 'ReviewRequired'
    this.reasons = reasons
    this.receipt = receipt
    this.review = review
  }
}

/** No decision came: unreachable, too slow, refused, or an answer that is none. What is not allowed does not run. */
export class GovernanceUnavailable extends Error {
  constructor(cause: unknown) {
    super(`no decision: ${cause instanceof Error ? cause.message : 'the answer is not a decision'}`, { cause })
    this.name = 'GovernanceUnavailable'
  }
}

/** A decision that left a receipt behind. */
export type Asked = { decision: Decision['decision']; reasons: readonly string[]; receipt: ReceiptSummary }
