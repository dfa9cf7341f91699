// Reading values whose every part is the sender's. Nothing here throws.
import { CanonicalError, canonicalizePortable } from '../canonical.ts'

export type Fields = Record<string, unknown>

export const isRecord = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Empty for anything that is no record, whose every field is then absent. */
export const fieldsOf = (value: unknown): Fields => (isRecord(value) ? value : {})

/** A field that the value has itself: what it inherits was not sent. */
export const own = (value: Fields, name: string): unknown => (Object.hasOwn(value, name) ? value[name] : undefined)

export const isHex64 = (value: unknown): value is string => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value)

export const isPosition = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0

/** The canonical text, or null for what has none: the sender may have nested it too deep or split a surrogate pair. */
export function canonicalOrNull(value: unknown): string | null {
  try {
    return canonicalizePortable(value)
  } catch (error) {
    if (error instanceof CanonicalError) return null
    throw error
  }
}

export function sameValue(a: unknown, b: unknown): boolean {
  const text = canonicalOrNull(a)
  return text !== null && text === canonicalOrNull(b)
}

/** The first field that is missing or that nobody defined, as a sentence; null when the set is exact. */
export function fieldFault(
  fields: Fields,
  required: readonly string[],
  optional: readonly string[] = [],
): string | null {
  const missing = required.find((name) => !Object.hasOwn(fields, name))
  if (missing !== undefined) return `the field ${missing} is missing`
  const foreign = Object.keys(fields).find((name) => !required.includes(name) && !optional.includes(name))
  return foreign === undefined ? null : `${JSON.stringify(foreign.slice(0, 80))} is not a field of this format`
}
