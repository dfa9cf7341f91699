/** Arithmetic statements, checked with exact decimals. Sums of up to sixteen numbers with + - * / and their words;
 *  no brackets, powers or unknowns: where one touches the statement it is left alone. */
import { decimal, type Fraction, negated, product, quotient, sum } from '../../../domain/exact-number.ts'
import { isAlnumCode, isBlankCode, isDigitCode, isLetterCode } from '../../../domain/gates/detectors/scanner.ts'

type Operator = '+' | '-' | '*' | '/'
type NumberLexeme = { kind: 'number'; value: Fraction; places: number; from: number; to: number }
type Lexeme =
  | NumberLexeme
  | { kind: 'operator'; operator: Operator; from: number; to: number }
  | { kind: 'equals' | 'other'; from: number; to: number }

const MAX_OPERANDS = 16
const MAX_NUMBER = 40

const SYMBOLS: Record<string, Operator> = {
  '+': '+',
  '-': '-',
  '\u2212': '-',
  '*': '*',
  '\u00d7': '*',
  '/': '/',
  '\u00f7': '/',
}
const WORDS: Record<string, Operator | '='> = {
  plus: '+',
  minus: '-',
  times: '*',
  x: '*',
  over: '/',
  equals: '=',
  is: '=',
  makes: '=',
}

export function statementsIn(text: string) {
  const lexemes = lexemesOf(text)
  return lexemes.flatMap((lexeme, at) => (lexeme.kind === 'equals' ? (statementAt(text, lexemes, at) ?? []) : []))
}

function statementAt(text: string, lexemes: readonly Lexeme[], equals: number) {
  const left = side(lexemes, equals, -1)
  const right = side(lexemes, equals, 1)
  if (left.length === 0 || right.length === 0 || left.length + right.length < 3) return null
  const [from, to] = [left[0]!.from, right.at(-1)!.to]
  if (isOpenBefore(text, from) || isOpenAfter(text, to) || isDate(text, left) || isDate(text, right)) return null
  const [a, b] = [sideValue(left), sideValue(right)]
  if (a === null || b === null) return null
  const isSame = a.numerator * b.denominator === b.numerator * a.denominator
  return { from, to, holds: isSame || isRounding(left, a, right, b) }
}

/** Numbers and operators in turn, from the sign outwards, beginning and ending with a number. */
function side(lexemes: readonly Lexeme[], equals: number, step: 1 | -1): Lexeme[] {
  const found: Lexeme[] = []
  for (let at = equals + step; found.length < 2 * MAX_OPERANDS; at += step) {
    const lexeme = lexemes[at]
    if (lexeme?.kind !== (found.length % 2 === 0 ? 'number' : 'operator')) break
    found.push(lexeme)
  }
  // An operator left over belongs to something that is not a number: the statement is not understood.
  if (found.length % 2 === 0) return []
  return step === 1 ? found : found.reverse()
}

function sideValue(terms: readonly Lexeme[]): Fraction | null {
  let total: Fraction = { numerator: 0n, denominator: 1n }
  let term: Fraction | null = null
  for (let at = 0; at < terms.length; at += 2) {
    const number = terms[at] as NumberLexeme
    const operator = at === 0 ? '+' : (terms[at - 1] as Extract<Lexeme, { kind: 'operator' }>).operator
    if (operator === '*') term = product(term!, number.value)
    else if (operator === '/') term = quotient(term!, number.value)
    else {
      if (term) total = sum(total, term)
      term = operator === '-' ? negated(number.value) : number.value
    }
    if (term === null) return null
  }
  return term && sum(total, term)
}

/** `10 / 3 = 3.33` is the custom where the digits never end; where they end all of them are expected. */
function isRounding(left: readonly Lexeme[], a: Fraction, right: readonly Lexeme[], b: Fraction): boolean {
  const shown = right[0] as NumberLexeme
  if (right.length !== 1 || shown.places === 0 || terminates(a.denominator, a.numerator)) return false
  if (!left.some((lexeme) => lexeme.kind === 'operator' && lexeme.operator === '/')) return false
  const apart = sum(a, negated(b))
  const size = apart.numerator < 0n ? -apart.numerator : apart.numerator
  return 2n * size * 10n ** BigInt(shown.places) <= apart.denominator
}

