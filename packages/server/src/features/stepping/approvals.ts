/** What people's verdicts on steps under review do to their sessions: written with the verdict, in its commit. The receipt
 *  of the verdict says what it granted and what it left as the head; without it neither counts. */
import { sha256Hex } from '@orch/core'
import { asOpened, type Review, reviewItem } from '../../domain/reviews/review.ts'
import { ServiceError } from '../../errors.ts'
import type { StepReviewed } from '../../governance/contract.ts'
import type { CheckReceipt, LedgerReader } from '../../ledger/contract.ts'
import type { StoredSession, StoredState } from './contract.ts'
import { givenBack } from './quotas.ts'
import { grantFor } from './rules/budget.ts'
import { payloadDigest } from './rules/effects.ts'
import { nameOf, readSession, readState, type SessionPlace, sessionWrite } from './store/session-documents.ts'
import { chainBroken, eventOf, provenHead } from './store/session-events.ts'

export const STEP_OPERATION = 'stepping.step'

/** Of a review: the step it is about, risk as decimals. */
export interface StepUnderReview {
  session_id: string
  step: number
  request_digest: string
  estimate: number
  headroom: number
}

const stepOf = ({ step }: Review): StepUnderReview => step as unknown as StepUnderReview

export const stepReviewed =
  (reader: LedgerReader, check: CheckReceipt): StepReviewed =>
  async (review, from, to) => {
    if (review.operation !== STEP_OPERATION || from !== 'pending') return {}
    const place = placeOf(review)
    const stored = await readSession(reader, place)
    if (stored === null) throw new ServiceError('session_chain_broken', 'the session of this review is gone')
    // A head that was edited must not come out of this with a receipt that bears it out.
    const proven = await provenHead(reader, check, place, stored)
    const { record } = await storedStep(reader, check, place, review)
    const next =
      to === 'approved' ? approved(stored.session, review, record) : settled(stored.session, record.step, 'deny')
    const state = stored.row.state === 'EXPIRED' ? 'EXPIRED' : 'ACTIVE'
    const head = sessionWrite(place, stored.row.version, next, state)
    const step_review = {
      session: nameOf(place),
      step: record.step,
      estimate: record.estimate,
      grant: next.granted - stored.session.granted,
      session_prev_event: proven.event,
      session_head_sha256: sha256Hex(head.value ?? ''),
    }
    return { documents: [head], counters: givenBack(place, { reviews: 1 }), payload: { step_review } }
  }

const placeOf = (review: Review): SessionPlace => ({
  namespace: review.namespace,
  owner: review.requested_by.owner,
  sessionId: stepOf(review).session_id,
})

/** The step under review, as its receipt bears it out, and this review as the one that was opened with it. */
async function storedStep(
  reader: LedgerReader,
  check: CheckReceipt,
  place: SessionPlace,
  review: Review,
): Promise<StoredState> {
  const stored = await readState(reader, place, stepOf(review).step)
  const event = stored && (await eventOf(reader, stored.row))
  if (stored === null || event === null) throw chainBroken()
  const { digest, signature } = await check(event.row)
  const holds =
    digest === event.row.digest &&
    signature !== false &&
    event.session === nameOf(place) &&
    event.reported.state_document_sha256 === sha256Hex(stored.row.value) &&
    event.reported.review_notice_sha256 === payloadDigest(toReviewNotice(asOpened(review))) &&
    review.events[0]?.receipt === digest
  if (!holds) throw chainBroken()
  return stored.state
}

/** Exactly the missing risk. Whoever sends the same body again, and nobody else, may use the approval once. */
function approved(session: StoredSession, review: Review, record: StoredState['record']): StoredSession {
  const { estimate, request_digest, step } = record
  const grant = grantFor(session, estimate)
  if (!grant.ok)
    throw new ServiceError('grant_exceeds_limit', 'this approval would take the budget of the session above 1; deny it')
  const { review_id, valid_until, rules_digest, policy_digest } = review
  if (valid_until === null) throw new TypeError('an approved review says until when')
  const given = { review_id, valid_until, estimate, rules_digest, policy_digest }
  const approvals = { ...session.approvals, [request_digest]: given }
  return { ...settled(session, step, 'allow'), granted: grant.session.granted, approvals }
}

const settled = (session: StoredSession, step: number, verdict: 'allow' | 'deny'): StoredSession => ({
  ...session,
  pending_reviews: session.pending_reviews - 1,
  settled: { ...session.settled, [step]: verdict },
})

/** A review as it leaves the service, which is the item as it was opened: what the reviewer gets to read of the request is
 *  not in it, and its members stay those that receipts of earlier steps hold the digest of. */
export function toReviewNotice(review: Review): Record<string, unknown> {
  const { findings: _, votes: __, reviewed: ___, final_receipt: ____, ...item } = reviewItem(review, 'pending', 'held')
  const { question: _1, tool: _2, tool_sha256: _3, agent: _4, ...notice } = item
  return notice
}
