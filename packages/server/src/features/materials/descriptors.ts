/** What a composition looks like to the model: statistics of the properties of its elements. */
import { type Element, fractionsOf, PROPERTY_NAMES } from './tables.ts'

export type Composition = Readonly<Record<string, number>>

/** Elements that form anions. */
const ANIONS = new Set(['H', 'C', 'N', 'O', 'F', 'P', 'S', 'Cl', 'As', 'Se', 'Br', 'Te', 'I'])

/** Charge for each atom from which on a compound counts as not balanced; every row of the table is at 0 or above this. */
const IMBALANCE = 0.05

interface Described {
  values: number[]
  /** -sum of x_i x_j (difference of electronegativity)^2: the regressor of the mean. */
  polarity: number
}

export function describe(composition: Composition, elements: ReadonlyMap<string, Element>): Described {
  const fractions = Object.entries(fractionsOf(composition))
  const values = PROPERTY_NAMES.flatMap((name) => {
    const rows = fractions.map(([symbol, x]) => [elements.get(symbol)![name], x] as const)
    const mean = rows.reduce((sum, [value, x]) => sum + x * value, 0)
    const deviation = rows.reduce((sum, [value, x]) => sum + x * Math.abs(value - mean), 0)
    const all = rows.map(([value]) => value)
    const [min, max] = [Math.min(...all), Math.max(...all)]
    return [mean, deviation, min, max, max - min]
  })
  const charge = leastCharge(fractions, elements)
  const anions = fractions.reduce((sum, [symbol, x]) => sum + (ANIONS.has(symbol) ? x : 0), 0)
  let polarity = 0
  for (let i = 0; i < fractions.length; i++)
    for (let j = 0; j < i; j++) {
      const [one, other] = [fractions[i]!, fractions[j]!]
      const difference = elements.get(one[0])!.electronegativity - elements.get(other[0])!.electronegativity
      polarity -= one[1] * other[1] * difference ** 2
    }
  // 1 where the charges balance; a ramp, so that a rounded count does not make another substance.
  const balance = Math.max(0, 1 - charge / IMBALANCE)
  return { values: [...values, anions, fractions.length, balance, charge], polarity }
}

/** The least magnitude of charge per atom over all choices of one common oxidation state for each element. */
function leastCharge(fractions: readonly [string, number][], elements: ReadonlyMap<string, Element>): number {
  let sums = [0]
  for (const [symbol, x] of fractions) {
    const states = elements.get(symbol)!.oxidation_states
    const next = sums.flatMap((sum) => states.map((state) => sum + state * x))
    // Equal sums go on as one, which keeps eight elements of many states small.
    sums = [...new Map(next.map((sum) => [Math.round(sum * 1e9), sum])).values()]
  }
  return sums.reduce((least, sum) => Math.min(least, Math.round(Math.abs(sum) * 1e12) / 1e12), Infinity)
}
