/** Intervals by the profile likelihood: all values of one parameter for which the others can be chosen so that the sum of
 *  squares stays within the 95 % point of chi-square with one degree of freedom. */
import { type Bounds, type Fit, leastSquares } from './least-squares.ts'
import type { Model } from './model.ts'

export const CHI2_95 = 3.841458820694124
export const TARGET = Math.sqrt(CHI2_95)
const MAX_TRIES = 24
const PROFILE_ITERATIONS = 30

export const waldInterval = (value: number, sd: number): [number, number] => [value - TARGET * sd, value + TARGET * sd]

interface Wanted {
  free: readonly number[]
  index: number
  sigma: number
  sd: number
  isSpent: () => boolean
}

/** A side is null where the data put no bound on it within reach; the whole where the work for it was spent before. */
export function profileInterval(
  model: Model,
  fit: Fit,
  bounds: Bounds,
  { free, index, sigma, sd, isSpent }: Wanted,
): [number | null, number | null] | null {
  const others = free.filter((j) => j !== index)
  /** The best of the others at this value, sought from the places next to it: a fit alone may end in another valley. */
  const bestAt = (at: number, places: readonly Float64Array[]): Fit | null => {
    let best: Fit | null = null
    for (const place of places) {
      const from = place.slice()
      from[index] = at
      const found = leastSquares(model, from, bounds, { free: others, maxIterations: PROFILE_ITERATIONS, isSpent })
      if (found !== null && (best === null || found.ssr < best.ssr)) best = found
      if (best !== null && riseOf(best) < TARGET) break
    }
    return best
  }
  const riseOf = (found: Fit | null): number =>
    found === null ? Infinity : Math.sqrt(Math.max(0, found.ssr - fit.ssr)) / sigma
  /** Where a model ends at limits of its own, it is not the data that close the interval there. */
  const closed = (at: number, rise: number): number | null =>
    rise === Infinity && model.admit !== undefined ? null : at
  const side = (direction: 1 | -1): number | null => {
    // The root of the scaled rise is nearly linear in the distance, so a secant finds the place in a few fits.
    let [low, lowRise, inside] = [0, 0, fit.theta]
    let [high, highRise, outside] = [Infinity, Infinity, fit.theta]
    let distance = TARGET * sd
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const at = fit.theta[index]! + direction * distance
      if (at < bounds.low[index]! || at > bounds.high[index]!) return null
      const found = bestAt(at, [...new Set([inside, outside])])
      if (isSpent()) return null
      const rise = riseOf(found)
      if (Math.abs(rise - TARGET) < 2e-3 || (high - low < 1e-4 * high && rise > TARGET)) return closed(at, rise)
      if (rise < TARGET) [low, lowRise, inside] = [distance, rise, found!.theta]
      else [high, highRise, outside] = [distance, rise, found?.theta ?? outside]
      // Every third place is the middle: at a kink a secant creeps.
      distance = tries % 3 === 2 && high < Infinity ? (low + high) / 2 : nextDistance(low, lowRise, high, highRise)
    }
    return high < Infinity ? closed(fit.theta[index]! + direction * high, highRise) : null
  }
  const sides: [number | null, number | null] = [side(-1), side(1)]
  return isSpent() ? null : sides
}

function nextDistance(low: number, lowRise: number, high: number, highRise: number): number {
  if (high === Infinity) return low * Math.min(3, TARGET / Math.max(lowRise, 0.4))
  if (!Number.isFinite(highRise)) return (low + high) / 2
  const guess = low + ((TARGET - lowRise) * (high - low)) / (highRise - lowRise)
  const margin = 0.01 * (high - low)
  return Math.min(high - margin, Math.max(low + margin, guess))
}
