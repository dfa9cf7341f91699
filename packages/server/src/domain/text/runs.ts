/** Where a text may carry another one: runs of base64, hex and tag characters, and stretches of percent escapes and
 *  HTML entities. Each finder reads every character a fixed number of times. */
import { characterClass } from './character-class.ts'
import { breaksUtf8, codePointAt, unitAt } from './code-points.ts'
import { gunzip, inflated, isGzip } from './inflate.ts'
import { latin1Of } from './mapped-text.ts'

export type Encoding =
  | 'base64'
  | 'base32'
  | 'hex'
  | 'percent'
  | 'quoted-printable'
  | 'html'
  | 'escape'
  | 'tag'
  | 'variation'

export interface Run {
  encoding: Encoding
  from: number
  to: number
  decoded: string
  /** Compressed, and not to be read to its end. */
  isUnread?: boolean
  /** Where letters stand between escapes: what each stretch of the decoded text was in the encoded one. */
  stretches?: Stretch[]
}

/** In the order of the decoded text, of which each is so many units: fewer than it was where it is decoded. */
export interface Stretch {
  from: number
  to: number
  size: number
}

const MIN_BASE64 = 16
const MIN_HEX = 32

/** How many bytes it is worth to unpack at this moment. */
export type UnpackLimit = () => number

/** One after the other, so that what the earlier ones used up is not unpacked for the later ones. */
export function* alphabetRuns(text: string, limit: UnpackLimit): Generator<Run> {
  for (let from = 0; from < text.length; ) {
    if (!isBase64(text.charCodeAt(from))) {
      from++
      continue
    }
    const to = runEnd(text, from)
    if (to - from >= MIN_BASE64) yield* readRun(text, from, to, limit)
    from = to
  }
}

/** A line break inside is the wrapping of a long value, never the end of one; so is the padding at the very end. */
function runEnd(text: string, from: number): number {
  let to = from
  while (to < text.length) {
    if (isBase64(text.charCodeAt(to))) to++
    else {
      const next = afterBreak(text, to)
      if (next === to || to - from < MIN_BASE64 || !isBase64(unitAt(text, next))) break
      to = next
    }
  }
  return to
}

export function afterBreak(text: string, at: number): number {
  let next = at
  if (unitAt(text, next) === 13) next++
  return unitAt(text, next) === 10 ? next + 1 : at
}

function readRun(text: string, from: number, to: number, limit: UnpackLimit): Run[] {
  const whole = readPiece(text, from, to, limit)
  return whole ? [whole] : readLines(text, from, to, limit)
}

/** Lines of one length and a shorter one behind them are one value; a word on the next line is none of it. */
function readLines(text: string, from: number, to: number, limit: UnpackLimit): Run[] {
  const runs: Run[] = []
  for (let begin = from; begin < to; ) {
    const { full, end } = blockAt(text, begin, to)
    // The whole of it was tried before.
    const isTried = (at: number): boolean => begin === from && at === to
    const tried = [end, full].filter((at, n) => !isTried(at) && (n > 0 || end > full))
    const run = tried.map((at) => readPiece(text, begin, at, limit)).find((found) => found !== null)
    if (run) runs.push(run)
    else runs.push(...readParts(text, begin, full, limit))
    begin = afterBreak(text, run && run.to > full ? end : full)
    if (begin === full) break
  }
  return runs
}

/** Where the lines end that are as long as the first, and where the shorter one behind them does. */
function blockAt(text: string, from: number, to: number): { full: number; end: number } {
  let full = lineEnd(text, from, to)
  const length = full - from
  for (;;) {
    const next = afterBreak(text, full)
    const end = lineEnd(text, next, to)
    if (next === full || next >= to || end - next > length) return { full, end: full }
    if (end - next < length) return { full, end }
    full = end
  }
}

function lineEnd(text: string, from: number, to: number): number {
  let end = from
  while (end < to && isBase64(text.charCodeAt(end))) end++
  return end
}

/** A path or a sentence around an encoded value is made of letters of its alphabet as well. */
function readParts(text: string, from: number, to: number, limit: UnpackLimit): Run[] {
  const runs: Run[] = []
  let begin = from
  for (let at = from; at <= to; at++) {
    if (at < to && isAlphanumeric(text.charCodeAt(at))) continue
    const run = at - begin >= MIN_BASE64 ? readPiece(text, begin, at, limit) : null
    if (run) runs.push(run)
    begin = at + 1
  }
  return runs
}

