/** Explicit claims against the evidence and signals a caller supplies. Deterministic, stateless, proposal only: the gate
 *  reads, it never decides truth and never resolves a contradiction. */

import { SEMANTIC_THRESHOLD } from '../../../domain/claim-limits.ts'
import type { EvaluateRequest } from '../schemas.ts'
import type { LocalMatches } from './local-marks.ts'
import { resultDigest } from './result-digest.ts'
import { type ClaimRow, claimRow, unattachedRow } from './rows.ts'
import { type ClaimState, STANDING, STATES, weaker } from './states.ts'
import { subjectsOf, unattached } from './subject.ts'

export const ABSTAIN = 'ABSTAIN'
export const COMPLETE = 'EVIDENCE-COMPLETE-FOR-HUMAN-REVIEW'

const EXTERNAL = 'EXTERNALLY-SUPPLIED-ONLY'
const SIGNAL_CONTRACT = Object.freeze({
  semantic_uncertainty: EXTERNAL,
  factuality: EXTERNAL,
  semantic_threshold: SEMANTIC_THRESHOLD,
  computed_by_gate: [],
})
const HONESTY_INVARIANTS = Object.freeze({
  no_truth_inference: true,
  no_contradiction_resolution: true,
  missing_provenance_fails_closed: true,
  all_outputs_proposal_only: true,
  effectors_are_zero: true,
})

export type Evaluation = ReturnType<typeof evaluate>

export function evaluate(request: EvaluateRequest, input: string, matches: LocalMatches) {
  const claims = subjectsOf(request).map((subject) => claimRow(subject, matches))
  const unnamed = unattached(request).map((contradiction) => unattachedRow(contradiction, matches))
  const abstain =
    claims.length === 0 ||
    claims.some((row) => row.abstain_required) ||
    unnamed.some((row) => row.rubric_codes.length > 0)
  const result = {
    overall_state: overall(claims),
    abstain_required: abstain,
    gate_outcome: abstain ? ABSTAIN : COMPLETE,
    claim_count: claims.length,
    state_counts: counts(claims),
    claims,
    unattached_contradictions: unnamed,
  }
  return {
    ready: true as const,
    accepted: true as const,
    ...STANDING,
    ...result,
    signal_contract: SIGNAL_CONTRACT,
    honesty_invariants: HONESTY_INVARIANTS,
    input_sha256: input,
    result_sha256: resultDigest(result),
  }
}

const overall = (claims: readonly ClaimRow[]): ClaimState =>
  claims.length === 0 ? 'UNKNOWN' : claims.map(({ state }) => state).reduce(weaker)

const counts = (claims: readonly ClaimRow[]): Record<ClaimState, number> =>
  Object.fromEntries(STATES.map((state) => [state, claims.filter((row) => row.state === state).length])) as Record<
    ClaimState,
    number
  >
