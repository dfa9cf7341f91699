/** What can be said about a pass rate, and about a change of it, from so many cases. */
import type { Interval } from '../../../domain/wilson.ts'
import type { Random } from '../random.ts'
import type { Gate, Report } from './shapes.ts'

const RESAMPLES = 2000

/** The exact two-sided test on the pairs that changed: `b` for the worse, `c` for the better. */
export function mcnemar(b: number, c: number): number {
  const changed = b + c
  let [term, sum] = [0.5 ** changed, 0]
  for (let k = 0; k <= Math.min(b, c); k += 1) {
    sum += term
    term *= (changed - k) / (k + 1)
  }
  return Math.min(1, 2 * sum)
}

/** The mean change with its 95% interval, by resampling the pairs. */
export function pairedBootstrap(changes: readonly number[], random: Random): NonNullable<Report['delta']> {
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
  const resampledMean = () => {
    let sum = 0
    for (let n = 0; n < changes.length; n += 1) sum += changes[random.integer(0, changes.length - 1)]!
    return sum / changes.length
  }
  const means = Array.from({ length: RESAMPLES }, resampledMean).sort((one, other) => one - other)
  const middle = mean(means)
  const se = Math.sqrt(means.reduce((sum, value) => sum + (value - middle) ** 2, 0) / (RESAMPLES - 1))
  return { value: mean(changes), low: means[RESAMPLES * 0.025]!, high: means[RESAMPLES * 0.975 - 1]!, se }
}

export function judge(interval: Interval | null, changed: Report['mcnemar'], gate: Gate): Report['verdict'] {
  const isWorse = changed !== null && changed.b > changed.c && changed.p < 0.05
  if (isWorse || (changed?.b ?? 0) > gate.max_regress) return 'FAIL'
  if (interval === null) return 'INCONCLUSIVE'
  if (interval.high < gate.min_pass) return 'FAIL'
  return interval.low >= gate.min_pass ? 'PASS' : 'INCONCLUSIVE'
}
