/** Depth-first search with a bound: closes the tree, or says that the budget did not suffice. */
import type { Roof } from './lower-bound.ts'
import type { Bits, Quadratic } from './quadratic.ts'

export const MAX_BRANCHED = 60
const MAX_PASSES = 2

interface Limits {
  /** Of work: a bit that is fixed is one, and so are four pairs whose parts are balanced. */
  maxUnits: number
  /** Only assignments below this are of interest. */
  below: number
  /** Ends with the first of these. */
  first?: boolean
  /** -1 where a bit is open. */
  fixed?: Int8Array
}

export interface Searched {
  /** The tree was closed: nothing below `below` is left out. */
  closed: boolean
  /** The best below the limit; null where the search found none. */
  found: { value: number; bits: Bits } | null
  /** Bits fixed, forced ones included. */
  nodes: number
  units: number
}

export function branchAndBound(problem: Quadratic, roof: Roof, limits: Limits): Searched {
  const tree = new Tree(problem, roof, limits)
  tree.search()
  return { closed: !tree.isSpent, found: tree.found, nodes: tree.nodes, units: tree.units }
}

class Tree {
  readonly #n: number
  readonly #weights: Float64Array
  /** Row j holds what the pairs of j add to the linear terms of the others: what changes when j is fixed lies together. */
  readonly #parts: Float64Array
  readonly #limits: Limits
  readonly #bits: Bits
  /** Open variables, in no order; `#place` says where each of them stands. */
  readonly #open: Int32Array
  readonly #place: Int32Array
  #count: number
  /** Of each open variable: its linear term given the fixed bits, the least and the most it can come to, and what the
   *  bound takes it for. */
  readonly #field: Float64Array
  readonly #low: Float64Array
  readonly #high: Float64Array
  readonly #reduced: Float64Array
  /** Energy of the fixed bits, and the constants of the parts of open pairs. */
  #value: number
  #constant = 0
  #below: number
  nodes = 0
  units = 0
  isSpent = false
  found: Searched['found'] = null

  constructor({ size: n, constant, linear }: Quadratic, { parts, weights }: Roof, limits: Limits) {
    this.#n = n
    this.#weights = weights
    this.#parts = transposed(parts, n)
    this.#limits = limits
    this.#below = limits.below
    this.#bits = new Uint8Array(n)
    this.#open = Int32Array.from({ length: n }, (_, i) => i)
    this.#place = this.#open.slice()
    this.#count = n
    this.#value = constant
    this.#field = linear.slice()
    this.#low = linear.slice()
    this.#high = linear.slice()
    this.#reduced = linear.slice()
    for (let i = 0; i < n; i++)
      for (let j = 0; j < n; j++) {
        const weight = weights[i * n + j]!
        this.#low[i]! += Math.min(0, weight)
        this.#high[i]! += Math.max(0, weight)
        this.#reduced[i]! += parts[i * n + j]!
        if (j > i && weight > 0) this.#constant -= parts[i * n + j]!
      }
    for (const [i, bit] of (limits.fixed ?? []).entries()) if (bit !== -1) this.#fix(i, bit)
  }

