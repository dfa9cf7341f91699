/** A parameter that acts through another one alone: the frequency of a force, the limit of a growth. */
import { MAX_RELATIVE_SD, type Refusal } from './information.ts'
import { type Bounds, type Fit, leastSquares } from './least-squares.ts'
import { type Model, type Problem, systemOf } from './model.ts'

/** By how many variances of the noise the other one has to better the fit: as much as a value of the largest relative deviation
 *  that is asserted, and more than the best of n/2 frequencies does in pure noise in one case of twenty. */
const leastGain = (n: number): number => Math.max(MAX_RELATIVE_SD ** -2, 2 * Math.log(n / 2 / 0.05))

/** Where the other one may as well be 0, any value of the carried one fits. */
export function carriedRefusal(
  problem: Problem,
  model: Model,
  fit: Fit,
  bounds: Bounds,
  { sigma, isSpent }: { sigma: number; isSpent: () => boolean },
): Record<string, Refusal> {
  const { name, by } = systemOf(problem).carried ?? {}
  const [carried, carrier] = [name, by].map((one) => problem.unknowns.indexOf(one!)) as [number, number]
  if (carried === -1 || carrier === -1 || bounds.low[carrier]! > 0 || bounds.high[carrier]! < 0) return {}
  const without = fit.theta.slice()
  without[carrier] = 0
  const free = model.names.flatMap((_, j) => (j === carried || j === carrier ? [] : [j]))
  const found = leastSquares(model, without, bounds, { free, isSpent })
  if (found === null || found.ssr - fit.ssr > leastGain(fit.values.length) * sigma ** 2) return {}
  const reason = `the data are fitted as well where ${by} is 0, and then ${name} has no effect`
  return {
    [by!]: { code: 'RELATIVE_ERROR', reason, direction: null },
    [name!]: { code: 'INTERVAL_UNBOUNDED', reason, direction: null },
  }
}

/** A frequency has no sign: the positive one is told where the bounds let it be. */
export function upright({ system, unknowns }: Problem, fit: Fit, { high }: Bounds): Fit {
  const at = system === 'duffing' ? unknowns.indexOf('w') : -1
  if (at === -1 || fit.theta[at]! >= 0 || -fit.theta[at]! > high[at]!) return fit
  const width = fit.theta.length
  return {
    ...fit,
    theta: fit.theta.map((value, j) => (j === at ? -value : value)),
    jacobian: fit.jacobian.map((value, i) => (i % width === at ? -value : value)),
  }
}
