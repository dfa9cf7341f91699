/** Reads single fields of a reply from outside. A field that is missing or of another kind refuses the reply whole: a
 *  reading is what the source said, or it is none. Written by hand and not by a schema, because each field is checked, named
 *  by its failure code and brought into its shown form (clipped, as UTC, as a decimal) in one step. */
import { type FailureCode, OutboundFault } from '../../../adapters/outbound/contract.ts'

export type Fields = Readonly<Record<string, unknown>>

export function fieldsOf(value: unknown): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new OutboundFault('INVALID_SOURCE_SCHEMA')
  return value as Fields
}

export function listOf(value: unknown, max: number): unknown[] {
  if (!Array.isArray(value) || value.length > max) throw new OutboundFault('INVALID_SOURCE_COLLECTION')
  return value
}

const own = (from: Fields, name: string): unknown => (Object.hasOwn(from, name) ? from[name] : undefined)

/** Null for what is absent or null; everything else is read and may refuse. */
export const optional = <T>(from: Fields, name: string, read: (from: Fields, name: string) => T): T | null =>
  own(from, name) === undefined || own(from, name) === null ? null : read(from, name)

/** Reads one field that must be there: `read` gives its shown form, or undefined for a value that is none. */
const field =
  <T>(code: FailureCode, read: (value: unknown) => T | undefined) =>
  (from: Fields, name: string): T => {
    const value = own(from, name)
    if (value === undefined || value === null) throw new OutboundFault('MISSING_SOURCE_FIELD')
    const shown = read(value)
    if (shown === undefined) throw new OutboundFault(code)
    return shown
  }

const matching = (value: unknown, shape: RegExp): string | undefined =>
  typeof value === 'string' && shape.test(value) ? value : undefined

/** One line of at most `max` code points, clipped: control characters have no place in a panel. */
export const text = (max: number) =>
  field('INVALID_SOURCE_TEXT', (value) => (typeof value === 'string' && value !== '' ? clipped(value, max) : undefined))

export const clipped = (value: string, max: number): string =>
  [...value.slice(0, max * 2 + 2).replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ' ')].slice(0, max).join('')

export const commit = field('INVALID_SOURCE_IDENTIFIER', (value) => matching(value, /^[0-9a-f]{40}$/))

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/
export const instant = field('INVALID_SOURCE_TIMESTAMP', (value) => {
  const at = Date.parse(matching(value, INSTANT) ?? '')
  return Number.isNaN(at) ? undefined : new Date(at).toISOString()
})

export const count = field('INVALID_SOURCE_NUMBER', (value) =>
  Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : undefined,
)

export const flag = field('INVALID_SOURCE_SCHEMA', (value) => (typeof value === 'boolean' ? value : undefined))

/** A link that may be shown: https and nothing that could run or hide a credential. */
export const link = field('INVALID_SOURCE_IDENTIFIER', (value) => {
  const url = typeof value === 'string' && value.length <= 512 ? URL.parse(value) : null
  return url?.protocol === 'https:' && url.username === '' && url.password === '' ? url.href : undefined
})

/** Money and shares: a decimal as text, or a number that prints as one. */
export const decimal = field('INVALID_SOURCE_NUMBER', (value) =>
  matching(typeof value === 'number' ? String(value) : value, /^-?\d{1,18}(?:\.\d{1,12})?$/),
)