  search(): void {
    if (this.#bound() >= this.#below) return
    const before = this.#count
    this.#force()
    if (!this.isSpent && this.#stays()) {
      if (this.#count === 0) this.#take()
      else this.#branch()
    }
    while (this.#count < before) this.#release()
  }

  #branch(): void {
    const variable = this.#chosen()
    const likely = this.#reduced[variable]! < 0 ? 1 : 0
    for (const bit of [likely, 1 - likely]) {
      if (this.#isOver()) return
      this.#fix(variable, bit)
      this.search()
      this.#release()
    }
  }

  #isOver(): boolean {
    if (this.units >= this.#limits.maxUnits) this.isSpent = true
    return this.isSpent || (this.#limits.first === true && this.found !== null)
  }

  #take(): void {
    this.found = { value: this.#value, bits: this.#bits.slice() }
    this.#below = this.#value
  }

  /** Bits whose best state does not depend on the open ones. One optimum is kept, not all. */
  #force(): void {
    const [open, low, high] = [this.#open, this.#low, this.#high]
    for (let at = 0; at < this.#count; at++) {
      const i = open[at]!
      if (low[i]! < 0 && high[i]! > 0) continue
      if (this.units >= this.#limits.maxUnits) {
        this.isSpent = true
        return
      }
      this.#fix(i, low[i]! >= 0 ? 0 : 1)
      at = -1
    }
  }

  /** Whether something below may be left, also when the parts of the open pairs are balanced anew. Any parts are a bound, so
   *  they are kept for the nodes that come. */
  #stays(): boolean {
    let bound = this.#bound()
    for (let round = 0; round < MAX_PASSES && bound < this.#below && this.#count > 1; round++) {
      this.#balance()
      const next = this.#bound()
      if (next <= bound) break
      bound = next
    }
    return bound < this.#below
  }

  #balance(): void {
    const open = this.#open
    const weights = this.#weights
    const parts = this.#parts
    const reduced = this.#reduced
    const n = this.#n
    const count = this.#count
    this.units += Math.ceil((count * count) / 8)
    let constant = this.#constant
    for (let a = 0; a < count; a++) {
      const i = open[a]!
      for (let b = a + 1; b < count; b++) {
        const j = open[b]!
        const weight = weights[i * n + j]!
        if (weight === 0) continue
        const one = parts[j * n + i]!
        const other = parts[i * n + j]!
        const left = reduced[i]! - one
        const right = reduced[j]! - other
        let first: number
        let second: number
        if (weight < 0) {
          first = Math.floor((right - left + weight) * 0.5)
          if (first > 0) first = 0
          else if (first < weight) first = weight
          second = weight - first
        } else {
          first = left > right ? -left : -right
          if (first < 0) first = 0
          else if (first > weight) first = weight
          second = first
          constant += one - first
        }
        reduced[i] = left + first
        reduced[j] = right + second
        parts[j * n + i] = first
        parts[i * n + j] = second
      }
    }
    this.#constant = constant
  }

  #bound(): number {
    let total = this.#value + this.#constant
    for (let at = 0; at < this.#count; at++) total += Math.min(0, this.#reduced[this.#open[at]!]!)
    return total
  }

  /** The one whose either state decides most. */
  #chosen(): number {
    let chosen = this.#open[0]!
    let most = -1
    for (let at = 0; at < this.#count; at++) {
      const i = this.#open[at]!
      const weight = this.#high[i]! - this.#low[i]!
      if (weight > most) {
        most = weight
        chosen = i
      }
    }
    return chosen
  }

  #fix(variable: number, bit: number): void {
    this.nodes += 1
    this.units += 1
    const last = this.#count - 1
    const moved = this.#open[last]!
    const at = this.#place[variable]!
    // The fixed one goes behind the open ones: the order of fixing is the order of the tail, so it is undone by length.
    this.#open[at] = moved
    this.#place[moved] = at
    this.#open[last] = variable
    this.#place[variable] = last
    this.#count = last
    this.#bits[variable] = bit
    if (bit === 1) this.#value += this.#field[variable]!
    this.#spread(variable, bit, 1)
  }

  /** Undoes the newest fix. */
  #release(): void {
    const variable = this.#open[this.#count]!
    const bit = this.#bits[variable]!
    this.#spread(variable, bit, -1)
    if (bit === 1) this.#value -= this.#field[variable]!
    this.#bits[variable] = 0
    this.#count += 1
  }

  #spread(variable: number, bit: number, sign: 1 | -1): void {
    const [open, weights, parts] = [this.#open, this.#weights, this.#parts]
    const [field, low, high, reduced] = [this.#field, this.#low, this.#high, this.#reduced]
    const row = variable * this.#n
    let constant = 0
    for (let at = 0; at < this.#count; at++) {
      const i = open[at]!
      const weight = weights[row + i]!
      if (weight === 0) continue
      const signed = sign * weight
      if (weight > 0) constant += parts[row + i]!
      if (bit === 1) {
        field[i]! += signed
        if (weight > 0) low[i]! += signed
        else high[i]! += signed
        reduced[i]! += signed - sign * parts[row + i]!
      } else {
        if (weight > 0) high[i]! -= signed
        else low[i]! -= signed
        reduced[i]! -= sign * parts[row + i]!
      }
    }
    this.#constant += sign * constant
  }
}

function transposed(matrix: Float64Array, n: number): Float64Array {
  const result = new Float64Array(n * n)
  for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) result[j * n + i] = matrix[i * n + j]!
  return result
}
