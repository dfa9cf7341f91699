/** Means of scores side by side. Nothing here or elsewhere decides by the value. */
import { LAMBDA } from '@orch/core'
import type { PanelResult } from './replies.ts'
import type { PanelQuery } from './schemas.ts'

type Kind = PanelQuery['kind']
interface Weighted {
  scores: readonly number[]
  /** They add up to 1. */
  weights: readonly number[]
}

const ROUNDING = 1e-12
/** Orders below this differ from 0 by less than doubles can tell. */
const NEARLY_GEOMETRIC = 1e-12
const EXPONENTS = { arithmetic: 1, geometric: 0, harmonic: -1 } as const
const exponentOf = (kind: Kind, p: number): number => (kind === 'power' ? p : EXPONENTS[kind])

export function lambdaPanel(
  scores: readonly number[],
  given: readonly number[] | null,
  kind: Kind,
  p: number,
): PanelResult {
  const axes = normalise(scores, given ?? scores.map(() => 1))
  const exponent = exponentOf(kind, p)
  const raw = powerMean(axes, exponent)
  const value = Math.min(LAMBDA.trust_ceiling, raw)
  const counted = scores.filter((_, i) => axes.weights[i]! > 0)
  const means = {
    min: Math.min(...counted),
    harmonic: powerMean(axes, -1),
    geometric: powerMean(axes, 0),
    arithmetic: powerMean(axes, 1),
    power: powerMean(axes, p),
    max: Math.max(...counted),
  }
  return {
    lambda: value,
    raw,
    ceiling_applied: raw > LAMBDA.trust_ceiling,
    trust_ceiling: LAMBDA.trust_ceiling,
    floor: LAMBDA.floor,
    meets_floor: value >= LAMBDA.floor,
    kind,
    p,
    axes: [...scores],
    weights: [...axes.weights],
    variants: means,
    ordering_holds: isOrdered(means, p),
    elasticities: elasticitiesOf(axes, exponent),
    leave_one_out: scores.map((score, index) => ({ index, score, raw_without: withoutAxis(axes, index, exponent) })),
    weakest: weakestOf(axes),
    status: LAMBDA.status,
    is_theorem: LAMBDA.is_theorem,
  }
}

function normalise(scores: readonly number[], weights: readonly number[]): Weighted {
  const sum = weights.reduce((total, weight) => total + weight, 0)
  return { scores, weights: weights.map((weight) => weight / sum) }
}

/** The weighted mean of order p; 0 is the geometric one. Through logarithms, so that no power over- or underflows. */
function powerMean({ scores, weights }: Weighted, order: number): number {
  const p = Math.abs(order) < NEARLY_GEOMETRIC ? 0 : order
  const parts = scores.flatMap((x, i) => (weights[i]! > 0 ? [{ log: Math.log(x), weight: weights[i]! }] : []))
  if (p <= 0 && parts.some(({ log }) => log === -Infinity)) return 0
  if (p === 0) return Math.exp(parts.reduce((sum, { log, weight }) => sum + weight * log, 0))
  const exponents = parts.map(({ log }) => p * log)
  const largest = Math.max(...exponents)
  if (largest === -Infinity) return 0
  // Near p = 0 every power is near 1: what is left of it would be lost beside the 1.
  const isSmall = exponents.every((exponent) => Math.abs(exponent) < 0.5)
  const log = isSmall
    ? Math.log1p(parts.reduce((sum, { weight }, i) => sum + weight * Math.expm1(exponents[i]!), 0))
    : largest + Math.log(parts.reduce((sum, { weight }, i) => sum + weight * Math.exp(exponents[i]! - largest), 0))
  return Math.exp(log / p)
}

/** By what share the mean moves with one axis: `w x^p / sum w x^p`; null where the mean is 0 and has no logarithm. */
function elasticitiesOf({ scores, weights }: Weighted, p: number): (number | null)[] {
  if (p === 0) return [...weights]
  const largest = Math.max(...scores.map((x, i) => (weights[i]! > 0 ? p * Math.log(x) : -Infinity)))
  if (!Number.isFinite(largest)) return scores.map(() => null)
  const shares = scores.map((x, i) => (weights[i]! > 0 ? weights[i]! * Math.exp(p * Math.log(x) - largest) : 0))
  const sum = shares.reduce((total, share) => total + share, 0)
  return shares.map((share) => share / sum)
}

function withoutAxis({ scores, weights }: Weighted, index: number, p: number): number | null {
  const others = weights.map((weight, i) => (i === index ? 0 : weight))
  return others.every((weight) => weight === 0) ? null : powerMean(normalise(scores, others), p)
}

/** The lowest axis that counts, and what it would need for the geometric mean to reach the floor; null above 1. */
function weakestOf({ scores, weights }: Weighted): PanelResult['weakest'] {
  const index = scores.reduce(
    (lowest, score, i) => (weights[i]! > 0 && (lowest < 0 || score < scores[lowest]!) ? i : lowest),
    -1,
  )
  const rest = scores.reduce(
    (sum, x, i) => (i === index || weights[i] === 0 ? sum : sum + weights[i]! * Math.log(x)),
    0,
  )
  const needed = Math.exp((Math.log(LAMBDA.floor) - rest) / weights[index]!)
  return { index, score: scores[index]!, needed_for_floor: needed > 1 ? null : needed }
}

/** Means grow with their order; `p` takes its place among them. */
function isOrdered(means: PanelResult['variants'], p: number): boolean {
  const { min, harmonic, geometric, arithmetic, power, max } = means
  const byOrder: [number, number][] = [
    [-Infinity, min],
    [-1, harmonic],
    [0, geometric],
    [1, arithmetic],
    [p, power],
    [Infinity, max],
  ]
  byOrder.sort(([a], [b]) => a - b)
  return byOrder.every(([, mean], i) => i === 0 || byOrder[i - 1]![1] <= mean + ROUNDING)
}
