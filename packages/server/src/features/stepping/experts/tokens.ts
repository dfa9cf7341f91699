/** A text as words with their sentence, the mark before them and the quotation around them. Every unit is read a bounded
 *  number of times. */
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

/** One walk over the text: each piece is pushed with the marks that were noted since the one before. */
export function tokenize(text: string, spell: (word: string) => string): TokenText {
  const quotations = quotationsOf(text)
  const tokens: Token[] = []
  let [sentence, quote] = [0, 0]
  let mark: Token['mark'] = ''

  const note = (next: Token['mark']): void => {
    if (RANK.indexOf(next) > RANK.indexOf(mark)) mark = next
  }
  const endSentence = (next: '.' | '?'): void => {
    sentence++
    note(next)
  }
  const push = (word: string, kind: Token['kind'], from: number, to: number): void => {
    while (quote < quotations.length && quotations[quote]!.to <= from) quote++
    const around = quotations[quote]
    tokens.push({ word, kind, from, to, sentence, mark, quotation: around && around.from < from ? quote : -1 })
    mark = ''
  }
  const pushWhole = (kind: 'url' | 'address', from: number, to: number): number => {
    push(text.slice(from, Math.min(to, from + MAX_WORD)), kind, from, to)
    return to
  }
  /** One word, or several where their writing puts no spaces between them. */
  const pushWords = (from: number, to: number): number => {
    let begun = from
    for (const end of wordBoundaries(text.slice(from, to))) {
      const word = text.slice(begun, Math.min(from + end, begun + MAX_WORD))
      push(spell(plainWord(word)), 'word', begun, from + end)
      begun = from + end
    }
    return to
  }
  const pushWord = (from: number): number => {
    if (LINKS.some((link) => text.startsWith(link, from))) return pushWhole('url', from, linkEnd(text, from))
    const to = wordEnd(text, from)
    const address = addressEnd(text, to)
    return address > to ? pushWhole('address', from, address) : pushWords(from, to)
  }
  const punctuation = (at: number, point: number): void => {
    const letter = String.fromCodePoint(point)
    if (FULL_STOPS.includes(letter)) endSentence(letter === '\uff1f' || letter === '\u061f' ? '?' : '.')
    else if ('.!?'.includes(letter) && isBlank(text.charAt(at + 1))) endSentence(letter === '?' ? '?' : '.')
    else if (letter === '\n' && mark === '\n') endSentence('.')
    else if (letter === '\n' || letter === ',' || letter === ';' || letter === ':') note(letter)
    else if (LIKE_COMMAS.includes(letter)) note(',')
  }

  for (let at = 0; at < text.length; ) {
    const point = text.codePointAt(at)!
    if (isWordPoint(point)) at = pushWord(at)
    else {
      if (point === STAR && isWildcard(text, at)) push('*', 'word', at, at + 1)
      else punctuation(at, point)
      at += sizeOf(point)
    }
  }
  return { text, tokens, quotations }
}

function wordEnd(text: string, from: number): number {
  let to = from
  while (to < text.length) {
    const point = text.codePointAt(to)!
    const inside = isWordPoint(point) || (isApostrophe(point) && isWordPoint(text.codePointAt(to + 1) ?? 0))
    if (!inside) break
    to += sizeOf(point)
  }
  return to
}

/** `name@host.example`, from the sign on. */
function addressEnd(text: string, at: number): number {
  if (text.charAt(at) !== '@' || !isWordPoint(text.codePointAt(at + 1) ?? 0)) return at
  let to = at + 1
  while (to < text.length && (isWordPoint(text.charCodeAt(to)) || '.-_'.includes(text.charAt(to)))) to++
  return '.-_'.includes(text.charAt(to - 1)) ? to - 1 : to
}

function linkEnd(text: string, from: number): number {
  let to = from
  while (to < text.length && !LINK_TERMINATORS.includes(text.charAt(to))) to++
  return to
}

/** A star that stands for everything, and none of a bold word or a sum. */
const isWildcard = (text: string, at: number): boolean =>
  ' /\t\n"\'`'.includes(text.charAt(at - 1) || ' ') && ' ./\t\n"\'`,;'.includes(text.charAt(at + 1) || ' ')

const sizeOf = (point: number): number => (point > 0xffff ? 2 : 1)
/** End a sentence whatever follows: 。！？ and the marks of Hindi, Arabic and Urdu. */
const FULL_STOPS = '\u3002\uff01\uff1f\u0964\u061f\u06d4'
/** Full-width commas, brackets and dashes. */
const LIKE_COMMAS = '\u3001\uff0c()\u2014\u2013'
const STAR = 42
const LINKS = ['http://', 'https://', 'HTTP://', 'HTTPS://', 'ftp://', 'www.']
const LINK_TERMINATORS = ' \t\n\r"\'`<>()[]{}\u201c\u201d'
const isWordPoint = characterClass(/[\p{L}\p{M}\p{N}]/u)
const isApostrophe = (point: number): boolean => point === 39 || point === 0x2019
const isBlank = (letter: string): boolean => letter === '' || ' \t\n\r"\')\u201d'.includes(letter)

/** "don't", "don't" and "dont" are one word. */
const plainWord = (word: string): string => word.toLowerCase().replaceAll("'", '').replaceAll('\u2019', '')
