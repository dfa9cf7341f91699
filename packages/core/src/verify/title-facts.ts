// What a chain-of-title statement says of itself, computed again from its own parts. Whoever wrote the statement wrote its
// booleans too: one that its own witnesses and readings do not bear out is a contradiction and not a claim.
import { KERNEL_COMMIT, LAMBDA, LAMBDA_FORMULA, LOCKED_FORMULAS } from '../doctrine.ts'
import { constantsLock, type Lock, lockDigest, WITNESSES } from '../formulas/witnesses.ts'
import { canonicalOrNull, type Fields, fieldsOf, isRecord, sameValue } from './shape.ts'

export const NOT_CLAIMED = 'NOT_CLAIMED'

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

/** Each witness once, the two that name a lock with the digest of what they say, the executed checks with the ids alone. */
export function kernelIsVerified(provenance: Fields): boolean {
  const kernel = fieldsOf(provenance.kernel_verification)
  const registry = fieldsOf(kernel.registry)
  const witnesses = listOf(registry.witnesses).map(fieldsOf)
  const checks = Object.values(fieldsOf(kernel.checks))
  return (
    provenance.kernel_verified === true &&
    provenance.kernel_pin === KERNEL_COMMIT &&
    kernel.verified === true &&
    kernel.kernel_pin === KERNEL_COMMIT &&
    checks.length > 0 &&
    checks.every((holds) => holds === true) &&
    registry.witness_count === witnesses.length &&
    listOf(registry.witness_errors).length === 0 &&
    witnesses.map(({ source }) => source).join() === WITNESSES.join() &&
    witnesses.every(testifies) &&
    registry.agreed_lock_digest === lockDigest(constantsLock())
  )
}

function testifies(witness: Fields): boolean {
  if (witness.source === 'executed-checks')
    return (
      [witness.kernel_commit, witness.lambda_status, witness.lock_digest].every((value) => value === null) &&
      sameValue(witness.locked_formula_ids, LOCKED_FORMULAS) &&
      witness.locked_formula_count === LOCKED_FORMULAS.length
    )
  const pinned = lockDigest(constantsLock())
  return witness.lock_digest === pinned && digestOf(witness) === pinned
}

/** Null for a lock that has no canonical form: its writer may have left a part out or nested it too deep. */
const digestOf = (witness: Fields): string | null => {
  const { kernel_commit, lambda_status, locked_formula_count, locked_formula_ids } = witness
  const lock = { kernel_commit, lambda_status, locked_formula_count, locked_formula_ids }
  return canonicalOrNull(lock) === null ? null : lockDigest(lock as Lock)
}

/** Lambda a conjecture, the eight and no others, nothing proven that is proposed. */
export function lambdaIsConjecture({ lambda, seal }: Fields): boolean {
  const { status, is_theorem } = fieldsOf(lambda)
  return status === LAMBDA.status && is_theorem === false && (seal === undefined || fieldsOf(seal).tier === 'PROPOSED')
}

/** The locked set in every place where a statement states it: subjects, kernel verification and crosswalk. */
export function statesTheEight({ subject, predicate }: Fields): boolean {
  const kernel = fieldsOf(fieldsOf(fieldsOf(predicate).provenance).kernel_verification)
  const subjects = listOf(subject).map((one) => fieldsOf(fieldsOf(one).annotations).locked_proven)
  const places = [...subjects, kernel.locked_proven].filter((ids) => ids !== undefined)
  const { dispute_crosswalk } = fieldsOf(kernel.registry)
  const crosswalk = fieldsOf(fieldsOf(dispute_crosswalk).payload)
  const holds = dispute_crosswalk === null || dispute_crosswalk === undefined || corroborates(crosswalk)
  return places.every((ids) => sameValue(ids, LOCKED_FORMULAS)) && holds
}

function corroborates(crosswalk: Fields): boolean {
  const { locked_proven_ids, locked_proven_count, covered_formula_ids, formulas, lambda } = crosswalk
  const rows = listOf(formulas).map(fieldsOf)
  const proven = rows.filter(({ locked_proven }) => locked_proven !== false).map(({ id }) => id)
  const { can_authorize, can_be_sole_allow_basis, status } = fieldsOf(lambda)
  return (
    sameValue(locked_proven_ids, LOCKED_FORMULAS) &&
    locked_proven_count === LOCKED_FORMULAS.length &&
    sameValue(covered_formula_ids, [...LOCKED_FORMULAS, LAMBDA_FORMULA]) &&
    sameValue(proven, LOCKED_FORMULAS) &&
    rows.every(({ can_authorize_action }) => can_authorize_action === false) &&
    [can_authorize, can_be_sole_allow_basis].every((may) => may === false) &&
    status === LAMBDA.status
  )
}

/** No level of a build track can be read from a statement: one that claims a level, or brings a summary that would, claims
 *  what nothing here bears out. */
export function claimsNoBuildLevel({ attestation }: Fields): boolean {
  const { orch } = fieldsOf(attestation)
  if (orch === undefined) return true
  const { build_track, vsa } = fieldsOf(orch)
  return build_track === NOT_CLAIMED && vsa === null
}

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
