/** A decision as it is told: the same fields wherever something was decided. */
import { counted, type Settled } from './decision-record.ts'
import { gateDigest, type RuleDigests } from './gate-digest.ts'
import { GATE_NAMES } from './verdict.ts'

export interface Told extends Settled {
  digests: RuleDigests
  /** Milliseconds by stage. */
  stageMs: Readonly<Record<string, number | null>>
}

/** Not timed is not zero. */
const milliseconds = (value: number | null | undefined): number | null =>
  value === null || value === undefined ? null : Math.round(value * 1000) / 1000

export function decisionView({ examination, decision, policy, digests, stageMs }: Told) {
  const verdicts = new Map(decision.stages.map(({ id, verdict }) => [id as string, verdict]))
  return {
    decision: decision.decision,
    reasons: decision.reasons,
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
    },
    budget: decision.budget,
    lambda: decision.lambda,
    stages: decision.stages.map(({ id, verdict }) => ({ id, verdict, ms: milliseconds(stageMs[id]) })),
  }
}
