// Four independent places that say what the locked set is. They agree to the last byte or nothing is verified.
import { canonicalize } from '../canonical.ts'
import { sha256Hex } from '../digest.ts'
import { KERNEL_COMMIT, LAMBDA, LOCKED_FORMULAS } from '../doctrine.ts'
import type { AuthorityDocument } from './authority.ts'
import type { FormulaCheck } from './check.ts'
import type { Counterexample } from './lambda.ts'
import type { FormulaRegistry } from './registry.ts'
import type { FormulaTiers } from './tiers.ts'

export type Lock = {
  kernel_commit: string
  lambda_status: string
  locked_formula_count: number
  locked_formula_ids: readonly string[]
}

/** SHA-256 over the canonical four fields and nothing else. */
export const lockDigest = ({ kernel_commit, lambda_status, locked_formula_count, locked_formula_ids }: Lock): string =>
  sha256Hex(canonicalize({ kernel_commit, lambda_status, locked_formula_count, locked_formula_ids }))

export const WITNESSES = Object.freeze([
  'constants-module',
  'formula-registry.json',
  'formula-tiers',
  'executed-checks',
] as const)
export type WitnessSource = (typeof WITNESSES)[number]

/** What a witness said when it was asked, or why it could not be. */
export type Testimony = { source: WitnessSource } & ({ lock: Lock } | { error: string })

const lockOf = (ids: readonly string[], kernel_commit: string, lambda_status: string): Lock => ({
  kernel_commit,
  lambda_status,
  locked_formula_count: ids.length,
  locked_formula_ids: [...ids],
})

export const constantsLock = (): Lock => lockOf(LOCKED_FORMULAS, KERNEL_COMMIT, LAMBDA.status)

export const registryLock = ({ payload }: FormulaRegistry): Lock =>
  lockOf(
    payload.locked.map(({ id }) => id),
    payload.kernel_commit,
    payload.lambda.status,
  )

export const tiersLock = ({ locked_ids, lambda, authority }: FormulaTiers): Lock =>
  lockOf(locked_ids, authority.payload.kernel_source.commit, lambda.status)

/** The ids whose check passed just now. Lambda counts as a conjecture while its counterexample stands. */
export const executedLock = (checks: readonly FormulaCheck[], counterexample: Counterexample): Lock =>
  lockOf(
    checks.filter(({ passed }) => passed).map(({ formula_id }) => formula_id),
    KERNEL_COMMIT,
    counterexample.stands ? LAMBDA.status : 'UNKNOWN',
  )

export function verifyKernel(testimonies: readonly Testimony[], crosswalk: AuthorityDocument | null) {
  const heard = testimonies.flatMap((one) => ('lock' in one ? [{ source: one.source, lock: one.lock }] : []))
  const errors = [...WITNESSES.flatMap((source) => silence(source, testimonies)), ...dissent(heard)]
  const complete = errors.length === 0
  const checks = {
    registry_digest_verified: complete,
    locked8_covered: heard.length > 0 && heard.every(({ lock }) => covers(lock)),
    locked_set_not_inflated: heard.length > 0 && heard.every(({ lock }) => isExact(lock)),
    lambda_is_conjecture: heard.length > 0 && heard.every(({ lock }) => lock.lambda_status === LAMBDA.status),
  }
  const verified = Object.values(checks).every(Boolean)
  return {
    verified,
    kernel_pin: KERNEL_COMMIT,
    locked_proven: [...LOCKED_FORMULAS] as string[],
    checks,
    registry: {
      canonical_source: 'constants-module' as const,
      witnesses: heard.map(witnessRecord),
      witness_count: heard.length,
      witness_errors: errors,
      agreed_lock_digest: complete ? lockDigest(heard[0]!.lock) : null,
      digest_algorithm: 'sha256' as const,
      dispute_crosswalk: crosswalk,
      authority_note: 'the crosswalk corroborates; it is never the source of the locked set',
    },
    reason: verified
      ? 'four witnesses read for this request state the same lock'
      : `not verified: ${[...errors.map(({ reason }) => reason), ...failed(checks)].join('; ')}`,
  }
}
export type KernelVerification = ReturnType<typeof verifyKernel>

type Heard = { source: WitnessSource; lock: Lock }

const witnessRecord = ({ source, lock }: Heard) => ({
  source,
  locked_formula_ids: [...lock.locked_formula_ids],
  locked_formula_count: lock.locked_formula_count,
  kernel_commit: lock.kernel_commit,
  lambda_status: lock.lambda_status,
  lock_digest: lockDigest(lock),
  digest_algorithm: 'sha256' as const,
})

type WitnessError = { source: WitnessSource; reason: string }

/** One testimony of each witness: none missing, none twice, none that could not be read. */
function silence(source: WitnessSource, testimonies: readonly Testimony[]): WitnessError[] {
  const said = testimonies.filter((one) => one.source === source)
  if (said.length !== 1) return [{ source, reason: `${source} was heard ${said.length} times and not once` }]
  return said.flatMap((one) =>
    'error' in one ? [{ source, reason: `${source} could not be read: ${one.error}` }] : [],
  )
}

/** Held to the constants: a majority that differs from the pin does not outvote it. */
function dissent(heard: readonly Heard[]): WitnessError[] {
  const pinned = lockDigest(constantsLock())
  return heard
    .filter(({ lock }) => lockDigest(lock) !== pinned)
    .map(({ source }) => ({ source, reason: `${source} states another lock` }))
}

const covers = (lock: Lock): boolean => LOCKED_FORMULAS.every((id) => lock.locked_formula_ids.includes(id))

const isExact = (lock: Lock): boolean =>
  lock.locked_formula_count === LOCKED_FORMULAS.length && lock.locked_formula_ids.length === LOCKED_FORMULAS.length

const failed = (checks: Record<string, boolean>): string[] =>
  Object.entries(checks)
    .filter(([, holds]) => !holds)
    .map(([name]) => `${name} does not hold`)
