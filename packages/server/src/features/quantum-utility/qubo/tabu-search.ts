/** Tabu search over single flips (Glover 1989), each restart from an annealed assignment (Kirkpatrick and others 1983), which
 *  finds its way in sparse lattices where tabu search alone does not. It proves nothing. */
import type { Sfc32 } from '../../../domain/sfc32.ts'
import { type Bits, isSmaller, type Quadratic } from './quadratic.ts'

export const RESTARTS = 10
/** Of one restart, where the budget allows: more seldom gains anything at these sizes. */
const sweepsWanted = (size: number): number => Math.min(2_000, 10 * size)
const flipsWanted = (size: number): number => Math.max(2_000, 100 * size)

export interface Found {
  best: number
  bits: Bits
  /** Flips that were tried while annealing, and flips of the tabu search. */
  flips: number
}

export const searchUnits = (size: number): number => RESTARTS * (sweepsWanted(size) * size + flipsWanted(size))

export function tabuSearch(problem: Quadratic, random: Sfc32, maxUnits: number): Found {
  const { size } = problem
  const share = Math.floor(Math.min(maxUnits, searchUnits(size)) / RESTARTS)
  // A scarce budget is halved between both; a sweep tries every bit once.
  const flips = Math.max(1, Math.min(flipsWanted(size), Math.ceil(share / 2)))
  const sweeps = Math.max(0, Math.min(sweepsWanted(size), Math.floor((share - flips) / size)))
  const search = new Search(problem, random)
  const found: Found = { best: problem.constant, bits: new Uint8Array(size), flips: 0 }
  for (let restart = 0; restart < RESTARTS && found.flips + flips <= maxUnits; restart++) {
    search.start()
    search.anneal(sweeps)
    search.run(flips, found)
    found.flips += flips + sweeps * size
  }
  return found
}

/** Of the temperature at the start. */
const COLDEST = 0.03
/** A rise of so many temperatures is not drawn for: it would happen once in ten million times. */
const HOPELESS = 16

class Search {
  readonly #problem: Quadratic
  readonly #random: Sfc32
  #bits: Bits
  /** What the energy gains when the bit flips. */
  #gains: Float64Array
  #value = 0

  constructor(problem: Quadratic, random: Sfc32) {
    this.#problem = problem
    this.#random = random
    this.#bits = new Uint8Array(problem.size)
    this.#gains = new Float64Array(problem.size)
  }

  /** A drawn assignment. */
  start(): void {
    const { size, constant, linear } = this.#problem
    this.#bits = new Uint8Array(size)
    this.#gains = linear.slice()
    this.#value = constant
    for (let i = 0; i < size; i++) if (this.#random.integer(2) === 1) this.#flip(i)
  }

  /** From the typical field of a bit down to a small part of it. */
  anneal(sweeps: number): void {
    const { size } = this.#problem
    const hot = this.#typicalField()
    for (let sweep = 0; sweep < sweeps; sweep++) {
      const temperature = hot * (1 - (1 - COLDEST) * (sweep / sweeps))
      for (let i = 0; i < size; i++) {
        const gain = this.#gains[i]!
        if (gain <= 0 || (gain < HOPELESS * temperature && gain < -temperature * Math.log(1 - this.#random.uniform())))
          this.#flip(i)
      }
    }
  }

  #typicalField(): number {
    const { size, linear, start, weight } = this.#problem
    let total = 0
    for (let i = 0; i < size; i++) {
      let squares = linear[i]! ** 2
      for (let at = start[i]!; at < start[i + 1]!; at++) squares += weight[at]! ** 2
      total += Math.sqrt(squares)
    }
    return total / size
  }

  #flip(i: number): void {
    const { start, other, weight } = this.#problem
    const [bits, gains] = [this.#bits, this.#gains]
    this.#value += gains[i]!
    gains[i] = -gains[i]!
    const isOn = bits[i] === 1
    bits[i] = isOn ? 0 : 1
    for (let at = start[i]!, end = start[i + 1]!; at < end; at++) {
      const j = other[at]!
      gains[j]! += (bits[j] === 1) === isOn ? weight[at]! : -weight[at]!
    }
  }

  run(flips: number, found: Found): void {
    const { size } = this.#problem
    const freeAt = new Int32Array(size)
    const tenure = Math.min(20, Math.ceil(size / 4))
    this.#keep(found)
    for (let flip = 1; flip <= flips; flip++) {
      const chosen = this.#chosen(freeAt, flip, found.best)
      this.#flip(chosen)
      freeAt[chosen] = flip + tenure + this.#random.integer(10)
      this.#keep(found)
    }
  }

  /** The best flip that is not tabu, or that leads below everything seen. */
  #chosen(freeAt: Int32Array, flip: number, best: number): number {
    const gains = this.#gains
    const size = gains.length
    const wanted = best - this.#value
    // Of equal flips the first behind a drawn place: always the first of all would favour some variables.
    const from = this.#random.integer(size)
    let chosen = -1
    let lowest = Number.POSITIVE_INFINITY
    let oldest = 0
    for (let step = 0; step < size; step++) {
      const i = from + step < size ? from + step : from + step - size
      const gain = gains[i]!
      if (freeAt[i]! < freeAt[oldest]!) oldest = i
      if (gain < lowest && (freeAt[i]! <= flip || gain < wanted)) {
        lowest = gain
        chosen = i
      }
    }
    return chosen < 0 ? oldest : chosen
  }

  #keep(found: Found): void {
    if (this.#value > found.best) return
    if (this.#value === found.best && !isSmaller(this.#bits, found.bits)) return
    found.best = this.#value
    found.bits = this.#bits.slice()
  }
}
