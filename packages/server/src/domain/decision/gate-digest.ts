/** What a gate decided by: its rules, its policies, or the constants of its formula. */
import { AXIS_WEIGHTS, canonicalBytes, FINDING_WEIGHTS, LAMBDA, LAMBDA_FORMULA_ID, sha256Hex } from '@orch/core'
import type { GateName } from './verdict.ts'

export interface RuleDigests {
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
