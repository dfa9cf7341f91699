/** A decision as it is told: the same fields wherever something was decided. */
import {
  AXIS_WEIGHTS,
  canonicalBytes,
  type Explanation,
  explainAll,
  FINDING_WEIGHTS,
  LAMBDA,
  LAMBDA_FORMULA_ID,
  sha256Hex,
} from '@orch/core'
import type { Finding } from '../gates/finding.ts'
import { counted, type Settled } from './decision-record.ts'
import { GATE_NAMES, type GateName } from './verdict.ts'

interface ViewedDecision extends Settled {
  digests: RuleDigests
  /** Milliseconds by stage. */
  stageMs: Readonly<Record<string, number | null>>
}

/** Not timed is not zero. */
const milliseconds = (value: number | null | undefined): number | null =>
  value === null || value === undefined ? null : Math.round(value * 1000) / 1000

/** In words: why it came out so, and which rules fired. A note does not fire. */
export const explanationsOf = (reasons: Iterable<string>, findings: readonly Finding[]): Explanation[] =>
  explainAll([...reasons, ...findings.filter(({ severity }) => severity !== 'note').map(({ rule }) => rule)])

export function decisionView({ examination, decision, policy, digests, stageMs }: ViewedDecision) {
  const verdicts = new Map(decision.stages.map(({ id, verdict }) => [id as string, verdict]))
  return {
    decision: decision.decision,
    reasons: decision.reasons,
    explanations: explanationsOf(decision.reasons, examination.findings),
    sensitivity: examination.sensitivity,
    findings: examination.findings,
    findings_total: examination.findings_total,
    gates: GATE_NAMES.map((name) => ({
      name,
      fired: decision.gates_fired.includes(name),
      verdict: verdicts.get(name) ?? 'deny',
      ...counted(examination, name),
      ms: milliseconds(stageMs[name]),
      digest: gateDigest(name, digests),
    })),
    gates_fired: decision.gates_fired,
    gates_passed: decision.gates_passed,
    policy: {
      decision: policy.outcome,
      determining: [...policy.determining],
      policy_digest: policy.policy_digest,
      engine: policy.engine,
      hint: policy.hint ?? null,
    },
    budget: decision.budget,
    lambda: decision.lambda,
    stages: decision.stages.map(({ id, verdict }) => ({ id, verdict, ms: milliseconds(stageMs[id]) })),
  }
}

interface RuleDigests {
  rules_digest: string
  policy_digest: string
}

const digestOf = (constants: unknown): string => sha256Hex(canonicalBytes(constants))
const LAMBDA_DIGEST = digestOf({
  formula: LAMBDA_FORMULA_ID,
  floor: LAMBDA.floor,
  trust_ceiling: LAMBDA.trust_ceiling,
  axis_weights: AXIS_WEIGHTS,
  severity_weights: FINDING_WEIGHTS,
})
const BUDGET_DIGEST = digestOf({ formula: 'orch.session-risk-budget/v1', most_charge_micro: 250_000 })

export function gateDigest(gate: GateName, digests: RuleDigests): string {
  if (gate === 'cedar-policy') return digests.policy_digest
  if (gate === 'lambda-floor') return LAMBDA_DIGEST
  return gate === 'session-risk-budget' ? BUDGET_DIGEST : digests.rules_digest
}