function readPiece(text: string, from: number, to: number, limit: UnpackLimit): Run | null {
  const letters = withoutBreaks(text.slice(from, to))
  const hex = letters.length >= MIN_HEX ? hexBytes(letters) : null
  const fromHex = hex && (isGzip(hex) ? unpacked(hex, { encoding: 'hex', from, to }, limit) : hexRun(hex, from, to))
  if (fromHex) return fromHex
  const fromBase64 = base64Run(letters, from, paddingEnd(text, to), limit)
  if (fromBase64) return fromBase64
  const fromBase32 = isBase32(letters) ? textOf(base32Bytes(letters)) : null
  return fromBase32 ? { encoding: 'base32', from, to: paddingEnd(text, to), decoded: fromBase32 } : null
}

function hexRun(bytes: Uint8Array, from: number, to: number): Run | null {
  const decoded = textOf(bytes)
  return decoded === null ? null : { encoding: 'hex', from, to, decoded }
}

/** Text, or text that was compressed. */
export function base64Run(letters: string, from: number, to: number, limit: UnpackLimit): Run | null {
  const bytes = base64Bytes(letters)
  if (bytes === null) return null
  if (isGzip(bytes)) return unpacked(bytes, { encoding: 'base64', from, to }, limit)
  const decoded = textOf(bytes) ?? wideTextOf(bytes) ?? inflatedText(bytes, limit)
  return decoded === null ? null : { encoding: 'base64', from, to, decoded }
}

/** Shorter than any sentence. */
const MIN_INFLATED = 16

/** Nothing marks these bytes as compressed, so what is no text in the end was none. */
function inflatedText(bytes: Uint8Array, limit: UnpackLimit): string | null {
  const read = inflated(bytes, maxUnpacked(bytes, limit))
  return read === null || read.length < MIN_INFLATED ? null : textOf(read)
}

function withoutBreaks(letters: string): string {
  return letters.includes('\n') ? letters.replaceAll('\r', '').replaceAll('\n', '') : letters
}

/** Base32 pads with up to six. */
const MAX_PADDING = 6

function paddingEnd(text: string, to: number): number {
  let end = to
  while (end < to + MAX_PADDING && unitAt(text, end) === 61) end++
  return end
}

export function hexBytes(letters: string): Uint8Array | null {
  if (letters.length % 2 !== 0 || /[^0-9a-fA-F]/.test(letters)) return null
  const bytes = new Uint8Array(letters.length / 2)
  for (let i = 0; i < bytes.length; i++)
    bytes[i] = 16 * hexValue(letters.charCodeAt(2 * i)) + hexValue(letters.charCodeAt(2 * i + 1))
  return bytes
}

/** Below nought for what is none. */
export function hexDigit(code: number): number {
  if (code >= 48 && code <= 57) return code - 48
  const letter = code | 32
  return letter >= 97 && letter <= 102 ? letter - 87 : -1
}

const hexValue = (code: number): number => (code < 58 ? code - 48 : (code & 0xdf) - 55)

/** Both alphabets at once and without padding: what a forgiving decoder downstream would read, this must read too. */
function base64Bytes(letters: string): Uint8Array | null {
  if (letters.length % 4 === 1) return null
  const bytes = new Uint8Array(Math.floor((letters.length * 3) / 4))
  let bits = 0
  let bitCount = 0
  let size = 0
  for (let i = 0; i < letters.length; i++) {
    bits = ((bits << 6) | (BASE64[letters.charCodeAt(i)] as number)) & 0xffff
    bitCount += 6
    if (bitCount < 8) continue
    bitCount -= 8
    bytes[size++] = (bits >> bitCount) & 0xff
  }
  return bytes
}

/** All letters in one case, and no digit but 2 to 7. */
function isBase32(letters: string): boolean {
  const first = letters.charCodeAt(0) >= 97 ? 97 : 65
  for (let i = 0; i < letters.length; i++) {
    const code = letters.charCodeAt(i)
    if ((code < 50 || code > 55) && (code < first || code > first + 25)) return false
  }
  return true
}

