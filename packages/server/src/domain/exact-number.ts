/** Fractions of whole numbers: nothing is rounded before the end, so `1/3*3` is 1. */
export interface Fraction {
  numerator: bigint
  /** Above zero. */
  denominator: bigint
}

/** Decimal places a quotient is shown with where it does not end; the last one is rounded half to even. */
export const DECIMALS = 20

export const fraction = (numerator: bigint, denominator: bigint): Fraction =>
  denominator < 0n ? { numerator: -numerator, denominator: -denominator } : { numerator, denominator }

export const sum = (a: Fraction, b: Fraction): Fraction =>
  a.denominator === b.denominator
    ? fraction(a.numerator + b.numerator, a.denominator)
    : fraction(a.numerator * b.denominator + b.numerator * a.denominator, a.denominator * b.denominator)
export const negated = (a: Fraction): Fraction => fraction(-a.numerator, a.denominator)
export const product = (a: Fraction, b: Fraction): Fraction =>
  fraction(a.numerator * b.numerator, a.denominator * b.denominator)
/** Null for a division by zero. */
export const quotient = (a: Fraction, b: Fraction): Fraction | null =>
  b.numerator === 0n ? null : fraction(a.numerator * b.denominator, a.denominator * b.numerator)

export const decimal = (digits: string, places: string): Fraction =>
  fraction(BigInt(digits + places), 10n ** BigInt(places.length))

/** The value in decimal digits, and whether they are all of it. */
export function inDecimals({ numerator, denominator }: Fraction): { value: string; exact: boolean } {
  const scaled = (numerator < 0n ? -numerator : numerator) * 10n ** BigInt(DECIMALS)
  const rest = scaled % denominator
  const digits = halfEven(scaled / denominator, 2n * rest - denominator)
    .toString()
    .padStart(DECIMALS + 1, '0')
  const whole = digits.slice(0, -DECIMALS)
  const places = digits.slice(-DECIMALS).replace(/0+$/, '')
  const shown = places === '' ? whole : `${whole}.${places}`
  return { value: numerator < 0n && /[1-9]/.test(shown) ? `-${shown}` : shown, exact: rest === 0n }
}

/** `beyond`: how far the remainder is past the half, as its sign. */
function halfEven(floor: bigint, beyond: bigint): bigint {
  if (beyond > 0n) return floor + 1n
  return beyond === 0n && floor % 2n === 1n ? floor + 1n : floor
}
