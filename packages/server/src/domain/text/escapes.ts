/** Percent escapes, HTML entities and the escapes of programming languages stand between ordinary letters, so what is decoded is the stretch of words that
 *  holds them. Escapes further apart than a sentence belong to different stretches. */
import namedEntities from './named-entities.json' with { type: 'json' }
import { afterBreak, type Encoding, hexDigit, printableOrNull, type Run, type Stretch } from './runs.ts'

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
  return regions(text, hexEscapes(text, '%'), MIN_PERCENT).flatMap((region) => runOf('percent', text, region, asBytes))
}

/** =69=67, as mail writes bytes; a mark at the end of a line joins it to the next one. */
export function quotedPrintableRuns(text: string): Run[] {
  return regions(text, hexEscapes(text, '='), MIN_PERCENT).flatMap((region) =>
    runOf('quoted-printable', text, region, asBytes),
  )
}

function asBytes(marks: readonly Escape[]): string {
  if (!marks.every(({ value }) => value < 128))
    return new TextDecoder().decode(Uint8Array.from(marks.flatMap(({ value }) => (value === JOINT ? [] : [value]))))
  // A decoder is slow to call for a letter or two.
  let text = ''
  for (const { value } of marks) if (value !== JOINT) text += String.fromCharCode(value)
  return text
}

/** In place of a byte. */
const JOINT = -1

export function entityRuns(text: string): Run[] {
  return regions(text, entities(text), MIN_ENTITIES).flatMap((region) =>
    runOf('html', text, region, (marks) => marks.map(({ value }) => String.fromCodePoint(value)).join('')),
  )
}

/** \x69, \151, \u0069 and \u{69}, as many languages write a character in a string. */
export function escapeRuns(text: string): Run[] {
  return regions(text, codeEscapes(text), MIN_ESCAPES).flatMap((region) =>
    runOf('escape', text, region, (marks) => marks.map(({ value }) => String.fromCodePoint(value)).join('')),
  )
}

const MIN_ESCAPES = 3

function codeEscapes(text: string): Escape[] {
  const found: Escape[] = []
  for (let at = text.indexOf('\\'); at >= 0; at = text.indexOf('\\', at + 1)) {
    const octal = octalAt(text, at + 1)
    if (octal !== null) {
      found.push({ from: at, to: at + 4, value: octal })
      continue
    }
    const kind = text.charAt(at + 1)
    const braced = kind === 'u' && text.charAt(at + 2) === '{'
    const from = at + (braced ? 3 : 2)
    const to = braced ? text.slice(from, from + 7).indexOf('}') + from : from + (kind === 'u' ? 4 : 2)
    const value = kind === 'x' || kind === 'u' ? hexOf(text, from, to) : null
    if (value !== null && value <= 0x10ffff) found.push({ from: at, to: to + (braced ? 1 : 0), value })
  }
  return found
}

/**
 * Escapes side by side are decoded together, since one character may take several. Bytes that are no UTF-8 become the
 * replacement character: one of them must not shield the rest from being read.
 */
function runOf(encoding: Encoding, text: string, region: Region, decode: (marks: Escape[]) => string): Run[] {
  const stretches: Stretch[] = []
  let at = region.from
  for (const marks of groupsOf(region.escapes, 0)) {
    const [from, to] = [(marks[0] as Escape).from, (marks.at(-1) as Escape).to]
    if (from > at) stretches.push({ text: text.slice(at, from), from: at, to: from })
    stretches.push({ text: decode(marks), from, to })
    at = to
  }
  if (region.to > at) stretches.push({ text: text.slice(at, region.to), from: at, to: region.to })
  const decoded = printableOrNull(stretches.map((stretch) => stretch.text).join(''))
  return decoded === null ? [] : [{ encoding, from: region.from, to: region.to, decoded, stretches }]
}

/** Groups of escapes with at most `gap` units between one and the next. */
function groupsOf(escapes: readonly Escape[], gap: number): Escape[][] {
  const groups: Escape[][] = []
  for (const mark of escapes) {
    const group = groups.at(-1)
    if (group && mark.from - (group.at(-1) as Escape).to <= gap) group.push(mark)
    else groups.push([mark])
  }
  return groups
}

/** Three digits: with fewer it would be a reference into an expression. */
function octalAt(text: string, from: number): number | null {
  if (from + 3 > text.length) return null
  let value = 0
  for (let at = from; at < from + 3; at++) {
    const digit = text.charCodeAt(at) - 48
    if (digit < 0 || digit > 7) return null
    value = 8 * value + digit
  }
  return value < 128 ? value : null
}

function hexEscapes(text: string, mark: '%' | '='): Escape[] {
  const found: Escape[] = []
  for (let at = text.indexOf(mark); at >= 0; at = text.indexOf(mark, at + 1)) {
    const value = hexOf(text, at + 1, at + 3)
    if (value !== null) found.push({ from: at, to: at + 3, value })
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

function entityAt(text: string, from: number): Escape | null {
  const window = text.slice(from + 1, from + 1 + MAX_ENTITY)
  const end = window.indexOf(';')
  const name = end < 0 ? leadingNumber(window) : window.slice(0, end)
  const value = name.startsWith('#') ? numberOf(name.slice(1)) : (end >= 0 && NAMED[name]) || null
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

function hexOf(text: string, from: number, to: number): number | null {
  let value = to > from && to <= text.length ? 0 : -1
  for (let at = from; at < to && value >= 0; at++) {
    const digit = hexDigit(text.charCodeAt(at))
    value = digit < 0 ? -1 : 16 * value + digit
  }
  return value < 0 ? null : value
}

interface Region {
  from: number
  to: number
  escapes: Escape[]
}

/** A page of a hundred paragraphs with an entity in each is one text and not a hundred. */
const MAX_REGIONS = 8

function regions(text: string, escapes: Escape[], minSize: number): Region[] {
  const near = groupsOf(escapes, FURTHEST_APART).filter((group) => group.length >= minSize)
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
