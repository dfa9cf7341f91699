/** Every word that a rule knows, with a number. Interning a view's words once lets each rule work on integers. */
import { type Confusables, skeletonWord } from '../text/confusables.ts'
import { withoutAccents } from '../text/plain-letters.ts'
import { extended, WordMap } from '../text/word-map.ts'

/** Reserved ids for words that are a kind rather than a spelling. */
export const NUMBER = 1
/** A number behind a currency sign. */
export const AMOUNT = 2
/** The address of a wallet. */
const WALLET = 3
const FIRST_WORD = 4
const SPELLED = -1
/** In letters; a rule has no longer word. */
export const MAX_WORD = 32

export class Lexicon {
  private readonly words = new WordMap()
  private readonly skeletons = new WordMap()
  private readonly table: Confusables
  private next = FIRST_WORD
  /** Numbers that are words of rules, by their value. */
  private readonly numbers = new Map<number, number>()
  /** Words of scripts that put no blanks between them, longest first for each first letter. */
  private readonly unspaced: string[][] = [[]]
  /** By first letter, which of the lists; 0 for none. */
  private readonly unspacedFirst = new Uint16Array(0x10000)

  constructor(table: Confusables) {
    this.table = table
  }

  get size(): number {
    return this.next
  }

  /** Every word with its accents and without. */
  spellings(): Iterable<string> {
    return this.words.words()
  }

  add(word: string): number {
    if (word === '#number') return NUMBER
    if (word === '#amount') return AMOUNT
    if (word === '#wallet') return WALLET
    const plain = spelled(word)
    const known = this.words.get(plain)
    if (known > 0) return known
    const id = this.next++
    this.words.set(plain, id)
    if (allDigits(plain, 0, plain.length)) this.numbers.set(Number(plain), id)
    const bare = withoutAccents(plain)
    if (this.words.get(bare) === 0) this.words.set(bare, id)
    if (isUnspaced(plain.charCodeAt(0))) this.enterUnspaced(plain)
    const skeleton = skeletonWord(plain, this.table)
    if (this.skeletons.get(skeleton) === 0) this.skeletons.set(skeleton, id)
    return id
  }

  idOf(text: string, from: number, to: number, skeleton: boolean): number {
    const kind = this.kindOf(text, from, to, skeleton)
    if (kind !== SPELLED) return kind
    let [hash, length] = [0, 0]
    for (let at = from; at < to; at++) {
      const code = text.charCodeAt(at)
      if (code === APOSTROPHE || code === RIGHT_QUOTE) continue
      const small = lowerCode(code)
      hash = extended(hash, small)
      LETTERS[length++] = small
    }
    return this.find(LETTERS, length, hash, skeleton)
  }

  /** Of a word of small letters and digits of ASCII, which was read into `units` with its hash carried along. */
  asciiIdOf(text: string, from: number, to: number, skeleton: boolean, units: Uint16Array, hash: number): number {
    const kind = this.kindOf(text, from, to, skeleton)
    return kind === SPELLED ? this.find(units, to - from, hash, skeleton) : kind
  }

  private find(units: Uint16Array, length: number, hash: number, skeleton: boolean): number {
    return (skeleton ? this.skeletons : this.words).find(units, 0, length, hash)
  }

  /** The number of a word that is one by its kind, 0 for one that no rule knows, and otherwise that its spelling tells. */
  private kindOf(text: string, from: number, to: number, skeleton: boolean): number {
    if (to - from >= SHORTEST_WALLET && !skeleton && isWallet(text, from, to)) return WALLET
    if (to - from > MAX_WORD) return 0
    const code = text.charCodeAt(from)
    return code >= 48 && code <= 57 && allDigits(text, from, to) ? this.numberAt(text, from, to) : SPELLED
  }

  /** How long the known word is that begins here, in a script without blanks; 0 where none does. */
  unspacedAt(text: string, at: number): number {
    const list = this.unspacedFirst[text.charCodeAt(at)] as number
    if (list > 0) for (const word of this.unspaced[list] as string[]) if (text.startsWith(word, at)) return word.length
    return 0
  }

  private enterUnspaced(word: string): void {
    const first = word.charCodeAt(0)
    this.unspacedFirst[first] ||= this.unspaced.push([]) - 1
    const list = this.unspaced[this.unspacedFirst[first] as number] as string[]
    list.push(word)
    list.sort((one, other) => other.length - one.length)
  }

  private numberAt(text: string, from: number, to: number): number {
    if (from > 0 && '$\u20ac\u00a3\u00a5'.includes(text.charAt(from - 1))) return AMOUNT
    let value = 0
    for (let at = from; at < to; at++) value = 10 * value + text.charCodeAt(at) - 48
    return this.numbers.get(value) ?? NUMBER
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

/** Of the word that is being read. */
const LETTERS = new Uint16Array(MAX_WORD)
const APOSTROPHE = 39
const RIGHT_QUOTE = 0x2019
const LOWER = new Uint16Array(0x10000)
/** For a capital that becomes two letters: no word of a rule has one. */
const NO_LETTER = 0xffff

function lowerCode(code: number): number {
  if (LOWER[code] === 0) {
    const lower = String.fromCharCode(code).toLowerCase()
    LOWER[code] = lower.length === 1 ? lower.charCodeAt(0) : NO_LETTER
  }
  return LOWER[code] as number
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
