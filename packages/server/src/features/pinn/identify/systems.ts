/** The systems whose parameters can be identified: right-hand sides with their derivatives, and the truth of the examples. */
import { solveExactly } from '../burgers/exact.ts'

export type SystemName =
  | 'duffing'
  | 'damped_oscillator'
  | 'logistic'
  | 'lotka_volterra'
  | 'redlich_kister'
  | 'burgers_viscosity'

/** Of the first observed state, of the second one and of time. */
export type Powers = readonly [x: number, y: number, time: number]

export type Values = Readonly<Record<string, number>>

interface Common {
  equation: string
  /** In the order of the parameters; units in those of the caller's data where they are not fixed. */
  parameters: Readonly<Record<string, { units: string; truth: number; powers: Powers }>>
  defaultUnknowns: readonly string[]
  /** Which one has no effect where another is 0. */
  carried?: { name: string; by: string }
  /** The example: how many points from where to where, also of the ill-posed one, its true initial state, and the standard
   *  deviation that noise 1 stands for. */
  example: {
    from: number
    to: number
    points: number
    narrow: readonly [number, number, number]
    state?: number[]
    noiseUnit: number
  }
  /** Magnitudes that the data suggest without being differentiated; data and time are without units, of size and length 1. */
  typical(t: readonly number[], first: readonly number[], second?: readonly number[]): Values
}

/** x' = f(t, x, p) with p in the order of the parameters. `jacobian` writes df_i/dx_j to `dx[i * states + j]` and df_i/dp_k to
 *  `dp[k * states + i]`, and only what is not always 0. */
export interface Differential extends Common {
  kind: 'differential'
  /** The unit of each state, of which there are one or two. */
  states: readonly Powers[]
  /** Whether the rates depend on the time itself. */
  isDriven?: true
  rate(t: number, x: Float64Array, p: Float64Array, into: Float64Array): void
  jacobian(t: number, x: Float64Array, p: Float64Array, dx: Float64Array, dp: Float64Array): void
}

/** y = sum of parameter times basis(x). */
interface Linear extends Common {
  kind: 'linear'
  basis(name: string, x: number): number
}

/** y = model(x, p). */
export interface Explicit extends Common {
  kind: 'explicit'
  domain: readonly [number, number]
  model(p: Values): (x: number) => number
  /** Between which values of a parameter there is a model, given the others. */
  limits(p: Values): Readonly<Record<string, readonly [number, number]>>
}

export type System = Differential | Linear | Explicit

const meanOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length

/** Angular frequency by the crossings of the mean. */
export function frequencyOf(t: readonly number[], y: readonly number[]): number {
  const mean = meanOf(y)
  const span = t.at(-1)! - t[0]!
  // Noise next to the mean makes no crossing: the data have to leave it by a quarter of their reach.
  const reach = Math.max(...y.map((value) => Math.abs(value - mean))) / 4
  const sides = y.filter((value) => Math.abs(value - mean) > reach).map((value) => value > mean)
  const crossings = sides.filter((side, i) => i > 0 && side !== sides[i - 1]).length
  return (Math.PI * Math.max(1, crossings)) / span
}

const MOTION: readonly Powers[] = [
  [1, 0, 0],
  [1, 0, -1],
]
const v = (p: Values, name: string): number => p[name] ?? 0

