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

/** The last five letters read and where they stand, the youngest last; 0 before there are five. */
class Recent {
  private a = 0
  private b = 0
  private c = 0
  private d = 0
  e = 0
  private atA = 0
  private atB = 0
  private atC = 0
  private atD = 0
  private atE = 0

  push(code: number, at: number): void {
    this.a = this.b
    this.b = this.c
    this.c = this.d
    this.d = this.e
    this.e = code
    this.atA = this.atB
    this.atB = this.atC
    this.atC = this.atD
    this.atD = this.atE
    this.atE = at
  }

  /** From the youngest letter backwards, so that each n-gram goes on from the shorter one. */
  visit(to: number, visit: NgramVisitor): void {
    if (this.c === 0) return
    const two = Math.imul(Math.imul(CHARACTERS ^ this.e, PRIME) ^ this.d, PRIME)
    const three = Math.imul(two ^ this.c, PRIME)
    visit(spread(three ^ 3), this.atC, to, false)
    if (this.b === 0) return
    const four = Math.imul(three ^ this.b, PRIME)
    visit(spread(four ^ 4), this.atB, to, false)
    if (this.a !== 0) visit(spread(Math.imul(four ^ this.a, PRIME) ^ 5), this.atA, to, false)
  }
}

/** The word that is being read and the one before it. */
class WordPair {
  private word = WORD
  private at = 0
  private before = 0
  private beforeAt = 0

  letter(code: number, at: number): void {
    if (this.word === WORD) this.at = at
    this.word = Math.imul(this.word ^ code, PRIME)
  }

  end(to: number, visit: NgramVisitor): void {
    if (this.word === WORD) return
    visit(spread(this.word), this.at, to, true)
    if (this.before !== 0) visit(spread(Math.imul(this.before ^ PAIR, PRIME) ^ this.word), this.beforeAt, to, false)
    this.before = this.word
    this.beforeAt = this.at
    this.word = WORD
  }
}

/** One walk over the text, a fixed number of steps for each unit. */
export function eachNgram(text: string, visit: NgramVisitor): void {
  const recent = new Recent()
  const words = new WordPair()
  recent.push(SPACE, 0)
  for (let at = 0; at <= text.length; at++) {
    const code = at === text.length ? SPACE : letterAt(text, at)
    if (code === NOTHING || (code === SPACE && recent.e === SPACE)) continue
    if (code === SPACE) words.end(at, visit)
    else words.letter(code, at)
    recent.push(code, at)
    recent.visit(Math.min(at + 1, text.length), visit)
  }
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
