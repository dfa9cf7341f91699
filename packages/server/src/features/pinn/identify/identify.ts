/** Identification: a fit of the trajectory from several starts, what the data tell about each parameter, and a refusal of
 *  exactly those that they do not tell. */
import { carriedRefusal, upright } from './carried.ts'
import { againstFixed } from './contradicted.ts'
import { informationOf, MAX_RELATIVE_SD, type Refusal } from './information.ts'
import { WorkCounter } from './integrate.ts'
import { profileInterval, TARGET } from './intervals.ts'
import { asLayer } from './layer.ts'
import { type Bounds, difference, type Fit, leastSquares } from './least-squares.ts'
import { createModel, initialNames, type Model, type Problem, systemOf } from './model.ts'
import { describeResiduals } from './residuals.ts'
import { boundsOf, placesOf, startsOf } from './starts.ts'
import type { Values } from './systems.ts'
import { type OwnBounds, rootMeanSquare, sizeOf, withoutUnits } from './units.ts'

export interface Identification {
  problem: Problem
  bounds: OwnBounds
  seed: number
  starts?: number
  /** Whose intervals by the profile are wanted; without them those of the curvature are given. */
  profile?: boolean | readonly string[]
}

const MAX_WORK = 2e7
const STARTS = 8
/** Of the work, for all starts and for one: a start that wanders must not spend what the others and the intervals need. */
const [SEARCH_SHARE, START_SHARE] = [0.5, 0.25]
/** Of the work, up to which a frequency is sought among its neighbours. */
const PHASE_SHARE = 0.75
/** A search that has spent this share is over when so many starts agree. */
const [LONG_SHARE, ENOUGH] = [0.2, 3]
const HELD_OUT = 0.2
/** Residuals below this share of the data are errors of the integration and no noise. */
const NOISE_FLOOR = 1e-6
const TINY = 1e-6

export const identify = (asked: Identification): Identified =>
  againstFixed(asked, NOISE_FLOOR, (one) => asLayer(one, fitted) ?? fitted(one))

function fitted({ problem: given, bounds, seed, starts = STARTS, profile = true }: Identification) {
  const work = new WorkCounter(MAX_WORK)
  const { problem: plain, bounds: own, units } = withoutUnits(given, bounds)
  const columns = plain.y[0]!.length
  const problem = { ...plain, weights: Array.from({ length: columns }, (_, s) => 1 / sizeOf(plain.y, s)) }
  const typical = typicalOf(problem)
  const places = placesOf(problem, typical)
  const limits = boundsOf(problem, places, own)
  const { fits, run } = search(problem, startsOf(problem, places, own, seed, starts), places.length, limits, work)
  const reached = fits.toSorted((one, other) => one.ssr - other.ssr)[0]
  if (reached === undefined) return { found: null, work: work.count }
  const first = inPhase(problem, reached, limits, work)
  const { weights, model, fit: last } = weighted(problem, first, limits, work)
  const fit = upright(problem, last, limits)
  const n = model.observations.length
  const sigma = Math.sqrt(fit.ssr / (n - model.names.length))
  const exact = sigma < NOISE_FLOOR
  const floor = Math.max(sigma, NOISE_FLOOR)
  const p = problem.unknowns.length
  const scale = problem.unknowns.map((name, j) => scaleOf(fit.theta[j]!, typical[name]!))
  const information = informationOf(problem.unknowns, model.names.length - p, fit.jacobian, scale, floor)
  const unitOf = (name: string): number => units.parameters[name]!
  const refusals = {
    ...carriedRefusal(problem, model, fit, limits, { sigma: floor, isSpent: spentBy(work) }),
    ...information.refusals,
    ...boundRefusals(problem, fit, limits, units.parameters),
  }
  if (!fit.converged)
    for (const name of problem.unknowns)
      refusals[name] = { code: 'NOT_CONVERGED', reason: 'no start converged to this minimum', direction: null }
  const free = model.names.flatMap((name, j) => (refusals[name]?.code === 'NO_EFFECT' ? [] : [j]))
  const discovered = problem.unknowns.map((name, j) => {
    const sd = information.sd[name] ?? null
    const isWanted = Array.isArray(profile) ? profile.includes(name) : profile === true
    const isProfiled = isWanted && !exact && refusals[name] === undefined && sd !== null
    const until = work.count + (work.cap - work.count) / (p - j + 1)
    const profiled = isProfiled
      ? profileInterval(model, fit, limits, { free, index: j, sigma, sd, isSpent: () => work.count >= until })
      : null
    const unbounded = profiled === null ? null : profileRefusal(profiled, scale[j]!)
    if (unbounded !== null) refusals[name] = unbounded
    const inUnits = (value: number | null | undefined) => (value == null ? null : value * unitOf(name))
    return {
      ...{ name, index: j, value: fit.theta[j]! * unitOf(name), scale: scale[j]! * unitOf(name) },
      ...{ sd: inUnits(sd), conditionalSd: inUnits(information.conditionalSd[name]) },
      profiled: profiled && ([inUnits(profiled[0]), inUnits(profiled[1])] as [number | null, number | null]),
    }
  })
  const columnUnits = weights.map((weight, s) => units.states[s]! / weight)
  const residuals = series(columns, difference(model.observations, fit.values))
  const { converged, iterations, gradientNorm } = fit
  return {
    found: {
      fit: { converged, iterations, gradientNorm },
      discovered,
      refusals,
      information,
      initial: initialNames(problem).map((name, i) => ({ name, value: fit.theta[p + i]! * units.states[i]! })),
      agreeing: converged ? agreeing(fits.includes(first) ? fits : [...fits, first]).length : 0,
      starts: run,
      residuals: describeResiduals(residuals, model.names.length, columnUnits),
      heldOutRmse: heldOut({ ...problem, weights }, fit, limits, work, columnUnits),
      exact,
      sigma: floor * units.states[0]!,
      predictions: fit.values.map((value, i) => value * columnUnits[i % columns]!),
    },
    work: work.count,
  }
}

