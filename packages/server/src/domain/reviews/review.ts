/** One decision that waits for people. The item is working state; every step of it is borne out by a receipt. */
import type { Finding } from '../gates/finding.ts'

export const REVIEW_SPACE = 'review'
export const REVIEW_PAYLOAD_SPACE = 'review-payload'
/** How long an approval may be used. */
export const APPROVAL_MS = 15 * 60_000

/** Reviews of a state are counted exactly this far. */
export const REVIEWS_COUNTED_TO = 10_000

export const REVIEW_STATES = ['pending', 'approved', 'denied', 'expired', 'consumed'] as const
export type ReviewState = (typeof REVIEW_STATES)[number]

export interface Vote {
  verdict: 'approve' | 'deny'
  reviewer: string
  key_id: string | null
  reason_sha256: string
}

/** What happened to the item, oldest first. The receipt of the newest event is known only once it is recorded: it is the
 *  one the document was written with, and is filled in with the next event. */
interface ReviewEvent {
  kind: 'opened' | 'vote' | 'expired' | 'consumed'
  at: string
  receipt: string | null
  vote?: Vote
}

export interface Review {
  review_id: string
  operation: string
  namespace: string
  requested_by: { owner: string; key_id: string | null }
  input_sha256: string
  rules_digest: string
  policy_digest: string
  reasons: string[]
  findings: Finding[]
  lambda: number | null
  created_at: string
  expires_at: string
  required_approvals: number
  /** Null until enough people approved. */
  valid_until: string | null
  step: Record<string, unknown> | null
  events: ReviewEvent[]
}

/** What is stored and what it means by the clock: time closes an item before any sweep has recorded that. */
export function stateAt(stored: ReviewState, review: Review, now: number): ReviewState {
  const until = stored === 'pending' ? review.expires_at : stored === 'approved' ? review.valid_until : null
  return until !== null && now >= Date.parse(until) ? 'expired' : stored
}

export const isClosed = (state: ReviewState): boolean => state !== 'pending' && state !== 'approved'

export const votesOf = (review: Review): Vote[] => review.events.flatMap(({ vote }) => (vote ? [vote] : []))

/** `newest` is the digest of the receipt the stored document was written with. */
export function withEvent(review: Review, event: Omit<ReviewEvent, 'receipt'>, newest: string): Review {
  return { ...review, events: [...linked(review, newest).events, { ...event, receipt: null }] }
}

export const linked = (review: Review, newest: string): Review => ({
  ...review,
  events: review.events.map((one) => (one.receipt === null ? { ...one, receipt: newest } : one)),
})

/** As it was before anybody voted and before its receipt was known. */
export const asOpened = (review: Review): Review => ({
  ...review,
  valid_until: null,
  events: review.events.slice(0, 1).map((opened) => ({ ...opened, receipt: null })),
})

export interface Approval {
  review_id: string
  input_sha256: string
  rules_digest: string
  policy_digest: string
  valid_until: string
}

export const approvalOf = (review: Review): Approval | null =>
  review.valid_until === null
    ? null
    : {
        review_id: review.review_id,
        input_sha256: review.input_sha256,
        rules_digest: review.rules_digest,
        policy_digest: review.policy_digest,
        valid_until: review.valid_until,
      }

/** An approval counts for the request, the rules and the policies it was given for, and for nobody else. */
export interface Asked {
  namespace: string
  owner: string
  operation: string
  input_sha256: string
  rules_digest: string
  policy_digest: string
}

export const approves = (stored: ReviewState, review: Review, asked: Asked, now: number): boolean =>
  stateAt(stored, review, now) === 'approved' && isOf(review, asked)

/** The very same request waits already: asked again, it waits under the same review. */
export const awaits = (stored: ReviewState, review: Review, asked: Asked, now: number): boolean =>
  stateAt(stored, review, now) === 'pending' && isOf(review, asked)

const isOf = (review: Review, asked: Asked): boolean =>
  review.namespace === asked.namespace &&
  review.requested_by.owner === asked.owner &&
  review.operation === asked.operation &&
  review.input_sha256 === asked.input_sha256 &&
  review.rules_digest === asked.rules_digest &&
  review.policy_digest === asked.policy_digest
