import type { EvaluateRequest } from '../schemas.ts'
import type { LocalMatches } from './local-marks.ts'
import { type ClaimRow, claimRow, unattachedRow } from './rows.ts'
import { type ClaimState, STATES, weaker } from './rubric.ts'
import { subjectsOf, unattached } from './subject.ts'

const ABSTAIN = 'ABSTAIN'
const COMPLETE = 'EVIDENCE-COMPLETE-FOR-HUMAN-REVIEW'

/** What follows from the claims: all of an answer that its digest is of. */
export function conclude(request: EvaluateRequest, matches: LocalMatches) {
  const claims = subjectsOf(request).map((subject) => claimRow(subject, matches))
  const unnamed = unattached(request).map((contradiction) => unattachedRow(contradiction, matches))
  const abstain =
    claims.length === 0 ||
    claims.some((row) => row.abstain_required) ||
    unnamed.some((row) => row.rubric_codes.length > 0)
  return {
    overall_state: overall(claims),
    abstain_required: abstain,
    gate_outcome: abstain ? ABSTAIN : COMPLETE,
    claim_count: claims.length,
    state_counts: counts(claims),
    claims,
    unattached_contradictions: unnamed,
  }
}

const overall = (claims: readonly ClaimRow[]): ClaimState =>
  claims.length === 0 ? 'UNKNOWN' : claims.map(({ state }) => state).reduce(weaker)

const counts = (claims: readonly ClaimRow[]): Record<ClaimState, number> =>
  Object.fromEntries(STATES.map((state) => [state, claims.filter((row) => row.state === state).length])) as Record<
    ClaimState,
    number
  >
