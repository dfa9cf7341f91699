// What an expert is: a pure function that gives a verdict, its findings, and how strongly each weighs.
import type { Fraction } from '../../../domain/exact-number.ts'
import type { ComponentId } from '../rules/estimate.ts'
import { ratio } from '../rules/millionths.ts'
import type { ExpertFinding } from '../schemas.ts'
import type { ExpertVerdict } from './disagreement.ts'

export const EXPERTS = ['planner', 'retriever', 'auditor', 'verifier', 'operator'] as const
export type ExpertName = (typeof EXPERTS)[number]
export const MANDATORY: readonly ExpertName[] = ['auditor', 'verifier']
export const EXPERT_VERSION = '2'

export interface Opinion {
  expert: ExpertName
  verdict: ExpertVerdict
  findings: ExpertFinding[]
  intensities: Partial<Record<ComponentId, Fraction>>
}

export const NONE = ratio(0, 1)
export const FULL = ratio(1, 1)

/** An expert that recognises nothing says so and does not vote. */
export const notUnderstood = (weight_id: ComponentId | null): ExpertFinding => ({
  code: 'NOT_UNDERSTOOD',
  weight_id,
  span: null,
  evidence: 'no verb, question or statement that is known here',
})

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
