/** Shots for groups in proportion to their weights (Neyman's allocation), in whole numbers and at least one for each. */

/** By largest remainder. Groups whose share is below one shot get one; the others share what is left. */
export function allocate(weights: readonly number[], shots: number): number[] {
  const result = new Array<number>(weights.length).fill(1)
  let open = weights.map((_, at) => at)
  let left = shots
  for (;;) {
    const total = open.reduce((sum, at) => sum + weights[at]!, 0)
    // Nothing is expected to vary: everything is divided evenly.
    const shareOf = (at: number) => (total === 0 ? left / open.length : (left * weights[at]!) / total)
    const small = open.filter((at) => shareOf(at) < 1)
    if (small.length === 0 || small.length === open.length) {
      distribute(open, shareOf, left, result)
      return result
    }
    open = open.filter((at) => shareOf(at) >= 1)
    left -= small.length
  }
}

function distribute(open: readonly number[], shareOf: (at: number) => number, shots: number, result: number[]): void {
  for (const at of open) result[at] = Math.max(1, Math.floor(shareOf(at)))
  let rest = shots - open.reduce((sum, at) => sum + result[at]!, 0)
  const byRemainder = open.toSorted(
    (a, b) => shareOf(b) - Math.floor(shareOf(b)) - (shareOf(a) - Math.floor(shareOf(a))),
  )
  for (let turn = 0; rest > 0; turn++, rest--) result[byRemainder[turn % byRemainder.length]!]! += 1
}

/** Standard error of the sum: weights are standard deviations of one shot. Relative to the largest, whose square a double may
 *  not hold. */
export function errorOf(weights: readonly number[], shots: readonly number[]): number {
  const largest = Math.max(0, ...weights)
  if (largest === 0) return 0
  return largest * Math.sqrt(weights.reduce((sum, weight, at) => sum + (weight / largest) ** 2 / shots[at]!, 0))
}

/** 0 where a double cannot hold the square. */
export const varianceOf = (weights: readonly number[], shots: readonly number[]): number =>
  weights.reduce((sum, weight, at) => sum + (weight * weight) / shots[at]!, 0)

/** Moves single shots from the group that loses least to the one that gains most, until none helps: the best whole numbers,
 *  because the variance is a sum of convex functions. */
export function improve(weights: readonly number[], shots: readonly number[]): number[] {
  const result = [...shots]
  for (;;) {
    const move = bestMove(weights, result)
    if (move === null) return result
    result[move.to]! += 1
    result[move.from]! -= 1
  }
}

/** The move of one shot that lowers the variance most; null where none does, which is where the plan is the best. */
export function bestMove(weights: readonly number[], shots: readonly number[]): { from: number; to: number } | null {
  const largest = Math.max(...weights) || 1
  const square = (at: number) => (weights[at]! / largest) ** 2
  const gain = shots.map((count, at) => square(at) / (count * (count + 1)))
  const loss = shots.map((count, at) => (count > 1 ? square(at) / (count * (count - 1)) : Number.POSITIVE_INFINITY))
  const to = gain.indexOf(Math.max(...gain))
  const from = loss.indexOf(Math.min(...loss))
  return to === from || gain[to]! <= loss[from]! * (1 + 1e-12) ? null : { from, to }
}

/** Equal shots for every term, what cannot be divided to the first ones: null where there is not one for each. */
export function uniformShots(terms: number, shots: number): number[] | null {
  if (shots < terms) return null
  return Array.from({ length: terms }, (_, at) => Math.floor(shots / terms) + (at < shots % terms ? 1 : 0))
}
