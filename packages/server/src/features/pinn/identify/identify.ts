/** Identification: a fit of the trajectory from several starts, what the data tell about each parameter, and a refusal of
 *  exactly those that they do not tell. */
import { sfc32 } from '../../../domain/sfc32.ts'
import { informationOf, MAX_RELATIVE_SD, type Refusal } from './information.ts'
import { WorkCounter } from './integrate.ts'
import { profileInterval, TARGET } from './intervals.ts'
import { type Bounds, difference, type Fit, leastSquares } from './least-squares.ts'
import { createModel, initialNames, type Model, type Problem } from './model.ts'
import { describeResiduals } from './residuals.ts'
import { SYSTEMS, type Values } from './systems.ts'

interface Identification {
  problem: Problem
  bounds: Readonly<Record<string, readonly [number, number]>>
  seed: number
  starts?: number
  /** Whose intervals by the profile are wanted; without them those of the curvature are given. */
  profile?: boolean | readonly string[]
}

const MAX_WORK = 2e7
const STARTS = 8
const HELD_OUT = 0.2
/** Residuals below this share of the data are errors of the integration and no noise. */
const NOISE_FLOOR = 1e-6

export function identify({ problem, bounds, seed, starts = STARTS, profile = true }: Identification) {
  const work = new WorkCounter(MAX_WORK)
  const model = createModel(problem, work)
  const typical = typicalOf(problem)
  const limits = boundsOf(problem, typical, bounds)
  const fits = startsOf(problem, typical, bounds, seed, starts).flatMap(
    (start) => leastSquares(model, start, limits) ?? [],
  )
  const best = fits.reduce<Fit | null>((one, other) => (one === null || other.ssr < one.ssr ? other : one), null)
  if (best === null) return { found: null, work: work.count }
  const n = model.observations.length
  const freedom = n - model.names.length
  const sigma = Math.sqrt(best.ssr / freedom)
  const size = Math.max(...model.observations.map(Math.abs)) || 1
  const floor = Math.max(sigma, Number.EPSILON * size)
  const p = problem.unknowns.length
  const scale = problem.unknowns.map((name, j) => scaleOf(best.theta[j]!, typical[name]!, bounds[name]))
  const nuisance = model.names.length - p
  const information = informationOf(problem.unknowns, nuisance, best.jacobian, scale, floor)
  const refusals = { ...information.refusals, ...boundRefusals(problem, best, limits) }
  if (!best.converged)
    for (const name of problem.unknowns)
      refusals[name] = { code: 'NOT_CONVERGED', reason: 'no start converged to this minimum', direction: null }
  const exact = sigma < NOISE_FLOOR * size
  const free = model.names.flatMap((name, j) => (refusals[name]?.code === 'NO_EFFECT' ? [] : [j]))
  const discovered = problem.unknowns.map((name, j) => {
    const sd = information.sd[name] ?? null
    const isWanted = Array.isArray(profile) ? profile.includes(name) : profile === true
    const isProfiled = isWanted && !exact && refusals[name] === undefined && sd !== null
    const profiled = isProfiled ? profileInterval(model, best, limits, free, j, sigma, sd) : null
    const unbounded = profiled === null ? null : profileRefusal(profiled, scale[j]!)
    if (unbounded !== null) refusals[name] = unbounded
    return { name, index: j, value: best.theta[j]!, sd, profiled, scale: scale[j]! }
  })
  return {
    found: {
      fit: best,
      discovered,
      refusals,
      information,
      initial: initialNames(problem).map((name, i) => ({ name, value: best.theta[p + i]! })),
      agreeing: fits.filter(({ ssr }) => ssr <= best.ssr * 1.01 + Number.EPSILON * size ** 2).length,
      starts: { run: starts, ended: fits.length },
      residuals: describeResiduals(series(problem, difference(model.observations, best.values)), model.names.length),
      heldOutRmse: heldOut(problem, best, limits, work),
      exact,
      predictions: best.values,
    },
    work: work.count,
  }
}

const typicalOf = ({ system, t, y }: Problem): Values =>
  SYSTEMS[system].typical(
    t,
    y.map(([first]) => first!),
  )