function base32Bytes(letters: string): Uint8Array {
  const bytes = new Uint8Array(Math.floor((letters.length * 5) / 8))
  let [bits, bitCount, size] = [0, 0, 0]
  for (let i = 0; i < letters.length; i++) {
    const code = letters.charCodeAt(i) & 0xdf
    bits = ((bits << 5) | (code >= 65 ? code - 65 : letters.charCodeAt(i) - 24)) & 0xffff
    bitCount += 5
    if (bitCount < 8) continue
    bitCount -= 8
    bytes[size++] = (bits >> bitCount) & 0xff
  }
  return bytes.subarray(0, size)
}

/** Text that shrinks more than this was made to. */
const MAX_GUNZIPPED = 32
const maxUnpacked = ({ length }: Uint8Array, limit: UnpackLimit): number => Math.min(MAX_GUNZIPPED * length, limit())

function unpacked(bytes: Uint8Array, carrier: Omit<Run, 'decoded'>, limit: UnpackLimit): Run | null {
  const read = gunzip(bytes, maxUnpacked(bytes, limit))
  if (read === null) return { ...carrier, decoded: '', isUnread: true }
  const decoded = textOf(read)
  return decoded === null ? null : { ...carrier, decoded }
}

const WIDE = { 0: new TextDecoder('utf-16be'), 1: new TextDecoder('utf-16le') } as const

/** UTF-16 of mostly ASCII letters: every other byte is empty. */
function wideTextOf(bytes: Uint8Array): string | null {
  const half = bytes.length >> 1
  for (const empty of [0, 1] as const) {
    let count = 0
    for (let i = empty; i < bytes.length; i += 2) if (bytes[i] === 0) count++
    if (2 * count > half) return printableOrNull(WIDE[empty].decode(bytes.subarray(0, 2 * half)))
  }
  return null
}

/** By letter of either alphabet; 63 for what is a letter of neither. */
const BASE64 = new Uint8Array(128).fill(63)
;[...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+'].forEach((letter, value) => {
  BASE64[letter.charCodeAt(0)] = value
})
BASE64['-'.charCodeAt(0)] = 62

export function isAlphanumeric(code: number): boolean {
  return (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122)
}

export function isBase64(code: number): boolean {
  return isAlphanumeric(code) || code === 43 || code === 47 || code === 45 || code === 95
}

/** What a decoded run must be to be read as text at all: strict UTF-8 of which at least 85 in 100 characters print. */
const MIN_PRINTABLE = 0.85
const isPrinting = characterClass(/[\p{L}\p{M}\p{N}\p{P}\p{S}\p{Zs}\t\n\r\p{Cf}]/u)
const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

export function textOf(bytes: Uint8Array): string | null {
  const read = screened(bytes)
  if (read === 'ascii') return latin1Of(bytes)
  if (read === 'no text') return null
  try {
    return printableOrNull(strict.decode(bytes))
  } catch (refused) {
    if (refused instanceof TypeError) return null
    throw refused
  }
}

/** Control bytes and bytes that continue nothing tell random bytes from text at once; a decoder that throws takes longer. */
function screened(bytes: Uint8Array): 'ascii' | 'maybe' | 'no text' {
  let [control, before, all] = [0, 0, 0]
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] as number
    if (breaksUtf8(before, byte)) return 'no text'
    if ((byte < 32 && byte !== 9 && byte !== 10 && byte !== 13) || byte === 127) control++
    all |= byte
    before = byte
  }
  const size = bytes.length
  if (all < 0x80) return size > 0 && size - control >= MIN_PRINTABLE * size ? 'ascii' : 'no text'
  return control <= (1 - MIN_PRINTABLE) * size + 1 ? 'maybe' : 'no text'
}

export function printableOrNull(text: string): string | null {
  let printable = 0
  let size = 0
  for (let unit = 0; unit < text.length; size++) {
    const value = codePointAt(text, unit)
    if (prints(value)) printable++
    unit += value > 0xffff ? 2 : 1
  }
  return size > 0 && printable >= MIN_PRINTABLE * size ? text : null
}

function prints(value: number): boolean {
  if (value < 127) return value >= 32 || value === 9 || value === 10 || value === 13
  return value !== 0xfffd && isPrinting(value)
}
