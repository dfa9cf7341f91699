// Every word that a rule knows, with a number. Interning a view's words once lets each rule work on integers.
import { type Confusables, skeletonWord } from '../text/confusables.ts'

/** Reserved ids for words that are a kind rather than a spelling. */
export const NUMBER = 1
/** A number behind a currency sign. */
export const AMOUNT = 2
const FIRST_WORD = 3
const LONGEST_WORD = 32

export class Lexicon {
  private readonly words = new Map<string, number>()
  private readonly skeletons = new Map<string, number>()
  private readonly table: Confusables

  constructor(table: Confusables) {
    this.table = table
  }

  get size(): number {
    return FIRST_WORD + this.words.size
  }

  add(word: string): number {
    if (word === '#number') return NUMBER
    if (word === '#amount') return AMOUNT
    const plain = spelled(word)
    const known = this.words.get(plain)
    if (known !== undefined) return known
    const id = this.size
    this.words.set(plain, id)
    const skeleton = skeletonWord(plain, this.table)
    if (!this.skeletons.has(skeleton)) this.skeletons.set(skeleton, id)
    return id
  }

  idOf(text: string, from: number, to: number, skeleton: boolean): number {
    if (to - from > LONGEST_WORD) return 0
    const code = text.charCodeAt(from)
    if (code >= 48 && code <= 57 && allDigits(text, from, to)) return this.numberAt(text, from, to)
    const word = spelled(text.slice(from, to))
    return (skeleton ? this.skeletons.get(word) : this.words.get(word)) ?? 0
  }

  private numberAt(text: string, from: number, to: number): number {
    if (from > 0 && '$\u20ac\u00a3\u00a5'.includes(text.charAt(from - 1))) return AMOUNT
    return this.words.get(text.slice(from, to)) ?? NUMBER
  }
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
