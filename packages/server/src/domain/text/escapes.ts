// Percent escapes and HTML entities stand between ordinary letters, so what is decoded is the stretch of words that
// holds them. Escapes further apart than a sentence belong to different stretches.
import { printableOrNull } from './printable.ts'
import type { Run } from './runs.ts'

const LEAST_PERCENT = 3
const LEAST_ENTITIES = 1
const FURTHEST_APART = 64
const LONGEST_ENTITY = 10

interface Escape {
  from: number
  to: number
  /** The byte of a percent escape or the character of an entity. */
  value: number
}

export function percentRuns(text: string): Run[] {
  return stretches(text, percentEscapes(text), LEAST_PERCENT).flatMap(({ from, to, escapes }) => {
    const decoded = printableOrNull(percentDecoded(text, from, to, escapes))
    return decoded === null ? [] : [{ encoding: 'percent' as const, from, to, decoded }]
  })
}

export function entityRuns(text: string): Run[] {
  return stretches(text, entities(text), LEAST_ENTITIES).flatMap(({ from, to, escapes }) => {
    const decoded = printableOrNull(written(text, from, to, escapes, ({ value }) => String.fromCodePoint(value)))
    return decoded === null ? [] : [{ encoding: 'html' as const, from, to, decoded }]
  })
}

function percentEscapes(text: string): Escape[] {
  const found: Escape[] = []
  for (let at = text.indexOf('%'); at >= 0; at = text.indexOf('%', at + 1)) {
    const value = hexOf(text, at + 1, at + 3)
    if (value !== null) found.push({ from: at, to: at + 3, value })
  }
  return found
}

/** Bytes that are no UTF-8 become the replacement character: one of them must not shield the rest from being read. */
function percentDecoded(text: string, from: number, to: number, escapes: Escape[]): string {
  const bytes: number[] = []
  const lenient = new TextDecoder()
  const flush = (): string => lenient.decode(Uint8Array.from(bytes.splice(0)))
  let out = ''
  let at = from
  for (const mark of escapes) {
    if (mark.from > at) out += flush() + text.slice(at, mark.from)
    bytes.push(mark.value)
    at = mark.to
  }
  return out + flush() + text.slice(at, to)
}

const NAMED: Readonly<Record<string, number>> = {
  amp: 38,
  lt: 60,
  gt: 62,
  quot: 34,
  apos: 39,
  nbsp: 32,
  sol: 47,
  colon: 58,
  lpar: 40,
  rpar: 41,
  period: 46,
  comma: 44,
  num: 35,
  excl: 33,
  Tab: 9,
  NewLine: 10,
}

function entities(text: string): Escape[] {
  const found: Escape[] = []
  for (let at = text.indexOf('&'); at >= 0; at = text.indexOf('&', at + 1)) {
    const mark = entityAt(text, at)
    if (mark) found.push(mark)
  }
  return found
}

function entityAt(text: string, from: number): Escape | null {
  const window = text.slice(from + 1, from + 1 + LONGEST_ENTITY)
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
  const digits = text.slice(from, to)
  return digits.length === to - from && !/[^0-9a-fA-F]/.test(digits) ? Number.parseInt(digits, 16) : null
}

interface Stretch {
  from: number
  to: number
  escapes: Escape[]
}

function stretches(text: string, escapes: Escape[], least: number): Stretch[] {
  const groups: Escape[][] = []
  for (const mark of escapes) {
    const group = groups.at(-1)
    if (group && mark.from - (group.at(-1) as Escape).to <= FURTHEST_APART) group.push(mark)
    else groups.push([mark])
  }
  return groups
    .filter((group) => group.length >= least)
    .map((group) => ({
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

function written(text: string, from: number, to: number, escapes: Escape[], letter: (mark: Escape) => string): string {
  let out = ''
  let at = from
  for (const mark of escapes) {
    out += text.slice(at, mark.from) + letter(mark)
    at = mark.to
  }
  return out + text.slice(at, to)
}