/** Whether a quotient has a last decimal. */
function terminates(denominator: bigint, numerator: bigint): boolean {
  let rest = denominator
  for (const factor of [2n, 5n]) while (rest % factor === 0n) rest /= factor
  return numerator % rest === 0n
}

const isOpenBefore = (text: string, from: number): boolean =>
  isJoined(text, from - 1) || ')^]'.includes(text.charAt(from - 1) || ' ')
const isOpenAfter = (text: string, to: number): boolean =>
  isJoined(text, to) ||
  '(^%'.includes(text.charAt(to) || ' ') ||
  (text.charAt(to) === '.' && isDigitCode(text.charCodeAt(to + 1)))
const isJoined = (text: string, at: number): boolean =>
  isAlnumCode(text.charCodeAt(at)) ||
  ('_.$'.includes(text.charAt(at) || ' ') && at >= 0 && isLetterCode(text.charCodeAt(at - 1)))

/** `2024-05-01` is a day and no difference. */
function isDate(text: string, terms: readonly Lexeme[]): boolean {
  if (terms.length < 5) return false
  return /^[0-9]{4}-[0-9]{2}-[0-9]{2}/.test(text.slice(terms[0]!.from, terms[0]!.from + 10))
}

function lexemesOf(text: string): Lexeme[] {
  const lexemes: Lexeme[] = []
  for (let at = 0; at < text.length; at++) {
    if (isBlankCode(text.charCodeAt(at))) continue
    const lexeme = lexemeAt(text, at, lexemes.at(-1))
    lexemes.push(lexeme)
    at = lexeme.to - 1
  }
  return lexemes
}

function lexemeAt(text: string, at: number, last: Lexeme | undefined): Lexeme {
  const letter = text.charAt(at)
  if (isDigitCode(text.charCodeAt(at))) return numberAt(text, at, at)
  // After an operator, a sign or nothing a minus belongs to its number.
  const signed = letter === '-' && isDigitCode(text.charCodeAt(at + 1)) && last?.kind !== 'number'
  if (signed) return numberAt(text, at, at + 1)
  if (letter === '=') return { kind: 'equals', from: at, to: at + 1 }
  const operator = SYMBOLS[letter]
  if (operator) return { kind: 'operator', operator, from: at, to: at + 1 }
  return wordAt(text, at)
}

function wordAt(text: string, from: number): Lexeme {
  let to = from
  while (to < text.length && isLetterCode(text.charCodeAt(to))) to++
  if (to === from) return { kind: 'other', from, to: from + 1 }
  const meaning = to - from > 8 ? undefined : WORDS[text.slice(from, to).toLowerCase()]
  if (meaning === '=') return { kind: 'equals', from, to }
  return meaning ? { kind: 'operator', operator: meaning, from, to } : { kind: 'other', from, to }
}

function numberAt(text: string, from: number, digits: number): Lexeme {
  let to = digits
  let whole = ''
  while (isDigitCode(text.charCodeAt(to)) || isThousands(text, to)) {
    if (text.charAt(to) !== ',') whole += text.charAt(to)
    to++
  }
  let places = ''
  if (text.charAt(to) === '.' && isDigitCode(text.charCodeAt(to + 1)))
    for (to++; isDigitCode(text.charCodeAt(to)); to++) places += text.charAt(to)
  if (whole.length + places.length > MAX_NUMBER) return { kind: 'other', from, to }
  const value = decimal(whole, places)
  return { kind: 'number', value: digits > from ? negated(value) : value, places: places.length, from, to }
}

function isThousands(text: string, at: number): boolean {
  if (text.charAt(at) !== ',') return false
  for (let on = 1; on <= 3; on++) if (!isDigitCode(text.charCodeAt(at + on))) return false
  return !isDigitCode(text.charCodeAt(at + 4))
}
