/** Bits that are the same in every optimum: flipping them back gains, whatever the others are. */
import type { Quadratic } from './quadratic.ts'

export interface Persistent {
  variable: number
  bit: 0 | 1
  /** By how much at least the energy rises when this bit alone is wrong. */
  margin: number
}

/** In the order in which they were found: each given those before it. `fixed` is -1 where a bit stays open. */
export function strictPersistency({ size, linear, start, other, weight }: Quadratic): {
  fixed: Int8Array
  found: Persistent[]
} {
  const fixed = new Int8Array(size).fill(-1)
  const low = linear.slice()
  const high = linear.slice()
  for (let i = 0; i < size; i++)
    for (let at = start[i]!; at < start[i + 1]!; at++) {
      low[i]! += Math.min(0, weight[at]!)
      high[i]! += Math.max(0, weight[at]!)
    }
  const found: Persistent[] = []
  const queue = Array.from({ length: size }, (_, i) => i)
  for (const i of queue) {
    if (fixed[i] !== -1 || (low[i]! <= 0 && high[i]! >= 0)) continue
    const bit = low[i]! > 0 ? 0 : 1
    fixed[i] = bit
    found.push({ variable: i, bit, margin: bit === 0 ? low[i]! : -high[i]! })
    for (let at = start[i]!; at < start[i + 1]!; at++) {
      const j = other[at]!
      // The pair was counted as open; now it is off, or part of the field of the other.
      if ((bit === 0) === weight[at]! < 0) low[j]! += Math.abs(weight[at]!)
      else high[j]! -= Math.abs(weight[at]!)
      queue.push(j)
    }
  }
  return { fixed, found }
}
