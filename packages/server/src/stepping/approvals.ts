/** What people's verdicts on steps under review do to their sessions: written with the verdict, in its commit. */
import type { Review } from '../domain/reviews/review.ts'
import { grantFor } from '../domain/stepping/budget.ts'
import { exactly, microOf } from '../domain/stepping/millionths.ts'
import { ServiceError } from '../errors.ts'
import type { StepReviewed } from '../governance-contract.ts'
import type { LedgerReader } from '../ledger-contract.ts'
import type { StoredSession } from '../stepping-contract.ts'
import { givenBack } from './quotas.ts'
import { readSession, type SessionPlace, sessionWrite } from './session-documents.ts'

export const STEP_OPERATION = 'stepping.step'

/** Of a review: the step it is about, risk as decimals. */
export interface StepUnderReview {
  session_id: string
  step: number
  request_digest: string
  estimate: number
  headroom: number
}

export const stepOf = ({ step }: Review): StepUnderReview => step as unknown as StepUnderReview

/** What an approved step is charged, in millionths. */
export const approvedEstimate = (review: Review): number => microOf(exactly(stepOf(review).estimate))

export const stepReviewed =
  (reader: LedgerReader): StepReviewed =>
  async (review, from, to) => {
    if (review.operation !== STEP_OPERATION || from !== 'pending') return {}
    const place = placeOf(review)
    const held = await readSession(reader, place)
    if (held === null) throw new ServiceError('session_chain_broken', 'the session of this review is gone')
    const next = to === 'approved' ? approved(held.session, review) : settled(held.session, review, 'deny')
    const state = held.row.state === 'EXPIRED' ? 'EXPIRED' : 'ACTIVE'
    return {
      documents: [sessionWrite(place, held.row.version, next, state)],
      counters: givenBack(place, { reviews: 1 }),
    }
  }

const placeOf = (review: Review): SessionPlace => ({
  namespace: review.namespace,
  owner: review.requested_by.owner,
  sessionId: stepOf(review).session_id,
})

/** Exactly the missing risk. Whoever sends the same body again, and nobody else, may use the approval once. */
function approved(session: StoredSession, review: Review): StoredSession {
  const grant = grantFor(session, approvedEstimate(review))
  if (!grant.ok)
    throw new ServiceError('grant_exceeds_limit', 'this approval would take the budget of the session above 1; deny it')
  const { review_id, valid_until } = review
  if (valid_until === null) throw new TypeError('an approved review says until when')
  const approvals = { ...session.approvals, [stepOf(review).request_digest]: { review_id, valid_until } }
  return { ...settled(session, review, 'allow'), granted: grant.session.granted, approvals }
}

const settled = (session: StoredSession, review: Review, standing: 'allow' | 'deny'): StoredSession => ({
  ...session,
  pending_reviews: session.pending_reviews - 1,
  settled: { ...session.settled, [stepOf(review).step]: standing },
})
