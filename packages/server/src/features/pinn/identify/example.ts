/** Data of a known truth, for the examples: the model's own trajectory with seeded normal noise. */
import { sfc32 } from '../../../domain/sfc32.ts'
import { integrate, WorkCounter } from './integrate.ts'
import type { Problem } from './model.ts'
import { parameterVector, SYSTEMS, type SystemName, type Values } from './systems.ts'

export interface ExampleRequest {
  system: SystemName
  noise: number
  seed: number
  /** `ill_posed`: a window so short that some parameters leave no trace in it. */
  case: 'identifiable' | 'ill_posed'
  unknowns: readonly string[]
  fixed: Values
}

/** `noise` of a request is the standard deviation in units of the system: 1 is 10,000 J/mol for a mixture and 1 for the
 *  others. */
export interface Example {
  problem: Problem
  truth: Values
  noise_sd: number
}

/** Null where these values have no finite trajectory over the whole window. */
export function makeExample({ system, noise, seed, case: kind, unknowns, fixed }: ExampleRequest): Example | null {
  const found = SYSTEMS[system]
  const { example } = found
  const [from, to, points] = kind === 'identifiable' ? [example.from, example.to, example.points] : example.narrow
  const t = Array.from({ length: points }, (_, i) => from + ((to - from) * i) / (points - 1))
  const truth = {
    ...Object.fromEntries(Object.entries(found.parameters).map(([name, row]) => [name, row.truth])),
    ...fixed,
  }
  const clean = trajectory(system, t, truth)
  if (clean === null || !clean.flat().every(Number.isFinite)) return null
  const sd = noise * example.noiseUnit
  const random = sfc32('pinn-identify-example/v1', { system, noise, seed, case: kind })
  const y = clean.map((row) => row.map((value) => value + sd * random.normal()))
  const fixedValues = Object.fromEntries(Object.entries(truth).filter(([name]) => !unknowns.includes(name)))
  return { problem: { system, t, y, unknowns, fixed: fixedValues }, truth, noise_sd: sd }
}

function trajectory(system: SystemName, t: readonly number[], p: Values): number[][] | null {
  const found = SYSTEMS[system]
  if (found.kind === 'explicit') return t.map((x) => [found.model(p)(x)])
  if (found.kind === 'linear')
    return t.map((x) => [Object.keys(found.parameters).reduce((sum, name) => sum + p[name]! * found.basis(name, x), 0)])
  const values = parameterVector(system, p)
  const rate = (at: number, x: Float64Array, into: Float64Array) => found.rate(at, x, values, into)
  const states = integrate(rate, Float64Array.from(found.example.state!), t, 1e-11, new WorkCounter(1e7))
  const observed = system === 'lotka_volterra' ? 2 : 1
  return states === null ? null : states.map((x) => [...x.subarray(0, observed)])
}
