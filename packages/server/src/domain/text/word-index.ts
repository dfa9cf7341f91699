/** The words that rules know, asked for by place in a text: whole, as a beginning, backwards, or with one mistake. A hash
 *  that is carried along letter by letter answers for nearly every word; only what may be known is compared
 *  letter by letter. */
import { stringOf } from './mapped-text.ts'
import { extended, FACTOR, HashSet, hashOf, WordMap } from './word-map.ts'

/** One mistake in a shorter word makes another word too easily. */
const MIN_MISTYPED = 5
const MAX_WORD = 24

const POWERS = Int32Array.from({ length: MAX_WORD + 1 }, () => 1)
for (let at = 1; at <= MAX_WORD; at++) POWERS[at] = Math.imul(POWERS[at - 1] as number, FACTOR)

export class WordIndex {
  private readonly words = new WordMap()
  private readonly beginnings = new HashSet()
  private readonly mistyped = new HashSet()
  /** By the hash of a spelling, the words that it may be meant for. */
  private readonly meant = new Map<number, readonly string[]>()
  private readonly ordinary: ReadonlySet<string>

  /** `ordinary` words are what they are, however near they stand to a word of a rule. */
  constructor(words: Iterable<string>, mistyped: Iterable<string>, ordinary: Iterable<string>) {
    this.ordinary = new Set(ordinary)
    for (const word of words) this.enter(word)
    for (const word of mistyped) if (word.length >= MIN_MISTYPED && word.length < MAX_WORD) this.enterMistyped(word)
  }

  has(word: string): boolean {
    return this.words.get(word) > 0
  }

  /** Whether the units from..to, of which this is the hash, are a known word. */
  holds(units: Uint16Array, from: number, to: number, hash: number): boolean {
    return this.words.find(units, from, to, hash) > 0
  }

  /** Whether a known word has this hash; may be wrong where none has, never where one has. */
  mayHold(hash: number): boolean {
    return this.words.mayHold(hash)
  }

  /** The longest known word that begins at a place; 0 where none of at least `min` letters does. */
  longestAt(units: Uint16Array, from: number, to: number, min: number): number {
    const end = Math.min(to, from + MAX_WORD)
    let [hash, longest] = [0, 0]
    for (let at = from; at < end; at++) {
      hash = extended(hash, units[at] as number)
      if (!this.beginnings.mayHold(hash)) break
      if (at + 1 - from >= min && this.holds(units, from, at + 1, hash)) longest = at + 1 - from
    }
    return longest
  }

  /** By place, how long the known word is that begins there, 0 for none, so that words side by side take in as many of the
   *  units as they can. Each place looks at no more units than a word has. */
  bestParts(units: Uint16Array, from: number, to: number, min: number): Int32Array {
    const covered = new Int32Array(to - from + 1)
    const lengths = new Int32Array(to - from)
    for (let begin = to - 1; begin >= from; begin--) {
      let best = covered[begin + 1 - from] as number
      const end = Math.min(to, begin + MAX_WORD)
      for (let [at, hash] = [begin, 0]; at < end; at++) {
        hash = extended(hash, units[at] as number)
        if (!this.beginnings.mayHold(hash)) break
        const length = at + 1 - begin
        if (length < min || length + (covered[at + 1 - from] as number) < best) continue
        if (!this.holds(units, begin, at + 1, hash)) continue
        best = length + (covered[at + 1 - from] as number)
        lengths[begin - from] = length
      }
      covered[begin - from] = best
    }
    return lengths
  }

  /** Whether the units of a text spell a known word from their end; may be wrong where they do not, never where they do. */
  mayHoldBackwards(text: string, from: number, to: number): boolean {
    if (to - from > MAX_WORD) return false
    let hash = 0
    for (let at = to - 1; at >= from; at--) hash = extended(hash, text.charCodeAt(at))
    return this.words.mayHold(hash)
  }

  /** Of a word of so many letters with this hash. May be wrong where nothing begins so, never where something does. */
  mayBegin(hash: number, length: number): boolean {
    return length <= MAX_WORD && this.beginnings.mayHold(hash)
  }

  /** The word of a rule that this is with one letter missing, added, changed, or changed in place with the next. One of its
   *  own length is nearer than a longer one: "ignoer" is meant for "ignore" and not for "ignorer". */
  corrected(units: Uint16Array, from: number, to: number, hash: number): string | null {
    const length = to - from
    if (length < MIN_MISTYPED - 1 || length > MAX_WORD) return null
    const found = this.mistyped.mayHold(hash) ? this.candidate(hash, units, from, to) : null
    if (found?.length === length) return found
    let [before, behind] = [0, hash]
    for (let at = from; at < to; at++) {
      const code = units[at] as number
      const rest = POWERS[to - 1 - at] as number
      behind = (behind - Math.imul(code, rest)) | 0
      const without = (Math.imul(before, rest) + behind) | 0
      before = extended(before, code)
      if (!this.mistyped.mayHold(without)) continue
      const other = this.candidate(without, units, from, to)
      if (other !== null && (found === null || other.length === length)) return other
    }
    return found
  }

  private enter(word: string): void {
    if (word.length > MAX_WORD) return
    if (!this.has(word)) this.words.set(word, 1)
    let hash = 0
    for (let at = 0; at < word.length; at++) {
      hash = extended(hash, word.charCodeAt(at))
      this.beginnings.add(hash)
    }
  }

  private enterMistyped(word: string): void {
    const whole = hashOf(word)
    const [spellings, alone] = [new Set([whole]), [word]]
    let [before, behind] = [0, whole]
    for (let at = 0; at < word.length; at++) {
      const rest = POWERS[word.length - 1 - at] as number
      behind = (behind - Math.imul(word.charCodeAt(at), rest)) | 0
      spellings.add((Math.imul(before, rest) + behind) | 0)
      before = extended(before, word.charCodeAt(at))
    }
    for (const hash of spellings) {
      this.mistyped.add(hash)
      const others = this.meant.get(hash)
      this.meant.set(hash, others === undefined ? alone : [...others, word])
    }
  }

  private candidate(spelling: number, units: Uint16Array, from: number, to: number): string | null {
    const meant = this.meant.get(spelling)
    if (meant === undefined) return null
    const word = spelled(units, from, to)
    if (this.ordinary.has(word)) return null
    return meant.find((known) => known !== word && isOneEditApart(known, word)) ?? null
  }
}

const spelled = (units: Uint16Array, from: number, to: number): string => stringOf(units.subarray(from, to))

/** Of one word with another behind it. */
export const joinedHash = (first: number, second: number, secondLength: number): number =>
  (Math.imul(first, POWERS[secondLength] as number) + second) | 0

function isOneEditApart(one: string, other: string): boolean {
  const [short, long] = one.length <= other.length ? [one, other] : [other, one]
  if (long.length - short.length > 1) return false
  let at = 0
  while (at < short.length && short[at] === long[at]) at++
  if (long.length > short.length) return short.slice(at) === long.slice(at + 1)
  if (short.slice(at + 1) === long.slice(at + 1)) return true
  return short[at] === long[at + 1] && short[at + 1] === long[at] && short.slice(at + 2) === long.slice(at + 2)
}
