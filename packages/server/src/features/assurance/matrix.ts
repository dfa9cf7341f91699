/** The matrix: requirements with what their checks found, each with the time it was looked at. */
import { KERNEL_COMMIT, LAMBDA, LAMBDA_POWER, LOCKED_FORMULAS } from '@orch/core'
import { type AssuranceSources, CHECKS, type Outcome } from './checks.ts'
import { CHECKED_IDS, type CheckedId, REQUIREMENTS, type Requirement } from './requirements.ts'
import type { AssuranceRow, Matrix } from './schemas.ts'

export const HONEST_NOTE =
  'Not accredited: no ATO, IL5 or FedRAMP-High authorization exists. LIVE means that the check of the row ran at its evaluated_at, at most ten seconds before this reply, and passed; ROADMAP means planned and not delivered.'

export async function evaluate(sources: AssuranceSources): Promise<AssuranceRow[]> {
  return Promise.all(REQUIREMENTS.map((requirement) => evaluateRow(requirement, sources)))
}

async function evaluateRow(requirement: Requirement, sources: AssuranceSources): Promise<AssuranceRow> {
  const { req_id: id } = requirement
  if (!isChecked(id))
    return {
      ...requirement,
      status: 'ROADMAP',
      status_detail: 'planned, not delivered; nothing is claimed and nothing is checked',
      evaluated_at: null,
      evidence: null,
    }
  const outcome = await attempt(id, sources)
  return {
    ...requirement,
    status: outcome.passed ? 'LIVE' : 'ROADMAP',
    status_detail: outcome.passed ? outcome.detail : `the check of ${id} failed: ${outcome.detail}`,
    evaluated_at: sources.now(),
    evidence: outcome.evidence,
  }
}

/** Of the oldest check among the rows. */
export const evaluatedAt = (rows: readonly AssuranceRow[]): string | null =>
  rows.flatMap(({ evaluated_at }) => evaluated_at ?? []).sort()[0] ?? null

const isChecked = (id: string): id is CheckedId => (CHECKED_IDS as readonly string[]).includes(id)

/** A check that cannot be run has not passed. What it threw stays inside: it may name what callers must not see. */
async function attempt(id: CheckedId, sources: AssuranceSources): Promise<Outcome> {
  try {
    return await CHECKS[id](sources)
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
