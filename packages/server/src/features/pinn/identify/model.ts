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
}

export interface Model {
  /** Unknown parameters, then the initial state. */
  names: readonly string[]
  observations: Float64Array
  /** Predictions and their Jacobian, row by row; null where the model has no solution there. */
  evaluate(theta: Float64Array, withJacobian?: boolean): { values: Float64Array; jacobian: Float64Array } | null
}

const TOLERANCE = 1e-8

export const initialNames = ({ system }: Pick<Problem, 'system'>): string[] => {
  const found = SYSTEMS[system]
  return found.kind === 'differential' ? found.states.map((_, i) => `initial_${i}`) : []
}

const weightOf = ({ weights }: Pick<Problem, 'weights'>, column: number): number => weights?.[column] ?? 1

export function createModel(problem: Problem, work: WorkCounter): Model {
  const system = SYSTEMS[problem.system]
  const names = [...problem.unknowns, ...initialNames(problem)]
  const observations = Float64Array.from(problem.y.flatMap((row) => row.map((value, s) => value * weightOf(problem, s))))
  const parametersAt = (theta: Float64Array): Values => ({
    ...problem.fixed,
    ...Object.fromEntries(problem.unknowns.map((name, i) => [name, theta[i]!])),
  })
  if (system.kind === 'differential')
    return { names, observations, evaluate: differential(system, problem, parametersAt, work) }
  return { names, observations, evaluate: explicit(system, problem, parametersAt, work) }
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
  const places = unknowns.map((unknown) => order.indexOf(unknown))
  const [dx, dp] = [new Float64Array(states * states), new Float64Array(order.length * states)]
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
      for (let j = 0; j < estimated; j++) {
        const from = states + j * states
        const own = j < unknowns.length ? places[j]! * states : -1
        for (let i = 0; i < states; i++) {
          let sum = own < 0 ? 0 : dp[own + i]!
          for (let k = 0; k < states; k++) sum += dx[i * states + k]! * x[from + k]!
          into[from + i] = sum
        }
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
    work.add(t.length)
    if (system.kind === 'linear')
      return Float64Array.from(t, (x) => Object.keys(p).reduce((sum, name) => sum + linearTerm(system, p, name, x), 0))
    return system.isValid(p) ? Float64Array.from(t, system.model(p)) : null
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

const linearTerm = (system: Extract<System, { kind: 'linear' }>, p: Values, name: string, x: number): number =>
  /^L\d$/.test(name) ? p[name]! * system.basis(name, x) : 0

const areFinite = (values: Float64Array): boolean => values.every((value) => Number.isFinite(value))
