/** What an expert is: a pure function that gives a verdict, its findings, and how strongly each weighs. */
import type { Fraction } from '../../../domain/exact-number.ts'
import type { ComponentId } from '../rules/estimate.ts'
import { ONE } from '../rules/millionths.ts'
import type { ExpertFinding } from '../schemas.ts'

export const EXPERTS = ['planner', 'retriever', 'auditor', 'verifier', 'operator'] as const
export type ExpertName = (typeof EXPERTS)[number]
export const MANDATORY: readonly ExpertName[] = ['auditor', 'verifier']
export const EXPERT_VERDICTS = ['pass', 'caution', 'block', 'abstain'] as const
export type ExpertVerdict = (typeof EXPERT_VERDICTS)[number]
export const EXPERT_VERSION = '2'

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
