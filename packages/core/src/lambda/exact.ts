// Axis values are ratios of whole numbers and are rounded once, half up, to six decimals. Floating point would round
// a half by the dust in its last bits, and another language's dust would differ.

/** A ratio, as a count of millionths between 0.01 and 1. */
export function micro(numerator: bigint, denominator: bigint): number {
  if (denominator <= 0n) throw new RangeError('a ratio needs a positive denominator')
  const rounded = (2n * 1_000_000n * numerator + denominator) / (2n * denominator)
  return Number(rounded < MIN ? MIN : rounded > MAX ? MAX : rounded)
}

const MIN = 10_000n
const MAX = 1_000_000n

/** The product of (1 - w) over weights in hundredths. */
export function survivors(weights: readonly number[]): number {
  let numerator = 1n
  for (const weight of weights) numerator *= BigInt(100 - weight)
  return micro(numerator, 100n ** BigInt(weights.length))
}