export const SYSTEMS: Readonly<Record<SystemName, System>> = {
  duffing: {
    kind: 'differential',
    states: MOTION,
    isDriven: true,
    equation: "x'' + c x' + d x + al x^3 = F cos(w t)",
    parameters: {
      c: { units: '1/time', truth: 0.2, powers: [0, 0, -1] },
      d: { units: '1/time^2', truth: 1, powers: [0, 0, -2] },
      al: { units: '1/(time^2 x^2)', truth: 1, powers: [-2, 0, -2] },
      F: { units: 'x/time^2', truth: 0.5, powers: [1, 0, -2] },
      w: { units: '1/time', truth: 1, powers: [0, 0, -1] },
    },
    defaultUnknowns: ['c', 'd', 'al'],
    carried: { name: 'w', by: 'F' },
    example: { from: 0, to: 10, points: 160, narrow: [0, 1.5, 40], state: [0, 0], noiseUnit: 1 },
    typical(t, y) {
      const omega = frequencyOf(t, y)
      return { c: 0.2 * omega, d: omega ** 2, al: omega ** 2 / 2, F: omega ** 2 / 2, w: omega }
    },
    rate(t, x, p, into) {
      const u = x[0]!
      const v = x[1]!
      into[0] = v
      into[1] = p[3]! * Math.cos(p[4]! * t) - p[0]! * v - p[1]! * u - p[2]! * u * u * u
    },
    jacobian(t, x, p, dx, dp) {
      const u = x[0]!
      dx[1] = 1
      dx[2] = -p[1]! - 3 * p[2]! * u * u
      dx[3] = -p[0]!
      dp[1] = -x[1]!
      dp[3] = -u
      dp[5] = -u * u * u
      dp[7] = Math.cos(p[4]! * t)
      dp[9] = -p[3]! * t * Math.sin(p[4]! * t)
    },
  },
  damped_oscillator: {
    kind: 'differential',
    states: MOTION,
    equation: "x'' + c x' + k x = 0",
    parameters: {
      c: { units: '1/time', truth: 0.3, powers: [0, 0, -1] },
      k: { units: '1/time^2', truth: 4, powers: [0, 0, -2] },
    },
    defaultUnknowns: ['c', 'k'],
    example: { from: 0, to: 10, points: 120, narrow: [0, 0.6, 30], state: [1, 0], noiseUnit: 1 },
    typical(t, y) {
      const omega = frequencyOf(t, y)
      return { c: 0.2 * omega, k: omega ** 2 }
    },
    rate(_t, x, p, into) {
      into[0] = x[1]!
      into[1] = -p[0]! * x[1]! - p[1]! * x[0]!
    },
    jacobian(_t, x, p, dx, dp) {
      dx[1] = 1
      dx[2] = -p[1]!
      dx[3] = -p[0]!
      dp[1] = -x[1]!
      dp[3] = -x[0]!
    },
  },
  logistic: {
    kind: 'differential',
    states: [[1, 0, 0]],
    equation: "x' = r x (1 - x/K)",
    parameters: {
      r: { units: '1/time', truth: 0.8, powers: [0, 0, -1] },
      K: { units: 'x', truth: 10, powers: [1, 0, 0] },
    },
    defaultUnknowns: ['r', 'K'],
    carried: { name: 'K', by: 'r' },
    example: { from: 0, to: 12, points: 60, narrow: [0, 2, 30], state: [0.2], noiseUnit: 1 },
    typical: () => ({ r: 5, K: 1 }),
    rate(_t, x, p, into) {
      into[0] = p[0]! * x[0]! * (1 - x[0]! / p[1]!)
    },
    jacobian(_t, x, p, dx, dp) {
      const u = x[0]!
      const K = p[1]!
      dx[0] = p[0]! * (1 - (2 * u) / K)
      dp[0] = u * (1 - u / K)
      dp[1] = (p[0]! * u * u) / (K * K)
    },
  },
  lotka_volterra: {
    kind: 'differential',
    states: [
      [1, 0, 0],
      [0, 1, 0],
    ],
    equation: "x' = alpha x - beta x y, y' = delta x y - gamma y",
    parameters: {
      alpha: { units: '1/time', truth: 1, powers: [0, 0, -1] },
      beta: { units: '1/(time y)', truth: 0.5, powers: [0, -1, -1] },
      delta: { units: '1/(time x)', truth: 0.3, powers: [-1, 0, -1] },
      gamma: { units: '1/time', truth: 0.8, powers: [0, 0, -1] },
    },
    defaultUnknowns: ['alpha', 'beta', 'delta', 'gamma'],
    example: { from: 0, to: 15, points: 100, narrow: [0, 0.4, 20], state: [2, 1], noiseUnit: 1 },
    // The mean of a population over time is its equilibrium.
    typical(t, x, y) {
      const omega = frequencyOf(t, x)
      return { alpha: omega, beta: y === undefined ? omega : omega / meanOf(y), delta: omega / meanOf(x), gamma: omega }
    },
    rate(_t, x, p, into) {
      const prey = x[0]!
      const hunters = x[1]!
      into[0] = p[0]! * prey - p[1]! * prey * hunters
      into[1] = p[2]! * prey * hunters - p[3]! * hunters
    },
    jacobian(_t, x, p, dx, dp) {
      const prey = x[0]!
      const hunters = x[1]!
      dx[0] = p[0]! - p[1]! * hunters
      dx[1] = -p[1]! * prey
      dx[2] = p[2]! * hunters
      dx[3] = p[2]! * prey - p[3]!
      dp[0] = prey
      dp[2] = -prey * hunters
      dp[5] = prey * hunters
      dp[7] = -hunters
    },
  },
  redlich_kister: {
    kind: 'linear',
    equation: 'G = x (1 - x) (L0 + L1 (1 - 2x) + L2 (1 - 2x)^2 + ...)',
    parameters: {
      L0: { units: 'J/mol', truth: -40000, powers: [1, 0, 0] },
      L1: { units: 'J/mol', truth: 8000, powers: [1, 0, 0] },
      L2: { units: 'J/mol', truth: -5000, powers: [1, 0, 0] },
      L3: { units: 'J/mol', truth: 0, powers: [1, 0, 0] },
      L4: { units: 'J/mol', truth: 0, powers: [1, 0, 0] },
    },
    defaultUnknowns: ['L0', 'L1', 'L2'],
    example: { from: 0.05, to: 0.95, points: 30, narrow: [0.45, 0.55, 14], noiseUnit: 10_000 },
    typical: () => ({ L0: 4, L1: 4, L2: 4, L3: 4, L4: 4 }),
    basis: (name, x) => x * (1 - x) * (1 - 2 * x) ** Number(name.slice(1)),
  },
  burgers_viscosity: {
    kind: 'explicit',
    equation: "nu u'' = u u' on [0, 1], u(0) = a, u(1) = b",
    parameters: {
      nu: { units: 'x u', truth: 0.05, powers: [1, 0, 0] },
      a: { units: 'u', truth: 1, powers: [1, 0, 0] },
      b: { units: 'u', truth: -0.8, powers: [1, 0, 0] },
    },
    defaultUnknowns: ['nu', 'a', 'b'],
    example: { from: 0, to: 1, points: 60, narrow: [0, 0.1, 20], noiseUnit: 1 },
    domain: [0, 1],
    typical: (_x, y) => ({ nu: 0.1, a: y[0]! || 1, b: y.at(-1)! || 1 }),
    // Where the ends lead away from 0 no layer is too thin to be told; the logarithms of the others end at 4100.
    limits: (p) => {
      const [a, b] = [v(p, 'a'), v(p, 'b')]
      return { nu: [Math.max(Math.abs(a), Math.abs(b), 1e-300) / (a <= 0 && b >= 0 ? 1e12 : 4000), 1e4] }
    },
    model: (p) => solveExactly(v(p, 'nu'), v(p, 'a'), v(p, 'b')).at,
  },
}

/** The values of all parameters, in their order; one that is not given is 0. */
export const parameterVector = (system: SystemName, values: Values): Float64Array =>
  Float64Array.from(Object.keys(SYSTEMS[system].parameters), (name) => values[name] ?? 0)
