/** What a system predicts for the caller's data, with the derivatives by everything that is estimated. */
import { integrate, type WorkCounter } from './integrate.ts'
import { type Differential, parameterVector, SYSTEMS, type System, type SystemName, type Values } from './systems.ts'

export interface Problem {
  system: SystemName
  t: readonly number[]
  /** One row for each time, one column for each observed state, the first states first. */
  y: readonly (readonly number[])[]
  unknowns: readonly string[]
  fixed: Values
  /** By which the misses of each column are multiplied; 1 where there are none. */
  weights?: readonly number[]
  /** The system in other parameters than its own. */
  form?: System
}

export const systemOf = ({ system, form }: Pick<Problem, 'system' | 'form'>): System => form ?? SYSTEMS[system]

export interface Model {
  /** Unknown parameters, then the initial state. */
  names: readonly string[]
  observations: Float64Array
  /** Predictions and their Jacobian, row by row; null where the model has no solution there. */
  evaluate(theta: Float64Array, withJacobian?: boolean): { values: Float64Array; jacobian: Float64Array } | null
  /** Moves what is free to where the model has a solution, given the others. */
  admit?(theta: Float64Array, free: readonly number[]): void
}

const TOLERANCE = 1e-8

export const initialNames = ({ system }: Pick<Problem, 'system'>): string[] => {
  const found = SYSTEMS[system]
  return found.kind === 'differential' ? found.states.map((_, i) => `initial_${i}`) : []
}

const weightOf = ({ weights }: Pick<Problem, 'weights'>, column: number): number => weights?.[column] ?? 1

export function createModel(problem: Problem, work: WorkCounter): Model {
  const system = systemOf(problem)
  const names = [...problem.unknowns, ...initialNames(problem)]
  const observations = Float64Array.from(
    problem.y.flatMap((row) => row.map((value, s) => value * weightOf(problem, s))),
  )
  const parametersAt = (theta: Float64Array): Values => ({
    ...problem.fixed,
    ...Object.fromEntries(problem.unknowns.map((name, i) => [name, theta[i]!])),
  })
  if (system.kind === 'differential')
    return { names, observations, evaluate: differential(system, problem, parametersAt, work) }
  const evaluate = explicit(system, problem, parametersAt, work)
  if (system.kind === 'linear') return { names, observations, evaluate }
  const admit = (theta: Float64Array, free: readonly number[]) => {
    const limits = system.limits(parametersAt(theta))
    for (const j of free) {
      const [low, high] = limits[names[j]!] ?? [-Infinity, Infinity]
      // A step of the derivatives is left on both sides.
      const margin = (limit: number) => (Number.isFinite(limit) ? 1e-3 * Math.abs(limit) : 0)
      theta[j] = Math.min(high - margin(high), Math.max(low + margin(low), theta[j]!))
    }
  }
  return { names, observations, evaluate, admit }
}

/** The sensitivities are integrated with the state (output error): the data are never differentiated. */
function differential(
  system: Differential,
  { system: name, t, y, unknowns, ...problem }: Problem,
  parametersAt: (theta: Float64Array) => Values,
  work: WorkCounter,
): Model['evaluate'] {
  const states = system.states.length
  const order = Object.keys(system.parameters)
  const [dx, dp] = [new Float64Array(states * states), new Float64Array((order.length + 1) * states)]
  // An initial state is none of the parameters: its place is the last one, which holds zeros.
  const places = Int32Array.from(
    [...unknowns, ...system.states],
    (_, j) => (j < unknowns.length ? order.indexOf(unknowns[j]!) : order.length) * states,
  )
  const observed = y[0]!.length
  const estimated = unknowns.length + states
  return (theta, withJacobian = true) => {
    const p = parameterVector(name, parametersAt(theta))
    const columns = withJacobian ? estimated : 0
    const start = new Float64Array(states * (1 + columns))
    for (let s = 0; s < states; s++) {
      start[s] = theta[unknowns.length + s]!
      if (withJacobian) start[states + (unknowns.length + s) * states + s] = 1
    }
    const rate = (at: number, x: Float64Array, into: Float64Array): void => {
      system.rate(at, x, p, into)
      if (!withJacobian) return
      system.jacobian(at, x, p, dx, dp)
      if (states === 1) {
        for (let j = 0; j < estimated; j++) into[1 + j] = dp[places[j]!]! + dx[0]! * x[1 + j]!
        return
      }
      const [a, b, c, d] = [dx[0]!, dx[1]!, dx[2]!, dx[3]!]
      for (let j = 0; j < estimated; j++) {
        const own = places[j]!
        const one = x[2 + 2 * j]!
        const two = x[3 + 2 * j]!
        into[2 + 2 * j] = dp[own]! + a * one + b * two
        into[3 + 2 * j] = dp[own + 1]! + c * one + d * two
      }
    }
    const found = integrate(rate, start, t, TOLERANCE, work, states)
    if (found === null) return null
    const values = new Float64Array(t.length * observed)
    const jacobian = new Float64Array(values.length * columns)
    found.forEach((x, i) => {
      for (let s = 0; s < observed; s++) {
        const row = i * observed + s
        const weight = weightOf(problem, s)
        values[row] = weight * x[s]!
        for (let j = 0; j < columns; j++) jacobian[row * columns + j] = weight * x[states + j * states + s]!
      }
    })
    return areFinite(values) && areFinite(jacobian) ? { values, jacobian } : null
  }
}

function explicit(
  system: Exclude<System, Differential>,
  { t, unknowns }: Problem,
  parametersAt: (theta: Float64Array) => Values,
  work: WorkCounter,
): Model['evaluate'] {
  const predict = (theta: Float64Array): Float64Array | null => {
    const p = parametersAt(theta)
    work.add(2 * t.length)
    if (system.kind === 'explicit' && !isWithin(system.limits(p), p)) return null
    const at = system.kind === 'explicit' ? system.model(p) : (x: number) => sumOfTerms(system, p, x)
    const values = new Float64Array(t.length)
    for (let i = 0; i < values.length; i++) values[i] = at(t[i]!)
    return values
  }
  return (theta, withJacobian = true) => {
    const values = predict(theta)
    if (values === null || !areFinite(values)) return null
    const jacobian = new Float64Array(withJacobian ? values.length * unknowns.length : 0)
    if (!withJacobian) return { values, jacobian }
    for (let j = 0; j < unknowns.length; j++) {
      if (system.kind === 'linear') {
        t.forEach((x, i) => {
          jacobian[i * unknowns.length + j] = system.basis(unknowns[j]!, x)
        })
        continue
      }
      const h = 1e-5 * Math.max(1e-3, Math.abs(theta[j]!))
      const [up, down] = [theta.slice(), theta.slice()]
      up[j]! += h
      down[j]! -= h
      const [above, below] = [predict(up), predict(down)]
      if (above === null || below === null) return null
      for (let i = 0; i < t.length; i++) jacobian[i * unknowns.length + j] = (above[i]! - below[i]!) / (2 * h)
    }
    return areFinite(jacobian) ? { values, jacobian } : null
  }
}

const isWithin = (limits: Readonly<Record<string, readonly [number, number]>>, p: Values): boolean =>
  Object.entries(limits).every(([name, [low, high]]) => p[name]! >= low && p[name]! <= high)

const sumOfTerms = (system: Extract<System, { kind: 'linear' }>, p: Values, x: number): number =>
  Object.keys(system.parameters).reduce((sum, name) => sum + (p[name] ?? 0) * system.basis(name, x), 0)

const areFinite = (values: Float64Array): boolean => values.every((value) => Number.isFinite(value))
