/** Joules, watt-hours and grams from what a run used. Every formula here is monotone in every input, so the ends of an
 *  interval are the formula at the ends of its inputs. */
import INPUTS from './inputs.json' with { type: 'json' }

/** A number that is known to lie between two others. */
interface Range {
  value: number
  low: number
  high: number
}
type Quantity = number | Range

/** 3 W per 8 GB of memory. */
export const MEMORY_W_PER_GB = 0.375

interface Input {
  min: number
  max: number
  example: number
  description?: string
  /** Words behind the number in a line of text; where there are none, the name of the field stands before it. */
  units?: string
}
export type Field = keyof typeof INPUTS
export const FIELDS = Object.entries(INPUTS) as [Field, Input][]
export type Usage = { [F in Field]?: Quantity | undefined }

export const toRange = (quantity: Quantity): Range =>
  typeof quantity === 'number' ? { value: quantity, low: quantity, high: quantity } : quantity

/** The formula at each end. */
const at = (formula: (...values: number[]) => number, ...inputs: Quantity[]): Range => {
  const end = (name: keyof Range) => formula(...inputs.map((input) => toRange(input)[name]))
  return { value: end('value'), low: end('low'), high: end('high') }
}

const product = (...values: number[]): number => values.reduce((total, value) => total * value, 1)
const sum = (...values: number[]): number => values.reduce((total, value) => total + value, 0)

/** The terms add up to the joules, at each end. */
export function energyOf({ pue = 1, gco2_kwh, ...used }: Usage) {
  const term = (name: string, ...inputs: Quantity[]) => ({ name, joules: at(product, ...inputs) })
  const { cpu_s = 0, tdp_w = 0, util = 1, mem_gb = 0, wall_s = 0, tokens, j_per_token = 0 } = used
  const terms =
    tokens === undefined
      ? [term('cpu', cpu_s, tdp_w, util), term('memory', mem_gb, MEMORY_W_PER_GB, wall_s)]
      : [term('tokens', tokens, j_per_token)]
  const it = at(sum, ...terms.map(({ joules }) => joules))
  const joules = at(product, it, pue)
  const wh = at((total) => total! / 3600, joules)
  const gco2e = gco2_kwh === undefined ? null : at((energy, grams) => (energy! / 1000) * grams!, wh, gco2_kwh)
  const overhead = at((base, factor) => base! * (factor! - 1), it, pue)
  return { joules, wh, gco2e, terms: [...terms, { name: 'facility_overhead', joules: overhead }] }
}

/** What the formula cannot do without, once some of it is given. */
export function lackingOf(given: Readonly<Usage>): Field[] {
  const has = (field: Field): boolean => given[field] !== undefined
  const needed: Field[] = [
    ...(has('tdp_w') || has('util') || !has('mem_gb') ? ['cpu_s' as const] : []),
    ...(has('cpu_s') || has('util') || !has('mem_gb') ? ['tdp_w' as const] : []),
    ...(has('mem_gb') ? ['wall_s' as const] : []),
  ]
  return needed.filter((field) => !has(field))
}
