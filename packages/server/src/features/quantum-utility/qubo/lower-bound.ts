/** A lower bound from linear terms below the pairs (Hammer, Hansen and Simeone's roofs). A pair of weight q is at least
 *  a x + b y - c for every x and y: with a + b = q, a, b <= 0 and c = 0 for q < 0; with a = b = c from 0 to q for q > 0.
 *  Any choice is a bound; a few rounds that only ever raise it choose the parts. */
import { type Quadratic, weightMatrix } from './quadratic.ts'

/** Parts as a matrix: row i holds what the pairs of i add to its linear term. */
export interface Roof {
  bound: number
  parts: Float64Array
  weights: Float64Array
}

const MAX_ROUNDS = 60

/** Begins with halves of the negative pairs and nothing of the positive ones. */
export function raiseRoof(problem: Quadratic): Roof {
  const { size: n, start, other, constant, linear } = problem
  const weights = weightMatrix(problem)
  const parts = new Float64Array(n * n)
  const reduced = linear.slice()
  for (let i = 0; i < n; i++)
    for (let at = start[i]!; at < start[i + 1]!; at++) {
      const j = other[at]!
      const weight = weights[i * n + j]!
      if (weight >= 0) continue
      // Whole numbers stay whole: the smaller index takes the odd unit.
      parts[i * n + j] = i < j ? Math.floor(weight / 2) : Math.ceil(weight / 2)
      reduced[i]! += parts[i * n + j]!
    }
  let bound = boundNow()
  for (let round = 0; round < MAX_ROUNDS; round++) {
    for (let i = 0; i < n; i++)
      for (let at = start[i]!; at < start[i + 1]!; at++) if (other[at]! > i) balance(i, other[at]!)
    const next = boundNow()
    if (next <= bound && round > 8) break
    bound = Math.max(bound, next)
  }
  return { bound: boundNow(), parts, weights }

  function boundNow(): number {
    let total = constant
    for (let i = 0; i < n; i++) {
      total += Math.min(0, reduced[i]!)
      for (let at = start[i]!; at < start[i + 1]!; at++) {
        const j = other[at]!
        if (j > i && weights[i * n + j]! > 0) total -= parts[i * n + j]!
      }
    }
    return total
  }

  /** The best parts of one pair while all others stay; slack is shared, so that the next pair finds some. */
  function balance(i: number, j: number): void {
    const weight = weights[i * n + j]!
    const a = reduced[i]! - parts[i * n + j]!
    const b = reduced[j]! - parts[j * n + i]!
    let first: number
    let second: number
    if (weight < 0) {
      // Both ends are to be equally far from zero, as far as the weight allows.
      first = Math.min(0, Math.max(weight, Math.floor((b - a + weight) / 2)))
      second = weight - first
    } else {
      // Each unit raises two negative terms for the price of one.
      first = Math.min(weight, Math.max(0, -Math.max(a, b)))
      second = first
    }
    reduced[i] = a + first
    reduced[j] = b + second
    parts[i * n + j] = first
    parts[j * n + i] = second
  }
}
