/** Reading values that a caller wrote. Only own fields count: a name may be `constructor` or `__proto__`. */
import { CanonicalError, canonicalize, sha256Hex } from '@orch/core'
import type { Fault, Outcome } from '../schemas.ts'

export type { Fault } from '../schemas.ts'

export type Fields = Record<string, unknown>

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const own = (value: unknown, name: string): unknown =>
  isFields(value) && Object.hasOwn(value, name) ? value[name] : undefined

export const isText = (value: unknown): value is string =>
  typeof value === 'string' && value.trim() !== '' && value.isWellFormed()

export const unknownFields = (value: Fields, known: readonly string[]): string[] =>
  Object.keys(value).filter((name) => !known.includes(name))

export const unknownFieldFaults = (value: Fields, known: readonly string[], path = ''): Fault[] =>
  unknownFields(value, known).map((name) => ({ path: `${path}${name}`, message: 'is not a field here' }))

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

/** Nothing but the absence of every objection allows. */
export const outcomeOf = (deny: readonly string[], review: readonly string[], allowed: boolean): Outcome => {
  if (deny.length > 0) return 'BLOCK'
  if (review.length > 0) return 'REVIEW'
  return allowed ? 'ALLOW' : 'BLOCK'
}

export const sorted = (codes: Iterable<string>): string[] => [...new Set(codes)].sort()

/** The digest an intent names as its evidence: 64 hexadecimal digits, with or without `sha256:` before them. */
const FORM = /^(?:sha256:)?([0-9a-fA-F]{64})$/

type DigestForm = 'absent' | 'sha256' | 'malformed'

export function digestForm(value: string | null | undefined): DigestForm {
  if (value === null || value === undefined) return 'absent'
  return FORM.test(value) ? 'sha256' : 'malformed'
}

/** Bare and in lower case; null where there is none. */
export const bareDigest = (value: unknown): string | null =>
  typeof value === 'string' ? (FORM.exec(value)?.[1]?.toLowerCase() ?? null) : null
