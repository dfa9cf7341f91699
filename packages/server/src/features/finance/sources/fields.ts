/** Reads the fields of a reply. Whoever answers controls every one of them: what is not what it must be ends the reading
 *  with a closed code, and nothing of it is repeated. Numbers come as their digits and stay decimals. */
import Big from 'big.js'

type SourceFaultCode =
  | `INVALID_SOURCE_${'SCHEMA' | 'COLLECTION' | 'TEXT' | 'NUMBER' | 'IDENTIFIER' | 'TIMESTAMP'}`
  | 'MISSING_SOURCE_FIELD'
  | 'IDENTITY_MISMATCH'

/** The reply is not what its source documents. */
export class SourceFault extends Error {
  readonly code: SourceFaultCode

  constructor(code: SourceFaultCode) {
    super(code)
    this.code = code
  }
}

const refuse = (code: SourceFaultCode): never => {
  throw new SourceFault(code)
}

export type Fields = Readonly<Record<string, unknown>>

const MAX_ITEMS = 200_000
const MAX_TEXT = 10_000

export const objectIn = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Fields)
    : refuse('INVALID_SOURCE_SCHEMA')

export const listIn = (value: unknown): readonly unknown[] =>
  Array.isArray(value) && value.length <= MAX_ITEMS ? value : refuse('INVALID_SOURCE_COLLECTION')

/** The field itself and never one of the prototype. */
export const given = (fields: Fields, name: string): unknown =>
  Object.hasOwn(fields, name) ? (fields[name] ?? null) : null

export function required(fields: Fields, name: string): unknown {
  const value = given(fields, name)
  return value === null ? refuse('MISSING_SOURCE_FIELD') : value
}

export function optionalText(fields: Fields, name: string): string | null {
  const value = given(fields, name)
  if (value === null || value === '') return null
  return typeof value === 'string' && value.length <= MAX_TEXT ? value : refuse('INVALID_SOURCE_TEXT')
}

export function textOf(fields: Fields, name: string): string {
  const value = required(fields, name)
  return typeof value === 'string' && value.length <= MAX_TEXT ? value : refuse('INVALID_SOURCE_TEXT')
}

export function identifierOf(fields: Fields, name: string, pattern: RegExp): string {
  const value = required(fields, name)
  return typeof value === 'string' && pattern.test(value) ? value : refuse('INVALID_SOURCE_IDENTIFIER')
}

export function optionalFlag(fields: Fields, name: string): boolean | null {
  const value = given(fields, name)
  return value === null || typeof value === 'boolean' ? value : refuse('INVALID_SOURCE_SCHEMA')
}

const LEXEME = /^-?(?:\d{1,64}(?:\.\d{0,64})?|\.\d{1,64})(?:[eE][+-]?\d{1,3})?$/
const MAX_MAGNITUDE = new Big('1e30')
const MAX_FRACTION = 30
const NOTHING: ReadonlySet<unknown> = new Set([null, '', '.', '-', 'null', 'N/A'])

/** Plain digits, without an exponent and without zeros that say nothing. */
export function decimalIn(value: unknown): string {
  if (typeof value !== 'string' || !LEXEME.test(value)) return refuse('INVALID_SOURCE_NUMBER')
  const number = new Big(value.startsWith('.') ? `0${value}` : value.replace('-.', '-0.').replace(/\.(?=$|e)/i, ''))
  const plain = number.eq(0) ? '0' : number.toFixed()
  const fraction = plain.split('.')[1] ?? ''
  return number.abs().gt(MAX_MAGNITUDE) || fraction.length > MAX_FRACTION ? refuse('INVALID_SOURCE_NUMBER') : plain
}

export const decimalOf = (fields: Fields, name: string): string => decimalIn(required(fields, name))

/** Null where the source says in one of its ways that there is no number. */
export function optionalDecimal(fields: Fields, name: string): string | null {
  const value = given(fields, name)
  return NOTHING.has(value) ? null : decimalIn(value)
}

/** Of what cannot be below zero: a size, a volume, a number of trades. */
export function optionalAmount(fields: Fields, name: string): string | null {
  const value = optionalDecimal(fields, name)
  return value?.startsWith('-') ? refuse('INVALID_SOURCE_NUMBER') : value
}

/** As the source wrote it, zeros included, once it is known to be a number. */
export function amountAsGiven(fields: Fields, name: string): string | null {
  return optionalDecimal(fields, name) === null ? null : (given(fields, name) as string)
}

export function integerIn(value: unknown): number {
  const number = Number(decimalIn(value))
  return Number.isSafeInteger(number) ? number : refuse('INVALID_SOURCE_NUMBER')
}

export function optionalInteger(fields: Fields, name: string): number | null {
  const value = given(fields, name)
  return NOTHING.has(value) ? null : integerIn(value)
}

export function optionalCount(fields: Fields, name: string): number | null {
  const value = optionalInteger(fields, name)
  return value !== null && value < 0 ? refuse('INVALID_SOURCE_NUMBER') : value
}

const DAY = /^\d{4}-\d\d-\d\d$/

/** Whether the text names a day of the calendar. */
export function isDay(text: string): boolean {
  const at = DAY.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text)
}

export function dayOf(fields: Fields, name: string): string {
  const value = required(fields, name)
  return typeof value === 'string' && isDay(value) ? value : refuse('INVALID_SOURCE_TIMESTAMP')
}

export const optionalDay = (fields: Fields, name: string): string | null =>
  NOTHING.has(given(fields, name)) ? null : dayOf(fields, name)

const INSTANT = /^(\d{4}-\d\d-\d\d)[T ](?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?(?:Z|\+00(?::?00)?)$/

/** An instant of UTC as ISO 8601 with milliseconds. */
export function instantOf(fields: Fields, name: string): string {
  const value = required(fields, name)
  const day = typeof value === 'string' ? INSTANT.exec(value)?.[1] : undefined
  if (day === undefined || !isDay(day)) return refuse('INVALID_SOURCE_TIMESTAMP')
  const plain = (value as string).replace(' ', 'T').replace(/\+00(?::?00)?$/, 'Z')
  return new Date(Date.parse(plain)).toISOString()
}

export const optionalInstant = (fields: Fields, name: string): string | null =>
  NOTHING.has(given(fields, name)) ? null : instantOf(fields, name)

const MAX_UNIX_SECONDS = 253_402_300_799

/** Seconds since the epoch, as digits. */
export function unixSeconds(value: unknown): number {
  const seconds = typeof value === 'string' && /^\d{1,12}$/.test(value) ? Number(value) : Number.NaN
  return seconds <= MAX_UNIX_SECONDS ? seconds : refuse('INVALID_SOURCE_TIMESTAMP')
}

export const isoSeconds = (seconds: number): string => new Date(seconds * 1000).toISOString()

/** Throws where the reply is about something else than what was asked for. */
export function requireSame(found: unknown, asked: unknown): void {
  if (found !== asked) refuse('IDENTITY_MISMATCH')
}
