// The three ways in which a governed function does not run. Each says what there is to show for it.
import type { Decision, ReceiptSummary } from './generated/operations.ts'
import type { Reply } from './operations.ts'

export type ReviewTicket = NonNullable<Decision['review']>
export type Review = Reply<'reviews.read'>

/** A decision that was made, with its receipt as the evidence of it. */
class Decided extends Error {
  readonly reasons: readonly string[]
  readonly receipt: ReceiptSummary

  constructor(name: string, message: string, { reasons, receipt }: Asked) {
    super(message)
    this.name = name
    this.reasons = reasons
    this.receipt = receipt
  }
}

/** The service, or a person it asked, said no. */
export class GovernedDenial extends Decided {
  /** Where a person denied it or nobody answered in time: the review, which names the receipt of the verdict. */
  readonly review: Review | null

  constructor(asked: Asked, review: Review | null = null) {
    const denied = `denied: ${asked.reasons.join(', ')}`
    super('GovernedDenial', review ? `the review ${review.review_id} ended ${review.state}` : denied, asked)
    this.review = review
  }
}

/** A person has to decide first: call again once the review is approved, or wait. */
export class ReviewRequired extends Decided {
  readonly review: ReviewTicket

  constructor(asked: Asked & { review: ReviewTicket }) {
    const { review, reasons } = asked
    super('ReviewRequired', `a person has to decide on ${review.review_id}: ${reasons.join(', ')}`, asked)
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
