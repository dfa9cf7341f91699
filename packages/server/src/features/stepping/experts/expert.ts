/** What an expert is: a pure function that gives a verdict, its findings, and how strongly each weighs. All five always run
 *  and all feed the estimate; who was asked for decides only whose verdict counts as a vote. One that throws or takes too
 *  long has said the worst it could say. */
import type { Fraction } from '../../../domain/exact-number.ts'
import { COMPONENTS, type ComponentId } from '../rules/estimate.ts'
import { FULL, ONE } from '../rules/millionths.ts'
import type { ExpertFinding, ExpertReport } from '../schemas.ts'

export const EXPERTS = ['planner', 'retriever', 'auditor', 'verifier', 'operator'] as const
export type ExpertName = (typeof EXPERTS)[number]
export const MANDATORY: readonly ExpertName[] = ['auditor', 'verifier']
export const EXPERT_VERDICTS = ['pass', 'caution', 'block', 'abstain'] as const
export type ExpertVerdict = (typeof EXPERT_VERDICTS)[number]
const EXPERT_VERSION = '2'

export interface Opinion {
  expert: ExpertName
  verdict: ExpertVerdict
  findings: ExpertFinding[]
  intensities: Partial<Record<ComponentId, Fraction>>
}

export const expertFinding = (
  code: string,
  evidence: string,
  weight_id: ComponentId | null = null,
  span: ExpertFinding['span'] = null,
): ExpertFinding => ({ code, weight_id, span, evidence })

/** An expert that recognises nothing says so and does not vote. */
export const notUnderstood = (weight_id: ComponentId | null): ExpertFinding =>
  expertFinding('NOT_UNDERSTOOD', 'no verb, question or statement that is known here', weight_id)

/** Findings beyond this say nothing new, and an answer has an end. */
export const MAX_FINDINGS = 64

/** One finding for one code at one place, however many views show it; the gravest come first by the caller's order. */
export function distinct(findings: readonly ExpertFinding[]): ExpertFinding[] {
  const seen = new Map<string, ExpertFinding>()
  for (const finding of findings) {
    const key = `${finding.code} ${finding.span?.start} ${finding.span?.end} ${finding.evidence}`
    if (!seen.has(key)) seen.set(key, finding)
  }
  return [...seen.values()].slice(0, MAX_FINDINGS)
}

/** How far the experts differ: the Shannon entropy of their verdicts over the entropy of three equal camps.
 *  In millionths. Abstentions do not vote; fewer than two votes cannot differ. */
export function measureDisagreement(verdicts: readonly ExpertVerdict[]): number {
  const counts = (['pass', 'caution', 'block'] as const).map(
    (verdict) => verdicts.filter((given) => given === verdict).length,
  )
  const votes = counts.reduce((sum, count) => sum + count, 0)
  if (votes < 2) return 0
  const entropy = counts
    .filter((count) => count > 0)
    .reduce((sum, count) => sum - (count / votes) * Math.log2(count / votes), 0)
  return Math.min(ONE, Math.max(0, Math.round((entropy / Math.log2(3)) * ONE)))
}

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
function unavailable(expert: ExpertName, evidence: 'late' | 'failed'): Opinion {
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
