/** Coefficients as whole numbers in doubles, so that sums of them are exact and ties are ties: 0.1 + 0.2 - 0.3 is 0. */
import { plainDecimal } from '../../../domain/portable-digest.ts'

/** Sums, halves of them and a few bits more stay exact below 2^53. */
const MAX_TOTAL = 2 ** 50
/** Beyond so many places no double of a problem is a short decimal. */
const MAX_PLACES = 400

export interface FixedPoint {
  kind: 'EXACT_DECIMAL' | 'FIXED_POINT'
  /** Of each coefficient, in its order. */
  integers: number[]
  /** The value that a sum of the integers stands for. */
  toValue(integer: number): number
  /** How far the integer form of any assignment's energy may lie from the true one; 0 where the decimals are exact. */
  tolerance: number
}

/** Short decimals become whole multiples of their last place. Where there is no room for that, each coefficient is rounded
 *  to a multiple of a power of two so small that the rounding of all together is the stated tolerance. */
export function toFixedPoint(coefficients: readonly number[]): FixedPoint {
  return exactDecimals(coefficients) ?? rounded(coefficients)
}

function exactDecimals(coefficients: readonly number[]): FixedPoint | null {
  const texts = coefficients.map(plainDecimal)
  const places = Math.max(0, ...texts.map(placesOf))
  if (places > MAX_PLACES) return null
  const whole = texts.map((text) => scaled(text, places))
  const total = whole.reduce((sum, value) => sum + (value < 0n ? -value : value), 0n)
  if (total > BigInt(MAX_TOTAL)) return null
  const toValue = (integer: number) => Number(`${integer}e-${places}`)
  return { kind: 'EXACT_DECIMAL', integers: whole.map(Number), toValue, tolerance: 0 }
}

function rounded(coefficients: readonly number[]): FixedPoint {
  const total = coefficients.reduce((sum, value) => sum + Math.abs(value), 0)
  // Among the smallest numbers there is no smaller one to round to, and none is needed.
  const unit = Math.max(Number.MIN_VALUE, 2 ** (Math.ceil(Math.log2(total)) - 49))
  const integers = coefficients.map((value) => Math.round(value / unit))
  const toValue = (integer: number) => integer * unit
  const isExact = coefficients.every((value, at) => toValue(integers[at]!) === value)
  return { kind: 'FIXED_POINT', integers, toValue, tolerance: isExact ? 0 : (coefficients.length * unit) / 2 }
}

/** The sum as the decimals say, rounded once at the end. */
export function exactSum(coefficients: readonly number[]): number {
  const texts = coefficients.map(plainDecimal)
  const places = Math.max(0, ...texts.map(placesOf))
  const sum = texts.reduce((total, text) => total + scaled(text, places), 0n)
  return Number(`${sum}e-${places}`) + 0
}

const placesOf = (text: string): number => {
  const point = text.indexOf('.')
  return point < 0 ? 0 : text.length - point - 1
}

function scaled(text: string, places: number): bigint {
  const [whole = '', part = ''] = text.split('.')
  return BigInt(whole + part.padEnd(places, '0'))
}
