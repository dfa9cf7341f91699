/** deny < review < allow: a decision is the meet of all verdicts, so no stage can lift what another has said. */
export type Verdict = 'allow' | 'review' | 'deny'

const RANK: Record<Verdict, number> = { deny: 0, review: 1, allow: 2 }

export const meet = (verdicts: Iterable<Verdict>): Verdict => {
  let lowest: Verdict = 'allow'
  for (const verdict of verdicts) if (RANK[verdict] < RANK[lowest]) lowest = verdict
  return lowest
}

/** Every reason a decision can give. */
export const REASONS = [
  'ALL_STAGES_PASSED',
  'DECODE_BOUND',
  'GATE_ERROR',
  'GATE_TIMEOUT',
  'THREAT_SIGNATURE',
  'PII_EGRESS',
  'SECRET_EGRESS',
  'SENSITIVITY_EGRESS',
  'POLICY_ERROR',
  'POLICY_FORBID',
  'POLICY_DEFAULT_DENY',
  'POLICY_REVIEW',
  'TAINTED_ARGUMENT',
  'BUDGET_EXCEEDED',
  'BUDGET_UNAVAILABLE',
  'LAMBDA_BELOW_FLOOR',
  'LAMBDA_UNAVAILABLE',
  'APPROVED_BY_REVIEW',
  'APPROVAL_STALE',
] as const
export type Reason = (typeof REASONS)[number]

export interface Stage {
  id: StageId
  verdict: Verdict
  reasons: Reason[]
}

export const stage = (id: StageId, verdict: Verdict, ...reasons: Reason[]): Stage => ({ id, verdict, reasons })

export type StageId =
  | 'normalise'
  | 'sensitivity-lattice'
  | 'threat-signature-scan'
  | 'pii-egress-guard'
  | 'cedar-policy'
  | 'session-risk-budget'
  | 'lambda-floor'

/** In stage order; normalising is a stage and not a gate. */
export const GATE_NAMES = [
  'sensitivity-lattice',
  'threat-signature-scan',
  'pii-egress-guard',
  'cedar-policy',
  'session-risk-budget',
  'lambda-floor',
] as const satisfies readonly StageId[]
export type GateName = (typeof GATE_NAMES)[number]

/** The gates that did not let the text pass; normalising is no gate. */
export const firedGates = (stages: readonly Stage[]): GateName[] =>
  stages.flatMap(({ id, verdict }) => (id === 'normalise' || verdict === 'allow' ? [] : [id]))

export interface Decided {
  decision: Verdict
  reasons: Reason[]
}

/** The reasons are those of every stage that says what the decision says, each once. */
export function decide(stages: readonly Stage[]): Decided {
  const decision = meet(stages.map(({ verdict }) => verdict))
  if (decision === 'allow') return { decision, reasons: ['ALL_STAGES_PASSED'] }
  const given = stages.filter(({ verdict }) => verdict === decision).flatMap(({ reasons }) => reasons)
  return { decision, reasons: REASONS.filter((reason) => given.includes(reason)) }
}
