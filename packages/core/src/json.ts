// Strict JSON input. Everything that arrives from outside passes here before anybody reads a field of it, so the
// bytes are the attacker's. JSON.parse alone keeps the last of two equal keys, lets lone surrogates and Infinity
// through and nests without limit: each of these lets two readers of the same signed bytes see different things.
// One pass checks the text, then the native parser builds the value from text already known to be clean. -0 is read as 0:
// it has no canonical form of its own, and what is computed from it may have none at all.
import { utf8Decode } from './encoding.ts'
import { parseJsonText } from './json-text.ts'

export type JsonValue = null | boolean | number | string | JsonValue[] | { [key: string]: JsonValue }
export type JsonErrorCode =
  | 'invalid_utf8'
  | 'syntax'
  | 'duplicate_key'
  | 'lone_surrogate'
  | 'depth'
  | 'number_range'
  | 'values'
export type JsonPath = (string | number)[]

const MESSAGES: Record<JsonErrorCode, string> = {
  invalid_utf8: 'the input is not valid UTF-8',
  syntax: 'the input is not valid JSON',
  duplicate_key: 'an object holds the same key twice',
  lone_surrogate: 'a string holds a surrogate without its partner',
  depth: 'the input is nested too deeply',
  number_range: 'a number is too large for a double',
  values: 'the input holds too many values',
}

/** The message is a constant: nothing the sender wrote is echoed, save the keys that `path` is made of. */
export class JsonError extends Error {
  readonly code: JsonErrorCode
  readonly path: JsonPath
  /** In bytes for `invalid_utf8`, else in UTF-16 code units of the decoded text. */
  readonly offset: number

  constructor(code: JsonErrorCode, path: JsonPath, offset: number) {
    super(MESSAGES[code])
    this.name = 'JsonError'
    this.code = code
    this.path = path
    this.offset = offset
  }
}

/** Where an offset into a text lies, counted from 1, as editors show it. */
export function placeAt(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset)
  const lineStart = before.lastIndexOf('\n') + 1
  let line = 1
  for (let at = before.indexOf('\n'); at >= 0; at = before.indexOf('\n', at + 1)) line += 1
  return { line, column: offset - lineStart + 1 }
}

/** The same as the end of a sentence. Bytes that are no text have no lines. */
export function placeOf({ offset }: JsonError, input: string | Uint8Array): string {
  const text = typeof input === 'string' ? input : utf8Decode(input)
  if (text === null) return ` at byte ${offset + 1}`
  const { line, column } = placeAt(text, offset)
  return ` at line ${line}, column ${column}`
}

const DEFAULT_DEPTH = 64
/** The scanner recurses once per level, so the caller may not ask for more than the smallest stack can hold. */
const MAX_DEPTH = 512

export interface JsonBounds {
  maxDepth?: number
  /** Lists, objects and what stands in them, counted before any of it is built; without it only the length bounds them. */
  maxValues?: number
}

export function parseStrictJson(input: Uint8Array | string, options: JsonBounds = {}): JsonValue {
  const text = typeof input === 'string' ? input : decodeUtf8(input)
  const { holdsMinusZero } = scanned(text, options)
  const value = parseJsonText(text)
  return holdsMinusZero ? withPlainZeros(value) : value
}

/** The same for those who build no value of all of it: throws where the text is no strict JSON. */
export function checkStrictJson(text: string, options: JsonBounds = {}): void {
  scanned(text, options)
}

function scanned(text: string, options: JsonBounds): Scanner {
  const { maxDepth = DEFAULT_DEPTH, maxValues = Number.POSITIVE_INFINITY } = options
  if (!Number.isInteger(maxDepth) || maxDepth < 0 || maxDepth > MAX_DEPTH) {
    throw new RangeError(`maxDepth must be an integer from 0 to ${MAX_DEPTH}`)
  }
  const scanner = new Scanner(text, maxDepth, maxValues)
  scanner.document()
  return scanner
}

/** Changes the value in place; it recurses as deep as the scanner did. */
function withPlainZeros(value: JsonValue): JsonValue {
  if (typeof value === 'number') return value + 0
  if (typeof value !== 'object' || value === null) return value
  const fields = value as Record<string, JsonValue>
  for (const [name, field] of Object.entries(fields)) fields[name] = withPlainZeros(field)
  return value
}

