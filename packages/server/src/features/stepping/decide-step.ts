/** One step decided on what is stored now. What depends on the request alone is worked out once, before; this runs again
 *  whenever another step of the session was recorded first. */
import type { Caller } from '../../access.ts'
import { withOwnRisk } from '../../domain/decision/decide.ts'
import { graverEffect } from '../../domain/policy/requests.ts'
import { ServiceError } from '../../errors.ts'
import type { ActiveApproval, DecisionOutcome, Examined, Governance } from '../../governance/contract.ts'
import type { LedgerReader } from '../../ledger/contract.ts'
import type { Clock } from '../../ports.ts'
import type { StepAsked, StoredApproval } from './contract.ts'
import { type DayBudget, readDayBudget } from './day-budget.ts'
import type { Prepared, Words } from './experts/prepared.ts'
import type { LedgerView } from './experts/retriever.ts'
import { type QuotaLimits, quotaExceeded, remainingSteps, type StepsLeft } from './quotas.ts'
import { type Assessment, assess } from './rules/assessment.ts'
import { type Budgeted, budgetFor, spend } from './rules/budget.ts'
import { decideStep, type StepDecision } from './rules/decision.ts'
import { RISK_MODEL } from './rules/estimate.ts'
import { FIRST_PREV, STATE_SCHEMA, type StateRecord } from './rules/state.ts'
import type { Histories, History } from './store/history.ts'
import { keyMark, storedKeyMark } from './store/keyed-hash.ts'
import { isExpired, placeOf, readSession, type SessionDocument, type SessionPlace } from './store/session-documents.ts'
import { chainBroken } from './store/session-events.ts'

export interface DecidingParts {
  reader: LedgerReader
  governance: Governance
  histories: Histories
  clock: Clock
  limits: QuotaLimits
  /** Millionths an owner may risk on one UTC day; null where the operator set none. */
  dayLimit: number | null
}

/** What the request says by itself. */
export interface PreparedStep {
  caller: Caller
  asked: StepAsked
  examined: Examined
  prepared: Prepared
  words: Words
  ledger: LedgerView
}

export interface Decided {
  place: SessionPlace
  stored: SessionDocument | null
  history: History
  pipelineOutcome: DecisionOutcome
  assessment: Assessment
  budgeted: Budgeted
  day: DayBudget | null
  approval: ActiveApproval | null
  outcome: StepDecision
  record: StateRecord
  now: number
}

export async function decide(parts: DecidingParts, preparedStep: PreparedStep): Promise<Decided> {
  const { caller, asked, examined } = preparedStep
  const now = parts.clock.now()
  const place = placeOf(caller, asked.body.session_id)
  // What is left of the quota does not depend on the session: both are asked for at once.
  const [stored, left] = await Promise.all([
    openSession(parts.reader, place, now),
    remainingSteps(parts.reader, caller, parts.limits),
  ])
  const history = stored === null ? NO_HISTORY : await parts.histories.of(place, stored)
  await assertOwnKey(parts.reader, preparedStep, history)
  const remaining = quotaLeft(parts, left, asked.body.dry_run)
  const day = await readDayBudget(parts.reader, caller, parts.dayLimit, now)
  const judged = await parts.governance.decide(examined, { dryRun: true })
  const budgeted = budgetFor(stored?.session ?? null, asked.body.risk_budget)
  const assessment = assessed(parts, preparedStep, history, judged, remaining)
  const pipelineOutcome = withStepLambda(judged, assessment, budgeted)
  const given = givenApproval(preparedStep, stored, now)
  const approval = given && (await approvalFor(parts, preparedStep, given))
  const outcome = decideStep({
    stages: pipelineOutcome.decision.stages,
    estimate: assessment.estimate.micro,
    session: budgeted.session,
    expertUnavailable: assessment.expert_unavailable,
    unknownExperts: assessment.unknown_experts,
    mandatoryBlock: assessment.mandatory_block,
    dayRemaining: day && day.limit - day.spent,
    approval: given && approval && { estimate: given.estimate, current: approval.current },
  })
  const reason_codes = [...outcome.reason_codes, ...budgeted.codes] as StepDecision['reason_codes']
  const decided = { place, stored, history, pipelineOutcome, assessment, budgeted, day, approval, now }
  const reported = { ...outcome, reason_codes }
  return { ...decided, outcome: reported, record: buildRecord(preparedStep, { ...decided, outcome: reported }) }
}

