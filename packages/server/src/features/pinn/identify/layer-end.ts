/** The right end of a thin layer whose left end is 1: all of its values over those viscosities and places of the layer whose sum
 *  of squares stays within the 95 % point of chi-square with one degree of freedom, which is its profile interval. The end itself
 *  differs from -1 by less than any step of a fit, so that the viscosities and places are searched and not the end. */
import { CHI2_95, TARGET } from './intervals.ts'

interface Layer {
  nu: number
  x0: number
  sigma: number
  /** Whether the viscosity is unknown as well. */
  isOpen: boolean
  sizeOf(nu: number, x0: number): number
}

const MIN_VISCOSITY = 1 / 4000
const SLICES = 24
const [MAX_DOUBLINGS, HALVINGS] = [40, 20]
const SECTIONS = 32
const GOLDEN = (Math.sqrt(5) - 1) / 2
/** An end is told to no more digits than are shown. */
const PRECISION = 1e-9

export function rangeOfEnd(
  { x, u }: { x: readonly number[]; u: readonly number[] },
  { nu: bestNu, x0: bestX0, sigma, isOpen, sizeOf }: Layer,
): { value: number; sd: number; range: [number, number]; work: number } {
  let work = 0
  const missOf = (nu: number, x0: number): number => {
    if (!(nu >= MIN_VISCOSITY && x0 > 0 && x0 < 1)) return Infinity
    work += 2 * x.length
    const C = sizeOf(nu, x0)
    return x.reduce((sum, at, i) => sum + (u[i]! + C * Math.tanh((C * (at - x0)) / (2 * nu))) ** 2, 0)
  }
  const endOf = (nu: number, x0: number): number => {
    const C = sizeOf(nu, x0)
    return -C * Math.tanh((C * (1 - x0)) / (2 * nu))
  }
  const limit = missOf(bestNu, bestX0) + CHI2_95 * sigma ** 2
  const placeAt = (nu: number): number => {
    const width = 2 * Math.max(nu, bestNu)
    return nu === bestNu ? bestX0 : lowest((x0) => missOf(nu, x0), bestX0 - width, bestX0 + width)
  }
  const side = (sign: 1 | -1): number =>
    isOpen
      ? reach((way) => {
          const nu = bestNu * Math.exp(sign * way)
          return missOf(nu, placeAt(nu)) <= limit
        }, 1e-3)
      : 0
  const [down, up] = [side(-1), side(1)]
  const endpoints = Array.from({ length: isOpen ? SLICES + 1 : 1 }, (_, i) => {
    const nu = isOpen ? bestNu * Math.exp((i * (up + down)) / SLICES - down) : bestNu
    const place = placeAt(nu)
    return [-1, 1].map((sign) =>
      endOf(nu, place + sign * reach((way) => missOf(nu, place + sign * way) <= limit, nu / 100)),
    )
  }).flat()
  const value = endOf(bestNu, bestX0)
  const least = PRECISION * Math.abs(value)
  const range: [number, number] = [Math.min(value - least, ...endpoints), Math.max(value + least, ...endpoints)]
  return { value, sd: (range[1] - range[0]) / 2 / TARGET, range, work }
}

/** How far the region goes on: the last place that is known to lie within it. */
function reach(isWithin: (way: number) => boolean, first: number): number {
  let [low, high] = [0, first]
  for (let i = 0; i < MAX_DOUBLINGS && isWithin(high); i++) [low, high] = [high, 2 * high]
  for (let i = 0; i < HALVINGS; i++) {
    const middle = (low + high) / 2
    if (isWithin(middle)) low = middle
    else high = middle
  }
  return low
}

/** Golden sections. */
function lowest(f: (at: number) => number, from: number, to: number): number {
  let [low, high] = [from, to]
  let [one, other] = [high - GOLDEN * (high - low), low + GOLDEN * (high - low)]
  let [below, above] = [f(one), f(other)]
  for (let i = 0; i < SECTIONS; i++)
    if (below < above) {
      ;[high, other, above] = [other, one, below]
      one = high - GOLDEN * (high - low)
      below = f(one)
    } else {
      ;[low, one, below] = [one, other, above]
      other = low + GOLDEN * (high - low)
      above = f(other)
    }
  return (low + high) / 2
}
