/** A determination as plain JSON: what is told and recorded of it, and what the rest of an inference depends on. */
import { decisionRecord } from '../../domain/decision/decision-record.ts'
import { decisionView } from '../../domain/decision/decision-view.ts'
import type { Verdict } from '../../domain/decision/verdict.ts'
import { located, type Part } from '../../domain/inference/message-pointers.ts'
import type { Determination, ReviewTicket } from '../../governance-contract.ts'

export interface Judged {
  decision: Verdict
  view: ReturnType<typeof decisionView>
  record: ReturnType<typeof decisionRecord>
  digests: Determination['digests']
  review: ReviewTicket | null
  /** The review that lifted it; null where none had to. */
  approvedBy: string | null
}

/** `parts` are the messages that were examined as one text. */
export function judgedOf(determination: Determination, parts: readonly Part[] = []): Judged {
  const { examined, decision, digests, review } = determination
  const { examination, matter } = examined
  const told = parts.length === 0 ? examination : { ...examination, findings: located(examination.findings, parts) }
  const approved = decision.reasons.includes('APPROVED_BY_REVIEW')
  return {
    decision: decision.decision,
    view: decisionView({ ...determination, examination: told }),
    record: decisionRecord({ ...determination, examination: told }),
    digests,
    review,
    approvedBy: approved ? matter.reviewId : null,
  }
}

/** A request that people approved before its answer was held for them is not held a second time. */
export function liftedBy(judged: Judged, reviewId: string | null): Judged {
  if (reviewId === null || judged.decision !== 'review') return judged
  const reasons: Judged['view']['reasons'] = ['APPROVED_BY_REVIEW']
  return {
    ...judged,
    decision: 'allow',
    view: { ...judged.view, decision: 'allow', reasons },
    record: { ...judged.record, decision: 'ALLOW', reasons },
    review: null,
    approvedBy: reviewId,
  }
}
