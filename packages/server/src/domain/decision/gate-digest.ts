/** What a gate decided by: its rules, its policies, or the constants of its formula. */
import { canonicalBytes, LAMBDA, sha256Hex } from '@orch/core'
import { WEIGHTS } from '../gates/finding.ts'
import { AXIS_WEIGHTS } from '../lambda/axes.ts'
import type { GATE_NAMES } from './verdict.ts'

export interface RuleDigests {
  rules_digest: string
  policy_digest: string
}

const digestOf = (constants: unknown): string => sha256Hex(canonicalBytes(constants))
const LAMBDA_DIGEST = digestOf({
  formula: 'orch.lambda/v1',
  floor: LAMBDA.floor,
  trust_ceiling: LAMBDA.trust_ceiling,
  axis_weights: AXIS_WEIGHTS,
  severity_weights: WEIGHTS,
})
const BUDGET_DIGEST = digestOf({ formula: 'orch.session-risk-budget/v1', most_charge_micro: 250_000 })

export function gateDigest(gate: (typeof GATE_NAMES)[number], digests: RuleDigests): string {
  if (gate === 'cedar-policy') return digests.policy_digest
  if (gate === 'lambda-floor') return LAMBDA_DIGEST
  return gate === 'session-risk-budget' ? BUDGET_DIGEST : digests.rules_digest
}
