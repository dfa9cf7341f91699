/** Reading values that a caller wrote. Only own fields count: a name may be `constructor` or `__proto__`. */
import { CanonicalError, canonicalize, sha256Hex } from '@orch/core'

export type Fields = Record<string, unknown>

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const own = (value: unknown, name: string): unknown =>
  isFields(value) && Object.hasOwn(value, name) ? value[name] : undefined

export const isText = (value: unknown): value is string =>
  typeof value === 'string' && value.trim() !== '' && value.isWellFormed()

export const unknownFields = (value: Fields, known: readonly string[]): string[] =>
  Object.keys(value).filter((name) => !known.includes(name))

/** Null for a value that has no canonical form, so no digest either. */
export function digestOf(value: unknown): string | null {
  try {
    return sha256Hex(canonicalize(value))
  } catch (error) {
    if (error instanceof CanonicalError) return null
    throw error
  }
}

export const sameJson = (one: unknown, other: unknown): boolean => {
  const digest = digestOf(one)
  return digest !== null && digest === digestOf(other)
}
