/** Exact shares of a parcel. */
export interface Fraction {
  top: bigint
  bottom: bigint
}

const divisor = (a: bigint, b: bigint): bigint => (b === 0n ? a : divisor(b, a % b))

function fraction(top: bigint, bottom = 1n): Fraction {
  const by = divisor(top < 0n ? -top : top, bottom)
  return { top: top / by, bottom: bottom / by }
}

export const [NONE, WHOLE] = [fraction(0n), fraction(1n)]

export function parseFraction(text: string): Fraction {
  const [top, bottom = '1'] = text.split('/')
  return fraction(BigInt(top!), BigInt(bottom))
}

export const plus = (a: Fraction, b: Fraction) => fraction(a.top * b.bottom + b.top * a.bottom, a.bottom * b.bottom)
export const minus = (a: Fraction, b: Fraction) => plus(a, { top: -b.top, bottom: b.bottom })
export const partOf = (a: Fraction, parts: number) => fraction(a.top, a.bottom * BigInt(parts))
export const isLess = (a: Fraction, b: Fraction) => a.top * b.bottom < b.top * a.bottom
export const least = (a: Fraction, b: Fraction) => (isLess(a, b) ? a : b)
export const isSome = ({ top }: Fraction) => top > 0n
export const textOf = ({ top, bottom }: Fraction) => (bottom === 1n ? String(top) : `${top}/${bottom}`)
