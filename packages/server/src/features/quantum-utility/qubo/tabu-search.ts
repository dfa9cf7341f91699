/** Tabu search over single flips (Glover), restarted from the best so far with some bits shaken. It proves nothing. */
import type { Sfc32 } from '../../../domain/sfc32.ts'
import { type Bits, isSmaller, type Quadratic } from './quadratic.ts'

export const RESTARTS = 10
/** Flips of one restart: enough that a problem of this size seldom gains by more. */
const flipsWanted = (size: number): number => Math.max(2_000, 200 * size)

export interface Found {
  best: number
  bits: Bits
  flips: number
}

export const tabuFlips = (size: number): number => RESTARTS * flipsWanted(size)

export function tabuSearch(problem: Quadratic, random: Sfc32, maxFlips: number): Found {
  const flips = Math.max(1, Math.floor(Math.min(maxFlips, tabuFlips(problem.size)) / RESTARTS))
  const search = new Search(problem, random)
  const found: Found = { best: problem.constant, bits: new Uint8Array(problem.size), flips: 0 }
  for (let restart = 0; restart < RESTARTS && found.flips + flips <= maxFlips; restart++) {
    // Every third start is fresh, so that one good place does not keep the search for ever.
    search.startAt(restart % 3 === 0 ? search.drawn() : search.shaken(found.bits))
    search.run(flips, found)
    found.flips += flips
  }
  return found
}

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

  drawn(): Bits {
    return Uint8Array.from({ length: this.#problem.size }, () => this.#random.integer(2))
  }

  shaken(bits: Bits): Bits {
    const result = bits.slice()
    const count = Math.max(1, Math.floor(bits.length / 6))
    for (let i = 0; i < count; i++) result[this.#random.integer(bits.length)]! ^= 1
    return result
  }

  startAt(bits: Bits): void {
    const { size, constant, linear } = this.#problem
    this.#bits = new Uint8Array(size)
    this.#gains = linear.slice()
    this.#value = constant
    for (let i = 0; i < size; i++) if (bits[i] === 1) this.#flip(i)
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
    let chosen = -1
    let lowest = Number.POSITIVE_INFINITY
    let oldest = 0
    for (let i = 0; i < size; i++) {
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
