/** The indicators over a series of prices, the oldest first. Null where a figure does not exist. */
import { meanOf, populationDeviation, ROUNDING, sampleCovariance, sampleDeviation } from './statistics.ts'

export const MIN_POINTS = 35
export const MAX_POINTS = 300
export const MIN_PRICE = 1e-12
export const MAX_PRICE = 1e12

const FAST = 10
const SLOW = 30
const RSI_PERIODS = 14
const Z_WINDOW = 20
const RSI_LOW = 30
const RSI_HIGH = 70
const Z_BOUND = 2
const VERDICT_SCORE = 2

export const simpleAverage = (prices: readonly number[], n: number): number => meanOf(prices.slice(-n))

/** One value for every price from the n-th on. */
export function exponentialAverages(prices: readonly number[], n: number): number[] {
  const averages = [meanOf(prices.slice(0, n))]
  for (const price of prices.slice(n)) {
    const last = averages.at(-1)!
    averages.push(last + (2 / (n + 1)) * (price - last))
  }
  return averages
}

/** Wilder's averages of gains and losses. */
export function relativeStrength(prices: readonly number[], n = RSI_PERIODS): number | null {
  const moves = prices.slice(1).map((price, at) => price - prices[at]!)
  const smoothed = (sizes: readonly number[]): number =>
    sizes.slice(n).reduce((average, size) => ((n - 1) * average + size) / n, meanOf(sizes.slice(0, n)))
  const gain = smoothed(moves.map((move) => Math.max(move, 0)))
  const loss = smoothed(moves.map((move) => Math.max(-move, 0)))
  if (loss === 0) return gain === 0 ? null : 100
  return 100 - 100 / (1 + gain / loss)
}

export function convergence(prices: readonly number[]) {
  const slow = exponentialAverages(prices, 26)
  const fast = exponentialAverages(prices, 12).slice(-slow.length)
  const line = slow.map((value, at) => fast[at]! - value)
  const macd = line.at(-1)!
  const signal = exponentialAverages(line, 9).at(-1)!
  return { macd, signal, histogram: macd - signal }
}

export function zScore(prices: readonly number[], n = Z_WINDOW): number | null {
  const window = prices.slice(-n)
  const deviation = populationDeviation(window)
  return deviation === 0 ? null : (window.at(-1)! - meanOf(window)) / deviation
}

export const returnsOf = (prices: readonly number[]): number[] =>
  prices.slice(1).map((price, at) => price / prices[at]! - 1)

export const volatilityOf = (returns: readonly number[], periods: number, scale = 1): number =>
  sampleDeviation(returns, scale) * Math.sqrt(periods)

export function sharpeOf(returns: readonly number[], periods: number, scale = 1): number | null {
  const deviation = sampleDeviation(returns, scale)
  return deviation === 0 ? null : (meanOf(returns) / deviation) * Math.sqrt(periods)
}

export function maxDrawdown(prices: readonly number[]): number {
  let peak = prices[0]!
  let worst = 0
  for (const price of prices) {
    peak = Math.max(peak, price)
    worst = Math.min(worst, (price - peak) / peak)
  }
  return worst
}

/** Of two lists of returns over the same periods. */
export function betaOf(returns: readonly number[], benchmark: readonly number[]): number | null {
  if (sampleDeviation(benchmark) === 0) return null
  return sampleCovariance(returns, benchmark) / sampleCovariance(benchmark, benchmark)
}

export const indicatorsOf = (prices: readonly number[]) => ({
  sma_fast: simpleAverage(prices, FAST),
  sma_slow: simpleAverage(prices, SLOW),
  ema_12: exponentialAverages(prices, 12).at(-1)!,
  ema_26: exponentialAverages(prices, 26).at(-1)!,
  rsi_14: relativeStrength(prices),
  macd: convergence(prices),
  bollinger_z_20: zScore(prices),
})

export type Verdict = 'BULLISH' | 'NEUTRAL' | 'BEARISH'

/** `scale`: the largest price, by which a difference is told from rounding. */
export function votesOf(
  { sma_fast, sma_slow, macd, rsi_14, bollinger_z_20 }: ReturnType<typeof indicatorsOf>,
  scale: number,
) {
  const sign = (difference: number): number => (Math.abs(difference) <= ROUNDING * scale ? 0 : Math.sign(difference))
  const votes = {
    sma: sign(sma_fast - sma_slow),
    macd: sign(macd.histogram),
    rsi: against(rsi_14, RSI_LOW, RSI_HIGH),
    z: against(bollinger_z_20, -Z_BOUND, Z_BOUND),
  }
  const score = votes.sma + votes.macd + votes.rsi + votes.z
  const verdict: Verdict = score >= VERDICT_SCORE ? 'BULLISH' : score <= -VERDICT_SCORE ? 'BEARISH' : 'NEUTRAL'
  return { votes, vote_score: score, verdict }
}

/** What is low is expected to rise, and what is high to fall. */
function against(value: number | null, low: number, high: number): number {
  if (value === null) return 0
  return value < low ? 1 : value > high ? -1 : 0
}

export type SeriesFault = 'TOO_FEW_POINTS' | 'TOO_MANY_POINTS' | 'PRICE_OUT_OF_RANGE' | 'NO_PRICE_VARIATION'

/** Why no indicator can be computed of a series, or null. */
export function seriesFault(prices: readonly number[]): SeriesFault | null {
  if (prices.length < MIN_POINTS) return 'TOO_FEW_POINTS'
  if (prices.length > MAX_POINTS) return 'TOO_MANY_POINTS'
  if (!prices.every((price) => price >= MIN_PRICE && price <= MAX_PRICE)) return 'PRICE_OUT_OF_RANGE'
  return prices.every((price) => price === prices[0]) ? 'NO_PRICE_VARIATION' : null
}
