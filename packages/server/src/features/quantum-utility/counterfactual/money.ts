/** Dollars as fractions: nothing is rounded before it is shown. */
import { decimal, type Fraction, inDecimals, negated, sum } from '../../../domain/exact-number.ts'
import { plainDecimal } from '../../../domain/portable-digest.ts'

export const ZERO: Fraction = { numerator: 0n, denominator: 1n }

/** A decimal text, or a number by its shortest digits. */
export function fractionOf(value: string | number): Fraction {
  const text = typeof value === 'number' ? plainDecimal(value) : value
  const [whole = '0', places = ''] = text.replace('-', '').split('.')
  const found = decimal(whole, places)
  return text.startsWith('-') ? negated(found) : found
}

export const minus = (a: Fraction, b: Fraction): Fraction => sum(a, negated(b))

/** Below, at or above zero when b is smaller, equal or larger. */
export const compare = (a: Fraction, b: Fraction): number => {
  const { numerator } = minus(a, b)
  return numerator < 0n ? -1 : numerator > 0n ? 1 : 0
}

/** Sums and products of what a request can hold end within so many places. */
const MAX_PLACES = 400

/** All places of a decimal that ends; of another one, as a quotient may be, the first ones. */
export function inFull(amount: Fraction): { value: string; exact: boolean } {
  const { numerator, denominator } = amount
  const scale = 10n ** BigInt(MAX_PLACES)
  if ((scale * numerator) % denominator !== 0n) return inDecimals(amount)
  const all = (numerator * scale) / denominator
  const digits = (all < 0n ? -all : all).toString().padStart(MAX_PLACES + 1, '0')
  const places = digits.slice(-MAX_PLACES).replace(/0+$/, '')
  const value = `${all < 0n ? '-' : ''}${digits.slice(0, -MAX_PLACES)}${places === '' ? '' : `.${places}`}`
  return { value, exact: true }
}

/** With two places at least. */
export function dollars(amount: Fraction): string {
  const { value } = inFull(amount)
  const [whole, places = ''] = value.split('.')
  return `${whole}.${places.padEnd(2, '0')}`
}

export const toNumber = (amount: Fraction): number => Number(inFull(amount).value)
