// What the walk needs of a receipt: its place in its chain, from bytes that have been shown to be a receipt body.
import { sha256Hex } from '../digest.ts'
import { DOCTRINE, GENESIS_PREV } from '../doctrine.ts'
import { utf8Decode } from '../encoding.ts'
import { RECEIPT_KINDS, RECEIPT_SCHEMA, type ReceiptBody } from '../receipt.ts'
import { type BodyReading, MAX_BODY, readBody } from './body.ts'

export type ReceiptLink = Pick<ReceiptBody, 'kind' | 'ns' | 'chain' | 'seq' | 'prev' | 'ts_utc'>
export type LinkReading = { ok: true; link: ReceiptLink; digest: string } | Extract<BodyReading, { ok: false }>

/** The same answer as `readBody`. Most bodies are so plain that their text says it all and no value has to be built. */
export function readLink(bytes: Uint8Array): LinkReading {
  const text = bytes.length <= MAX_BODY ? utf8Decode(bytes) : null
  const link = text === null ? null : plainLink(text)
  if (link) return { ok: true, link, digest: sha256Hex(bytes) }
  const reading = readBody(bytes)
  return reading.ok ? { ok: true, link: reading.body, digest: reading.digest } : reading
}

const NAME = '"([a-z0-9][a-z0-9._-]{0,63})"'
const TEXT = '"[ !#-[\\]-~]*"'
const TEXT_OR_NULL = `(?:null|${TEXT})`

/** All fields of a body in their one order, around the payload, which may hold anything. */
const BEFORE_PAYLOAD = new RegExp(
  `^\\{"actor":\\{"auth_mode":${TEXT_OR_NULL},"key_id":${TEXT_OR_NULL},"owner":${TEXT_OR_NULL}\\},"chain":${NAME},` +
    `"doctrine":"${DOCTRINE}","kind":"(${RECEIPT_KINDS.join('|')})","ns":${NAME},"payload":(?=\\{)`,
)
const AFTER_PAYLOAD = new RegExp(
  `,"policy":(?:null|\\{"policy_digest":${TEXT_OR_NULL},"rules_digest":${TEXT_OR_NULL}\\}),"prev":"([0-9a-f]{64})",` +
    `"request_id":${TEXT},"schema":"${RECEIPT_SCHEMA.replaceAll('.', '\\.')}","seq":(0|[1-9][0-9]{0,14}),` +
    `"ts_utc":"(\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z)"\\}$`,
  'y',
)

/** Null where the text is no plain body; it may be one all the same. */
export function plainLink(text: string): ReceiptLink | null {
  const before = BEFORE_PAYLOAD.exec(text)
  if (!before) return null
  const [start, chain, kind, ns] = before as unknown as [string, string, ReceiptLink['kind'], string]
  const end = plainValueEnd(text, start.length)
  if (end < 0) return null
  AFTER_PAYLOAD.lastIndex = end
  const after = AFTER_PAYLOAD.exec(text)
  if (!after) return null
  const [, prev, position, ts_utc] = after as unknown as [string, string, string, string]
  const seq = Number(position)
  // Only the first receipt of a chain follows 64 zeros; whatever breaks a rule is named by the full reader.
  return (seq === 0) === (prev === GENESIS_PREV) ? { kind, ns, chain, seq, prev, ts_utc } : null
}

const QUOTE = 0x22
const COMMA = 0x2c
const MINUS = 0x2d
const DOT = 0x2e
const COLON = 0x3a
const OPEN_BRACKET = 0x5b
const BACKSLASH = 0x5c
const CLOSE_BRACKET = 0x5d
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d

/** Far fewer than the full reader allows; the recursion ends here. */
const MAX_DEPTH = 32
/** Integers of this many digits are safe. */
const MAX_DIGITS = 15
/** Below it Python prints an exponent. */
const SMALLEST_DECIMAL = 1e-4

/**
 * Says of a JSON text, without building its value, that it is canonical in the plainest way: ASCII, nothing escaped, keys
 * in strictly rising order, no white space, numbers as every language prints them. It may decline what is canonical all
 * the same, and the full comparison decides then; what it accepts is canonical. The text is the sender's. Gives the
 * offset after the value that starts at `at`, or -1 where it is not plain.
 */
export function plainValueEnd(text: string, at: number, depth = 0): number {
  const code = text.charCodeAt(at)
  if (code === QUOTE) return stringEnd(text, at)
  if (code === OPEN_BRACE) return depth < MAX_DEPTH ? objectEnd(text, at, depth + 1) : -1
  if (code === OPEN_BRACKET) return depth < MAX_DEPTH ? arrayEnd(text, at, depth + 1) : -1
  if (code === MINUS || isDigit(code)) return numberEnd(text, at)
  return wordEnd(text, at)
}

function objectEnd(text: string, start: number, depth: number): number {
  if (text.charCodeAt(start + 1) === CLOSE_BRACE) return start + 2
  let before: string | null = null
  for (let at = start; ; ) {
    const colon = stringEnd(text, at + 1)
    if (colon < 0 || text.charCodeAt(colon) !== COLON) return -1
    const key = text.slice(at + 2, colon - 1)
    if (before !== null && key <= before) return -1
    before = key
    at = plainValueEnd(text, colon + 1, depth)
    if (at < 0) return -1
    const code = text.charCodeAt(at)
    if (code === CLOSE_BRACE) return at + 1
    if (code !== COMMA) return -1
  }
}

function arrayEnd(text: string, start: number, depth: number): number {
  if (text.charCodeAt(start + 1) === CLOSE_BRACKET) return start + 2
  for (let at = start; ; ) {
    at = plainValueEnd(text, at + 1, depth)
    if (at < 0) return -1
    const code = text.charCodeAt(at)
    if (code === CLOSE_BRACKET) return at + 1
    if (code !== COMMA) return -1
  }
}

/** The end of the text reads as NaN, which is none of the characters that go on. */
function stringEnd(text: string, start: number): number {
  if (text.charCodeAt(start) !== QUOTE) return -1
  for (let at = start + 1; ; at += 1) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) return at + 1
    if (!(code >= 0x20 && code < 0x7f) || code === BACKSLASH) return -1
  }
}

function numberEnd(text: string, start: number): number {
  const first = text.charCodeAt(start) === MINUS ? start + 1 : start
  let at = first
  while (isDigit(text.charCodeAt(at))) at += 1
  const digits = at - first
  if (digits === 0 || digits > MAX_DIGITS) return -1
  if (text.charCodeAt(at) === DOT) return decimalEnd(text, start, at + 1)
  const isZero = text.charCodeAt(first) === 0x30
  return isZero && (digits > 1 || first > start) ? -1 : at
}

/** A fraction is compared with what the language prints: its own shortest form is the canonical one. */
function decimalEnd(text: string, start: number, from: number): number {
  let at = from
  while (isDigit(text.charCodeAt(at))) at += 1
  const written = text.slice(start, at)
  const value = Number(written)
  return `${value}` === written && Math.abs(value) >= SMALLEST_DECIMAL ? at : -1
}

const WORDS = ['true', 'false', 'null']

function wordEnd(text: string, at: number): number {
  for (const word of WORDS) if (text.startsWith(word, at)) return at + word.length
  return -1
}

const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39
