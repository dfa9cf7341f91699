/** Reads single fields of a reply from outside. A field that is missing or of another kind refuses the reply whole: a
 *  reading is what the source said, or it is none. Written by hand and not by a schema, because each field is checked, named
 *  by its failure code and brought into its shown form (clipped, as UTC, as a decimal) in one step. */
import { OutboundFault } from '../../../adapters/outbound/contract.ts'

export type Fields = Readonly<Record<string, unknown>>

export function fieldsOf(value: unknown): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new OutboundFault('INVALID_SOURCE_SCHEMA')
  return value as Fields
}

export function listOf(value: unknown, most: number): unknown[] {
  if (!Array.isArray(value) || value.length > most) throw new OutboundFault('INVALID_SOURCE_COLLECTION')
  return value
}

const own = (from: Fields, name: string): unknown => (Object.hasOwn(from, name) ? from[name] : undefined)

const present = (from: Fields, name: string): unknown => {
  const value = own(from, name)
  if (value === undefined || value === null) throw new OutboundFault('MISSING_SOURCE_FIELD')
  return value
}

/** Null for what is absent or null; everything else is read and may refuse. */
export const optional = <T>(from: Fields, name: string, read: (from: Fields, name: string) => T): T | null =>
  own(from, name) === undefined || own(from, name) === null ? null : read(from, name)

/** One line of at most `most` code points, clipped: control characters have no place in a panel. */
export const text =
  (most: number) =>
  (from: Fields, name: string): string => {
    const value = present(from, name)
    if (typeof value !== 'string' || value === '') throw new OutboundFault('INVALID_SOURCE_TEXT')
    return clipped(value, most)
  }

export const clipped = (value: string, most: number): string =>
  [...value.slice(0, most * 2 + 2).replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ' ')].slice(0, most).join('')

export function commit(from: Fields, name: string): string {
  const value = present(from, name)
  if (typeof value !== 'string' || !/^[0-9a-f]{40}$/.test(value)) throw new OutboundFault('INVALID_SOURCE_IDENTIFIER')
  return value
}

export function instant(from: Fields, name: string): string {
  const value = present(from, name)
  const shape = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/
  const at = typeof value === 'string' && shape.test(value) ? Date.parse(value) : Number.NaN
  if (Number.isNaN(at)) throw new OutboundFault('INVALID_SOURCE_TIMESTAMP')
  return new Date(at).toISOString()
}

export function count(from: Fields, name: string): number {
  const value = present(from, name)
  if (!Number.isSafeInteger(value) || (value as number) < 0) throw new OutboundFault('INVALID_SOURCE_NUMBER')
  return value as number
}

export function flag(from: Fields, name: string): boolean {
  const value = present(from, name)
  if (typeof value !== 'boolean') throw new OutboundFault('INVALID_SOURCE_SCHEMA')
  return value
}

/** A link that may be shown: https and nothing that could run or hide a credential. */
export function link(from: Fields, name: string): string {
  const value = present(from, name)
  const url = typeof value === 'string' && value.length <= 512 ? URL.parse(value) : null
  if (url?.protocol !== 'https:' || url.username !== '' || url.password !== '')
    throw new OutboundFault('INVALID_SOURCE_IDENTIFIER')
  return url.href
}

/** Money and shares: a decimal as text, or a number that prints as one. */
export function decimal(from: Fields, name: string): string {
  const value = present(from, name)
  const written = typeof value === 'number' ? String(value) : value
  if (typeof written !== 'string' || !/^-?\d{1,18}(?:\.\d{1,12})?$/.test(written))
    throw new OutboundFault('INVALID_SOURCE_NUMBER')
  return written
}
