/** Order statistics of a sorted sample. */

export const sortedCopy = (values: readonly number[]): Float64Array => Float64Array.from(values).sort()

/** The quantile by linear interpolation between the order statistics (type 7 of Hyndman and Fan). */
export function quantileOf(sorted: Float64Array, p: number): number {
  const at = (sorted.length - 1) * p
  const below = Math.floor(at)
  const low = sorted[below]!
  const high = sorted[Math.min(below + 1, sorted.length - 1)]!
  return low + (at - below) * (high - low)
}

/** How many are below x. */
export function countBelow(sorted: Float64Array, x: number): number {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (sorted[middle]! < x) low = middle + 1
    else high = middle
  }
  return low
}

/** How many are at most x. */
export function countUpTo(sorted: Float64Array, x: number): number {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (sorted[middle]! <= x) low = middle + 1
    else high = middle
  }
  return low
}
