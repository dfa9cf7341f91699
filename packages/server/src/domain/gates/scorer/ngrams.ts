import { baseLetter } from '../../text/plain-letters.ts'
import { isUnspaced } from '../lexicon.ts'

/** A text as its n-grams: words and pairs of words, three to five characters in a row, and two of a script without blanks, whose
 *  words are that short. Letters count and nothing
 *  else: a digit or a mark parts as a space does, so no number is ever a feature and none is ever shown. */
/** `from` is the unit of the text at which the n-gram begins, `wordEnd` the one behind it where it is a word, else 0. */
type NgramVisitor = (hash: number, from: number, wordEnd: number) => void

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
/** A letter that ends a word ends six of them. */
const MAX_AT_ONCE = 6

/** N-grams in the order of their ends; one walk over the text, a fixed number of steps for each unit. */
export class Ngrams {
  readonly hashes = new Int32Array(BATCH)
  readonly from = new Int32Array(BATCH)
  count = 0
  /** Which of them are words, ascending, and where those end. */
  readonly words = new Int32Array(BATCH)
  readonly wordEnds = new Int32Array(BATCH)
  wordCount = 0

  read(text: string, batch: (ngrams: Ngrams) => void): void {
    const { hashes, from, words, wordEnds } = this
    let [count, wordCount] = [0, 0]
    // The last five letters and where they stand, the youngest last; 0 before there are five.
    let [a, b, c, d, e] = [0, 0, 0, 0, SPACE]
    let [atA, atB, atC, atD, atE] = [0, 0, 0, 0, 0]
    // The word that is being read and the one before it.
    let [word, wordAt, before, beforeAt] = [WORD, 0, 0, 0]
    for (let at = 0; at <= text.length; at++) {
      const code = at === text.length ? SPACE : letterAt(text, at)
      if (code === NOTHING || (code === SPACE && e === SPACE)) continue
      if (count > BATCH - MAX_AT_ONCE) {
        this.hand(batch, count, wordCount)
        count = 0
        wordCount = 0
      }
      if (code !== SPACE) {
        if (word === WORD) wordAt = at
        word = Math.imul(word ^ code, PRIME)
      } else if (word !== WORD) {
        words[wordCount] = count
        wordEnds[wordCount++] = at
        hashes[count] = spread(word)
        from[count++] = wordAt
        if (before !== 0) {
          hashes[count] = spread(Math.imul(before ^ PAIR, PRIME) ^ word)
          from[count++] = beforeAt
        }
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
      if (isUnspaced(e) && isUnspaced(d)) {
        hashes[count] = spread(Math.imul(Math.imul(CHARACTERS ^ e, PRIME) ^ d, PRIME) ^ 2)
        from[count++] = atD
      }
      if (c === 0) continue
      // From the youngest letter backwards, so that each n-gram goes on from the shorter one.
      const three = Math.imul(Math.imul(Math.imul(CHARACTERS ^ e, PRIME) ^ d, PRIME) ^ c, PRIME)
      hashes[count] = spread(three ^ 3)
      from[count++] = atC
      if (b === 0) continue
      const four = Math.imul(three ^ b, PRIME)
      hashes[count] = spread(four ^ 4)
      from[count++] = atB
      if (a === 0) continue
      hashes[count] = spread(Math.imul(four ^ a, PRIME) ^ 5)
      from[count++] = atA
    }
    this.hand(batch, count, wordCount)
  }

  private hand(batch: (ngrams: Ngrams) => void, count: number, wordCount: number): void {
    this.count = count
    this.wordCount = wordCount
    batch(this)
  }
}

const shared = new Ngrams()

export function eachNgram(text: string, visit: NgramVisitor): void {
  shared.read(text, ({ hashes, from, count, words, wordEnds, wordCount }) => {
    for (let [n, word] = [0, 0]; n < count; n++) {
      const isWord = word < wordCount && words[word] === n
      visit(hashes[n] as number, from[n] as number, isWord ? (wordEnds[word++] as number) : 0)
    }
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
