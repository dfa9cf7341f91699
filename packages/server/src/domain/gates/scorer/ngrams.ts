// A text as its n-grams: words and pairs of words, and three to five characters in a row. Letters count and nothing
// else: a digit or a mark parts as a space does, so no number is ever a feature and none is ever shown.

/** `from` and `to` are the units of the text in which the n-gram stands. */
export type NgramVisitor = (hash: number, from: number, to: number) => void

const PRIME = 0x01000193
const CHARACTERS = 0x2545f491
const WORD = 0x68e31da4
const PAIR = 0x1b56c4e9
const SPACE = 32

/** Spreads the last letters read over all 32 bits: the low ones name a slot, the high ones tell who owns it. */
function spread(hash: number): number {
  const mixed = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d)
  const again = Math.imul(mixed ^ (mixed >>> 12), 0x297a2d39)
  return again ^ (again >>> 15)
}

/** One walk over the text, a fixed number of steps for each unit. The text is expected in lower case. */
export function eachNgram(text: string, visit: NgramVisitor): void {
  let [a, b, c, d, e] = [0, 0, 0, 0, 0]
  let [atA, atB, atC, atD, atE] = [0, 0, 0, 0, 0]
  let [word, wordAt, before, beforeAt] = [WORD, 0, 0, 0]
  for (let at = -1; at <= text.length; at++) {
    const code = at < 0 || at === text.length ? SPACE : letterAt(text, at)
    if (code === 0 || (code === SPACE && e === SPACE)) continue
    if (code !== SPACE) {
      if (e === SPACE) wordAt = at
      word = Math.imul(word ^ code, PRIME)
    } else if (e !== 0) {
      visit(spread(word), wordAt, at)
      if (before !== 0) visit(spread(Math.imul(before ^ PAIR, PRIME) ^ word), beforeAt, at)
      ;[before, beforeAt, word] = [word, wordAt, WORD]
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
    atE = at < 0 ? 0 : at
    if (c === 0) continue
    const to = Math.min(at + 1, text.length)
    const three = Math.imul(
      Math.imul(Math.imul(CHARACTERS ^ e, PRIME) ^ d, PRIME) ^ c,
      PRIME,
    )
    visit(spread(three ^ 3), atC, to)
    if (b === 0) continue
    const four = Math.imul(three ^ b, PRIME)
    visit(spread(four ^ 4), atB, to)
    if (a !== 0) visit(spread(Math.imul(four ^ a, PRIME) ^ 5), atA, to)
  }
}

/** A letter as it is, 0 for what counts as nothing (an apostrophe inside a word), a space for everything else. */
function letterAt(text: string, at: number): number {
  const code = text.charCodeAt(at)
  if ((code >= 97 && code <= 122) || (code > 127 && code !== 0x2019 && !isMark(code))) return code
  if (code >= 65 && code <= 90) return code + 32
  return code === 39 || code === 0x2019 ? 0 : SPACE
}

/** Blanks, dashes, quotation marks, bullets and their like beyond ASCII. */
const isMark = (code: number): boolean =>
  code <= 0xbf || code === 0xd7 || code === 0xf7 || (code >= 0x2000 && code <= 0x2bff) || (code >= 0x3000 && code <= 0x303f)
