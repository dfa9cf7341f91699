/** Means and deviations of series of doubles, and how a statistic is written. */

/** Differences of this share of their operands are rounding, not information: a deviation below it counts as 0, so that
 *  equal figures have no score and a straight line casts no vote. */
export const ROUNDING = 64 * Number.EPSILON

/** Twelve decimals, never an exponent, and no minus before a zero. */
export function toText(value: number): string {
  if (!Number.isFinite(value)) throw new RangeError('a statistic is not finite')
  // `toFixed` writes an exponent from 1e21 on, where a double is a whole number.
  const text = Math.abs(value) < 1e21 ? value.toFixed(12) : `${BigInt(value)}.000000000000`
  return /[1-9]/.test(text) ? text : '0.000000000000'
}

export const toTextOrNull = (value: number | null): string | null => (value === null ? null : toText(value))

export const largest = (values: readonly number[]): number =>
  values.reduce((most, value) => Math.max(most, Math.abs(value)), 0)

/** The second pass takes back what the first one rounded away. */
export function meanOf(values: readonly number[]): number {
  const first = sum(values) / values.length
  return first + sum(values.map((value) => value - first)) / values.length
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)

/** `scale`: the size of the figures that the values were computed from, where they are differences of larger ones. */
function deviationOf(values: readonly number[], divisor: number, scale: number): number {
  const mean = meanOf(values)
  const deviation = Math.sqrt(sum(values.map((value) => (value - mean) ** 2)) / divisor)
  return deviation <= ROUNDING * scale ? 0 : deviation
}

export const populationDeviation = (values: readonly number[]): number =>
  deviationOf(values, values.length, largest(values))

/** Of returns, whose rounding is that of the ratio they are one less than. */
export const sampleDeviation = (returns: readonly number[], scale = 1): number =>
  deviationOf(returns, returns.length - 1, scale * (1 + largest(returns)))

export function sampleCovariance(a: readonly number[], b: readonly number[]): number {
  const meanA = meanOf(a)
  const meanB = meanOf(b)
  return sum(a.map((value, at) => (value - meanA) * (b[at]! - meanB))) / (a.length - 1)
}
