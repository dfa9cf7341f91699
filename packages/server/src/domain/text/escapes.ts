/** Percent escapes, HTML entities and the escapes of programming languages stand between ordinary letters, so what is decoded is the stretch of words that
 *  holds them. Escapes further apart than a sentence belong to different stretches. */

import { unitAt } from './code-points.ts'
import { stringOf } from './mapped-text.ts'
import namedEntities from './named-entities.json' with { type: 'json' }
import { afterBreak, type Encoding, hexDigit, printableOrNull, type Run, type Stretch } from './runs.ts'
import { uint16s } from './slab.ts'

const MIN_PERCENT = 3
const MIN_ENTITIES = 1
const FURTHEST_APART = 64
const MAX_ENTITY = 10

interface Escape {
  from: number
  to: number
  /** The byte of a percent escape or the character of an entity. */
  value: number
}

export function percentRuns(text: string): Run[] {
  return runs('percent', text, hexEscapes(text, '%'), MIN_PERCENT, putBytes)
}

/** =69=67, as mail writes bytes; a mark at the end of a line joins it to the next one. */
export function quotedPrintableRuns(text: string): Run[] {
  return runs('quoted-printable', text, hexEscapes(text, '='), MIN_PERCENT, putBytes)
}

/** In place of a byte. */
const JOINT = -1

/** Decodes escapes side by side into `units` from a unit on, and tells the one behind them. */
type Decode = (escapes: readonly Escape[], first: number, end: number, units: Uint16Array, to: number) => number

/** Several may be one character. Bytes that are no UTF-8 become the replacement character: one of them must not shield the
 *  rest from being read. */
function putBytes(escapes: readonly Escape[], first: number, end: number, units: Uint16Array, to: number): number {
  let next = to
  for (let at = first; at < end; at++) {
    const { value } = escapes[at] as Escape
    if (value >= 128) return putUtf8(escapes, first, end, units, to)
    if (value !== JOINT) units[next++] = value
  }
  return next
}

function putUtf8(escapes: readonly Escape[], first: number, end: number, units: Uint16Array, to: number): number {
  const bytes = escapes.slice(first, end).flatMap(({ value }) => (value === JOINT ? [] : [value]))
  return put(new TextDecoder().decode(Uint8Array.from(bytes)), units, to)
}

function put(text: string, units: Uint16Array, to: number): number {
  for (let at = 0; at < text.length; at++) units[to + at] = text.charCodeAt(at)
  return to + text.length
}

function putCharacters(escapes: readonly Escape[], first: number, end: number, units: Uint16Array, to: number): number {
  let next = to
  for (let at = first; at < end; at++) {
    const { value } = escapes[at] as Escape
    if (value > 0xffff) next = put(String.fromCodePoint(value), units, next)
    else units[next++] = value
  }
  return next
}

export function entityRuns(text: string): Run[] {
  return runs('html', text, entities(text), MIN_ENTITIES, putCharacters)
}

/** \x69, \151, \u0069 and \u{69}, as many languages write a character in a string. */
export function escapeRuns(text: string): Run[] {
  return runs('escape', text, codeEscapes(text), MIN_ESCAPES, putCharacters)
}

const MIN_ESCAPES = 3
const BRACE = 123
const [SMALL_U, SMALL_X] = [117, 120]

function codeEscapes(text: string): Escape[] {
  const found: Escape[] = []
  for (let at = text.indexOf('\\'); at >= 0; at = text.indexOf('\\', at + 1)) {
    const kind = unitAt(text, at + 1)
    if (kind !== SMALL_X && kind !== SMALL_U) {
      const octal = octalAt(text, at + 1)
      if (octal >= 0) found.push({ from: at, to: at + 4, value: octal })
      continue
    }
    const braced = kind === SMALL_U && unitAt(text, at + 2) === BRACE
    const from = at + (braced ? 3 : 2)
    const to = braced ? text.slice(from, from + 7).indexOf('}') + from : from + (kind === SMALL_U ? 4 : 2)
    const value = hexOf(text, from, to)
    if (value >= 0 && value <= 0x10ffff) found.push({ from: at, to: to + (braced ? 1 : 0), value })
  }
  return found
}

function runs(encoding: Encoding, text: string, escapes: Escape[], minSize: number, decode: Decode): Run[] {
  if (escapes.length < minSize) return []
  return regions(text, escapes, minSize).flatMap((region) => runOf(encoding, text, region, decode))
}

/** Escapes side by side are decoded together, since one character may take several. */
function runOf(encoding: Encoding, text: string, { from, to, escapes }: Region, decode: Decode): Run[] {
  const stretches: Stretch[] = []
  // What is decoded is never longer than it was.
  const units = uint16s(to - from)
  let [at, size] = [from, 0]
  for (let first = 0; first < escapes.length; ) {
    const begin = (escapes[first] as Escape).from
    let next = first + 1
    while (next < escapes.length && (escapes[next] as Escape).from <= (escapes[next - 1] as Escape).to) next++
    const before = size
    while (at < begin) units[size++] = text.charCodeAt(at++)
    if (size > before) stretches.push({ from: begin - size + before, to: begin, size: size - before })
    const own = size
    size = decode(escapes, first, next, units, size)
    at = (escapes[next - 1] as Escape).to
    stretches.push({ from: begin, to: at, size: size - own })
    first = next
  }
  if (to > at) stretches.push({ from: at, to, size: to - at })
  while (at < to) units[size++] = text.charCodeAt(at++)
  const decoded = printableOrNull(stringOf(units.subarray(0, size)))
  return decoded === null ? [] : [{ encoding, from, to, decoded, stretches }]
}

