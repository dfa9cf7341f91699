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
