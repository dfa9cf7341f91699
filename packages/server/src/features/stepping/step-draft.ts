/** All that one step writes: the head of its session first, for that is what steps compete for; then the state, its
 *  effects, the review it opens or the approval it uses, and what it takes of the quotas. */
import { sha256Hex } from '@orch/core'
import type { Governance, ReviewRequest } from '../../governance/contract.ts'
import type { DocumentWrite } from '../../ledger/contract.ts'
import type { Draft } from '../../ports.ts'
import { type StepUnderReview, toReviewNotice } from './approvals.ts'
import type { StoredSession, StoredState } from './contract.ts'
import { dayMoves } from './day-budget.ts'
import type { Decided, PreparedStep } from './decide-step.ts'
import { NOVELTY_STEPS } from './experts/novelty.ts'
import { effectWrites } from './outbox/effect-documents.ts'
import { type QuotaLimits, quotaMoves } from './quotas.ts'
import { toDecimal } from './rules/millionths.ts'
import { stateHash } from './rules/state.ts'
import { type StoredAnswer, settled, stepAnswer, stepPayload } from './step-answer.ts'
import type { Histories } from './store/history.ts'
import { STEP_CHAIN, sessionWrite, stateWrite } from './store/session-documents.ts'

interface DraftParts {
  governance: Governance
  histories: Histories
  limits: QuotaLimits
  /** When its effects are due, by the clock they are claimed by. */
  dueAt: number
  /** Whether the answer is stored for a replay. */
  keepsAnswer: boolean
}

type Opened = ReturnType<Governance['openReview']> | null

export async function stepDraft(
  { governance, histories, limits, dueAt, keepsAnswer }: DraftParts,
  preparedStep: PreparedStep,
  decided: Decided,
  requestId: string,
): Promise<Draft> {
  const { record, outcome, stored, place } = decided
  const opened =
    outcome.decision === 'review'
      ? governance.openReview(decided.pipelineOutcome, toReviewRequest(preparedStep, decided))
      : null
  const review = opened?.ticket ?? null
  const notice = opened && toReviewNotice(opened.review)
  const answer: StoredAnswer = { answer: stepAnswer(preparedStep, decided, { requestId, review }), record, notice }
  const written = storedState(preparedStep, decided, notice)
  const state = stateWrite(place, written)
  const effects = effectWrites(record, dueAt)
  const head = sessionWrite(place, stored?.row.version ?? 0, nextSession(decided, opened))
  const own = [head, state, ...effects]
  const used = isLifted(decided) ? await decided.approval?.use() : []
  const usage = {
    sessions: stored === null ? 1 : 0,
    steps: 1,
    effects: effects.length,
    reviews: opened === null ? 0 : 1,
    bytes: bytesOf([state, ...effects], keepsAnswer ? answer : null),
  }
  return {
    chain: STEP_CHAIN,
    kind: 'step',
    policy: decided.pipelineOutcome.digests,
    payload: {
      ...stepPayload(preparedStep, decided, { review, notice }),
      // Documents can be edited where they lie: these digests are what they are compared with.
      session_head_sha256: sha256Hex(head.value ?? ''),
      state_document_sha256: sha256Hex(state.value ?? ''),
      effects_due_at: dueAt,
    },
    documents: [...own, ...(opened?.documents ?? []), ...(used ?? [])],
    counters: [...quotaMoves(place, usage, limits), ...dayMoves(place, decided.day, outcome.charge, isLifted(decided))],
    busy: 'session_busy',
    answer: { ...answer },
    recorded({ seq, digest }) {
      governance.recorded(settled(decided, review), seq, 'verdict')
      histories.extend(place, written, digest)
    },
  }
}

/** What stays: heads and reviews change or go, states, effects and answers that are kept do not. */
const bytesOf = (writes: readonly DocumentWrite[], answer: StoredAnswer | null): number =>
  [...writes.map(({ value }) => value ?? ''), answer === null ? '' : JSON.stringify(answer)].reduce(
    (sum, text) => sum + Buffer.byteLength(text),
    0,
  )

const isLifted = ({ outcome }: Decided): boolean => outcome.reason_codes.includes('APPROVED_BY_REVIEW')

function toReviewRequest({ asked }: PreparedStep, { record, outcome, assessment }: Decided): ReviewRequest {
  const step: StepUnderReview = {
    session_id: record.session_id,
    step: record.step,
    request_digest: record.request_digest,
    estimate: toDecimal(assessment.estimate.micro),
    headroom: toDecimal(outcome.headroom),
  }
  return { reasons: outcome.reason_codes, step: { ...step }, payload: { request: asked.body } }
}

function storedState(
  { prepared }: PreparedStep,
  { record, history, now }: Decided,
  review: StoredState['review'],
): StoredState {
  return {
    record,
    state_hash: stateHash(record),
    prev_receipt: history.lastReceipt,
    review,
    shingles: prepared.shingles,
    words: prepared.words,
    asked: [...prepared.marks.asked],
    forbidden: [...prepared.marks.forbidden],
    created_at: new Date(now).toISOString(),
  }
}

function nextSession(decided: Decided, opened: Opened): StoredSession {
  const { record, stored, now } = decided
  const before = stored?.session
  const at = new Date(now).toISOString()
  const { session_id, step, prev_state_hash, budget, granted, spent } = record
  const head = { session_id, step, state_hash: stateHash(record), prev_state_hash, budget, granted, spent }
  return {
    ...head,
    pending_reviews: (before?.pending_reviews ?? 0) + (opened === null ? 0 : 1),
    approvals: activeApprovals(before?.approvals ?? {}, decided),
    settled: remembered(before?.settled ?? {}, step),
    created_at: before?.created_at ?? at,
    updated_at: at,
  }
}

/** Without the one this step uses and those whose time is over. */
const activeApprovals = (approvals: StoredSession['approvals'], decided: Decided): StoredSession['approvals'] =>
  Object.fromEntries(
    Object.entries(approvals).filter(
      ([digest, { valid_until }]) =>
        Date.parse(valid_until) > decided.now && !(isLifted(decided) && digest === decided.record.request_digest),
    ),
  )

/** Of the steps that are still looked at. */
const remembered = (verdicts: StoredSession['settled'], step: number): StoredSession['settled'] =>
  Object.fromEntries(Object.entries(verdicts).filter(([of]) => Number(of) > step - NOVELTY_STEPS))
