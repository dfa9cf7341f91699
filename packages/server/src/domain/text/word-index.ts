/** The words that rules know, asked for by place in a text: whole, as a beginning, backwards, or with one mistake. A hash
 *  that is carried along letter by letter answers for nearly every word; only what may be known is cut out and compared. */
const FACTOR = 0x01000193
const BITS = 1 << 18
/** One mistake in a shorter word makes another word too easily. */
const MIN_MISTYPED = 5
const MAX_WORD = 24

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

const placeOf = (hash: number): number => (Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) >>> 14) & (BITS - 1)

const POWERS = Int32Array.from({ length: MAX_WORD + 1 }, () => 1)
for (let at = 1; at <= MAX_WORD; at++) POWERS[at] = Math.imul(POWERS[at - 1] as number, FACTOR)

export const extended = (hash: number, code: number): number => (Math.imul(hash, FACTOR) + code) | 0

function hashOf(word: string): number {
  let hash = 0
  for (let at = 0; at < word.length; at++) hash = extended(hash, word.charCodeAt(at))
  return hash
}

export class WordIndex {
  private readonly words = new Set<string>()
  private readonly wholes = new HashSet()
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
    return word.length <= MAX_WORD && this.wholes.mayHold(hashOf(word)) && this.words.has(word)
  }

  /** The longest known word that begins at a place; 0 where none of at least `min` letters does. */
  longestAt(text: string, from: number, min: number): number {
    let [hash, longest] = [0, 0]
    for (let at = from; at < text.length && at - from < MAX_WORD; at++) {
      hash = extended(hash, text.charCodeAt(at))
      if (!this.beginnings.mayHold(hash)) break
      const size = at + 1 - from
      if (size >= min && this.wholes.mayHold(hash) && this.words.has(text.slice(from, at + 1))) longest = size
    }
    return longest
  }

  /** Whether the units of a text spell a known word from their end; may be wrong where they do not, never where they do. */
  mayHoldBackwards(text: string, from: number, to: number): boolean {
    if (to - from > MAX_WORD) return false
    let hash = 0
    for (let at = to - 1; at >= from; at--) hash = extended(hash, text.charCodeAt(at))
    return this.wholes.mayHold(hash)
  }

  /** May be wrong where nothing begins so, never where something does. */
  mayBegin(word: string): boolean {
    return word.length <= MAX_WORD && this.beginnings.mayHold(hashOf(word))
  }

  /** The word of a rule that this is with one letter missing, added, changed, or changed in place with the next. */
  corrected(word: string): string | null {
    if (word.length < MIN_MISTYPED - 1 || word.length > MAX_WORD) return null
    const whole = hashOf(word)
    if (this.mistyped.mayHold(whole)) {
      const found = this.candidate(whole, word)
      if (found !== null) return found
    }
    let [before, behind] = [0, whole]
    for (let at = 0; at < word.length; at++) {
      const rest = POWERS[word.length - 1 - at] as number
      behind = (behind - Math.imul(word.charCodeAt(at), rest)) | 0
      const without = (Math.imul(before, rest) + behind) | 0
      before = extended(before, word.charCodeAt(at))
      if (!this.mistyped.mayHold(without)) continue
      const found = this.candidate(without, word)
      if (found !== null) return found
    }
    return null
  }

  private enter(word: string): void {
    if (word.length > MAX_WORD) return
    this.words.add(word)
    this.wholes.add(hashOf(word))
    for (let to = 1; to <= word.length; to++) this.beginnings.add(hashOf(word.slice(0, to)))
  }

  private enterMistyped(word: string): void {
    const spellings = [word, ...Array.from(word, (_, at) => word.slice(0, at) + word.slice(at + 1))]
    const alone = [word]
    for (const hash of new Set(spellings.map(hashOf))) {
      this.mistyped.add(hash)
      const others = this.meant.get(hash)
      this.meant.set(hash, others === undefined ? alone : [...others, word])
    }
  }

  private candidate(spelling: number, word: string): string | null {
    if (this.ordinary.has(word)) return null
    return this.meant.get(spelling)?.find((known) => known !== word && isOneEditApart(known, word)) ?? null
  }
}

function isOneEditApart(one: string, other: string): boolean {
  const [short, long] = one.length <= other.length ? [one, other] : [other, one]
  if (long.length - short.length > 1) return false
  let at = 0
  while (at < short.length && short[at] === long[at]) at++
  if (long.length > short.length) return short.slice(at) === long.slice(at + 1)
  if (short.slice(at + 1) === long.slice(at + 1)) return true
  return short[at] === long[at + 1] && short[at + 1] === long[at] && short.slice(at + 2) === long.slice(at + 2)
}
