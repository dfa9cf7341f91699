/** Where the search for the best parameters begins, and how far it may go. */
import { sfc32 } from '../../../domain/sfc32.ts'
import type { Bounds } from './least-squares.ts'
import { matchedStart } from './matching.ts'
import { initialNames, type Problem } from './model.ts'
import type { Values } from './systems.ts'
import type { OwnBounds } from './units.ts'

/** How far a value may lie from the magnitude that the data suggest, where the caller gave no bound. */
const REACH: Readonly<Record<string, number>> = { K: 1e9 }
const COMMON_REACH = 100
const STATE_REACH = [100, 1e5]

export function boundsOf(problem: Problem, typical: Values, own: OwnBounds): Bounds {
  const pairs = [
    ...problem.unknowns.map((name) => {
      const reach = (REACH[name] ?? COMMON_REACH) * Math.abs(typical[name]!)
      return own[name] ?? [-reach, reach]
    }),
    ...initialNames(problem).map((_, i) => [-STATE_REACH[i]!, STATE_REACH[i]!] as const),
  ]
  return { low: Float64Array.from(pairs, ([low]) => low), high: Float64Array.from(pairs, ([, high]) => high) }
}

/** First what the integrals of the data give and what their size suggests, then others scattered around the two. Bounds that
 *  hold all of them change none: only a value outside of its own bounds is drawn within them. */
export function startsOf(
  problem: Problem,
  typical: Values,
  own: OwnBounds,
  seed: number,
  count: number,
): Float64Array[] {
  const random = sfc32('pinn-identify-starts/v2', { seed, system: problem.system, unknowns: problem.unknowns })
  // Only a spring may push either way; a population that nobody counted is none of nobody.
  const flips = problem.system === 'duffing' ? 0.2 : 0
  const isPopulation = problem.system === 'lotka_volterra'
  const plain = {
    values: typical,
    state: initialNames(problem).map((_, i) => problem.y[0]![i] ?? (isPopulation ? 1 : 0)),
  }
  const matched = matchedStart(problem, typical)
  const places = matched === null ? [plain] : [matched, plain]
  return Array.from({ length: count }, (_, start) => {
    const place = places[start % places.length]!
    const isFirst = start < places.length
    const width = place === plain ? 0.7 : 0.3
    const parameters = problem.unknowns.map((name) => {
      const [factor, flip, share] = [Math.exp(width * random.normal()), random.uniform(), random.uniform()]
      const value = place.values[name]! * (isFirst ? 1 : factor * (place === plain && flip < flips ? -1 : 1))
      const [low, high] = own[name] ?? [-Infinity, Infinity]
      return value > low && value < high ? value : low + (high - low) * (isFirst ? 0.5 : share)
    })
    const state = place.state.map((value, i) => {
      const change = random.normal()
      if (isFirst || i < problem.y[0]!.length) return value
      return isPopulation ? value * Math.exp(width * change) : value + 3 * change
    })
    return Float64Array.from([...parameters, ...state])
  })
}