/** Groups of escapes with at most so many units between one and the next. */
function groupsOf(escapes: readonly Escape[]): Escape[][] {
  const groups: Escape[][] = []
  for (const mark of escapes) {
    const group = groups.at(-1)
    if (group && mark.from - (group.at(-1) as Escape).to <= FURTHEST_APART) group.push(mark)
    else groups.push([mark])
  }
  return groups
}

/** Three digits: with fewer it would be a reference into an expression. -1 where there are not. */
function octalAt(text: string, from: number): number {
  if (from + 3 > text.length) return -1
  let value = 0
  for (let at = from; at < from + 3; at++) {
    const digit = text.charCodeAt(at) - 48
    if (digit < 0 || digit > 7) return -1
    value = 8 * value + digit
  }
  return value < 128 ? value : -1
}

function hexEscapes(text: string, mark: '%' | '='): Escape[] {
  const found: Escape[] = []
  for (let at = text.indexOf(mark); at >= 0; at = text.indexOf(mark, at + 1)) {
    const value = hexOf(text, at + 1, at + 3)
    if (value >= 0) found.push({ from: at, to: at + 3, value })
    else if (mark === '=' && afterBreak(text, at + 1) > at + 1)
      found.push({ from: at, to: afterBreak(text, at + 1), value: JOINT })
  }
  return found
}

const NAMED: Readonly<Record<string, number>> = namedEntities

function entities(text: string): Escape[] {
  const found: Escape[] = []
  for (let at = text.indexOf('&'); at >= 0; at = text.indexOf('&', at + 1)) {
    const mark = entityAt(text, at)
    if (mark) found.push(mark)
  }
  return found
}

const NUMBER_SIGN = 35
const isLetter = (code: number): boolean => (code >= 97 && code <= 122) || (code >= 65 && code <= 90)

function entityAt(text: string, from: number): Escape | null {
  const first = unitAt(text, from + 1)
  if (first !== NUMBER_SIGN && !isLetter(first)) return null
  const window = text.slice(from + 1, from + 1 + MAX_ENTITY)
  const end = window.indexOf(';')
  const name = end < 0 ? leadingNumber(window) : window.slice(0, end)
  const value = name.startsWith('#')
    ? numberOf(name.slice(1))
    : end >= 0 && Object.hasOwn(NAMED, name)
      ? (NAMED[name] as number)
      : null
  return value === null ? null : { from, to: from + 1 + name.length + (end < 0 ? 0 : 1), value }
}

/** Browsers read a numeric entity without its semicolon. */
function leadingNumber(window: string): string {
  let end = window.startsWith('#') ? 1 : 0
  while (end > 0 && end < window.length && /[0-9a-fA-FxX]/.test(window.charAt(end))) end++
  return window.slice(0, end)
}

function numberOf(digits: string): number | null {
  const hex = digits.startsWith('x') || digits.startsWith('X')
  const body = hex ? digits.slice(1) : digits
  if (body === '' || (hex ? /[^0-9a-fA-F]/ : /[^0-9]/).test(body)) return null
  const value = Number.parseInt(body, hex ? 16 : 10)
  return value > 0 && value <= 0x10ffff && (value < 0xd800 || value > 0xdfff) ? value : null
}

/** -1 for what is no number. */
function hexOf(text: string, from: number, to: number): number {
  let value = to > from && to <= text.length ? 0 : -1
  for (let at = from; at < to && value >= 0; at++) {
    const digit = hexDigit(text.charCodeAt(at))
    value = digit < 0 ? -1 : 16 * value + digit
  }
  return value
}

interface Region {
  from: number
  to: number
  escapes: Escape[]
}

/** A page of a hundred paragraphs with an entity in each is one text and not a hundred. */
const MAX_REGIONS = 8

function regions(text: string, escapes: Escape[], minSize: number): Region[] {
  const near = groupsOf(escapes).filter((group) => group.length >= minSize)
  return (near.length > MAX_REGIONS ? [near.flat()] : near).map((group) => ({
    from: wordStart(text, group[0] as Escape),
    to: wordEnd(text, group.at(-1) as Escape),
    escapes: group,
  }))
}

/** Up to the words around, within bounds: an escape inside a letter sequence completes that word. */
function wordStart(text: string, { from }: Escape): number {
  let at = from
  while (at > 0 && from - at < FURTHEST_APART && !isBlank(text.charCodeAt(at - 1))) at--
  return at
}

function wordEnd(text: string, { to }: Escape): number {
  let at = to
  let words = 0
  while (at < text.length && at - to < FURTHEST_APART && words < 8) {
    if (isBlank(text.charCodeAt(at))) words++
    at++
  }
  return at
}

const isBlank = (code: number): boolean => code === 32 || (code >= 9 && code <= 13)
