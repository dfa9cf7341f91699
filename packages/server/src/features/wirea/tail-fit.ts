/** The upper tail of a sample as a generalized Pareto distribution, by probability-weighted moments (Hosking and Wallis
 *  1987): what is said beyond the largest value seen is a model and no count. */
import { quantileOf } from './quantiles.ts'

interface TailFit {
  /** The threshold: the 90 % quantile. */
  u: number
  exceedances: number
  xi: number
  sigma: number
  n: number
}

const MIN_EXCEEDANCES = 30

/** The fit, or the reason why there is none. */
export function fitTail(sorted: Float64Array): { fit: TailFit; reason: null } | { fit: null; reason: string } {
  const u = quantileOf(sorted, 0.9)
  const over = sorted.filter((x) => x > u).map((x) => x - u)
  const count = over.length
  if (count < MIN_EXCEEDANCES)
    return { fit: null, reason: `${count} values lie above the 90 % quantile, and a fit needs ${MIN_EXCEEDANCES}` }
  let [a0, a1] = [0, 0]
  for (let i = 0; i < count; i += 1) {
    a0 += over[i]! / count
    a1 += ((1 - (i + 1 - 0.35) / count) * over[i]!) / count
  }
  const spread = a0 - 2 * a1
  const [xi, sigma] = [2 - a0 / spread, (2 * a0 * a1) / spread]
  if (!(spread > 0) || !(sigma > 0) || !Number.isFinite(xi))
    return { fit: null, reason: 'the moments of the exceedances belong to no generalized Pareto distribution' }
  return { fit: { u, exceedances: count, xi, sigma, n: sorted.length }, reason: null }
}

/** P(X > v) for v above the threshold; null below it, where counting is better. Beyond the end of a bounded tail: 0. */
export function tailProbability({ u, exceedances, xi, sigma, n }: TailFit, v: number): number | null {
  if (v <= u) return null
  const z = (v - u) / sigma
  const log = Math.abs(xi) < 1e-9 ? -z : 1 + xi * z <= 0 ? -Infinity : -Math.log1p(xi * z) / xi
  return (exceedances / n) * Math.exp(log)
}
