/** Risk is counted in whole millionths and never in floating point: two machines must agree on the last digit of
 *  what they charge, and a rounding error must not decide between allow and review. */
import { type Fraction, fraction } from '../../../domain/exact-number.ts'

export const ONE = 1_000_000
const SCALE = BigInt(ONE)

export const ratio = (numerator: number, denominator: number): Fraction =>
  fraction(BigInt(numerator), BigInt(denominator))

export const fromMicro = (micro: number): Fraction => ratio(micro, ONE)

/** The decimal a caller wrote: `0.1` is one tenth and not the double next to it. */
export function exactly(value: number): Fraction {
  if (!Number.isFinite(value)) throw new RangeError('a number that is not finite has no exact value')
  const [mantissa = '', exponent = '0'] = String(value).split('e')
  const [whole = '', places = ''] = mantissa.split('.')
  const shift = Number(exponent) - places.length
  const digits = BigInt(whole + places)
  return shift >= 0 ? fraction(digits * 10n ** BigInt(shift), 1n) : fraction(digits, 10n ** BigInt(-shift))
}

/** Half up. */
export function toMicro({ numerator, denominator }: Fraction): number {
  return Number(floorOf(2n * SCALE * numerator + denominator, 2n * denominator))
}

/** Down: a budget is never more than what was asked for. */
export const microBelow = ({ numerator, denominator }: Fraction): number =>
  Number(floorOf(SCALE * numerator, denominator))

function floorOf(numerator: bigint, denominator: bigint): bigint {
  const quotient = numerator / denominator
  return numerator % denominator < 0n ? quotient - 1n : quotient
}

export const isLess = (a: Fraction, b: Fraction): boolean => a.numerator * b.denominator < b.numerator * a.denominator

export const larger = (a: Fraction, b: Fraction): Fraction => (isLess(a, b) ? b : a)
const smaller = (a: Fraction, b: Fraction): Fraction => (isLess(a, b) ? a : b)

export const NONE = ratio(0, 1)
export const FULL = ratio(1, 1)
export const clamped = (value: Fraction): Fraction => larger(NONE, smaller(FULL, value))

/** As it stands in an answer: six decimals at most. */
export const toDecimal = (micro: number): number => micro / ONE

export const toDecimals = <Name extends string>(micros: Record<Name, number>): Record<Name, number> =>
  Object.fromEntries(Object.entries<number>(micros).map(([name, micro]) => [name, toDecimal(micro)])) as Record<
    Name,
    number
  >