/** The same for input that may be anything: null for what is no strict JSON, and for the value null. */
export function strictJsonOrNull(input: Uint8Array | string): JsonValue {
  try {
    return parseStrictJson(input)
  } catch (error) {
    if (error instanceof JsonError) return null
    throw error
  }
}

/** A byte order mark stays in the text, where the grammar refuses it. */
function decodeUtf8(bytes: Uint8Array): string {
  const text = utf8Decode(bytes)
  if (text === null) throw new JsonError('invalid_utf8', [], firstInvalidByte(bytes))
  return text
}

/** A valid prefix survives decoding and encoding unchanged: the first difference lies in the first faulty sequence. */
function firstInvalidByte(bytes: Uint8Array): number {
  const repaired = new TextEncoder().encode(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes))
  let at = 0
  while (at < bytes.length && bytes[at] === repaired[at]) at++
  return at
}

const QUOTE = 0x22
const COMMA = 0x2c
const MINUS = 0x2d
const DOT = 0x2e
const COLON = 0x3a
const BACKSLASH = 0x5c
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
const LETTER_U = 0x75

/** Below this many keys a linear search beats a Set; above it the Set keeps hostile objects linear. */
const FEW_KEYS = 16
/** A number without exponent and no longer than this cannot reach the largest double (309 digits). */
const SHORT_NUMBER = 300

/** RFC 8259 grammar by recursive descent; `maxDepth` bounds the recursion before an attacker's brackets can. */
class Scanner {
  private readonly text: string
  private readonly maxDepth: number
  private valuesLeft: number
  private readonly path: JsonPath = []
  private at = 0
  private depth = 0
  /** How many entries of `path` describe where the scanner is now; those beyond are left over from a sibling. */
  private known = 0
  private escaped = false
  holdsMinusZero = false

  constructor(text: string, maxDepth: number, maxValues: number) {
    this.text = text
    this.maxDepth = maxDepth
    this.valuesLeft = maxValues
  }

  document(): void {
    this.value(this.skipSpace())
    this.skipSpace()
    if (this.at < this.text.length) this.fail('syntax')
  }

  private value(code: number): void {
    if (this.valuesLeft-- <= 0) this.fail('values')
    if (code === QUOTE) this.string()
    else if (code === OPEN_BRACE) this.object()
    else if (code === OPEN_BRACKET) this.array()
    else if (code === MINUS || isDigit(code)) this.number()
    else this.literal(code)
  }

  private object(): void {
    this.enter()
    const keys = new KeyList()
    if (this.skipSpace() !== CLOSE_BRACE) {
      do {
        this.member(keys)
      } while (this.another(CLOSE_BRACE))
    }
    this.leave()
  }

  private member(keys: KeyList): void {
    // What is no key belongs to the object, and not to the member before it.
    this.known = this.depth - 1
    if (this.skipSpace() !== QUOTE) this.fail('syntax')
    const start = this.at
    const key = this.key()
    this.locate(key)
    if (!keys.add(key)) this.fail('duplicate_key', start)
    if (this.skipSpace() !== COLON) this.fail('syntax')
    this.at++
    this.value(this.skipSpace())
  }

  /**
   * Unescaped before it is compared: "a" and "\u0061" are the same key to every reader downstream. Until the key is
   * known the path ends at its object, so a faulty key is never part of a path that must itself be sent as UTF-8.
   */
  private key(): string {
    const start = this.at
    this.string()
    return this.escaped ? JSON.parse(this.text.slice(start, this.at)) : this.text.slice(start + 1, this.at - 1)
  }

  private array(): void {
    this.enter()
    let index = 0
    if (this.skipSpace() !== CLOSE_BRACKET) {
      do {
        this.locate(index++)
        this.value(this.skipSpace())
      } while (this.another(CLOSE_BRACKET))
    }
    this.leave()
  }

  private enter(): void {
    if (this.depth === this.maxDepth) this.fail('depth')
    this.depth++
    this.at++
  }

  private locate(step: string | number): void {
    this.path[this.depth - 1] = step
    this.known = this.depth
  }

  private leave(): void {
    this.known = --this.depth
    this.at++
  }

  private another(close: number): boolean {
    const code = this.skipSpace()
    if (code === close) return false
    if (code !== COMMA) this.fail('syntax')
    this.at++
    return true
  }