/** Lambda of a step comes from the step's own numbers: the effect its planner found where that is graver, what the session
 *  has and has spent, and what this step is charged. */
function withStepLambda(
  judged: DecisionOutcome,
  { effect, estimate }: Assessment,
  { session }: Budgeted,
): DecisionOutcome {
  const own = {
    effect: graverEffect(judged.examined.examination.effect, effect),
    spent_micro: session.spent,
    charge_micro: estimate.micro,
    budget_micro: session.budget + session.granted,
  }
  return { ...judged, decision: withOwnRisk(judged.decision, own) }
}

const NO_HISTORY: History = { steps: [], lastReceipt: FIRST_PREV, lastEvent: FIRST_PREV, wordKey: null }

/** Words that were hashed with another key are not recognised, and nothing said before would count. Where another step
 *  was faster to bring the key, the store refuses this one's and it is decided again. */
async function assertOwnKey(reader: LedgerReader, { words }: PreparedStep, { wordKey }: History): Promise<void> {
  if (wordKey === null || wordKey === keyMark(words.hash)) return
  if ((await storedKeyMark(reader)) !== wordKey) throw chainBroken()
}

async function openSession(reader: LedgerReader, place: SessionPlace, now: number): Promise<SessionDocument | null> {
  const stored = await readSession(reader, place)
  if (stored !== null && isExpired(stored, now))
    throw new ServiceError('session_expired', 'this session was idle for 30 days; open one under another name')
  return stored
}

/** A dry run uses none and is not refused for want of it. */
function quotaLeft({ limits }: DecidingParts, { remaining, scope }: StepsLeft, dryRun: boolean): number {
  if (remaining <= 0 && !dryRun) throw quotaExceeded('steps', scope, limits[scope].steps)
  return Math.max(0, remaining)
}

function assessed(
  { clock }: DecidingParts,
  { asked, prepared, words, examined, ledger }: PreparedStep,
  { steps: history }: History,
  { decision }: DecisionOutcome,
  remaining_quota: number,
): Assessment {
  const policy = decision.stages.find(({ id }) => id === 'cedar-policy')
  if (policy === undefined) throw new Error('the pipeline said nothing about policies')
  const { examination } = examined
  const now = () => clock.monotonic()
  return assess({ request: asked.body, prepared, words, examination, policy, history, ledger, remaining_quota, now })
}

/** Matched by session and request while it is valid, as the verdict left it in the head. */
function givenApproval({ asked }: PreparedStep, stored: SessionDocument | null, now: number): StoredApproval | null {
  const approvals = stored?.session.approvals ?? {}
  const given = Object.hasOwn(approvals, asked.approvedDigest) ? approvals[asked.approvedDigest] : undefined
  return given !== undefined && now < Date.parse(given.valid_until) ? given : null
}

/** Used once, in the step's own commit. An item that says other rules than it was approved under was edited since. */
async function approvalFor(
  { governance }: DecidingParts,
  { examined }: PreparedStep,
  given: StoredApproval,
): Promise<ActiveApproval | null> {
  const decisionRequest = { ...examined.decisionRequest, reviewId: given.review_id }
  const approval = await governance.approval({ ...examined, decisionRequest })
  if (approval === null) return null
  const { rules_digest, policy_digest } = approval.review
  if (rules_digest !== given.rules_digest || policy_digest !== given.policy_digest) throw chainBroken()
  return approval
}

function buildRecord(
  { caller, asked }: PreparedStep,
  { stored, pipelineOutcome, assessment, budgeted, outcome }: Omit<Decided, 'record'>,
): StateRecord {
  const allowed = outcome.decision === 'allow'
  const { budget, granted, spent } = allowed ? spend(budgeted.session, outcome.charge) : budgeted.session
  return {
    schema: STATE_SCHEMA,
    namespace: caller.namespace,
    owner_id: caller.owner,
    session_id: asked.body.session_id,
    step: (stored?.session.step ?? 0) + 1,
    prev_state_hash: stored?.session.state_hash ?? FIRST_PREV,
    request_digest: asked.approvedDigest,
    decision: outcome.decision,
    mode: assessment.routing.mode,
    estimate: allowed ? outcome.charge : assessment.estimate.micro,
    spent,
    budget,
    granted,
    policy_sha256: pipelineOutcome.digests.policy_digest,
    risk_model: RISK_MODEL,
  }
}
