/** How far an observed distribution lies from a reference: divergences, distances, and the bounds between them. */
import type { GapResult } from './replies.ts'
import { chiSquareTail, significant } from './special-functions.ts'

const SUM_TOLERANCE = 1e-9
const ROUNDING = 1e-12

const total = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0)

/** `n`: how many observations the proportions come from, where a test is wanted. */
export function trustGap(observed: readonly number[], reference: readonly number[], n: number | null): GapResult {
  const [sumP, sumQ] = [total(observed), total(reference)]
  const [p, q] = [observed.map((x) => x / sumP), reference.map((x) => x / sumQ)]
  const [kl, reverse] = [klDivergence(p, q), klDivergence(q, p)]
  const tv = total(p.map((x, i) => Math.abs(x - q[i]!))) / 2
  const hellinger = Math.sqrt(total(p.map((x, i) => (Math.sqrt(x) - Math.sqrt(q[i]!)) ** 2)) / 2)
  const middle = p.map((x, i) => (x + q[i]!) / 2)
  const js = (klDivergence(p, middle)! + klDivergence(q, middle)!) / 2
  const jeffreys = kl === null || reverse === null ? null : kl + reverse
  const pinsker = kl === null ? null : Math.sqrt(kl / 2)
  const bretagnolleHuber = kl === null ? 1 : Math.sqrt(-Math.expm1(-kl))
  return {
    observed: p,
    reference: q,
    normalised: Math.abs(sumP - 1) > SUM_TOLERANCE || Math.abs(sumQ - 1) > SUM_TOLERANCE,
    kl_observed_vs_reference_nats: kl,
    kl_reference_vs_observed_nats: reverse,
    jeffreys_divergence_nats: jeffreys,
    total_variation: tv,
    hellinger,
    jensen_shannon_nats: js,
    jensen_shannon_distance: Math.sqrt(js),
    // The angle by the half chord: the cosine itself loses the small ones.
    fisher_rao: 4 * Math.asin(Math.min(1, hellinger / Math.SQRT2)),
    chi_square: chiSquare(p, q),
    psi: jeffreys,
    trust_gap_pct: kl === null ? 100 : -100 * Math.expm1(-kl),
    contributions: p.map((x, i) => (x === 0 ? 0 : q[i] === 0 ? null : x * Math.log(x / q[i]!))),
    pinsker_bound: pinsker,
    bretagnolle_huber_bound: bretagnolleHuber,
    bounds_hold: (pinsker === null || tv <= pinsker + ROUNDING) && tv <= bretagnolleHuber + ROUNDING,
    gibbs_nonneg_holds: (kl ?? 0) >= 0 && (reverse ?? 0) >= 0,
    support_mismatch: kl === null || reverse === null,
    g_test: n === null ? null : gTest(kl, q, n),
  }
}

/** Null where it is infinite. Each term is at least 0, so that rounding cannot make the sum negative: the terms that are
 *  added to `p ln(p/q)` add up to nothing. */
function klDivergence(p: readonly number[], q: readonly number[]): number | null {
  if (p.some((x, i) => x > 0 && q[i] === 0)) return null
  return total(p.map((x, i) => Math.max(0, (x === 0 ? 0 : x * Math.log(x / q[i]!)) - x + q[i]!)))
}

function chiSquare(p: readonly number[], q: readonly number[]): number | null {
  if (p.some((x, i) => x > 0 && q[i] === 0)) return null
  return total(p.map((x, i) => (q[i] === 0 ? 0 : (x - q[i]!) ** 2 / q[i]!)))
}

/** Against the reference; what it calls impossible and was observed refutes it outright. */
function gTest(kl: number | null, q: readonly number[], n: number) {
  const df = q.filter((x) => x > 0).length - 1
  const g = kl === null ? null : 2 * n * kl
  const p = g === null ? 0 : df === 0 ? 1 : chiSquareTail(g, df)
  return { n, g, df, p_value: significant(p) }
}
