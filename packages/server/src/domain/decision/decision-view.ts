/** A decision as it is told: the same fields wherever something was decided. */
import { type Explanation, explainAll } from '@orch/core'
import type { Finding } from '../gates/finding.ts'
import { counted, type Settled } from './decision-record.ts'
import { gateDigest, type RuleDigests } from './gate-digest.ts'
import { GATE_NAMES } from './verdict.ts'

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
