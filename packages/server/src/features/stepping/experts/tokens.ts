/** A text as words with their sentence, the mark before them and the quotation around them. One walk; every unit is
 *  read a bounded number of times. */
import { type Quotation, quotationsOf } from '../../../domain/gates/quoted.ts'
import { characterClass } from '../../../domain/text/character-class.ts'
import { wordBoundaries } from './unspaced.ts'

export interface Token {
  /** Lower case, apostrophes left out; a URL or an address as a whole. */
  word: string
  kind: 'word' | 'url' | 'address'
  /** Units of the text. */
  from: number
  to: number
  sentence: number
  /** The gravest mark between this word and the one before; a blank line is two line ends. */
  mark: '' | ',' | ';' | ':' | '\n' | '.' | '?'
  /** Place in the list of quotations, or -1. */
  quotation: number
}

export interface TokenText {
  text: string
  tokens: Token[]
  quotations: Quotation[]
}

const RANK = ['', ',', '\n', ':', ';', '.', '?'] as const
const MAX_WORD = 64

export function tokenize(text: string, spell: (word: string) => string): TokenText {
  const quotations = quotationsOf(text)
  const walk = new Walk(text, spell, quotations)
  return { text, tokens: walk.run(), quotations }
}

class Walk {
  private readonly text: string
  private readonly spell: (word: string) => string
  private readonly quotations: readonly Quotation[]
  private readonly tokens: Token[] = []
  private sentence = 0
  private quote = 0
  private mark: Token['mark'] = ''

  constructor(text: string, spell: (word: string) => string, quotations: readonly Quotation[]) {
    this.text = text
    this.spell = spell
    this.quotations = quotations
  }

  run(): Token[] {
    for (let at = 0; at < this.text.length; ) at = this.step(at)
    return this.tokens
  }

  private step(at: number): number {
    const point = this.text.codePointAt(at)!
    const size = point > 0xffff ? 2 : 1
    if (isWordPoint(point)) return this.word(at)
    if (point === STAR && this.isWildcard(at)) {
      this.push('*', 'word', at, at + 1)
      return at + 1
    }
    this.punctuation(at, point)
    return at + size
  }

  private word(from: number): number {
    if (LINKS.some((link) => this.text.startsWith(link, from))) {
      const to = this.runEnd(from)
      this.push(this.text.slice(from, Math.min(to, from + MAX_WORD)), 'url', from, to)
      return to
    }
    const to = this.wordEnd(from)
    const address = this.addressEnd(to)
    if (address > to) this.push(this.text.slice(from, Math.min(address, from + MAX_WORD)), 'address', from, address)
    else this.pushRun(from, to)
    return Math.max(to, address)
  }

  /** One word, or several where their writing puts no spaces between them. */
  private pushRun(from: number, to: number): void {
    let begun = from
    for (const end of wordBoundaries(this.text.slice(from, to))) {
      const word = this.text.slice(begun, Math.min(from + end, begun + MAX_WORD))
      this.push(this.spell(plainWord(word)), 'word', begun, from + end)
      begun = from + end
    }
  }

  private push(word: string, kind: Token['kind'], from: number, to: number): void {
    while (this.quote < this.quotations.length && this.quotations[this.quote]!.to <= from) this.quote++
    const around = this.quotations[this.quote]
    const quotation = around && around.from < from ? this.quote : -1
    this.tokens.push({ word, kind, from, to, sentence: this.sentence, mark: this.mark, quotation })
    this.mark = ''
  }

  private wordEnd(from: number): number {
    let to = from
    while (to < this.text.length) {
      const point = this.text.codePointAt(to)!
      const inside = isWordPoint(point) || (isApostrophe(point) && isWordPoint(this.text.codePointAt(to + 1) ?? 0))
      if (!inside) break
      to += point > 0xffff ? 2 : 1
    }
    return to
  }

  /** `name@host.example`, from the sign on. */
  private addressEnd(at: number): number {
    if (this.text.charAt(at) !== '@' || !isWordPoint(this.text.codePointAt(at + 1) ?? 0)) return at
    let to = at + 1
    while (to < this.text.length && (isWordPoint(this.text.charCodeAt(to)) || '.-_'.includes(this.text.charAt(to))))
      to++
    return '.-_'.includes(this.text.charAt(to - 1)) ? to - 1 : to
  }

  private runEnd(from: number): number {
    let to = from
    while (to < this.text.length && !LINK_TERMINATORS.includes(this.text.charAt(to))) to++
    return to
  }

  /** A star that stands for everything, and none of a bold word or a sum. */
  private isWildcard(at: number): boolean {
    const [before, after] = [this.text.charAt(at - 1), this.text.charAt(at + 1)]
    return ' /\t\n"\'`'.includes(before || ' ') && ' ./\t\n"\'`,;'.includes(after || ' ')
  }

  private punctuation(at: number, point: number): void {
    const letter = String.fromCodePoint(point)
    const blankAfter = isBlank(this.text.charAt(at + 1))
    if (FULL_STOPS.includes(letter)) this.endSentence(letter === '\uff1f' || letter === '\u061f' ? '?' : '.')
    else if ((letter === '.' || letter === '!' || letter === '?') && blankAfter)
      this.endSentence(letter === '?' ? '?' : '.')
    else if (letter === '\n') this.lineEnd()
    else if (letter === ',' || letter === ';' || letter === ':') this.note(letter)
    else if ('\u3001\uff0c'.includes(letter)) this.note(',')
    else if ('()\u2014\u2013'.includes(letter)) this.note(',')
  }

  private lineEnd(): void {
    if (this.mark === '\n') this.endSentence('.')
    else this.note('\n')
  }

  private endSentence(mark: '.' | '?'): void {
    this.sentence++
    this.note(mark)
  }

  private note(mark: Token['mark']): void {
    if (RANK.indexOf(mark) > RANK.indexOf(this.mark)) this.mark = mark
  }
}

/** End a sentence whatever follows: 。！？ and the marks of Hindi, Arabic and Urdu. */
const FULL_STOPS = '\u3002\uff01\uff1f\u0964\u061f\u06d4'
const STAR = 42
const LINKS = ['http://', 'https://', 'HTTP://', 'HTTPS://', 'ftp://', 'www.']
const LINK_TERMINATORS = ' \t\n\r"\'`<>()[]{}\u201c\u201d'
const isWordPoint = characterClass(/[\p{L}\p{M}\p{N}]/u)
const isApostrophe = (point: number): boolean => point === 39 || point === 0x2019
const isBlank = (letter: string): boolean => letter === '' || ' \t\n\r"\')\u201d'.includes(letter)

/** "don't", "don't" and "dont" are one word. */
const plainWord = (word: string): string => word.toLowerCase().replaceAll("'", '').replaceAll('\u2019', '')
