/** Every word that a rule knows, with a number. Interning a view's words once lets each rule work on integers. */
import { type Confusables, skeletonWord } from '../text/confusables.ts'

/** Reserved ids for words that are a kind rather than a spelling. */
export const NUMBER = 1
/** A number behind a currency sign. */
export const AMOUNT = 2
/** The address of a wallet. */
const WALLET = 3
const FIRST_WORD = 4
const MAX_WORD = 32
const LETTERS = 3
const BEGINNINGS = 1 << (5 * LETTERS + 1)
/** A word that is not plain letters at its beginning may be spelled in more than one way: it is always looked up. */
const OTHER = BEGINNINGS - 1

export class Lexicon {
  private readonly words = new Map<string, number>()
  private readonly skeletons = new Map<string, number>()
  private readonly table: Confusables
  /** Beginnings of all spellings: most words of a text begin like none of them and need not be looked up. */
  private readonly beginnings = new Uint8Array(BEGINNINGS)

  /** Words of scripts that put no blanks between them, longest first for each first letter. */
  private readonly unspaced = new Map<string, string[]>()

  constructor(table: Confusables) {
    this.table = table
    this.beginnings[OTHER] = 1
  }

  get size(): number {
    return FIRST_WORD + this.words.size
  }

  add(word: string): number {
    if (word === '#number') return NUMBER
    if (word === '#amount') return AMOUNT
    if (word === '#wallet') return WALLET
    const plain = spelled(word)
    const known = this.words.get(plain)
    if (known !== undefined) return known
    const id = this.size
    this.words.set(plain, id)
    if (isUnspaced(plain.charCodeAt(0))) this.enterUnspaced(plain)
    const skeleton = skeletonWord(plain, this.table)
    if (!this.skeletons.has(skeleton)) this.skeletons.set(skeleton, id)
    for (const spelling of [plain, skeleton]) this.beginnings[beginningOf(spelling, 0, spelling.length)] = 1
    return id
  }

  idOf(text: string, from: number, to: number, skeleton: boolean): number {
    if (to - from >= SHORTEST_WALLET && !skeleton && isWallet(text, from, to)) return WALLET
    if (to - from > MAX_WORD) return 0
    const code = text.charCodeAt(from)
    if (code >= 48 && code <= 57 && allDigits(text, from, to)) return this.numberAt(text, from, to)
    if (this.beginnings[beginningOf(text, from, to)] === 0) return 0
    const word = spelled(text.slice(from, to))
    return (skeleton ? this.skeletons.get(word) : this.words.get(word)) ?? 0
  }

  /** How long the known word is that begins here, in a script without blanks; 0 where none does. */
  unspacedAt(text: string, at: number): number {
    return this.unspaced.get(text.charAt(at))?.find((word) => text.startsWith(word, at))?.length ?? 0
  }

  private enterUnspaced(word: string): void {
    const known = this.unspaced.get(word.charAt(0)) ?? []
    this.unspaced.set(
      word.charAt(0),
      [...known, word].sort((one, other) => other.length - one.length),
    )
  }

  private numberAt(text: string, from: number, to: number): number {
    if (from > 0 && '$\u20ac\u00a3\u00a5'.includes(text.charAt(from - 1))) return AMOUNT
    return this.words.get(text.slice(from, to)) ?? NUMBER
  }
}

/** Kana and the ideographs that Chinese and Japanese are written in. */
export const isUnspaced = (code: number): boolean =>
  (code >= 0x3041 && code <= 0x30ff) || (code >= 0x3400 && code <= 0x9fff)

const SHORTEST_WALLET = 26
const MAX_WALLET = 90

/** By its form: bech32, hexadecimal with 0x, or base 58 that begins as the addresses of the large chains do. */
function isWallet(text: string, from: number, to: number): boolean {
  if (to - from > MAX_WALLET) return false
  const word = text.slice(from, to).toLowerCase()
  if (/^(?:bc1|tb1|ltc1)[a-z0-9]{22,87}$/.test(word)) return true
  if (/^0x[0-9a-f]{40}$/.test(word)) return true
  return /^[13t][1-9a-z]{25,34}$/.test(word) && /[0-9]/.test(word.slice(1)) && /[a-z]/.test(word.slice(1))
}

/** The first letters of a word as a number, five bits each; case counts for nothing. */
function beginningOf(text: string, from: number, to: number): number {
  let beginning = 0
  for (let at = from; at < from + LETTERS; at++) {
    const letter = at < to ? letterOf(text.charCodeAt(at)) : 0
    if (letter < 0) return OTHER
    beginning = (beginning << 5) | letter
  }
  return beginning
}

/** 1 to 26, or -1 for what is no ASCII letter. */
function letterOf(code: number): number {
  const letter = (code | 32) - 96
  return code < 128 && letter >= 1 && letter <= 26 ? letter : -1
}

function allDigits(text: string, from: number, to: number): boolean {
  for (let at = from; at < to; at++) {
    const code = text.charCodeAt(at)
    if (code < 48 || code > 57) return false
  }
  return true
}

/** "don't", "don’t" and "dont" are one word. */
function spelled(word: string): string {
  const lower = word.toLowerCase()
  return lower.includes("'") || lower.includes('\u2019') ? lower.replaceAll("'", '').replaceAll('\u2019', '') : lower
}
