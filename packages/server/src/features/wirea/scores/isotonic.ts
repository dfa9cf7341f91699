import type { BinaryCases } from './binary.ts'

/** The Brier score after the best recalibration that keeps the order, by pooling adjacent violators: the middle term of the
 *  decomposition of Dimitriadis, Gneiting and Jordan (2021). */
export function isotonicBrier({ probs, outcomes }: BinaryCases): number {
  const order = [...probs.keys()].sort((a, b) => probs[a]! - probs[b]!)
  const blocks: { count: number; hits: number }[] = []
  for (let from = 0; from < order.length; ) {
    // Equal probabilities are one block from the start: no recalibration can tell them apart.
    let block = { count: 0, hits: 0 }
    const p = probs[order[from]!]
    for (; from < order.length && probs[order[from]!] === p; from += 1)
      block = { count: block.count + 1, hits: block.hits + outcomes[order[from]!]! }
    for (let last = blocks.at(-1); last !== undefined && isAbove(last, block); last = blocks.at(-1)) {
      block = { count: block.count + last.count, hits: block.hits + last.hits }
      blocks.pop()
    }
    blocks.push(block)
  }
  // Within a block of frequency f the squared errors add up to count f (1 - f).
  return blocks.reduce((sum, { count, hits }) => sum + (hits * (count - hits)) / count, 0) / order.length
}

const isAbove = (one: { count: number; hits: number }, other: { count: number; hits: number }): boolean =>
  one.hits * other.count >= other.hits * one.count
