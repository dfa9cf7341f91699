/** A decision as its receipt keeps it: enough to work every number out again, and nothing of the text. */
import { LAMBDA, LAMBDA_FORMULA_ID } from '@orch/core'
import type { Finding } from '../gates/finding.ts'
import type { PolicyVerdict } from '../policy/authorization.ts'
import { NORMALISER } from '../text/normalise.ts'
import type { Decision } from './decide.ts'
import type { Examination } from './examine.ts'
import { GATE_NAMES } from './verdict.ts'

export interface Settled {
  examination: Examination
  decision: Decision
  policy: PolicyVerdict
}

/** Findings beyond these are counted and not listed: a receipt has room for 64 KiB. */
const MAX_FINDINGS = 32
const MAX_POINTER = 256

export function decisionRecord({ examination, decision, policy }: Settled) {
  const { signals: _, ...sensitivity } = examination.sensitivity
  return {
    decision: decision.decision.toUpperCase(),
    lambda: decision.lambda?.value ?? null,
    lambda_floor: LAMBDA.floor,
    breaches: breachesOf(examination.findings),
    geofence_inside: null,
    reasons: decision.reasons,
    lambda_raw: decision.lambda?.raw ?? null,
    lambda_formula: LAMBDA_FORMULA_ID,
    lambda_inputs: decision.lambda_inputs,
    lambda_axes: decision.lambda?.axes.map(({ name, weight, value }) => ({ name, weight, value })) ?? null,
    direction: examination.direction,
    sensitivity,
    findings: examination.findings.slice(0, MAX_FINDINGS).map(clipped),
    findings_total: examination.findings_total,
    gates: GATE_NAMES.map((name) => ({ name, verdict: verdictOf(decision, name), ...counted(examination, name) })),
    gates_fired: decision.gates_fired,
    gates_passed: decision.gates_passed,
    normaliser: { version: NORMALISER, ...examination.transparency },
    determining_policies: policy.determining,
    budget: decision.budget,
  }
}

/** A caller chooses the keys of its context, so a pointer is as long as it likes. */
const clipped = (finding: Finding): Finding =>
  finding.pointer !== null && finding.pointer.length > MAX_POINTER
    ? { ...finding, pointer: `${finding.pointer.slice(0, MAX_POINTER)}…` }
    : finding

/** The rules that fired, each once; a note does not fire. */
const breachesOf = (findings: readonly Finding[]): string[] => [
  ...new Set(findings.filter(({ severity }) => severity !== 'note').map(({ rule }) => rule)),
]

const verdictOf = ({ stages }: Decision, gate: string) => stages.find(({ id }) => id === gate)?.verdict ?? 'deny'

export function counted({ evaluations }: Examination, gate: string): { planned: number; completed: number } {
  const evaluation = Object.hasOwn(evaluations, gate) ? evaluations[gate as keyof typeof evaluations] : null
  return { planned: evaluation?.planned ?? 1, completed: evaluation?.completed ?? 1 }
}
