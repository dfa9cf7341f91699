/** Stages S4 to S7 on top of an examination: policy and budget come in as answers, lambda is computed, and the meet of
 *  all verdicts is the decision. */
import { axisValues, type Lambda, type LambdaInputs, lambdaOf } from '@orch/core'
import { graverEffect } from '../policy/requests.ts'
import type { Examination } from './examine.ts'
import {
  type Decided,
  decide,
  firedGates,
  GATE_NAMES,
  type GateName,
  type Reason,
  type Stage,
  stage,
  type Verdict,
} from './verdict.ts'

export interface PolicyVerdict {
  verdict: Verdict
  reasons: Reason[]
}

export interface DecisionInput {
  examination: Examination
  /** What the authorizer said; null where it gave no answer. */
  policy: PolicyVerdict | null
  /** The session's ledger of risk; null where it cannot be read. Without a session nothing is spent. */
  budget: { spent_micro: number; limit_micro: number } | null
  /** 0 to 10. */
  severity: number
  /** A person's approval of exactly this request: still good, or no longer. */
  approval?: 'valid' | 'stale' | null
}

export interface Decision {
  decision: Verdict
  reasons: Reason[]
  lambda: Lambda | null
  lambda_inputs: LambdaInputs | null
  charge_micro: number
  budget: { spent_micro: number; charge_micro: number; limit_micro: number } | null
  gates_fired: GateName[]
  gates_passed: GateName[]
  stages: Stage[]
}

export const SESSION_RISK_BUDGET = 1_000_000
/** Charged where lambda cannot be computed: as much as the worst text costs. */
const UNKNOWN_CHARGE = 250_000

export function decisionOf(input: DecisionInput): Decision {
  const inputs = lambdaInputs(input)
  const reading = inputs && lambdaOf(inputs)
  const charge_micro = reading?.charge_micro ?? chargeWithoutBudget(input)
  const stages = [
    ...input.examination.stages,
    policyStage(input.policy),
    budgetStage(input.budget, charge_micro),
    lambdaStage(reading?.lambda ?? null),
  ]
  const fired = firedGates(stages)
  return {
    ...lifted(decide(stages), input.approval ?? null),
    lambda: reading?.lambda ?? null,
    lambda_inputs: reading ? inputs : null,
    charge_micro,
    budget: input.budget && { ...input.budget, charge_micro },
    gates_fired: fired,
    gates_passed: GATE_NAMES.filter((name) => !fired.includes(name)),
    stages,
  }
}

function lambdaInputs({ examination, budget, severity }: DecisionInput): LambdaInputs | null {
  if (!budget) return null
  return {
    threats: examination.threats,
    values: examination.valueCounts,
    sensitivity: examination.sensitivity.class,
    effect: graverEffect(examination.effect, examination.shown),
    origin: examination.origin,
    severity_milli: Math.round(severity * 1000),
    ...examination.transparency,
    completed: examination.completed,
    planned: examination.planned,
    spent_micro: budget.spent_micro,
    budget_micro: budget.limit_micro,
  }
}

/** What a surface with a budget and a charge of its own computes lambda from. */
type OwnRisk = Required<Pick<LambdaInputs, 'effect' | 'spent_micro' | 'budget_micro' | 'charge_micro'>>

/** The same stages with lambda from those numbers; where nothing could be computed before, nothing can be now. The
 *  decision itself is the surface's to take again. */
export function withOwnRisk(decision: Decision, own: OwnRisk): Decision {
  const inputs = decision.lambda_inputs && { ...decision.lambda_inputs, ...own }
  const lambda = (inputs && lambdaOf(inputs)?.lambda) ?? null
  return {
    ...decision,
    lambda,
    lambda_inputs: lambda && inputs,
    stages: decision.stages.map((one) => (one.id === 'lambda-floor' ? lambdaStage(lambda) : one)),
  }
}

/** The charge does not depend on the budget: it is told also where the store did not say what is left. Such a call is held
 *  for review, and nothing is charged until it can be. */
function chargeWithoutBudget(input: DecisionInput): number {
  const inputs = lambdaInputs({ ...input, budget: { spent_micro: 0, limit_micro: SESSION_RISK_BUDGET } })
  return inputs && inputs.planned > 0 ? axisValues(inputs).charge_micro : UNKNOWN_CHARGE
}

const policyStage = (policy: PolicyVerdict | null): Stage =>
  policy ? stage('cedar-policy', policy.verdict, ...policy.reasons) : stage('cedar-policy', 'deny', 'POLICY_ERROR')

function budgetStage(budget: DecisionInput['budget'], charge: number): Stage {
  if (!budget) return stage('session-risk-budget', 'review', 'BUDGET_UNAVAILABLE')
  const exceeded = budget.spent_micro + charge > budget.limit_micro
  return exceeded ? stage('session-risk-budget', 'review', 'BUDGET_EXCEEDED') : stage('session-risk-budget', 'allow')
}

/** Lambda can hold a request for review and can never let one pass: it says allow or review, and the meet does the rest. */
export function lambdaStage(lambda: Lambda | null): Stage {
  if (!lambda) return stage('lambda-floor', 'review', 'LAMBDA_UNAVAILABLE')
  return lambda.passed ? stage('lambda-floor', 'allow') : stage('lambda-floor', 'review', 'LAMBDA_BELOW_FLOOR')
}

/** A person lifts a review and nothing lifts a denial. */
function lifted(decided: Decided, approval: 'valid' | 'stale' | null): Decided {
  if (decided.decision !== 'review' || approval === null) return decided
  if (approval === 'valid') return { decision: 'allow', reasons: ['APPROVED_BY_REVIEW'] }
  return { decision: 'review', reasons: [...decided.reasons, 'APPROVAL_STALE'] }
}
