import { InputError } from '../../errors.ts'

const MAX_ITEMS = 64
/** The square of what is left can still be divided by it. */
const MIN_SHARE = 1e-300
const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d{1,3})?$/i

interface Bounds {
  minItems?: number
  /** The length of a list that it goes with. */
  items?: number
  max?: number
}

/** The numbers of a query parameter, each from 0 on. */
export function readNumbers(
  name: string,
  text: string,
  { minItems = 1, items, max = Infinity }: Bounds = {},
): number[] {
  const refuse = (msg: string, ...place: number[]) =>
    new InputError([{ loc: ['query', name, ...place], msg, type: 'value' }])
  const parts = text.split(',')
  if (parts.length < minItems || parts.length > MAX_ITEMS)
    throw refuse(`must be ${minItems} to ${MAX_ITEMS} numbers, separated by commas; there are ${parts.length}`)
  if (items !== undefined && parts.length !== items)
    throw refuse(`must hold ${items} numbers; there are ${parts.length}`)
  return parts.map((part, at) => {
    const value = Number(part)
    if (!NUMBER.test(part) || !Number.isFinite(value)) throw refuse('must be a number, such as 0.25', at)
    if (value < 0 || value > max)
      throw refuse(max === Infinity ? 'must be at least 0' : `must lie between 0 and ${max}`, at)
    return value
  })
}

/** Of a list that is normalised: the sum is one that can be divided by. */
export function assertPositiveSum(name: string, values: readonly number[]): void {
  const sum = values.reduce((total, value) => total + value, 0)
  if (sum > 0 && Number.isFinite(sum) && values.every((value) => value === 0 || value / sum >= MIN_SHARE)) return
  const msg = sum === 0 ? 'must not be all zeros' : 'these numbers are too far apart, or too large, to be normalised'
  throw new InputError([{ loc: ['query', name], msg, type: 'value' }])
}
