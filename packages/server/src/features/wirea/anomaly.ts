/** How unusual values are against a baseline: conformal p-values (Vovk et al. 2005), which need no model and are exact in
 *  finite samples where baseline and value are exchangeable; order statistics with exact intervals; robust scores. */
import { countBelow, countUpTo, quantileOf, sortedCopy } from './quantiles.ts'
import type { AnomalyResult } from './replies.ts'
import type { AnomalyBody } from './schemas.ts'
import { binomialCdf, binomialQuantile, ceiling, significant } from './special-functions.ts'
import { fitTail, tailProbability } from './tail-fit.ts'

const CRITICAL = 0.01
type Severity = AnomalyResult['results'][number]['severity']
type Tail = NonNullable<AnomalyBody['tail']>

export function scoreAnomalies({ baseline, value, values, alpha = 0.05, tail = 'upper' }: AnomalyBody): AnomalyResult {
  const sorted = sortedCopy(baseline)
  const n = sorted.length
  const asked = values ?? [value!]
  const median = quantileOf(sorted, 0.5)
  const mad = quantileOf(sorted.map((x) => Math.abs(x - median)).sort(), 0.5)
  const [q1, q3] = [quantileOf(sorted, 0.25), quantileOf(sorted, 0.75)]
  const tukey = { q1, q3, lower: q1 - 1.5 * (q3 - q1), upper: q3 + 1.5 * (q3 - q1) }
  const resolution = 1 / (n + 1)
  const smallest = tail === 'two-sided' ? 2 * resolution : resolution
  const p = asked.map((v) => conformalP(sorted, v, tail))
  const { q, rejected } = benjaminiHochberg(p, alpha)
  const { fit, reason } = tail === 'lower' ? NO_UPPER_TAIL : fitTail(sorted)
  const results = asked.map((v, i) => ({
    value: v,
    p_value: Number(p[i]!.toFixed(6)),
    empirical_percentile: percentile(sorted, v),
    robust_z: robustScore(v, median, mad),
    outside_tukey: v < tukey.lower || v > tukey.upper,
    tail_probability: fit === null ? null : significantOrNull(tailProbability(fit, v)),
    severity: severityOf(p[i]!, alpha, smallest),
    q_value: q[i]!,
    rejected: rejected[i]!,
  }))
  return {
    n,
    alpha,
    tail,
    resolution,
    smallest_p: smallest,
    median,
    mad,
    tukey,
    p95: orderQuantile(sorted, 0.95),
    p95_interval: quantileInterval(sorted, 0.95),
    p99: orderQuantile(sorted, 0.99),
    p99_interval: quantileInterval(sorted, 0.99),
    tail_fit: fit === null ? null : { u: fit.u, exceedances: fit.exceedances, xi: fit.xi, sigma: fit.sigma },
    tail_fit_reason: reason,
    results,
  }
}

const NO_UPPER_TAIL = { fit: null, reason: 'the fit is one of the upper tail, and the lower one was asked for' }

const significantOrNull = (p: number | null): number | null => (p === null ? null : significant(p))

function conformalP(sorted: Float64Array, v: number, tail: Tail): number {
  const n = sorted.length
  const upper = (1 + n - countBelow(sorted, v)) / (n + 1)
  const lower = (1 + countUpTo(sorted, v)) / (n + 1)
  return tail === 'upper' ? upper : tail === 'lower' ? lower : Math.min(1, 2 * Math.min(upper, lower))
}

function percentile(sorted: Float64Array, v: number): number {
  const below = countBelow(sorted, v)
  return (100 * (below + (countUpTo(sorted, v) - below) / 2)) / sorted.length
}

/** Null where the values hardly differ: there is no scale to measure by. */
function robustScore(v: number, median: number, mad: number): number | null {
  const z = (0.6745 * (v - median)) / mad
  return mad > 0 && Number.isFinite(z) ? z : null
}

/** Where not even the most extreme value could be significant, nothing can be said of any. */
const severityOf = (p: number, alpha: number, smallest: number): Severity =>
  smallest > alpha ? 'undecidable' : p <= CRITICAL ? 'critical' : p <= alpha ? 'elevated' : 'nominal'

/** The order statistic with at least share p below the next draw; null where there are too few for it. */
function orderQuantile(sorted: Float64Array, p: number): number | null {
  return sorted[rankOf(sorted, p) - 1] ?? null
}

const rankOf = ({ length: n }: Float64Array, p: number): number => ceiling((n + 1) * p)

/** The ranks between which the true quantile lies, with their exact coverage; null where no value is far enough out. */
function quantileInterval(sorted: Float64Array, p: number): AnomalyResult['p95_interval'] {
  const n = sorted.length
  const [lo, hi] = [binomialQuantile(0.025, n, p), binomialQuantile(0.975, n, p) + 1]
  return {
    rank: rankOf(sorted, p),
    insufficient_n: rankOf(sorted, p) > n,
    lower_rank: lo === 0 ? null : lo,
    upper_rank: hi > n ? null : hi,
    lower: lo === 0 ? null : sorted[lo - 1]!,
    upper: hi > n ? null : sorted[hi - 1]!,
    coverage: binomialCdf(hi - 1, n, p) - binomialCdf(lo - 1, n, p),
  }
}

/** Benjamini and Hochberg (1995); p-values against one baseline are positively dependent, where it holds as well (Bates et
 *  al. 2023). */
function benjaminiHochberg(p: readonly number[], alpha: number): { q: number[]; rejected: boolean[] } {
  const m = p.length
  const order = [...p.keys()].sort((a, b) => p[a]! - p[b]!)
  const q = new Array<number>(m).fill(1)
  let least = 1
  for (let rank = m; rank >= 1; rank -= 1) {
    const at = order[rank - 1]!
    least = Math.min(least, (m * p[at]!) / rank)
    q[at] = least
  }
  return { q, rejected: q.map((one) => one <= alpha) }
}
