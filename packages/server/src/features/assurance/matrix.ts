/** The matrix: requirements with what their checks found, each with the time it was looked at. */
import { KERNEL_COMMIT, KERNEL_PROOFS, LAMBDA, LAMBDA_POWER, LOCKED_FORMULAS } from '@orch/core'
import { type AssuranceSources, CHECKS, type Check, type Outcome } from './checks.ts'
import requirementTable from './requirements.json' with { type: 'json' }
import type { AssuranceRow, Matrix } from './schemas.ts'

/** A row of the matrix without what its check finds. */
type Requirement = (typeof requirementTable)[number]

export const HONEST_NOTE =
  'Not accredited: no ATO, IL5 or FedRAMP-High authorization exists. LIVE means that the check of the row ran at its evaluated_at, at most ten seconds before this reply, and passed. ROADMAP with an evaluated_at means that the check ran then and failed, as status_detail says; ROADMAP without one means planned and not delivered.'

export const evaluate = (sources: AssuranceSources): Promise<AssuranceRow[]> =>
  Promise.all(requirementTable.map((requirement) => evaluateRow(requirement, sources)))

/** What a row claims is decided by its check and by nothing written in the table. */
async function evaluateRow(requirement: Requirement, sources: AssuranceSources): Promise<AssuranceRow> {
  const { req_id: id } = requirement
  const honest_caveats = requirement.honest_caveats.replace('{kernel_proofs}', KERNEL_PROOFS)
  const check: Check | undefined = Object.hasOwn(CHECKS, id) ? CHECKS[id as keyof typeof CHECKS] : undefined
  const outcome = check === undefined ? NOT_DELIVERED : await attempt(check, sources)
  return {
    ...requirement,
    honest_caveats,
    status: outcome.passed ? 'LIVE' : 'ROADMAP',
    status_detail:
      outcome.passed || check === undefined ? outcome.detail : `the check of ${id} failed: ${outcome.detail}`,
    evaluated_at: check === undefined ? null : sources.now(),
    evidence: outcome.evidence,
  }
}

const NOT_DELIVERED = {
  passed: false,
  detail: 'planned, not delivered; nothing is claimed and nothing is checked',
  evidence: null,
}

/** Of the oldest check among the rows. */
export const evaluatedAt = (rows: readonly AssuranceRow[]): string | null =>
  rows.flatMap(({ evaluated_at }) => evaluated_at ?? []).sort()[0] ?? null

/** A check that cannot be run has not passed. What it threw stays inside: it may name what callers must not see. */
async function attempt(check: Check, sources: AssuranceSources): Promise<Outcome> {
  try {
    return await check(sources)
  } catch (error) {
    const kind = error instanceof Error ? error.name : 'unknown'
    return { passed: false, detail: `it could not be run (${kind})`, evidence: {} }
  }
}

export const buildMatrix = (requirements: readonly AssuranceRow[]): Matrix => ({
  ns: 'orch',
  surface: 'assurance',
  description: 'What assurance requirements this deployment meets at this moment, with the check behind each claim',
  requirements,
  honest_note: HONEST_NOTE,
  lambda_kind: `${LAMBDA.status}, ${LAMBDA_POWER}, never a theorem`,
  locked_proven: LOCKED_FORMULAS.length,
  kernel_commit: KERNEL_COMMIT,
})
