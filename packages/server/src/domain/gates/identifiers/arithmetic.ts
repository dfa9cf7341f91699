/** What the published check digits have in common. Values come in without separators, letters in capitals. */
import { luhn } from '../detectors/checksums.ts'

export { luhn }

export const digitAt = (value: string, at: number): number => value.charCodeAt(at) - 48

/** The weights meet the digits from the first one on; what has no weight does not count. */
export function weighted(value: string, weights: readonly number[]): number {
  let sum = 0
  for (let at = 0; at < weights.length; at++) sum += digitAt(value, at) * (weights[at] as number)
  return sum
}

/** The sum of the digits of each product. */
export function weightedDigits(value: string, weights: readonly number[]): number {
  let sum = 0
  for (let at = 0; at < weights.length; at++) {
    const product = digitAt(value, at) * (weights[at] as number)
    sum += Math.floor(product / 10) + (product % 10)
  }
  return sum
}

/** One digit all along: accepted by many a checksum and issued by nobody. */
export const isUniform = (value: string): boolean => value === value.charAt(0).repeat(value.length)

export const remainder = (digits: string, modulus: number): number => {
  let rest = 0
  for (let at = 0; at < digits.length; at++) rest = (rest * 10 + digitAt(digits, at)) % modulus
  return rest
}

const DAYS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

/** A day of some year: whether that year was a leap year is not asked, for the century is often left out. */
export const isDay = (month: number, day: number): boolean => day >= 1 && day <= (DAYS[month - 1] ?? 0)

/** YYMMDD from a place on. */
export const isBirth = (value: string, at: number): boolean =>
  isDay(Number(value.slice(at + 2, at + 4)), Number(value.slice(at + 4, at + 6)))

/** ISO/IEC 7064 MOD 11,10. */
export function mod11And10(digits: string): boolean {
  let check = 5
  for (let at = 0; at < digits.length; at++) check = ((((check || 10) * 2) % 11) + digitAt(digits, at)) % 10
  return check === 1
}

const PERMUTATION = [1, 5, 7, 6, 2, 8, 3, 0, 9, 4]

/** The product of the dihedral group of ten, in which Verhoeff counts. */
function dihedral(one: number, other: number): number {
  if (one < 5) return other < 5 ? (one + other) % 5 : 5 + ((one + other) % 5)
  return other < 5 ? 5 + ((one - other + 5) % 5) : (one - other + 5) % 5
}

export function verhoeff(digits: string): boolean {
  let check = 0
  for (let at = 0; at < digits.length; at++) {
    let digit = digitAt(digits, digits.length - 1 - at)
    for (let turn = at % 8; turn > 0; turn--) digit = PERMUTATION[digit] as number
    check = dihedral(check, digit)
  }
  return check === 0
}
