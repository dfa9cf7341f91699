/** The five experts around one request. All of them always run and all feed the estimate; who was asked for decides
 *  only whose verdict counts as a vote. One that throws or takes too long has said the worst it could say. */

import { COMPONENTS, type ComponentId } from '../rules/estimate.ts'
import { FULL } from '../rules/millionths.ts'
import type { ExpertReport } from '../schemas.ts'
import { EXPERT_VERSION, EXPERTS, type ExpertName, expertFinding, MANDATORY, type Opinion } from './expert.ts'

export const EXPERT_DEADLINE_MS = 250
const UNAVAILABLE = 'EXPERT_UNAVAILABLE'

/** `now` gives milliseconds of a clock that never goes back. */
export function consult<T extends Opinion>(expert: ExpertName, run: () => T, now: () => number): T | Opinion {
  const begun = now()
  try {
    const opinion = run()
    return now() - begun > EXPERT_DEADLINE_MS ? unavailable(expert, 'late') : opinion
  } catch {
    // Whatever it threw, the verdict is the same; the text of an error may hold the caller's words.
    return unavailable(expert, 'failed')
  }
}

/** What it would have weighed counts in full. */
export function unavailable(expert: ExpertName, evidence: 'late' | 'failed'): Opinion {
  const own = COMPONENTS.filter(({ source }) => source === expert).map(({ id }) => [id, FULL])
  return {
    expert,
    verdict: 'block',
    findings: [expertFinding(UNAVAILABLE, evidence)],
    intensities: Object.fromEntries(own) as Partial<Record<ComponentId, typeof FULL>>,
  }
}

export const isUnavailable = ({ findings }: Pick<Opinion, 'findings'>): boolean =>
  findings.some(({ code }) => code === UNAVAILABLE)

export function ranAs(expert: ExpertName, allowed: readonly string[]): ExpertReport['ran_as'] {
  if (allowed.length === 0) return 'DEFAULT'
  if (allowed.includes(expert)) return 'REQUESTED'
  return MANDATORY.includes(expert) ? 'MANDATORY' : 'RISK_ONLY'
}

/** Names nobody answers to, each once. */
export const unknownExperts = (allowed: readonly string[]): string[] => [
  ...new Set(allowed.filter((name) => !(EXPERTS as readonly string[]).includes(name))),
]

export const reportOf = ({ expert, verdict, findings }: Opinion, allowed: readonly string[]): ExpertReport => ({
  expert,
  version: EXPERT_VERSION,
  ran_as: ranAs(expert, allowed),
  verdict,
  findings,
})
