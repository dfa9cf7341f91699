/** Whether the residuals look like independent normal noise, which the intervals take them for. */
import { normalTail } from '../../../domain/normal.ts'
import { rootMeanSquare } from './units.ts'

interface ResidualReport {
  rms: number
  sigma_hat: number
  durbin_watson: number | null
  runs_p: number | null
  normality_p: number | null
}

/** One series for each observed state, in the order of time; each was divided by its unit. */
export function describeResiduals(
  series: readonly (readonly number[])[],
  estimated: number,
  units: readonly number[] = series.map(() => 1),
): ResidualReport {
  const all = series.flat()
  const sums = series.map(durbinWatsonSums)
  const below = sums.reduce((sum, [, square]) => sum + square, 0)
  return {
    rms: rootMeanSquare(series, units, all.length),
    sigma_hat: rootMeanSquare(series, units, all.length - estimated),
    durbin_watson: below === 0 ? null : sums.reduce((sum, [change]) => sum + change, 0) / below,
    runs_p: runsTest(series),
    normality_p: jarqueBera(all),
  }
}

function durbinWatsonSums(values: readonly number[]): [changes: number, squares: number] {
  let [changes, squares] = [0, 0]
  values.forEach((value, i) => {
    squares += value * value
    if (i > 0) changes += (value - values[i - 1]!) ** 2
  })
  return [changes, squares]
}

/** Wald and Wolfowitz (1940): runs of one sign, by the normal approximation, added up over the series. */
function runsTest(series: readonly (readonly number[])[]): number | null {
  let [runs, mean, variance] = [0, 0, 0]
  for (const values of series) {
    const signs = values.filter((value) => value !== 0).map((value) => value > 0)
    const plus = signs.filter(Boolean).length
    const minus = signs.length - plus
    const n = signs.length
    if (plus === 0 || minus === 0 || n < 3) return n < 3 ? null : 0
    runs += 1 + signs.filter((sign, i) => i > 0 && sign !== signs[i - 1]).length
    const product = 2 * plus * minus
    mean += 1 + product / n
    variance += (product * (product - n)) / (n * n * (n - 1))
  }
  return variance > 0 ? 2 * normalTail(Math.abs(runs - mean) / Math.sqrt(variance)) : null
}

/** Jarque and Bera (1980): skewness and kurtosis, chi-square with two degrees of freedom in large samples. */
function jarqueBera(values: readonly number[]): number | null {
  const n = values.length
  const mean = values.reduce((sum, value) => sum + value, 0) / n
  const moment = (k: number) => values.reduce((sum, value) => sum + (value - mean) ** k, 0) / n
  const variance = moment(2)
  if (!(variance > 0)) return null
  const skewness = moment(3) / variance ** 1.5
  const kurtosis = moment(4) / variance ** 2 - 3
  return Math.exp((-n / 12) * (skewness ** 2 + kurtosis ** 2 / 4))
}