  private string(): void {
    const { text } = this
    this.escaped = false
    for (let at = this.at + 1; at < text.length; at++) {
      const code = text.charCodeAt(at)
      if (code > BACKSLASH && code < 0xd800) continue
      if (code === QUOTE) {
        this.at = at + 1
        return
      }
      if (code < 0x20) this.fail('syntax', at)
      if (code === BACKSLASH) at = this.escape(at)
      else if (isSurrogate(code)) at = this.pair(at, code, text.charCodeAt(at + 1), at + 1)
    }
    this.fail('syntax', text.length)
  }

  /** Returns the offset of the last code unit of the escape that starts at `at`. */
  private escape(at: number): number {
    this.escaped = true
    const code = this.text.charCodeAt(at + 1)
    if (code !== LETTER_U) {
      if (!isShortEscape(code)) this.fail('syntax', at)
      return at + 1
    }
    const unit = this.hexUnit(at)
    if (unit < 0) this.fail('syntax', at)
    if (!isSurrogate(unit)) return at + 5
    return this.pair(at, unit, this.hexUnit(at + 6), at + 11)
  }

  /** A high surrogate must be followed by a low one of the same spelling; mixing raw and escaped halves is refused. */
  private pair(at: number, high: number, low: number, end: number): number {
    const paired = high < 0xdc00 && low >= 0xdc00 && low <= 0xdfff
    if (!paired) this.fail('lone_surrogate', at)
    return end
  }

  /** The code unit of a \uXXXX escape at `at`, or -1 where there is none. */
  private hexUnit(at: number): number {
    const { text } = this
    if (text.charCodeAt(at) !== BACKSLASH || text.charCodeAt(at + 1) !== LETTER_U) return -1
    let unit = 0
    for (let i = at + 2; i < at + 6; i++) {
      const digit = hexDigit(text.charCodeAt(i))
      if (digit < 0) return -1
      unit = unit * 16 + digit
    }
    return unit
  }

  private number(): void {
    const { text } = this
    const start = this.at
    if (text.charCodeAt(this.at) === MINUS) this.at++
    if (text.charCodeAt(this.at) === 0x30) this.at++
    else this.digits()
    if (text.charCodeAt(this.at) === DOT) {
      this.at++
      this.digits()
    }
    const exponent = this.exponent()
    if (text.charCodeAt(start) === MINUS && Number(text.slice(start, this.at)) === 0) this.holdsMinusZero = true
    if (!exponent && this.at - start <= SHORT_NUMBER) return
    if (!Number.isFinite(Number(text.slice(start, this.at)))) this.fail('number_range', start)
  }

  private exponent(): boolean {
    if ((this.text.charCodeAt(this.at) | 0x20) !== 0x65) return false
    this.at++
    const sign = this.text.charCodeAt(this.at)
    if (sign === MINUS || sign === 0x2b) this.at++
    this.digits()
    return true
  }

  private digits(): void {
    const start = this.at
    while (isDigit(this.text.charCodeAt(this.at))) this.at++
    if (this.at === start) this.fail('syntax')
  }

  private literal(code: number): void {
    const word = code === 0x74 ? 'true' : code === 0x66 ? 'false' : 'null'
    if (!this.text.startsWith(word, this.at)) this.fail('syntax')
    this.at += word.length
  }

  private skipSpace(): number {
    let code = this.text.charCodeAt(this.at)
    while (code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09) code = this.text.charCodeAt(++this.at)
    return code
  }

  private fail(code: JsonErrorCode, offset = this.at): never {
    throw new JsonError(code, this.path.slice(0, this.known), offset)
  }
}

class KeyList {
  private readonly few: string[] = []
  private many: Set<string> | null = null

  /** False when the key is already there. */
  add(key: string): boolean {
    if (this.many === null) {
      if (this.few.includes(key)) return false
      if (this.few.push(key) > FEW_KEYS) this.many = new Set(this.few)
      return true
    }
    const size = this.many.size
    return this.many.add(key).size > size
  }
}

const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39
const isSurrogate = (code: number): boolean => code >= 0xd800 && code <= 0xdfff
/** One of " \ / b f n r t after the backslash. */
const isShortEscape = (code: number): boolean => code < 0x80 && '"\\/bfnrt'.includes(String.fromCharCode(code))

function hexDigit(code: number): number {
  if (isDigit(code)) return code - 0x30
  const letter = code | 0x20
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1
}
