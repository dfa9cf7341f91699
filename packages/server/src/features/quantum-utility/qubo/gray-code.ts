/** Every assignment of a small problem in the order of a Gray code: neighbours differ in one bit. */
import { type Bits, type Quadratic, weightMatrix } from './quadratic.ts'

export const MAX_ENUMERATED = 24

export interface Enumerated {
  best: number
  /** The smallest of the best in the order of the variables. */
  bits: Bits
  degeneracy: number
  /** The lowest energy above the best; null where every assignment has the same. */
  second: number | null
  states: number
}

export const statesOf = (size: number): number => 2 ** size

/** The last variable is not walked: its field tells both of its states at once. */
export function enumerate(problem: Quadratic): Enumerated {
  const { size: n } = problem
  const matrix = weightMatrix(problem)
  const fields = problem.linear.slice()
  const ranking = new Ranking()
  const half = statesOf(Math.max(0, n - 1))
  let value = problem.constant
  let mask = 0
  for (let step = 0; step < half; step++) {
    if (step > 0) {
      const low = 32 - Math.clz32(step & -step)
      const flipped = n - 1 - low
      const row = flipped * n
      // The energy changes by the field of the bit, the fields of the others by their pairs with it.
      const isOn = (mask & (1 << low)) !== 0
      value += isOn ? -fields[flipped]! : fields[flipped]!
      if (isOn) for (let j = 0; j < n; j++) fields[j]! -= matrix[row + j]!
      else for (let j = 0; j < n; j++) fields[j]! += matrix[row + j]!
      mask ^= 1 << low
    }
    if (value < ranking.second) ranking.add(value, mask)
    if (n === 0) break
    const other = value + fields[n - 1]!
    if (other < ranking.second) ranking.add(other, mask | 1)
  }
  const { best, bestMask, degeneracy, second } = ranking
  // The first variable is the highest bit, so a smaller mask is a smaller assignment.
  const bits = Uint8Array.from({ length: n }, (_, i) => (bestMask >> (n - 1 - i)) & 1)
  return { best, bits, degeneracy, second: Number.isFinite(second) ? second : null, states: statesOf(n) }
}

class Ranking {
  best = Number.POSITIVE_INFINITY
  bestMask = 0
  degeneracy = 0
  second = Number.POSITIVE_INFINITY

  add(value: number, mask: number): void {
    if (value < this.best) {
      this.second = this.best
      this.best = value
      this.bestMask = mask
      this.degeneracy = 1
    } else if (value === this.best) {
      this.degeneracy += 1
      if (mask < this.bestMask) this.bestMask = mask
    } else this.second = value
  }
}
