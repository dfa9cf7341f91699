// Every doctrine constant, once. Nothing here is computed and nothing may change while the service runs.

export const DOCTRINE = 'v11'

/** The trust value is a conjecture: it can hold a request for review and never lets one pass. */
export const LAMBDA = Object.freeze({
  status: 'Conjecture 1',
  is_theorem: false,
  trust_ceiling: 0.97,
  floor: 0.9,
} as const)

export const LAMBDA_FORMULA = 'F23'

/** Exactly eight, in doctrine order; the set is never inflated and F23 is never in it. */
export const LOCKED_FORMULAS = Object.freeze(['F1', 'F4', 'F7', 'F11', 'F12', 'F18', 'F19', 'F22'] as const)
export type LockedFormula = (typeof LOCKED_FORMULAS)[number]

export const CONJECTURES = Object.freeze({
  lambda: 'Conjecture 1',
  consensus: 'Conjecture 2',
  liveness: 'Conjecture 3',
} as const)

export const KERNEL_COMMIT = 'c7c0ba17'
/** No copy of the kernel is in this repository: this is all that can be said here of the proofs. */
export const KERNEL_PROOFS =
  'the specification states that the eight were proved at this pin; no proof was read or re-run here'
/** What lambda can do to a decision, in the words used everywhere. */
export const LAMBDA_POWER = 'can hold, never lets pass'
export const LOCK = '749/14/163'

/** The previous digest of the first link of every chain. */
export const GENESIS_PREV = '0000000000000000000000000000000000000000000000000000000000000000'

export const INTERFACE_VERSION = '2.0.0'
export const BUILD_VERSION = '1.1.0'

export const SIGNING_SCHEME = 'DSSEv1 / ECDSA-P256'
export const RECEIPT_PAYLOAD_TYPE = 'application/vnd.orch.receipt+json'