const typicalOf = (problem: Problem): Values =>
  systemOf(problem).typical(
    problem.t,
    problem.y.map(([first]) => first!),
    problem.y[0]!.length > 1 ? problem.y.map(([, second]) => second!) : undefined,
  )

/** Starts that are scattered are fitted to the first quarter of the data and to their half before: a long oscillation has a
 *  minimum for each turn that is missed. */
function search(
  problem: Problem,
  starts: readonly Float64Array[],
  whole: number,
  limits: Bounds,
  work: WorkCounter,
): { fits: Fit[]; run: number } {
  const model = createModel(problem, work)
  const canOscillate = initialNames(problem).length > 1
  const parts = (canOscillate ? [4, 2] : []).map((part) => Math.ceil(problem.t.length / part))
  const before = parts.filter((size) => size > model.names.length + 2).map((size) => beginningOf(problem, size, work))
  const fits: Fit[] = []
  let run = 0
  for (const start of starts) {
    if (work.count >= SEARCH_SHARE * work.cap) break
    if (work.count >= LONG_SHARE * work.cap && agreeing(fits).length >= ENOUGH) break
    const isSpent = spentBy(work, SEARCH_SHARE * work.cap)
    let from = start
    for (const one of run < whole ? [] : before) from = leastSquares(one, from, limits, { isSpent })?.theta ?? from
    const fit = leastSquares(model, from, limits, { isSpent })
    if (fit !== null) fits.push(fit)
    run += 1
  }
  return { fits, run }
}

/** Long after the time 0 there is a minimum for every frequency that has the same phase in the middle of the data: from one to
 *  its neighbours as long as they fit better. */
function inPhase(problem: Problem, reached: Fit, limits: Bounds, work: WorkCounter): Fit {
  const at = problem.unknowns.indexOf('w')
  const middle = Math.abs(problem.t[0]! + problem.t.at(-1)!) / 2
  if (at === -1 || middle < 1) return reached
  const model = createModel(problem, work)
  let best = reached
  for (const turn of [1, -1])
    for (let isBetter = true; isBetter; ) {
      const from = best.theta.slice()
      from[at]! += (turn * 2 * Math.PI) / middle
      const next = leastSquares(model, from, limits, { isSpent: spentBy(work, PHASE_SHARE * work.cap) })
      isBetter = next !== null && next.ssr < best.ssr * (1 - TINY)
      if (isBetter) best = next!
    }
  return best
}