/** Without a bound of the caller's own, a hundred times the magnitude that the data suggest. */
function boundsOf(problem: Problem, typical: Values, own: Identification['bounds']): Bounds {
  const size = Math.max(...problem.y.flat().map(Math.abs)) || 1
  const span = problem.t.at(-1)! - problem.t[0]!
  const rates = initialNames(problem).map((_, i) => (i === 0 ? size : size * (1 + 1000 / span)))
  const widest = problem.unknowns.map((name) => own[name] ?? [-100 * typical[name]!, 100 * typical[name]!])
  const pairs = [...widest, ...rates.map((value) => [-100 * value, 100 * value] as const)]
  return {
    low: Float64Array.from(pairs, ([low, high]) => Math.min(low, high)),
    high: Float64Array.from(pairs, ([low, high]) => Math.max(low, high)),
  }
}

/** The first start is what the data suggest, or the middle of the bounds; the others scatter around it, or within them. */
function startsOf(
  problem: Problem,
  typical: Values,
  own: Identification['bounds'],
  seed: number,
  count: number,
): Float64Array[] {
  const random = sfc32('pinn-identify-starts/v1', { seed, system: problem.system, unknowns: problem.unknowns })
  const first = problem.y[0]!
  const span = problem.t.at(-1)! - problem.t[0]!
  const size = Math.max(...problem.y.flat().map(Math.abs)) || 1
  // Only a spring may push either way; a population that nobody counted is none of nobody.
  const flips = problem.system === 'duffing' ? 0.2 : 0
  const unobserved = (start: number): number =>
    problem.system === 'lotka_volterra'
      ? size * Math.exp(start === 0 ? 0 : 0.7 * random.normal())
      : start === 0
        ? 0
        : ((size * 3) / span) * random.normal()
  return Array.from({ length: count }, (_, start) => {
    const parameters = problem.unknowns.map((name) => {
      const bound = own[name]
      if (bound !== undefined) return bound[0] + (bound[1] - bound[0]) * (start === 0 ? 0.5 : random.uniform())
      if (start === 0) return typical[name]!
      return typical[name]! * Math.exp(0.7 * random.normal()) * (random.uniform() < flips ? -1 : 1)
    })
    const state = initialNames(problem).map((_name, i) => first[i] ?? unobserved(start))
    return Float64Array.from([...parameters, ...state])
  })
}

/** What a relative error is relative to: the value, or the width of the bounds where the value is next to nothing. */
function scaleOf(value: number, typical: number, own: readonly [number, number] | undefined): number {
  const width = own === undefined ? Math.abs(typical) : Math.abs(own[1] - own[0])
  return Math.abs(value) > 1e-6 * width ? Math.abs(value) : width || 1
}

/** The curvature at the minimum may promise what the profile does not keep. */
function profileRefusal([low, high]: readonly [number | null, number | null], scale: number): Refusal | null {
  if (low === null || high === null)
    return {
      code: 'INTERVAL_UNBOUNDED',
      reason: 'its profile stays within the 95 % bound on one side as far as could be followed',
      direction: null,
    }
  const relative = (high - low) / 2 / TARGET / scale
  if (relative <= MAX_RELATIVE_SD) return null
  const reason = `its interval is as wide as that of a relative standard deviation of ${(100 * relative).toPrecision(3)} %`
  return { code: 'RELATIVE_ERROR', reason, direction: null }
}

function boundRefusals({ unknowns }: Problem, { theta }: Fit, { low, high }: Bounds): Record<string, Refusal> {
  const found: Record<string, Refusal> = {}
  unknowns.forEach((name, j) => {
    if (theta[j]! > low[j]! && theta[j]! < high[j]!) return
    found[name] = { code: 'AT_BOUND', reason: `the best value lies at its bound ${theta[j]}`, direction: null }
  })
  return found
}

function series({ y }: Problem, residuals: Float64Array): number[][] {
  const columns = y[0]!.length
  return Array.from({ length: columns }, (_, s) => y.map((_row, i) => residuals[i * columns + s]!))
}

/** The last fifth is predicted by a fit of what comes before it. */
function heldOut(problem: Problem, fit: Fit, bounds: Bounds, work: WorkCounter): number | null {
  const kept = Math.floor(problem.t.length * (1 - HELD_OUT))
  const columns = problem.y[0]!.length
  if (kept * columns <= fit.theta.length) return null
  const before = createModel({ ...problem, t: problem.t.slice(0, kept), y: problem.y.slice(0, kept) }, work)
  const refit = leastSquares(before, fit.theta, bounds)
  const whole: Model = createModel(problem, work)
  const predicted = refit === null ? null : whole.evaluate(refit.theta, false)
  if (predicted === null) return null
  const errors = difference(whole.observations, predicted.values).subarray(kept * columns)
  return Math.sqrt(errors.reduce((sum, value) => sum + value * value, 0) / errors.length)
}
