/** Where the search for the best parameters begins, and how far it may go. */
import { sfc32 } from '../../../domain/sfc32.ts'
import type { Bounds } from './least-squares.ts'
import { matchedStart } from './matching.ts'
import { initialNames, type Problem } from './model.ts'
import type { Values } from './systems.ts'
import type { OwnBounds } from './units.ts'

interface Place {
  values: Values
  state: readonly number[]
  /** Of the scatter around it. */
  width: number
}

/** How far a value may lie from the magnitude that the data suggest, where the caller gave no bound. */
const REACH: Readonly<Record<string, number>> = { K: 1e9 }
const COMMON_REACH = 100
const STATE_REACH = [100, 1e5]

export function boundsOf(problem: Problem, places: readonly Place[], own: OwnBounds): Bounds {
  const pairs = [
    ...problem.unknowns.map((name) => {
      const reach = (REACH[name] ?? COMMON_REACH) * Math.max(...places.map(({ values }) => Math.abs(values[name]!)))
      return own[name] ?? [-reach, reach]
    }),
    ...initialNames(problem).map((_, i) => [-STATE_REACH[i]!, STATE_REACH[i]!] as const),
  ]
  return { low: Float64Array.from(pairs, ([low]) => low), high: Float64Array.from(pairs, ([, high]) => high) }
}

/** What the integrals of the data give, where they give something, and what their size suggests. */
export function placesOf(problem: Problem, typical: Values): Place[] {
  // A population that nobody counted is none of nobody.
  const unseen = problem.system === 'lotka_volterra' ? 1 : 0
  const plain = { values: typical, state: initialNames(problem).map((_, i) => problem.y[0]![i] ?? unseen), width: 0.7 }
  const matched = matchedStart(problem, typical)
  return matched === null ? [plain] : [{ ...matched, width: 0.3 }, plain]
}

/** First the places themselves, then others scattered around them. Bounds that hold all of them change none: only a value
 *  outside of its own bounds is drawn within them. */
export function startsOf(
  problem: Problem,
  places: readonly Place[],
  own: OwnBounds,
  seed: number,
  count: number,
): Float64Array[] {
  const random = sfc32('pinn-identify-starts/v2', { seed, system: problem.system, unknowns: problem.unknowns })
  // Only a spring may push either way; a frequency has no sign.
  const flips = (name: string) => (problem.system === 'duffing' && name !== 'w' ? 0.2 : 0)
  return Array.from({ length: count }, (_, start) => {
    const { values, state, width } = places[start % places.length]!
    const isFirst = start < places.length
    const isPlain = values === places.at(-1)!.values
    const parameters = problem.unknowns.map((name) => {
      const [factor, flip, share] = [Math.exp(width * random.normal()), random.uniform(), random.uniform()]
      const value = values[name]! * (isFirst ? 1 : factor * (isPlain && flip < flips(name) ? -1 : 1))
      const [low, high] = own[name] ?? [-Infinity, Infinity]
      return value > low && value < high ? value : low + (high - low) * (isFirst ? 0.5 : share)
    })
    const initial = state.map((value, i) => {
      const change = random.normal()
      if (isFirst || i < problem.y[0]!.length) return value
      return problem.system === 'lotka_volterra' ? value * Math.exp(width * change) : value + 3 * change
    })
    return Float64Array.from([...parameters, ...initial])
  })
}
