/** The decision on a request, and when it is paid for. */

import { assertPortable, sha256Hex } from '@orch/core'
import { decisionRecord } from '../../domain/decision/decision-record.ts'
import { decisionView } from '../../domain/decision/decision-view.ts'
import type { Verdict } from '../../domain/decision/verdict.ts'
import type { receiptSummary } from '../../domain/receipt-view.ts'
import { REVIEW_SPACE } from '../../domain/reviews/review.ts'
import { codePoints } from '../../domain/text/code-points.ts'
import type {
  ApprovedPayload,
  BoundFacts,
  DecisionOutcome,
  Examined,
  Governance,
  ReviewTicket,
} from '../../governance/contract.ts'
import type { Call } from '../../operation.ts'
import { once } from '../../platform/once.ts'
import type { Draft, Ports } from '../../ports.ts'
import type { Inquiry } from './inquiry.ts'
import type { Completion } from './rules/completion.ts'

export type Deps = Pick<Ports, 'governance' | 'policies' | 'upstreams' | 'recorder' | 'clock'>

export interface Settled {
  judged: Judged
  /** Null where the decision was recorded before, under a receipt of its own. */
  determination: DecisionOutcome | null
  receipt: ReturnType<typeof receiptSummary> | null
  documents: Draft['documents']
  /** What the receipt with these documents says of them. */
  bound: BoundFacts
  /** Nothing about it changes any more: what it costs is paid. */
  final: boolean
}

/** An answer as a review keeps it. */
interface ApprovedAnswer {
  completion: Completion
  target: string | null
  resolved: string | null
  /** The review that let the request itself through. */
  approvedBy: string | null
}

/** An answer that people approved. */
export interface Waiting extends ApprovedAnswer, Pick<ApprovedPayload, 'approval' | 'use'> {}

/** Whoever approved the answer to a request approved that it was asked: it is told as it was kept, and no target is asked again. */
export async function readApprovedAnswer({ governance }: Deps, inquiry: Inquiry): Promise<Waiting | null> {
  const { input, answerSha256 } = inquiry
  if (input.reviewId === null) return null
  const approved = await governance.approvedPayload({ ...input, inputSha256: answerSha256 })
  const stored = approved?.payload.held as ApprovedAnswer | undefined
  return approved === null || stored === undefined
    ? null
    : { ...stored, approval: approved.approval, use: approved.use }
}

/** The request through the gates, with what was found told by its place in it. */
export async function examinedInput({ governance }: Pick<Deps, 'governance'>, inquiry: Inquiry): Promise<Examined> {
  const examined = await governance.examine(inquiry.input)
  const { examination } = examined
  return { ...examined, examination: { ...examination, findings: inquiry.locate(examination.findings) } }
}

/** How the request was decided, and how it stands by the review it names: lifted with an answer that people approved,
 *  waiting with one they have not decided on yet. Neither costs anything or opens a second review. */
async function decided(deps: Deps, inquiry: Inquiry, examined: Examined, waiting: Waiting | null) {
  const { input, answerSha256, request } = inquiry
  const pendingReview = await deps.governance.pendingReview({ ...input, inputSha256: answerSha256 })
  const options = { payload: { request }, dryRun: waiting !== null || pendingReview !== null }
  const determination = await deps.governance.decide(examined, options)
  const judged = judgedOf(determination)
  // What no receipt can hold is found out before it is paid for and a target is called.
  assertPortable(judged.record)
  return {
    determination,
    judged: pendingReview === null ? liftedBy(judged, waiting) : pendingUnder(judged, pendingReview),
  }
}

/** Decided, and paid for before a target is called; the receipt of the inference is the one receipt. */
export const settleInFull = (deps: Deps, inquiry: Inquiry) => {
  const examining = once(() => examinedInput(deps, inquiry))
  return async (waiting: Waiting | null): Promise<Settled> => {
    const examined = await examining()
    const found = await deps.recorder.commitBefore(async () => {
      const { determination, judged } = await decided(deps, inquiry, examined, waiting)
      const allowed = determination.decision.decision === 'allow'
      return { determination, judged, documents: allowed ? determination.documents : [] }
    })
    const { determination, judged, documents } = found
    const paid = documents.length > 0
    return {
      judged,
      determination,
      receipt: null,
      documents: paid ? documents.flatMap(bornOut) : determination.documents,
      bound: paid ? approvalIn(judged.bound) : judged.bound,
      final: paid,
    }
  }
}

/** A charge that was paid before is written with no receipt of this request. */
const approvalIn = ({ approval }: BoundFacts): BoundFacts => (approval === undefined ? {} : { approval })

/** The receipt of the decision used it up. */
const usedBefore = ({ approval }: BoundFacts): BoundFacts =>
  approval === undefined ? {} : { approval: { ...approval, used: false } }

/** A review that was used up is written once more with the receipt that used it, so that it leads there. */
const bornOut = (write: NonNullable<Draft['documents']>[number]) =>
  write.space === REVIEW_SPACE && write.value !== null ? [{ ...write, expect: write.expect + 1 }] : []

/** Decided and recorded by itself: what is told of it while an answer is still on its way has its receipt. */
export const settleByReceipt = (deps: Deps, call: Call, inquiry: Inquiry) => {
  const examining = once(() => examinedInput(deps, inquiry))
  return async (waiting: Waiting | null): Promise<Settled> => {
    const { body } = await deps.recorder.record(call, `${inquiry.operation}.decision`, {
      decide: async () => decided(deps, inquiry, await examining(), waiting),
      toReceipt: ({ determination, judged }) => ({
        chain: 'governance',
        kind: 'decision',
        policy: determination.digests,
        payload: {
          ...judged.record,
          ...requestFacts(inquiry),
          review_id: judged.review?.review_id ?? null,
          approved_by: judged.approvedBy,
          ...judged.bound,
        },
        documents: determination.documents,
        answer: { judged },
        recorded: ({ seq }) => deps.governance.recorded(determination, seq, 'decision'),
      }),
    })
    const { judged, receipt } = body as unknown as { judged: Judged; receipt: Settled['receipt'] }
    return { judged, determination: null, receipt, documents: [], bound: usedBefore(judged.bound), final: true }
  }
}

/** The request as both receipts name it: by its digests alone. */
export const requestFacts = ({ operation, input }: Inquiry) => ({
  operation,
  action: 'infer',
  request_sha256: input.inputSha256,
  input_sha256: sha256Hex(new TextEncoder().encode(input.text)),
  input_length: codePoints(input.text),
})

type PendingReview = NonNullable<Awaited<ReturnType<Governance['pendingReview']>>>

/** A determination as plain JSON: what is recorded and answered of it, and what the rest of an inference depends on. */
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
function liftedBy(judged: Judged, waiting: Waiting | null): Judged {
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
function pendingUnder(judged: Judged, { ticket, reasons }: PendingReview): Judged {
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
