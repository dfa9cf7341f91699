/** A decided step as it is told and as its receipt keeps it. */
import { sha256Hex } from '@orch/core'
import { agentOf } from '../../domain/decision/agent.ts'
import { decisionRecord } from '../../domain/decision/decision-record.ts'
import { explanationsOf } from '../../domain/decision/decision-view.ts'
import { firedGates, GATE_NAMES, type Stage } from '../../domain/decision/verdict.ts'
import { receiptSummary } from '../../domain/receipt-view.ts'
import type { DecisionOutcome, ReviewTicket } from '../../governance/contract.ts'
import type { ToReply } from '../../ports.ts'
import type { Decided, PreparedStep } from './decide-step.ts'
import { MARGINS, remainingOf } from './rules/budget.ts'
import { budgetVerdict } from './rules/decision.ts'
import { deriveEffects, kindsFor, payloadDigest } from './rules/effects.ts'
import { toDecimal, toDecimals } from './rules/millionths.ts'
import { FIRST_PREV, type StateRecord, sessionName, stateHash } from './rules/state.ts'
import type { StepReply } from './schemas.ts'
import { keyMark } from './store/keyed-hash.ts'

/** What an answer says before its receipt is known. */
type StepAnswer = Omit<StepReply, 'effects' | 'would_be' | 'receipt' | 'receipt_status'>

/** Every answer about a step carries these. */
const NOTES = {
  kernel_execution: 'NOT_EXECUTED',
  note: 'weights are chosen constants and not fitted probabilities; mode names are routing names',
} as const

/** The pipeline's decision with the session's own budget in place of its stage, and what came of all rows together. */
export function settled({ pipelineOutcome, outcome }: Decided, review: ReviewTicket | null): DecisionOutcome {
  const { decision } = pipelineOutcome
  const stages = decision.stages.map((stage): Stage => (stage.id === 'session-risk-budget' ? own(outcome) : stage))
  const fired = firedGates(stages)
  return {
    ...pipelineOutcome,
    review,
    reviewReasons: outcome.reason_codes,
    decision: {
      ...decision,
      decision: outcome.decision,
      stages,
      gates_fired: fired,
      gates_passed: GATE_NAMES.filter((name) => !fired.includes(name)),
    },
  }
}

function own({ headroom, reason_codes }: Decided['outcome']): Stage {
  const lifted = reason_codes.includes('APPROVED_BY_REVIEW')
  const verdict = lifted ? 'allow' : budgetVerdict(headroom)
  return { id: 'session-risk-budget', verdict, reasons: verdict === 'deny' ? ['BUDGET_EXCEEDED'] : [] }
}

export function stepAnswer(
  { caller, asked }: PreparedStep,
  decided: Decided,
  { requestId, review }: { requestId: string; review: ReviewTicket | null },
): StepAnswer {
  const { record, outcome, assessment, now } = decided
  const { decision, policy } = settled(decided, review)
  const { novelty, disagreement, experts, unknown_experts } = assessment
  return {
    schema: 'orch.gdw.step/v1',
    label: 'MODELED',
    request_id: requestId,
    request_digest: asked.digest,
    session_id: asked.body.session_id,
    principal: { namespace: caller.namespace, owner_id: caller.owner, key_id: caller.keyId },
    decision: outcome.decision,
    reason_codes: outcome.reason_codes,
    explanations: explanationsOf(outcome.reason_codes, decided.pipelineOutcome.examined.examination.findings),
    ...agentOf(asked.body),
    step: record.step,
    dry_run: asked.body.dry_run,
    scheduler_mode: record.mode,
    routing: routingOf(assessment),
    novelty,
    disagreement,
    risk: riskOf(decided),
    experts,
    unknown_experts,
    gates: gatesOf(decision.stages),
    policy: { sha256: policy.policy_digest, decision: policy.outcome, rules: [...policy.determining] },
    lambda: decision.lambda,
    state_before_hash: record.prev_state_hash,
    state_hash: stateHash(record),
    review,
    ...NOTES,
    created_at: new Date(now).toISOString(),
  }
}

const routingOf = ({ routing, context_estimated }: Decided['assessment']): StepReply['routing'] => ({
  ...routing,
  score: routing.score === null ? null : toDecimal(routing.score),
  probabilities: toDecimals(routing.probabilities),
  context_estimated,
})

