/** A quadratic function of bits with whole coefficients, and the parts of it that can be solved on their own. */

export interface Pair {
  left: number
  right: number
  weight: number
}

/** E(x) = constant + sum of linear[i] x[i] + sum of the weights of the pairs whose bits are both 1. */
export interface Quadratic {
  size: number
  constant: number
  linear: Float64Array
  /** Neighbours of i stand in `other[start[i] .. start[i + 1])`, with their weights beside them; both ends know a pair. */
  start: Int32Array
  other: Int32Array
  weight: Float64Array
}

export type Bits = Uint8Array

export function quadratic(constant: number, linear: Float64Array, pairs: readonly Pair[]): Quadratic {
  const size = linear.length
  const used = pairs.filter(({ weight }) => weight !== 0)
  const start = new Int32Array(size + 1)
  for (const { left, right } of used) {
    start[left + 1]! += 1
    start[right + 1]! += 1
  }
  for (let i = 0; i < size; i++) start[i + 1]! += start[i]!
  const next = start.slice()
  const other = new Int32Array(2 * used.length)
  const weight = new Float64Array(2 * used.length)
  const put = (at: number, neighbour: number, value: number) => {
    const place = next[at]!
    next[at] = place + 1
    other[place] = neighbour
    weight[place] = value
  }
  for (const pair of used) {
    put(pair.left, pair.right, pair.weight)
    put(pair.right, pair.left, pair.weight)
  }
  return { size, constant, linear, start, other, weight }
}

/** Fills the matrix of the weights, row by row; zero where there is no pair. */
export function weightMatrix({ size, start, other, weight }: Quadratic): Float64Array {
  const matrix = new Float64Array(size * size)
  for (let i = 0; i < size; i++)
    for (let at = start[i]!; at < start[i + 1]!; at++) matrix[i * size + other[at]!] = weight[at]!
  return matrix
}

/** Variables of the original by their places in the part. */
export interface Part {
  problem: Quadratic
  members: Int32Array
}

/** What is left when some bits are fixed (-1 is free), in connected components in the order of their first variables. The
 *  constant of a component is 0; `constant` is what the fixed bits come to. */
export function restrict(problem: Quadratic, fixed: Int8Array): { constant: number; parts: Part[] } {
  const { size, linear, start, other, weight } = problem
  const fields = linear.slice()
  let constant = problem.constant
  for (let i = 0; i < size; i++) {
    if (fixed[i] !== 1) continue
    constant += linear[i]!
    for (let at = start[i]!; at < start[i + 1]!; at++) {
      const j = other[at]!
      if (fixed[j] === -1) fields[j]! += weight[at]!
      else if (fixed[j] === 1 && j > i) constant += weight[at]!
    }
  }
  const place = new Int32Array(size).fill(-1)
  const parts: Part[] = []
  for (let first = 0; first < size; first++) {
    if (fixed[first] !== -1 || place[first] !== -1) continue
    const members = reachable(problem, first, fixed)
    for (const [at, member] of members.entries()) place[member] = at
    const pairs: Pair[] = []
    for (const i of members)
      for (let at = start[i]!; at < start[i + 1]!; at++)
        if (other[at]! > i && fixed[other[at]!] === -1)
          pairs.push({ left: place[i]!, right: place[other[at]!]!, weight: weight[at]! })
    parts.push({
      problem: quadratic(
        0,
        Float64Array.from(members, (i) => fields[i]!),
        pairs,
      ),
      members,
    })
  }
  return { constant, parts }
}

function reachable({ start, other }: Quadratic, first: number, fixed: Int8Array): Int32Array {
  const seen = new Set([first])
  for (const i of seen)
    for (let at = start[i]!; at < start[i + 1]!; at++) if (fixed[other[at]!] === -1) seen.add(other[at]!)
  return Int32Array.from(seen).sort()
}

/** By the first bit in which they differ. */
export function isSmaller(a: Bits, b: Bits): boolean {
  const at = a.findIndex((bit, i) => bit !== b[i])
  return at >= 0 && a[at]! < b[at]!
}
