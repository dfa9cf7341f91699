/** The systems whose parameters can be identified: right-hand sides with their derivatives, and the truth of the examples. */
import { solveExactly } from '../burgers/exact.ts'

export type SystemName =
  | 'duffing'
  | 'damped_oscillator'
  | 'logistic'
  | 'lotka_volterra'
  | 'redlich_kister'
  | 'burgers_viscosity'

export type Values = Readonly<Record<string, number>>

interface Common {
  equation: string
  /** In the order of the parameters; units in those of the caller's data where they are not fixed. */
  parameters: Readonly<Record<string, { units: string; truth: number }>>
  defaultUnknowns: readonly string[]
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
  /** Magnitudes from which the search starts, read off the data without differentiating them. */
  typical(t: readonly number[], first: readonly number[]): Values
}

/** x' = f(t, x, p). `jacobian` fills df/dx and df/dp, row by row. */
export interface Differential extends Common {
  kind: 'differential'
  states: number
  rate(t: number, x: Float64Array, p: Values, into: Float64Array): void
  jacobian(t: number, x: Float64Array, p: Values): { dx: number[][]; dp: Readonly<Record<string, readonly number[]>> }
}

/** y = sum of parameter times basis(x). */
interface Linear extends Common {
  kind: 'linear'
  basis(name: string, x: number): number
}

/** y = model(x, p). */
interface Explicit extends Common {
  kind: 'explicit'
  domain: readonly [number, number]
  model(p: Values): (x: number) => number
  isValid(p: Values): boolean
}

export type System = Differential | Linear | Explicit

/** Angular frequency by the crossings of the mean, and the largest distance from it. */
function oscillation(t: readonly number[], y: readonly number[]): { omega: number; size: number } {
  const mean = y.reduce((sum, value) => sum + value, 0) / y.length
  const span = t.at(-1)! - t[0]!
  // Noise next to the mean makes no crossing: the data have to leave it by a quarter of their reach.
  const reach = Math.max(...y.map((value) => Math.abs(value - mean))) / 4
  const sides = y.filter((value) => Math.abs(value - mean) > reach).map((value) => value > mean)
  const crossings = sides.filter((side, i) => i > 0 && side !== sides[i - 1]).length
  const size = Math.max(...y.map((value) => Math.abs(value))) || 1
  return { omega: (Math.PI * Math.max(1, crossings)) / span, size }
}

const v = (p: Values, name: string): number => p[name] ?? 0

