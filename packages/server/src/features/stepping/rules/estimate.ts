/** The estimate of one step: 1 less the product of (1 - weight * intensity). The weights are chosen constants and
 *  not fitted probabilities; an answer says so. The product is taken over exact fractions and rounded once, so the
 *  order of the components and the machine do not matter. */
import type { Examination } from '../../../domain/decision/examine.ts'
import { type Fraction, fraction, product } from '../../../domain/exact-number.ts'
import type { Severity } from '../../../domain/gates/finding.ts'
import type { Component } from '../schemas.ts'
import { clamped, FULL, fromMicro, larger, NONE, ratio, toDecimal, toMicro } from './millionths.ts'

export const RISK_MODEL = 'orch.gdw.risk/v2'

/** In id order as they are reported; weights in millionths. */
export const COMPONENTS = [
  { id: 'residual', weight: 2_000, source: 'constant' },
  { id: 'novelty', weight: 10_000, source: 'measured' },
  { id: 'disagreement', weight: 50_000, source: 'measured' },
  { id: 'effect_action', weight: 40_000, source: 'planner' },
  { id: 'unbounded_scope', weight: 300_000, source: 'planner' },
  { id: 'not_understood', weight: 50_000, source: 'planner' },
  { id: 'injection', weight: 600_000, source: 'threat-signature-scan' },
  { id: 'destructive', weight: 550_000, source: 'auditor' },
  { id: 'exfiltration', weight: 550_000, source: 'auditor' },
  { id: 'secret_pii', weight: 400_000, source: 'pii-egress-guard' },
  { id: 'privilege', weight: 350_000, source: 'operator' },
  { id: 'inconsistency', weight: 150_000, source: 'verifier' },
  { id: 'unresolved_reference', weight: 100_000, source: 'retriever' },
  { id: 'history_conflict', weight: 200_000, source: 'retriever' },
  { id: 'tool_breadth', weight: 80_000, source: 'request' },
  { id: 'context_load', weight: 40_000, source: 'request' },
  { id: 'memory_pressure', weight: 50_000, source: 'request' },
] as const

export type ComponentId = (typeof COMPONENTS)[number]['id']
/** Left out is 0; outside 0..1 counts as the nearer end. */
export type Intensities = Partial<Record<ComponentId, Fraction>>

export interface Estimate {
  model: typeof RISK_MODEL
  /** Millionths. */
  micro: number
  components: Component[]
}

export function computeEstimate(
  intensities: Intensities,
  evidence: Partial<Record<ComponentId, string[]>> = {},
): Estimate {
  let numerator = 1n
  let denominator = 1n
  const components = COMPONENTS.map(({ id, weight, source }): Component => {
    const intensity = id === 'residual' ? FULL : clamped(intensities[id] ?? NONE)
    const contribution = product(fromMicro(weight), intensity)
    numerator *= contribution.denominator - contribution.numerator
    denominator *= contribution.denominator
    return {
      id,
      weight: toDecimal(weight),
      intensity: toDecimal(toMicro(intensity)),
      contribution: toDecimal(toMicro(contribution)),
      source,
      evidence: evidence[id] ?? [],
    }
  })
  return { model: RISK_MODEL, micro: toMicro(fraction(denominator - numerator, denominator)), components }
}

/** The larger of each, so that what is added later can only raise the estimate. */
export function largerOfEach(first: Intensities, second: Intensities): Intensities {
  const together: Intensities = {}
  for (const { id } of COMPONENTS) {
    const [one, other] = [first[id], second[id]]
    const value = one && other ? larger(one, other) : (one ?? other)
    if (value) together[id] = value
  }
  return together
}

/** What the request's own numbers weigh. They are the caller's word: each can only add. */
export function numberIntensities(numbers: {
  active_tool_count: number
  context_tokens: number
  memory_pressure: Fraction | null
}): Intensities {
  const pressure = numbers.memory_pressure ?? NONE
  return {
    tool_breadth: ratio(numbers.active_tool_count, 64),
    context_load: ratio(Math.min(numbers.context_tokens, 131_072), 131_072),
    // (m - 0.5) / 0.5
    memory_pressure: clamped(fraction(2n * pressure.numerator - pressure.denominator, pressure.denominator)),
  }
}

const TENTHS: Record<Severity, number> = { block: 10, hold: 5, note: 1 }

/** What the two text gates found, as intensities. It does not pass through an expert: a gate's word counts even
 *  where the expert that reports it gave no answer. */
export function gateIntensities({
  threats,
  valueCounts,
  shown,
}: Pick<Examination, 'threats' | 'valueCounts' | 'shown'>): Intensities {
  // Summed over distinct values: ten tokens are worse than one.
  const values = valueCounts.reduce((sum, { severity, values: count }) => sum + TENTHS[severity] * count, 0)
  return {
    injection: threats.map(({ severity }) => ratio(TENTHS[severity], 10)).reduce(larger, NONE),
    secret_pii: ratio(Math.min(10, values), 10),
    destructive: ratio(shown === 'destructive' ? 1 : 0, 1),
    exfiltration: ratio(shown === 'external' ? 1 : 0, 1),
  }
}
