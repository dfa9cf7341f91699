/** The digest of any JSON value: of the canonical form in which numbers that would need an exponent in some language are
 *  texts. */
import { CanonicalError, canonicalBytes, canonicalBytesPortable, sha256Hex } from '@orch/core'

export function portableDigest(value: unknown): string {
  try {
    return sha256Hex(canonicalBytesPortable(value))
  } catch (error) {
    if (!(error instanceof CanonicalError)) throw error
    // Keys that are not ASCII are in the order of RFC 8785.
    return sha256Hex(canonicalBytes(portable(value)))
  }
}

function portable(value: unknown): unknown {
  if (typeof value === 'number') return isPlain(value) ? value + 0 : plainDecimal(value)
  if (Array.isArray(value)) return value.map(portable)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, portable(field)]))
}

const isPlain = (value: number): boolean =>
  Number.isInteger(value) ? Number.isSafeInteger(value) : Math.abs(value) >= 1e-4

/** The shortest digits of a double, written without an exponent. */
export function plainDecimal(value: number): string {
  const [digits = '', exponent = '0'] = Math.abs(value).toExponential().split('e')
  const sign = value < 0 ? '-' : ''
  const [whole = '', places = ''] = digits.split('.')
  const point = 1 + Number(exponent)
  const all = whole + places
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${all}`
  return `${sign}${all.slice(0, point).padEnd(point, '0')}${all.length > point ? `.${all.slice(point)}` : ''}`
}
