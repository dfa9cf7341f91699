/** A determination as plain JSON: what is told and recorded of it, and what the rest of an inference depends on. */
import { decisionRecord } from '../../domain/decision/decision-record.ts'
import { decisionView } from '../../domain/decision/decision-view.ts'
import type { Verdict } from '../../domain/decision/verdict.ts'
import type { BoundFacts, DecisionOutcome, Governance, ReviewTicket } from '../../governance/contract.ts'
import type { Waiting } from './settle.ts'

type PendingReview = NonNullable<Awaited<ReturnType<Governance['pendingReview']>>>

export interface Judged {
  decision: Verdict
  view: ReturnType<typeof decisionView>
  record: ReturnType<typeof decisionRecord>
  digests: DecisionOutcome['digests']
  review: ReviewTicket | null
  /** The review that lifted it; null where none had to. */
  approvedBy: string | null
  /** For the receipt it is recorded with. */
  bound: BoundFacts
}

export function judgedOf(determination: DecisionOutcome): Judged {
  const { examined, decision, digests, review, bound } = determination
  const { examination, decisionRequest } = examined
  const approved = decision.reasons.includes('APPROVED_BY_REVIEW')
  return {
    decision: decision.decision,
    view: decisionView({ ...determination, examination }),
    record: decisionRecord({ ...determination, examination }),
    digests,
    review,
    approvedBy: approved ? decisionRequest.reviewId : null,
    bound,
  }
}

/** A request that people approved before its answer was held for them is not held a second time. */
export function liftedBy(judged: Judged, waiting: Waiting | null): Judged {
  if (waiting === null || judged.decision !== 'review') return judged
  const reasons: Judged['view']['reasons'] = ['APPROVED_BY_REVIEW']
  return {
    ...judged,
    decision: 'allow',
    view: { ...judged.view, decision: 'allow', reasons },
    record: { ...judged.record, decision: 'ALLOW', reasons },
    review: null,
    approvedBy: waiting.approvedBy ?? waiting.approval.review_id,
    bound: { approval: { ...waiting.approval, used: false } },
  }
}

/** The answer to this request waits for people: so does whoever asks for it again. Nothing softens a denial. */
export function pendingUnder(judged: Judged, { ticket, reasons }: PendingReview): Judged {
  if (judged.decision === 'deny') return judged
  const reported = reasons as Judged['view']['reasons']
  return {
    ...judged,
    decision: 'review',
    view: { ...judged.view, decision: 'review', reasons: reported },
    record: { ...judged.record, decision: 'REVIEW', reasons: reported },
    review: ticket,
  }
}
