// What a chain-of-title statement says of itself, computed again from its own parts. Whoever wrote the statement wrote its
// booleans too: one that its own witnesses and readings do not bear out is a contradiction and not a claim.
import { LAMBDA, LOCKED_FORMULAS } from '../doctrine.ts'
import { constantsLock, type Lock, lockDigest, WITNESSES } from '../formulas/witnesses.ts'
import { canonicalOrNull, type Fields, isRecord, sameValue } from './shape.ts'

const FEWEST_WITNESSES = 3

const fieldsOf = (value: unknown): Fields => (isRecord(value) ? value : {})
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

/** At least three different witnesses, each with the digest of what it says, all of them with that of the pinned lock. */
export function kernelIsVerified(provenance: Fields): boolean {
  const kernel = fieldsOf(provenance.kernel_verification)
  const registry = fieldsOf(kernel.registry)
  const witnesses = listOf(registry.witnesses).map(fieldsOf)
  const checks = Object.values(fieldsOf(kernel.checks))
  return (
    provenance.kernel_verified === true &&
    kernel.verified === true &&
    checks.length > 0 &&
    checks.every((holds) => holds === true) &&
    witnesses.length >= FEWEST_WITNESSES &&
    registry.witness_count === witnesses.length &&
    listOf(registry.witness_errors).length === 0 &&
    new Set(witnesses.map(({ source }) => source)).size === witnesses.length &&
    witnesses.every(testifies) &&
    registry.agreed_lock_digest === lockDigest(constantsLock())
  )
}

function testifies(witness: Fields): boolean {
  const pinned = lockDigest(constantsLock())
  const isKnown = WITNESSES.some((source) => source === witness.source)
  return isKnown && witness.lock_digest === pinned && digestOf(witness) === pinned
}

/** Null for a lock that has no canonical form: its writer may have left a part out or nested it too deep. */
const digestOf = ({
  kernel_commit,
  lambda_status,
  locked_formula_count,
  locked_formula_ids,
}: Fields): string | null => {
  const lock = { kernel_commit, lambda_status, locked_formula_count, locked_formula_ids }
  return canonicalOrNull(lock) === null ? null : lockDigest(lock as Lock)
}

/** Lambda a conjecture, the eight and no others, nothing proven that is proposed. */
export function lambdaIsConjecture({ lambda, seal }: Fields): boolean {
  const { status, is_theorem } = fieldsOf(lambda)
  return status === LAMBDA.status && is_theorem === false && (seal === undefined || fieldsOf(seal).tier === 'PROPOSED')
}

export const statesTheEight = (subjects: unknown): boolean =>
  listOf(subjects).every((subject) => {
    const { locked_proven } = fieldsOf(fieldsOf(subject).annotations)
    return locked_proven === undefined || sameValue(locked_proven, LOCKED_FORMULAS)
  })

/** Nothing below is called measured that does not carry its reading. Whether the reading was taken nobody can tell
 *  offline; that one is there can be. */
export function measuresWhatItStates(predicate: Fields): boolean {
  const { attestation, energy_disclosure, energy_measured, ...rest } = predicate
  const entries = listOf(energy_measured)
  if (!entries.every(isReading)) return false
  if (claims(energy_disclosure) && entries.length === 0) return false
  // The word of the statement itself is about its anchoring, which is proven beside it.
  const { label: _, ...inside } = fieldsOf(attestation)
  return ![inside, rest].some(claimsUnread)
}

const claims = (value: unknown): boolean =>
  isRecord(value) &&
  Object.entries(value).some(([name, word]) => /(?:^|_)label$/.test(name) && (word === 'MEASURED' || word === 'LIVE'))

const isReading = (value: unknown): boolean => {
  const { meter, joules, at, source, read_at } = fieldsOf(value)
  const texts = [meter, at, source, read_at].every((text) => typeof text === 'string' && text !== '')
  return texts && typeof joules === 'number' && joules >= 0
}

function claimsUnread(value: unknown): boolean {
  if (value === null || typeof value !== 'object') return false
  return claims(value) || Object.values(value).some(claimsUnread)
}
