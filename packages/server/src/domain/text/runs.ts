/** Where a text may carry another one: runs of base64, hex and tag characters, and stretches of percent escapes and
 *  HTML entities. Each finder reads every character a fixed number of times. */
import { characterClass } from './character-class.ts'

export type Encoding = 'base64' | 'hex' | 'percent' | 'html' | 'tag'

export interface Run {
  encoding: Encoding
  from: number
  to: number
  decoded: string
  /** Where letters stand between escapes: what each stretch of the decoded text was in the encoded one. */
  stretches?: Stretch[]
}

export interface Stretch {
  text: string
  from: number
  to: number
}

const MIN_BASE64 = 16
const MIN_HEX = 32

export function alphabetRuns(text: string): Run[] {
  const runs: Run[] = []
  for (let from = 0; from < text.length; ) {
    if (!isBase64(text.charCodeAt(from))) {
      from++
      continue
    }
    const to = runEnd(text, from)
    if (to - from >= MIN_BASE64) runs.push(...readRun(text, from, to))
    from = to
  }
  return runs
}

/** A line break inside is the wrapping of a long value, never the end of one; so is the padding at the very end. */
function runEnd(text: string, from: number): number {
  let to = from
  while (to < text.length) {
    if (isBase64(text.charCodeAt(to))) to++
    else {
      const next = afterBreak(text, to)
      if (next === to || to - from < MIN_BASE64 || !isBase64(text.charCodeAt(next))) break
      to = next
    }
  }
  return to
}

function afterBreak(text: string, at: number): number {
  let next = at
  if (text.charCodeAt(next) === 13) next++
  return text.charCodeAt(next) === 10 ? next + 1 : at
}

function readRun(text: string, from: number, to: number): Run[] {
  const whole = readPiece(text, from, to)
  return whole ? [whole] : readParts(text, from, to)
}

/** A path or a sentence around an encoded value is made of letters of its alphabet as well. */
function readParts(text: string, from: number, to: number): Run[] {
  const runs: Run[] = []
  let begin = from
  for (let at = from; at <= to; at++) {
    if (at < to && isAlphanumeric(text.charCodeAt(at))) continue
    const run = at - begin >= MIN_BASE64 ? readPiece(text, begin, at) : null
    if (run) runs.push(run)
    begin = at + 1
  }
  return runs
}

function readPiece(text: string, from: number, to: number): Run | null {
  const letters = withoutBreaks(text.slice(from, to))
  const hex = letters.length >= MIN_HEX ? hexBytes(letters) : null
  const fromHex = hex && textOf(hex)
  if (fromHex) return { encoding: 'hex', from, to, decoded: fromHex }
  const bytes = base64Bytes(letters)
  const decoded = bytes && textOf(bytes)
  if (!decoded) return null
  return { encoding: 'base64', from, to: paddingEnd(text, to), decoded }
}

function withoutBreaks(letters: string): string {
  return letters.includes('\n') ? letters.replaceAll('\r', '').replaceAll('\n', '') : letters
}

function paddingEnd(text: string, to: number): number {
  let end = to
  while (end < to + 2 && text.charCodeAt(end) === 61) end++
  return end
}

function hexBytes(letters: string): Uint8Array | null {
  if (letters.length % 2 !== 0 || /[^0-9a-fA-F]/.test(letters)) return null
  const bytes = new Uint8Array(letters.length / 2)
  for (let i = 0; i < bytes.length; i++) bytes[i] = Number.parseInt(letters.slice(2 * i, 2 * i + 2), 16)
  return bytes
}

/** Both alphabets at once and without padding: what a forgiving decoder downstream would read, this must read too. */
function base64Bytes(letters: string): Uint8Array | null {
  if (letters.length % 4 === 1) return null
  const bytes = new Uint8Array(Math.floor((letters.length * 3) / 4))
  let bits = 0
  let bitCount = 0
  let size = 0
  for (let i = 0; i < letters.length; i++) {
    bits = ((bits << 6) | base64Value(letters.charCodeAt(i))) & 0xffff
    bitCount += 6
    if (bitCount < 8) continue
    bitCount -= 8
    bytes[size++] = (bits >> bitCount) & 0xff
  }
  return bytes
}

function base64Value(code: number): number {
  if (code >= 65 && code <= 90) return code - 65
  if (code >= 97 && code <= 122) return code - 71
  if (code >= 48 && code <= 57) return code + 4
  return code === 43 || code === 45 ? 62 : 63
}

function isAlphanumeric(code: number): boolean {
  return (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122)
}

function isBase64(code: number): boolean {
  return isAlphanumeric(code) || code === 43 || code === 47 || code === 45 || code === 95
}

/** What a decoded run must be to be read as text at all: strict UTF-8 of which at least 85 in 100 characters print. */
const MIN_PRINTABLE = 0.85
const isPrinting = characterClass(/[\p{L}\p{M}\p{N}\p{P}\p{S}\p{Zs}\t\n\r\p{Cf}]/u)
const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function textOf(bytes: Uint8Array): string | null {
  try {
    return printableOrNull(strict.decode(bytes))
  } catch (refused) {
    if (refused instanceof TypeError) return null
    throw refused
  }
}

export function printableOrNull(text: string): string | null {
  let printable = 0
  let size = 0
  for (let unit = 0; unit < text.length; size++) {
    const value = text.codePointAt(unit) as number
    if (prints(value)) printable++
    unit += value > 0xffff ? 2 : 1
  }
  return size > 0 && printable >= MIN_PRINTABLE * size ? text : null
}

function prints(value: number): boolean {
  if (value < 127) return value >= 32 || value === 9 || value === 10 || value === 13
  return value !== 0xfffd && isPrinting(value)
}
