/** Joules, watt-hours and grams from what a run used. Every formula here is monotone in every input, so the ends of an
 *  interval are the formula at the ends of its inputs. */

/** A number that is known to lie between two others. */
interface Range {
  value: number
  low: number
  high: number
}
export type Quantity = number | Range

/** 3 W per 8 GB of memory. */
export const MEMORY_W_PER_GB = 0.375

export interface Usage {
  cpu_s?: Quantity | undefined
  tdp_w?: Quantity | undefined
  util?: Quantity | undefined
  mem_gb?: Quantity | undefined
  wall_s?: Quantity | undefined
  tokens?: Quantity | undefined
  j_per_token?: Quantity | undefined
  pue: Quantity
  gco2_kwh?: Quantity | undefined
}

interface EnergyResult {
  joules: Range
  wh: Range
  gco2e: Range | null
  terms: { name: string; joules: Range }[]
}

export const toRange = (quantity: Quantity): Range =>
  typeof quantity === 'number' ? { value: quantity, low: quantity, high: quantity } : quantity

/** The formula at each end. */
const at = (formula: (...values: number[]) => number, ...inputs: Quantity[]): Range => {
  const ranges = inputs.map(toRange)
  return {
    value: formula(...ranges.map(({ value }) => value)),
    low: formula(...ranges.map(({ low }) => low)),
    high: formula(...ranges.map(({ high }) => high)),
  }
}

const product = (...values: number[]): number => values.reduce((total, value) => total * value, 1)
const sum = (...values: number[]): number => values.reduce((total, value) => total + value, 0)

/** The terms add up to the joules, at each end. */
export function energyOf({
  cpu_s,
  tdp_w,
  util,
  mem_gb,
  wall_s,
  tokens,
  j_per_token,
  pue,
  gco2_kwh,
}: Usage): EnergyResult {
  const used =
    tokens === undefined
      ? [
          { name: 'cpu', joules: at(product, cpu_s ?? 0, tdp_w ?? 0, util ?? 1) },
          { name: 'memory', joules: at(product, mem_gb ?? 0, MEMORY_W_PER_GB, wall_s ?? 0) },
        ]
      : [{ name: 'tokens', joules: at(product, tokens, j_per_token ?? 0) }]
  const it = at(sum, ...used.map(({ joules }) => joules))
  const overhead = at((base, factor) => base! * (factor! - 1), it, pue)
  const joules = at(product, it, pue)
  const wh = at((total) => total! / 3600, joules)
  const gco2e = gco2_kwh === undefined ? null : at((energy, grams) => (energy! / 1000) * grams!, wh, gco2_kwh)
  return { joules, wh, gco2e, terms: [...used, { name: 'facility_overhead', joules: overhead }] }
}