export const SYSTEMS: Readonly<Record<SystemName, System>> = {
  duffing: {
    kind: 'differential',
    states: 2,
    equation: "x'' + c x' + d x + al x^3 = F cos(w t)",
    parameters: {
      c: { units: '1/time', truth: 0.2 },
      d: { units: '1/time^2', truth: 1 },
      al: { units: '1/(time^2 x^2)', truth: 1 },
      F: { units: 'x/time^2', truth: 0.5 },
      w: { units: '1/time', truth: 1 },
    },
    defaultUnknowns: ['c', 'd', 'al'],
    example: { from: 0, to: 10, points: 160, narrow: [0, 1.5, 40], state: [0, 0], noiseUnit: 1 },
    typical(t, y) {
      const { omega, size } = oscillation(t, y)
      return { c: 0.2 * omega, d: omega ** 2, al: omega ** 2 / size ** 2 / 2, F: (omega ** 2 * size) / 2, w: omega }
    },
    rate(t, x, p, into) {
      into[0] = x[1]!
      into[1] = v(p, 'F') * Math.cos(v(p, 'w') * t) - v(p, 'c') * x[1]! - v(p, 'd') * x[0]! - v(p, 'al') * x[0]! ** 3
    },
    jacobian(t, x, p) {
      const angle = v(p, 'w') * t
      return {
        dx: [
          [0, 1],
          [-v(p, 'd') - 3 * v(p, 'al') * x[0]! ** 2, -v(p, 'c')],
        ],
        dp: {
          c: [0, -x[1]!],
          d: [0, -x[0]!],
          al: [0, -(x[0]! ** 3)],
          F: [0, Math.cos(angle)],
          w: [0, -v(p, 'F') * t * Math.sin(angle)],
        },
      }
    },
  },
  damped_oscillator: {
    kind: 'differential',
    states: 2,
    equation: "x'' + c x' + k x = 0",
    parameters: { c: { units: '1/time', truth: 0.3 }, k: { units: '1/time^2', truth: 4 } },
    defaultUnknowns: ['c', 'k'],
    example: { from: 0, to: 10, points: 120, narrow: [0, 0.6, 30], state: [1, 0], noiseUnit: 1 },
    typical(t, y) {
      const { omega } = oscillation(t, y)
      return { c: 0.2 * omega, k: omega ** 2 }
    },
    rate(_t, x, p, into) {
      into[0] = x[1]!
      into[1] = -v(p, 'c') * x[1]! - v(p, 'k') * x[0]!
    },
    jacobian: (_t, x, p) => ({
      dx: [
        [0, 1],
        [-v(p, 'k'), -v(p, 'c')],
      ],
      dp: { c: [0, -x[1]!], k: [0, -x[0]!] },
    }),
  },
  logistic: {
    kind: 'differential',
    states: 1,
    equation: "x' = r x (1 - x/K)",
    parameters: { r: { units: '1/time', truth: 0.8 }, K: { units: 'x', truth: 10 } },
    defaultUnknowns: ['r', 'K'],
    example: { from: 0, to: 12, points: 60, narrow: [0, 2, 30], state: [0.2], noiseUnit: 1 },
    typical: (t, y) => ({ r: 5 / (t.at(-1)! - t[0]!), K: Math.max(...y.map(Math.abs)) || 1 }),
    rate(_t, x, p, into) {
      into[0] = v(p, 'r') * x[0]! * (1 - x[0]! / v(p, 'K'))
    },
    jacobian: (_t, x, p) => ({
      dx: [[v(p, 'r') * (1 - (2 * x[0]!) / v(p, 'K'))]],
      dp: { r: [x[0]! * (1 - x[0]! / v(p, 'K'))], K: [(v(p, 'r') * x[0]! ** 2) / v(p, 'K') ** 2] },
    }),
  },
  lotka_volterra: {
    kind: 'differential',
    states: 2,
    equation: "x' = alpha x - beta x y, y' = delta x y - gamma y",
    parameters: {
      alpha: { units: '1/time', truth: 1 },
      beta: { units: '1/(time y)', truth: 0.5 },
      delta: { units: '1/(time x)', truth: 0.3 },
      gamma: { units: '1/time', truth: 0.8 },
    },
    defaultUnknowns: ['alpha', 'beta', 'delta', 'gamma'],
    example: { from: 0, to: 15, points: 100, narrow: [0, 0.4, 20], state: [2, 1], noiseUnit: 1 },
    typical(t, y) {
      const { omega, size } = oscillation(t, y)
      return { alpha: omega, beta: omega / size, delta: omega / size, gamma: omega }
    },
    rate(_t, x, p, into) {
      into[0] = v(p, 'alpha') * x[0]! - v(p, 'beta') * x[0]! * x[1]!
      into[1] = v(p, 'delta') * x[0]! * x[1]! - v(p, 'gamma') * x[1]!
    },
    jacobian: (_t, x, p) => ({
      dx: [
        [v(p, 'alpha') - v(p, 'beta') * x[1]!, -v(p, 'beta') * x[0]!],
        [v(p, 'delta') * x[1]!, v(p, 'delta') * x[0]! - v(p, 'gamma')],
      ],
      dp: { alpha: [x[0]!, 0], beta: [-x[0]! * x[1]!, 0], delta: [0, x[0]! * x[1]!], gamma: [0, -x[1]!] },
    }),
  },
  redlich_kister: {
    kind: 'linear',
    equation: 'G = x (1 - x) (L0 + L1 (1 - 2x) + L2 (1 - 2x)^2 + ...)',
    parameters: {
      L0: { units: 'J/mol', truth: -40000 },
      L1: { units: 'J/mol', truth: 8000 },
      L2: { units: 'J/mol', truth: -5000 },
      L3: { units: 'J/mol', truth: 0 },
      L4: { units: 'J/mol', truth: 0 },
    },
    defaultUnknowns: ['L0', 'L1', 'L2'],
    example: { from: 0.05, to: 0.95, points: 30, narrow: [0.45, 0.55, 14], noiseUnit: 10_000 },
    typical(_x, y) {
      const size = 4 * (Math.max(...y.map(Math.abs)) || 1)
      return { L0: size, L1: size, L2: size, L3: size, L4: size }
    },
    basis: (name, x) => x * (1 - x) * (1 - 2 * x) ** Number(name.slice(1)),
  },
  burgers_viscosity: {
    kind: 'explicit',
    equation: "nu u'' = u u' on [0, 1], u(0) = a, u(1) = b",
    parameters: { nu: { units: 'x u', truth: 0.05 }, a: { units: 'u', truth: 1 }, b: { units: 'u', truth: -0.8 } },
    defaultUnknowns: ['nu', 'a', 'b'],
    example: { from: 0, to: 1, points: 60, narrow: [0, 0.1, 20], noiseUnit: 1 },
    domain: [0, 1],
    typical: (_x, y) => ({ nu: 0.1, a: y[0]! || 1, b: y.at(-1)! || 1 }),
    isValid: (p) =>
      v(p, 'nu') >= 1e-4 &&
      v(p, 'nu') <= 1e4 &&
      Math.max(Math.abs(v(p, 'a')), Math.abs(v(p, 'b'))) / v(p, 'nu') <= 4000,
    model: (p) => solveExactly(v(p, 'nu'), v(p, 'a'), v(p, 'b')).at,
  },
}
