/** NFKC, invisible characters removed, white space to one space, lower case; each step keeps the way back to the raw
 *  code points. `plain` stops before the case is lost: base64 and access keys are told apart by case. */
import { characterClass } from './character-class.ts'
import { codePointAt } from './code-points.ts'
import { isInvisible, isOrthographic } from './invisible.ts'
import { type MappedText, MappedWriter } from './mapped-text.ts'

export interface Plain extends MappedText {
  /** Raw offsets of the invisible characters that nothing in the spelling asks for, ascending. */
  invisibleAt: number[]
  /** The text as received but for what nobody sees. */
  visible: string
  /** The text grew beyond its bound and the rest of it is missing here. */
  cut: boolean
}

/** Beyond the thirty marks of a stream-safe text a cluster is cut: reordering marks costs the square of their number. */
const MAX_MARKS = 30
/** What NFKC may merge into the character before it: marks, trailing jamo, half-width voicing marks. */
const joinsLeft = characterClass(/[\p{M}\u1160-\u11ff\ud7b0-\ud7ff\uff9e\uff9f]/u)
/** Anything but ASCII without control characters other than white space. */
const UNUSUAL = /[^\t-\r -~]/

/** Anything but printable ASCII. */
const BEYOND = /[^ -~]/
/** White space that is not one space: a control character, two spaces in a row, or one beyond ASCII. */
const WIDE_SPACE = /[\t-\r\u0085\u1680\u2028\u2029]| {2}/

/** One character may become eighteen: beyond this a text is made to grow, and reading all of it is the attack. */
const MAX_GROWTH = 2
const FREE_GROWTH = 4096

export function plainOf(raw: MappedText): Plain {
  if (!UNUSUAL.test(raw.text)) return { ...raw, invisibleAt: [], visible: raw.text, cut: false }
  const { seen, invisibleAt } = withoutInvisible(raw)
  const maxLength = MAX_GROWTH * raw.text.length + FREE_GROWTH
  const writer = new MappedWriter(seen.text.length)
  let from = 0
  while (from < seen.text.length && writer.length <= maxLength) {
    const to = clusterEnd(seen.text, from)
    const code = seen.text.charCodeAt(from)
    const [start, end] = [seen.startOffsets[from] as number, seen.endOffsets[to - 1] as number]
    if (to === from + 1 && code < 128) writer.unit(code, start, end)
    else writer.push(seen.text.slice(from, to).normalize('NFKC'), start, end)
    from = to
  }
  return { ...writer.done(), invisibleAt, visible: seen.text, cut: from < seen.text.length }
}

const isDecimal = characterClass(/\p{Nd}/u)
const OTHER_DIGIT = /[^\P{Nd}0-9]/u

/** A digit of any script as ASCII writes it: each script has its ten in a row, and none borders on another's. */
function plainDigit(code: number): number {
  if (code < 0x660 || !isDecimal(code)) return code
  let value = 0
  while (isDecimal(code - value - 1)) value++
  return 48 + (value % 10)
}

/** White space to one space, digits to those of ASCII and nothing else: so values are read, whoever writes them. */
export function collapsedOf(plain: MappedText): MappedText {
  const { text, startOffsets, endOffsets } = plain
  if (!WIDE_SPACE.test(text) && !OTHER_DIGIT.test(text)) return plain
  const writer = new MappedWriter(text.length)
  for (let unit = 0; unit < text.length; ) {
    const code = text.charCodeAt(unit)
    const end = isSpace(code) ? spaceEnd(text, unit) : unit + 1
    writer.unit(isSpace(code) ? 32 : plainDigit(code), startOffsets[unit] as number, endOffsets[end - 1] as number)
    unit = end
  }
  return writer.done()
}

export const foldedOf = (plain: MappedText): MappedText => loweredOf(collapsedOf(plain))

export function loweredOf({ text, startOffsets, endOffsets }: MappedText): MappedText {
  // Every unit stays where it is: no letter beyond ASCII that may grow when lowered.
  if (!BEYOND.test(text)) return { text: text.toLowerCase(), startOffsets, endOffsets }
  const writer = new MappedWriter(text.length)
  for (let unit = 0; unit < text.length; ) {
    const value = codePointAt(text, unit)
    const end = unit + sizeOf(value)
    const [from, to] = [startOffsets[unit] as number, endOffsets[end - 1] as number]
    if (value < 128) writer.unit(value >= 65 && value <= 90 ? value + 32 : value, from, to)
    else writer.push(String.fromCodePoint(value).toLowerCase(), from, to)
    unit = end
  }
  return writer.done()
}

const sizeOf = (value: number): number => (value > 0xffff ? 2 : 1)

function withoutInvisible(raw: MappedText): { seen: MappedText; invisibleAt: number[] } {
  const invisibleAt: number[] = []
  const writer = new MappedWriter(raw.text.length)
  let before: number | undefined
  for (let unit = 0; unit < raw.text.length; ) {
    const value = codePointAt(raw.text, unit)
    const next = unit + sizeOf(value)
    const start = raw.startOffsets[unit] as number
    if (!isInvisible(value))
      for (let at = unit; at < next; at++) writer.unit(raw.text.charCodeAt(at), start, raw.endOffsets[unit] as number)
    else if (!isOrthographic(before, value, next < raw.text.length ? codePointAt(raw.text, next) : undefined))
      invisibleAt.push(start)
    before = value
    unit = next
  }
  return { seen: writer.done(), invisibleAt }
}

function clusterEnd(text: string, from: number): number {
  let to = from + sizeOf(codePointAt(text, from))
  for (let marks = 0; marks < MAX_MARKS && to < text.length; marks++) {
    const value = codePointAt(text, to)
    if (value < 0x300 || !joinsLeft(value)) break
    to += sizeOf(value)
  }
  return to
}

function isSpace(value: number): boolean {
  return value === 32 || (value >= 9 && value <= 13) || value === 0x85 || (value > 0x167f && OTHER_SPACE.has(value))
}

/** What NFKC leaves of the white space beyond ASCII. */
const OTHER_SPACE = new Set([0x1680, 0x2028, 0x2029])

function spaceEnd(text: string, from: number): number {
  let to = from
  while (to < text.length && isSpace(text.charCodeAt(to))) to++
  return to
}
