// The places of this repository that say what the locked set is and could disagree. They agree or nothing is verified. No
// copy of the kernel is here: that they agree says nothing of its proofs.
import { KERNEL_COMMIT, KERNEL_PROOFS, LAMBDA, LOCKED_FORMULAS } from '../doctrine.ts'
import type { AuthorityDocument } from './authority.ts'
import type { FormulaCheck } from './check.ts'
import { replayDigest } from './invariants.ts'
import type { FormulaRegistry } from './registry.ts'

export type Lock = {
  kernel_commit: string
  lambda_status: string
  locked_formula_count: number
  locked_formula_ids: readonly string[]
}

/** SHA-256 over the canonical four fields and nothing else. */
export const lockDigest = ({ kernel_commit, lambda_status, locked_formula_count, locked_formula_ids }: Lock): string =>
  replayDigest({ kernel_commit, lambda_status, locked_formula_count, locked_formula_ids })

/** The first two name pin, ids and lambda status. The third ran the checks, which show ids and nothing else: a reply made
 *  from one of the others would be no witness at all. */
export const WITNESSES = Object.freeze(['constants-module', 'formula-registry.json', 'executed-checks'] as const)
export type WitnessSource = (typeof WITNESSES)[number]
type LockSource = Exclude<WitnessSource, 'executed-checks'>

/** What a witness said when it was asked, or why it could not be. */
export type Testimony =
  | { source: LockSource; lock: Lock }
  | { source: 'executed-checks'; ids: readonly string[] }
  | { source: WitnessSource; error: string }

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

/** The ids whose check passed just now. */
export const executedIds = (checks: readonly FormulaCheck[]): string[] =>
  checks.filter(({ passed }) => passed).map(({ formula_id }) => formula_id)

export function verifyKernel(testimonies: readonly Testimony[], crosswalk: AuthorityDocument | null) {
  const heard = testimonies.flatMap(witnessRecord)
  const errors = [...WITNESSES.flatMap((source) => silence(source, testimonies)), ...dissent(heard)]
  const complete = errors.length === 0
  const naming = heard.filter(({ source }) => source !== 'executed-checks')
  const checks = {
    registry_digest_verified: complete,
    locked8_covered: heard.length > 0 && heard.every(covers),
    locked_set_not_inflated: heard.length > 0 && heard.every(isExact),
    lambda_is_conjecture: naming.length > 0 && naming.every(({ lambda_status }) => lambda_status === LAMBDA.status),
  }
  const verified = Object.values(checks).every(Boolean)
  return {
    verified,
    kernel_pin: KERNEL_COMMIT,
    locked_proven: [...LOCKED_FORMULAS] as string[],
    checks,
    registry: {
      canonical_source: 'constants-module' as const,
      witnesses: heard,
      witness_count: heard.length,
      witness_errors: errors,
      agreed_lock_digest: complete ? lockDigest(constantsLock()) : null,
      digest_algorithm: 'sha256' as const,
      dispute_crosswalk: crosswalk,
      authority_note: 'the crosswalk corroborates; it is never the source of the locked set',
    },
    reason: verified
      ? `the sources of this repository that name the pin, the eight ids and the lambda status agree; ${KERNEL_PROOFS}`
      : `not verified: ${[...errors.map(({ reason }) => reason), ...failed(checks)].join('; ')}; ${KERNEL_PROOFS}`,
  }
}
export type KernelVerification = ReturnType<typeof verifyKernel>

/** A witness of the ids alone has no commit, no status and so no digest of a lock. */
type WitnessRecord = {
  source: WitnessSource
  locked_formula_ids: string[]
  locked_formula_count: number
  kernel_commit: string | null
  lambda_status: string | null
  lock_digest: string | null
  digest_algorithm: 'sha256'
}

const SHA256 = { digest_algorithm: 'sha256' as const }

function witnessRecord(testimony: Testimony): WitnessRecord[] {
  if ('error' in testimony) return []
  const { source } = testimony
  if ('lock' in testimony) {
    const { lock } = testimony
    return [
      { source, ...lock, locked_formula_ids: [...lock.locked_formula_ids], lock_digest: lockDigest(lock), ...SHA256 },
    ]
  }
  const ids = { locked_formula_ids: [...testimony.ids], locked_formula_count: testimony.ids.length }
  return [{ source, kernel_commit: null, lambda_status: null, ...ids, lock_digest: null, ...SHA256 }]
}
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
function dissent(heard: readonly WitnessRecord[]): WitnessError[] {
  const pinned = lockDigest(constantsLock())
  return heard
    .filter((one) => (one.lock_digest === null ? !statesTheIds(one) : one.lock_digest !== pinned))
    .map(({ source }) => ({ source, reason: `${source} states another lock` }))
}

type Ids = Pick<WitnessRecord, 'locked_formula_ids' | 'locked_formula_count'>

const statesTheIds = ({ locked_formula_ids }: Ids): boolean => locked_formula_ids.join() === LOCKED_FORMULAS.join()

const covers = ({ locked_formula_ids }: Ids): boolean => LOCKED_FORMULAS.every((id) => locked_formula_ids.includes(id))

const isExact = ({ locked_formula_ids, locked_formula_count }: Ids): boolean =>
  locked_formula_count === LOCKED_FORMULAS.length && locked_formula_ids.length === LOCKED_FORMULAS.length

const failed = (checks: Record<string, boolean>): string[] =>
  Object.entries(checks)
    .filter(([, holds]) => !holds)
    .map(([name]) => `${name} does not hold`)
