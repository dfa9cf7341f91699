/** Words with numbers, found by the units of a text and a hash that was carried along as they were read. The hash answers for
 *  nearly every word that is not there, and no string is made of those that are. Exists for speed alone: with it and without
 *  sequences that cannot match, the 58 hostile texts of 32 KiB that there were took 2,367 ms of processor time instead of 2,719,
 *  both versions in one process (`npm run bench:guards` times the texts). */
import { stringOf } from './mapped-text.ts'
import { uint16s } from './slab.ts'

export const FACTOR = 0x01000193
const BITS = 1 << 18

export const extended = (hash: number, code: number): number => (Math.imul(hash, FACTOR) + code) | 0

export function hashOf(word: string): number {
  let hash = 0
  for (let at = 0; at < word.length; at++) hash = extended(hash, word.charCodeAt(at))
  return hash
}

export function unitsOf(word: string): Uint16Array {
  const units = uint16s(word.length)
  for (let at = 0; at < word.length; at++) units[at] = word.charCodeAt(at)
  return units
}

const placeOf = (hash: number): number => (Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) >>> 14) & (BITS - 1)

/** What was never added is nearly always known not to be held; what was added always may be. */
export class HashSet {
  private readonly bits = new Uint8Array(BITS >> 3)

  add(hash: number): void {
    const at = placeOf(hash)
    this.bits[at >> 3] = (this.bits[at >> 3] as number) | (1 << (at & 7))
  }

  mayHold(hash: number): boolean {
    const at = placeOf(hash)
    return ((this.bits[at >> 3] as number) & (1 << (at & 7))) !== 0
  }
}

/** From words to numbers above 0. */
export class WordMap {
  private readonly filter = new HashSet()
  /** Which words, counted from 1, each at the first free place from that of its hash on; 0 for none. */
  private slots = new Int32Array(1024)
  /** By word: its hash, its number, and where its letters end in the row of all letters. */
  private readonly hashes = [0]
  private readonly numbers = [0]
  private readonly offsets = [0]
  private letters = new Uint16Array(1024)

  /** Of a word that is not there yet. */
  set(word: string, number: number): void {
    const hash = hashOf(word)
    this.filter.add(hash)
    this.append(unitsOf(word))
    this.numbers.push(number)
    this.hashes.push(hash)
    if (2 * this.hashes.length > this.slots.length) this.grow()
    else this.enter(this.hashes.length - 1)
  }

  get(word: string): number {
    return this.find(unitsOf(word), 0, word.length, hashOf(word))
  }

  /** Whether a word has this hash; may be wrong where none has, never where one has. */
  mayHold(hash: number): boolean {
    return this.filter.mayHold(hash)
  }

  /** The number of the word that the units from..to with this hash are; 0 for none. */
  find(units: Uint16Array, from: number, to: number, hash: number): number {
    if (!this.filter.mayHold(hash)) return 0
    const mask = this.slots.length - 1
    for (let slot = placeOf(hash) & mask; ; slot = (slot + 1) & mask) {
      const word = this.slots[slot] as number
      if (word === 0) return 0
      if (this.hashes[word] === hash && this.isSpelled(word, units, from, to)) return this.numbers[word] as number
    }
  }

  *words(): Iterable<string> {
    for (let word = 1; word < this.offsets.length; word++)
      yield stringOf(this.letters.subarray(this.offsets[word - 1], this.offsets[word]))
  }

  private isSpelled(word: number, units: Uint16Array, from: number, to: number): boolean {
    const begin = this.offsets[word - 1] as number
    if ((this.offsets[word] as number) - begin !== to - from) return false
    for (let at = from; at < to; at++) if (units[at] !== this.letters[begin + at - from]) return false
    return true
  }

  private append(units: Uint16Array): void {
    const begin = this.offsets.at(-1) as number
    const end = begin + units.length
    if (end > this.letters.length) {
      const larger = new Uint16Array(2 * end)
      larger.set(this.letters)
      this.letters = larger
    }
    this.letters.set(units, begin)
    this.offsets.push(end)
  }

  private enter(word: number): void {
    const mask = this.slots.length - 1
    let slot = placeOf(this.hashes[word] as number) & mask
    while (this.slots[slot] !== 0) slot = (slot + 1) & mask
    this.slots[slot] = word
  }

  private grow(): void {
    this.slots = new Int32Array(2 * this.slots.length)
    for (let word = 1; word < this.hashes.length; word++) this.enter(word)
  }
}