function riskOf({ assessment, budgeted, day, outcome, record }: Decided): StepReply['risk'] {
  const { estimate, preliminary } = assessment
  return {
    model: estimate.model,
    preliminary: toDecimal(preliminary),
    estimate: toDecimal(estimate.micro),
    components: estimate.components,
    budget: toDecimal(record.budget),
    granted: toDecimal(record.granted),
    spent_before: toDecimal(budgeted.session.spent),
    spent_after: toDecimal(record.spent),
    remaining_after: toDecimal(remainingOf(record)),
    headroom: toDecimal(outcome.headroom),
    charged: toDecimal(outcome.charge),
    day: day && {
      date: day.day,
      ...toDecimals({ budget: day.limit, spent_before: day.spent, spent_after: day.spent + outcome.charge }),
    },
    margins: toDecimals(MARGINS),
  }
}

const gatesOf = (stages: readonly Stage[]) =>
  GATE_NAMES.map((gate) => {
    const verdict = stages.find(({ id }) => id === gate)?.verdict ?? 'deny'
    return { gate, verdict, fired: verdict !== 'allow', passed: verdict === 'allow' }
  })

/** Nothing of it is stored: what would have been is told apart from what is. */
export function rehearsed(answer: StepAnswer, { stored, record, outcome }: Decided): StepReply {
  const { session } = stored ?? {}
  const spent = toDecimal(session?.spent ?? 0)
  const remaining = toDecimal(session === undefined ? record.budget : remainingOf(session))
  return {
    ...answer,
    step: session?.step ?? 0,
    state_before_hash: session?.prev_state_hash ?? FIRST_PREV,
    state_hash: session?.state_hash ?? FIRST_PREV,
    risk: { ...answer.risk, spent_after: spent, remaining_after: remaining },
    effects: [],
    would_be: {
      step: record.step,
      state_hash: stateHash(record),
      spent_after: toDecimal(record.spent),
      effects: kindsFor(record.decision).map((kind) => ({ kind, state: 'PENDING' })),
      review: outcome.decision === 'review',
    },
    receipt: null,
    receipt_status: 'NOT_WRITTEN_DRY_RUN',
  }
}

/** Nothing of the text: digests, lengths and masked spans. Risk in millionths. */
export function stepPayload(
  { caller, asked, examined, words }: PreparedStep,
  decided: Decided,
  { review, notice }: { review: ReviewTicket | null; notice: Record<string, unknown> | null },
) {
  const { record, outcome, assessment, budgeted, day, history, approval } = decided
  const { decision, policy } = settled(decided, review)
  return {
    ...decisionRecord({ examination: examined.examination, decision, policy }),
    reasons: outcome.reason_codes,
    budget: { spent_micro: budgeted.session.spent, charge_micro: outcome.charge, limit_micro: record.budget },
    operation: 'stepping.step',
    session: sessionName(caller.namespace, caller.owner, asked.body.session_id),
    session_sha256: sha256Hex(asked.body.session_id),
    ...agentOf(asked.body),
    session_prev_receipt: history.lastReceipt,
    session_prev_event: history.lastEvent,
    word_key: keyMark(words.hash),
    step: record.step,
    state_before_hash: record.prev_state_hash,
    state_hash: stateHash(record),
    request_digest: record.request_digest,
    request_length: [...asked.body.request].length,
    mode: record.mode,
    risk_model: record.risk_model,
    estimate: assessment.estimate.micro,
    preliminary: assessment.preliminary,
    headroom: outcome.headroom,
    spent: record.spent,
    granted: record.granted,
    day: day && { ...day, charge: outcome.charge },
    experts: assessment.experts.map(({ expert, ran_as, verdict }) => ({ expert, ran_as, verdict })),
    review_id: review?.review_id ?? null,
    review_notice_sha256: notice && payloadDigest(notice),
    ...(outcome.reason_codes.includes('APPROVED_BY_REVIEW') && approval !== null
      ? { approved_by: approval.review.review_id, approval: approval.named }
      : { approved_by: null }),
  }
}

/** Effects are named by the digest of the receipt, so they are told once there is one. */
export const composeStep = ((receipt, stored): StepReply => {
  const { answer, record, notice } = stored as unknown as StoredAnswer
  const summary = receiptSummary(receipt)
  return {
    ...answer,
    effects: deriveEffects(record, receipt.digest, notice).map(({ effect_id, kind }) => ({
      effect_id,
      kind,
      state: 'PENDING',
    })),
    receipt: summary,
    receipt_status: summary.signature_state,
  }
}) satisfies ToReply

export interface StoredAnswer {
  answer: StepAnswer
  record: StateRecord
  /** The item as the review notice tells it. */
  notice: Record<string, unknown> | null
}
