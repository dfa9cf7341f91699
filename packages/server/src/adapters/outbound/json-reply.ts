/** The body of a reply as a value: strict JSON, of which only what is read is built. */
import { checkStrictJson, JsonError, parseJsonText, utf8Decode } from '@orch/core'
import { type FailureCode, type Members, OutboundFault } from './contract.ts'

/** A body that is no JSON by what was asked for. A mark of the byte order is no part of the text. */
export function parseText(bytes: Uint8Array): string {
  const text = utf8Decode(bytes)
  if (text === null) throw new OutboundFault('INVALID_SOURCE_TEXT')
  return text.replace(/^\uFEFF/, '')
}

/** Numbers come by their digits where the caller computes with them. `members`: of these alone a value is made, while all
 *  of the text is held to the rules. */
export function parseReply(bytes: Uint8Array, decimals: boolean, members: Members = true): unknown {
  const text = utf8Decode(bytes)
  if (text === null) throw new OutboundFault('INVALID_JSON')
  try {
    checkStrictJson(text)
  } catch (error) {
    if (error instanceof JsonError) throw new OutboundFault(faultCode(error, text))
    throw error
  }
  const wanted = members === true ? text : pickMembers(text, skipSpace(text, 0), members).text
  return parseJsonText(decimals ? quoteNumbers(wanted) : wanted)
}

function faultCode({ code, offset }: JsonError, text: string): FailureCode {
  if (code === 'duplicate_key') return 'DUPLICATE_JSON_KEY'
  const isNonfinite = code === 'number_range' || /^-?(?:NaN|Infinity)/.test(text.slice(offset, offset + 10))
  return isNonfinite ? 'NONFINITE_JSON' : 'INVALID_JSON'
}

const [QUOTE, BACKSLASH, MINUS, ZERO, NINE, COMMA] = [0x22, 0x5c, 0x2d, 0x30, 0x39, 0x2c]
const [OPEN_BRACKET, CLOSE_BRACKET, OPEN_BRACE, CLOSE_BRACE] = [0x5b, 0x5d, 0x7b, 0x7d]
const SPACES: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d])

/** Valid JSON with those members of its objects that are named. What is no object is left as it is: whoever reads it
 *  refuses it. */
function pickMembers(text: string, start: number, members: Members): { end: number; text: string } {
  if (members === true || text.charCodeAt(start) !== OPEN_BRACE) {
    const end = endOfValue(text, start)
    return { end, text: text.slice(start, end) }
  }
  const picked: string[] = []
  let at = skipSpace(text, start + 1)
  while (text.charCodeAt(at) !== CLOSE_BRACE) {
    const nameEnd = endOfString(text, at)
    const name = JSON.parse(text.slice(at, nameEnd)) as string
    // One character behind the name, and behind the spaces after it, stands the colon.
    const value = skipSpace(text, skipSpace(text, nameEnd) + 1)
    const found = Object.hasOwn(members, name) ? pickMembers(text, value, members[name]!) : null
    if (found !== null) picked.push(`${text.slice(at, nameEnd)}:${found.text}`)
    at = skipSpace(text, found?.end ?? endOfValue(text, value))
    if (text.charCodeAt(at) === COMMA) at = skipSpace(text, at + 1)
  }
  return { end: at + 1, text: `{${picked.join(',')}}` }
}

function skipSpace(text: string, start: number): number {
  let at = start
  while (SPACES.has(text.charCodeAt(at))) at += 1
  return at
}

function endOfValue(text: string, start: number): number {
  const code = text.charCodeAt(start)
  if (code === QUOTE) return endOfString(text, start)
  return code === OPEN_BRACE || code === OPEN_BRACKET ? endOfContainer(text, start) : endOfScalar(text, start)
}

function endOfContainer(text: string, start: number): number {
  let [at, depth] = [start, 0]
  do {
    const code = text.charCodeAt(at)
    if (code === OPEN_BRACE || code === OPEN_BRACKET) depth += 1
    else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) depth -= 1
    at = code === QUOTE ? endOfString(text, at) : at + 1
  } while (depth > 0)
  return at
}

const IN_SCALAR: ReadonlySet<number> = new Set([...'0123456789.eE+-truefalsnl'].map((char) => char.charCodeAt(0)))

function endOfScalar(text: string, start: number): number {
  let at = start
  while (IN_SCALAR.has(text.charCodeAt(at))) at += 1
  return at
}

/** Valid JSON with every number as a text of its decimal digits. One pass over the text: a reviver that is handed the
 *  digits of each number takes seconds for the largest replies, and nobody else is served meanwhile. */
function quoteNumbers(text: string): string {
  const parts: string[] = []
  let [copied, at] = [0, 0]
  while (at < text.length) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) at = endOfString(text, at)
    else if (code === MINUS || (code >= ZERO && code <= NINE)) {
      const end = endOfNumber(text, at)
      parts.push(text.slice(copied, at), '"', decimalText(text.slice(at, end)), '"')
      copied = end
      at = end
    } else at += 1
  }
  return parts.join('') + text.slice(copied)
}

/** Behind the quote that no odd number of backslashes stands before. */
function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); ; at = text.indexOf('"', at + 1)) {
    let before = at - 1
    while (text.charCodeAt(before) === BACKSLASH) before -= 1
    if ((at - before) % 2 === 1) return at + 1
  }
}

const IN_NUMBER: ReadonlySet<number> = new Set([...'0123456789.eE+-'].map((char) => char.charCodeAt(0)))

function endOfNumber(text: string, start: number): number {
  let at = start + 1
  while (IN_NUMBER.has(text.charCodeAt(at))) at += 1
  return at
}

const MAX_DIGITS = 31
const MAX_FRACTION = 30
/** Whole numbers that are written as they are. */
const PLAIN = /^(?:0|-?[1-9]\d{0,29})$/

/** Plain digits without an exponent and without zeros that say nothing; at most 1e30 and 30 digits after the point. */
export function decimalText(lexeme: string): string {
  if (PLAIN.test(lexeme)) return lexeme
  const [, sign = '', whole = '', fraction = '', power = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(lexeme) ?? []
  const exponent = Number(power)
  const digits = `${whole}${fraction}`.replace(/^0+/, '')
  if (digits === '' && whole !== '') return '0'
  // The point stands so many digits from the left; what lies far outside the bounds is refused before zeros are written.
  const point = digits.length - fraction.length + exponent
  const significant = digits.replace(/0+$/, '')
  if (whole === '' || point > MAX_DIGITS || significant.length - point > MAX_FRACTION)
    throw new OutboundFault('INVALID_SOURCE_NUMBER')
  const padded = significant.padStart(significant.length + Math.max(0, -point + 1), '0').padEnd(Math.max(1, point), '0')
  const at = point <= 0 ? padded.length - (significant.length - point) : point
  const [left, right] = [padded.slice(0, at), padded.slice(at)]
  if (left.length === MAX_DIGITS && !(left === `1${'0'.repeat(MAX_DIGITS - 1)}` && right === ''))
    throw new OutboundFault('INVALID_SOURCE_NUMBER')
  return `${sign}${left === '' ? '0' : left}${right === '' ? '' : `.${right}`}`
}