const beginningOf = (problem: Problem, size: number, work: WorkCounter): Model =>
  createModel({ ...problem, t: problem.t.slice(0, size), y: problem.y.slice(0, size) }, work)

/** Those that ended in the best minimum. */
function agreeing(fits: readonly Fit[]): Fit[] {
  const best = Math.min(...fits.map(({ ssr }) => ssr))
  return fits.filter(({ converged, ssr, values }) => converged && ssr <= best * 1.01 + NOISE_FLOOR ** 2 * values.length)
}

/** Whether one fit has had its share, or all of them theirs. */
function spentBy(work: WorkCounter, total = 0.95 * work.cap): () => boolean {
  const until = Math.min(total, work.count + START_SHARE * work.cap)
  return () => work.count >= until
}

/** Two observed states may have noise of two sizes: each is weighted by its own, as the misses of the fit before show it. */
function weighted(problem: Problem & { weights: number[] }, first: Fit, limits: Bounds, work: WorkCounter) {
  let { weights } = problem
  let model = createModel(problem, work)
  let fit = first.converged ? first : (leastSquares(model, first.theta, limits, { isSpent: spentBy(work) }) ?? first)
  for (let round = 0; round < 2 && weights.length > 1; round++) {
    const misses = series(weights.length, difference(model.observations, fit.values))
    const spread = misses.map((values) => Math.max(NOISE_FLOOR, rootMeanSquare([values], [1], values.length)))
    const mean = Math.sqrt(spread[0]! * spread[1]!)
    weights = weights.map((weight, s) => (weight * mean) / spread[s]!)
    model = createModel({ ...problem, weights }, work)
    fit = leastSquares(model, fit.theta, limits, { isSpent: spentBy(work) }) ?? fit
  }
  return { weights, model, fit }
}

/** What a relative error is relative to: the value, or what the data suggest where the value is next to nothing. */
const scaleOf = (value: number, typical: number): number =>
  Math.abs(value) > TINY * Math.abs(typical) ? Math.abs(value) : Math.abs(typical)

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

/** Beyond the limits of a model there is none: a fit that wants to go there stops a step of its derivatives before. */
const EDGE = 0.02

function boundRefusals(
  problem: Problem,
  { theta }: Fit,
  { low, high }: Bounds,
  units: Values,
): Record<string, Refusal> {
  const found: Record<string, Refusal> = {}
  const { fixed, unknowns } = problem
  const kind = systemOf(problem)
  const values = { ...fixed, ...Object.fromEntries(unknowns.map((name, j) => [name, theta[j]!])) }
  const limits = kind.kind === 'explicit' ? kind.limits(values) : {}
  unknowns.forEach((name, j) => {
    const [least, most] = limits[name] ?? [-Infinity, Infinity]
    const isInside = theta[j]! > least * (1 + EDGE) && theta[j]! < most * (1 - EDGE)
    if (isInside && theta[j]! > low[j]! && theta[j]! < high[j]!) return
    const bound = Number((theta[j]! * units[name]!).toPrecision(10))
    found[name] = { code: 'AT_BOUND', reason: `the best value lies at its bound ${bound}`, direction: null }
  })
  return found
}

const series = (columns: number, residuals: Float64Array): number[][] =>
  Array.from({ length: columns }, (_, s) => [...residuals.filter((__, i) => i % columns === s)])

/** The last fifth is predicted by a fit of what comes before it. */
function heldOut(
  problem: Problem,
  fit: Fit,
  bounds: Bounds,
  work: WorkCounter,
  units: readonly number[],
): number | null {
  const size = Math.floor(problem.t.length * (1 - HELD_OUT))
  const columns = problem.y[0]!.length
  if (size * columns <= fit.theta.length) return null
  const refit = leastSquares(beginningOf(problem, size, work), fit.theta, bounds, { isSpent: spentBy(work) })
  const whole: Model = createModel(problem, work)
  const predicted = refit === null ? null : whole.evaluate(refit.theta, false)
  if (predicted === null) return null
  const errors = difference(whole.observations, predicted.values).subarray(size * columns)
  return rootMeanSquare(series(columns, errors), units, errors.length)
}

export type Identified = ReturnType<typeof fitted>
