/** The rubric as data: what fires, and what a claim is once it has fired. Every code is collected for every claim and
 *  none hides another; the state follows from what the codes yield, the gravest first. */
import { SEMANTIC_THRESHOLD } from '../../../domain/claim-limits.ts'

/** The words of the claim contract. */
export const MODULE = 'orch.claim-integrity'
export const CONTRACT_VERSION = '1.0.0'

export const STATES = Object.freeze(['VERIFIED', 'SUPPORTED', 'UNCERTAIN', 'REFUTED', 'UNKNOWN'] as const)
export type ClaimState = (typeof STATES)[number]

/** Weakest first. */
export const STRENGTH: readonly ClaimState[] = Object.freeze([
  'REFUTED',
  'UNKNOWN',
  'UNCERTAIN',
  'SUPPORTED',
  'VERIFIED',
] as const)

export const STATUSES = Object.freeze(['UNRESOLVED', 'CONFIRMED', 'RESOLVED'] as const)

export const weaker = (a: ClaimState, b: ClaimState): ClaimState => (STRENGTH.indexOf(a) < STRENGTH.indexOf(b) ? a : b)

/** What every answer says of itself: it proposes, it never acts. */
export const RESPONSE_HEADER = Object.freeze({
  label: 'STRUCTURAL-ONLY',
  module: MODULE,
  contract_version: CONTRACT_VERSION,
  decision_state: 'PROPOSAL_ONLY',
  effectors_enabled: 0,
} as const)

interface RubricRow {
  condition: string
  yields: Extract<ClaimState, 'REFUTED' | 'UNKNOWN' | 'UNCERTAIN'>
  abstain: true
}

const row = (yields: RubricRow['yields'], condition: string): RubricRow =>
  Object.freeze({ condition, yields, abstain: true })

export const RUBRIC = Object.freeze({
  'RG-001': row('UNKNOWN', 'the statement is absent or blank'),
  'RG-002': row('UNKNOWN', 'atomic is not literally true'),
  'RG-003': row('UNKNOWN', 'there is no evidence reference'),
  'RG-004': row('UNKNOWN', 'a reference is not sound, or a contradiction naming the claim is not traceable'),
  'RG-005': row('UNKNOWN', 'there is no owner with both fields non-blank'),
  'RG-006': row('UNCERTAIN', 'a live, traceable contradiction names the claim without refuting it'),
  'RG-007': row(
    'REFUTED',
    'a sound reference is REFUTED, a well-formed factuality is REFUTED, or a live, traceable contradiction refutes the claim',
  ),
  'RG-008': row(
    'UNKNOWN',
    'a supplied signal lacks its value or state, source_ref or method, or a RESOLVED contradiction has no resolution_ref',
  ),
  'RG-009': row('UNCERTAIN', `a well-formed semantic uncertainty is at least ${SEMANTIC_THRESHOLD}`),
  'RG-010': row('UNCERTAIN', 'a reference or a well-formed factuality is UNCERTAIN'),
  'RG-011': row('UNKNOWN', 'a reference is UNKNOWN or has no evidence_state, or a well-formed factuality is UNKNOWN'),
})
export type RubricCode = keyof typeof RUBRIC

/** The order in which the codes decide. */
export const PRECEDENCE = Object.freeze(
  (['REFUTED', 'UNKNOWN', 'UNCERTAIN'] as const).map((state) => ({
    state,
    codes: (Object.keys(RUBRIC) as RubricCode[]).filter((code) => RUBRIC[code].yields === state),
  })),
)

/** Null where no code fired: then the evidence decides. */
export const stateByCodes = (codes: ReadonlySet<RubricCode>): RubricRow['yields'] | null =>
  PRECEDENCE.find((rank) => rank.codes.some((code) => codes.has(code)))?.state ?? null
