import { baseLetter } from '../../text/plain-letters.ts'

/** A text as its n-grams: words and pairs of words, and three to five characters in a row. Letters count and nothing
 *  else: a digit or a mark parts as a space does, so no number is ever a feature and none is ever shown. */
/** `from` and `to` are the units of the text in which the n-gram stands. */
type NgramVisitor = (hash: number, from: number, to: number, isWord: boolean) => void

const PRIME = 0x01000193
const CHARACTERS = 0x2545f491
const WORD = 0x68e31da4
const PAIR = 0x1b56c4e9
const SPACE = 32
const NOTHING = 0

/** Spreads the last letters read over all 32 bits: the low ones name a slot, the high ones tell who owns it. */
function spread(hash: number): number {
  const mixed = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d)
  const again = Math.imul(mixed ^ (mixed >>> 12), 0x297a2d39)
  return again ^ (again >>> 15)
}

/** So many n-grams are handed over at once: a call for each would cost more than the n-gram does. */
const BATCH = 2048
/** A letter that ends a word ends five of them. */
const MAX_AT_ONCE = 5

/** N-grams in the order of their ends; one walk over the text, a fixed number of steps for each unit. */
export class Ngrams {
  readonly hashes = new Int32Array(BATCH)
  readonly from = new Int32Array(BATCH)
  readonly to = new Int32Array(BATCH)
  readonly isWord = new Uint8Array(BATCH)
  count = 0

  read(text: string, batch: (ngrams: Ngrams) => void): void {
    // The last five letters and where they stand, the youngest last; 0 before there are five.
    let [a, b, c, d, e] = [0, 0, 0, 0, SPACE]
    let [atA, atB, atC, atD, atE] = [0, 0, 0, 0, 0]
    // The word that is being read and the one before it.
    let [word, wordAt, before, beforeAt] = [WORD, 0, 0, 0]
    this.count = 0
    for (let at = 0; at <= text.length; at++) {
      const code = at === text.length ? SPACE : letterAt(text, at)
      if (code === NOTHING || (code === SPACE && e === SPACE)) continue
      if (this.count > BATCH - MAX_AT_ONCE) {
        batch(this)
        this.count = 0
      }
      if (code !== SPACE) {
        if (word === WORD) wordAt = at
        word = Math.imul(word ^ code, PRIME)
      } else if (word !== WORD) {
        this.put(word, wordAt, at, 1)
        if (before !== 0) this.put(Math.imul(before ^ PAIR, PRIME) ^ word, beforeAt, at, 0)
        before = word
        beforeAt = wordAt
        word = WORD
      }
      a = b
      b = c
      c = d
      d = e
      e = code
      atA = atB
      atB = atC
      atC = atD
      atD = atE
      atE = at
      if (c === 0) continue
      // From the youngest letter backwards, so that each n-gram goes on from the shorter one.
      const to = Math.min(at + 1, text.length)
      const three = Math.imul(Math.imul(Math.imul(CHARACTERS ^ e, PRIME) ^ d, PRIME) ^ c, PRIME)
      this.put(three ^ 3, atC, to, 0)
      if (b === 0) continue
      const four = Math.imul(three ^ b, PRIME)
      this.put(four ^ 4, atB, to, 0)
      if (a !== 0) this.put(Math.imul(four ^ a, PRIME) ^ 5, atA, to, 0)
    }
    batch(this)
  }

  private put(hash: number, from: number, to: number, isWord: 0 | 1): void {
    this.hashes[this.count] = spread(hash)
    this.from[this.count] = from
    this.to[this.count] = to
    this.isWord[this.count++] = isWord
  }
}

const shared = new Ngrams()

export function eachNgram(text: string, visit: NgramVisitor): void {
  shared.read(text, ({ hashes, from, to, isWord, count }) => {
    for (let n = 0; n < count; n++)
      visit(hashes[n] as number, from[n] as number, to[n] as number, (isWord[n] as number) === 1)
  })
}

/** A letter without its accent, nothing for an apostrophe, which parts no word, and a space for everything else. */
function letterAt(text: string, at: number): number {
  const code = text.charCodeAt(at)
  if (code >= 97 && code <= 122) return code
  if (code > 127 && code !== 0x2019 && !isMark(code)) return baseLetter(code)
  if (code >= 65 && code <= 90) return code + 32
  return code === 39 || code === 0x2019 ? NOTHING : SPACE
}

/** Blanks, dashes, quotation marks, bullets and their like beyond ASCII. */
const isMark = (code: number): boolean =>
  code <= 0xbf ||
  code === 0xd7 ||
  code === 0xf7 ||
  (code >= 0x2000 && code <= 0x2bff) ||
  (code >= 0x3000 && code <= 0x303f)
