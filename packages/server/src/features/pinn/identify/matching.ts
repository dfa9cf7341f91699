/** A start by integral matching: integrated over time, the equations are linear in the parameters, with the data in place of
 *  the solution. Nothing is differentiated, and the fit of the trajectory decides afterwards. */
import { linearLeastSquares } from './least-squares.ts'
import type { Problem } from './model.ts'
import type { Values } from './systems.ts'

interface Start {
  values: Values
  /** The initial state. */
  state: number[]
}

type Column = readonly number[]

const MAX_FREQUENCIES = 200
const MAX_PHASES = 1000
const STEP = Math.PI / 2

/** Null for what has no rates, and where the data give no finite answer. */
export function matchedStart(problem: Problem, typical: Values): Start | null {
  const match = MATCHES[problem.system]
  const found = match?.(problem, typical) ?? null
  if (found === null) return null
  const values = { ...typical, ...found.values }
  // Populations live and die at positive rates; data that say otherwise are too coarse for their integrals.
  const isPossible = problem.system === 'lotka_volterra' ? (value: number) => value > 0 : () => true
  const isUsable = [...Object.values(values), ...found.state].every(
    (value) => Number.isFinite(value) && isPossible(value),
  )
  return isUsable ? { values, state: found.state } : null
}

const MATCHES: Readonly<Record<string, (problem: Problem, typical: Values) => Start | null>> = {
  duffing: motion,
  damped_oscillator: motion,
  logistic: growth,
  lotka_volterra: (problem, typical) => (problem.y[0]!.length > 1 ? hunt(problem) : unseenHunters(problem, typical)),
}

const times = (one: Column, other: Column): number[] => one.map((value, i) => value * other[i]!)
const minus = (column: Column): number[] => column.map((value) => -value)
const first = ({ y }: Problem, s = 0): number[] => y.map((row) => row[s]!)

/** From the first time on, of the cubics between neighbouring points whose slopes at a point are those of the parabola through
 *  it and its two neighbours. */
function integral(t: Column, f: Column): number[] {
  const secants = f.slice(1).map((value, i) => (value - f[i]!) / (t[i + 1]! - t[i]!))
  const inner = secants.slice(1).map((after, i) => {
    const [left, right] = [t[i + 1]! - t[i]!, t[i + 2]! - t[i + 1]!]
    return (secants[i]! * right + after * left) / (left + right)
  })
  const slopes = [2 * secants[0]! - inner[0]!, ...inner, 2 * secants.at(-1)! - inner.at(-1)!]
  let sum = 0
  return f.map((value, i) => {
    if (i === 0) return 0
    const h = t[i]! - t[i - 1]!
    sum += (h * (value + f[i - 1]!)) / 2 - (h * h * (slopes[i]! - slopes[i - 1]!)) / 12
    return sum
  })
}

/** The coefficients of the columns; those of fixed names are taken as they are. */
function match(
  target: Column,
  columns: Readonly<Record<string, Column>>,
  fixed: Values,
): Record<string, number> | null {
  const given = Object.keys(columns).filter((name) => fixed[name] !== undefined)
  const open = Object.keys(columns).filter((name) => fixed[name] === undefined)
  const rest = target.map((value, i) => given.reduce((left, name) => left - fixed[name]! * columns[name]![i]!, value))
  const found = linearLeastSquares(
    open.map((name) => columns[name]!),
    rest,
  )
  if (found === null) return null
  return Object.fromEntries([...given.map((name) => [name, fixed[name]!]), ...open.map((name, i) => [name, found[i]!])])
}

/** x = x0 + (v0 + c x0) s - c Ix - d IIx - al IIx^3 + F IIcos(w t), where s is the time since the first point. It is linear in
 *  all but w: of an unknown one a grid is tried, up to four points a turn. Long after the time 0 the phase of the force is
 *  another in every step of such a grid: it is left open first, and then sought next to the frequency that was found. */
function motion(problem: Problem): Start | null {
  const { t, fixed, system } = problem
  const x = first(problem)
  const begin = t[0]!
  const twice = (f: Column) => integral(t, integral(t, f))
  const shared = { start: x.map(() => 1), slope: t.map((at) => at - begin), c: minus(integral(t, x)) }
  const own: Record<string, Column> =
    system === 'duffing' ? { d: minus(twice(x)), al: minus(twice(times(x, times(x, x)))) } : { k: minus(twice(x)) }
  const best = (frequencies: readonly number[], forceOf: (w: number) => Record<string, Column>) =>
    frequencies
      .flatMap((w) => {
        const columns: Record<string, Column> = { ...shared, ...own, ...forceOf(w) }
        const values = match(x, columns, fixed)
        if (values === null) return []
        const misses = x.map((at, i) =>
          Object.keys(columns).reduce((rest, name) => rest - values[name]! * columns[name]![i]!, at),
        )
        return [{ values: { ...values, w } as Record<string, number>, miss: Math.hypot(...misses) }]
      })
      .toSorted((one, other) => one.miss - other.miss)[0]
  const force = (w: number): Record<string, Column> =>
    system === 'duffing' ? { F: twice(t.map((at) => Math.cos(w * at))) } : {}
  const free = (w: number) => ({
    even: twice(shared.slope.map((at) => Math.cos(w * at))),
    odd: twice(shared.slope.map((at) => Math.sin(w * at))),
  })
  const steps = Math.min(MAX_FREQUENCIES, t.length)
  const isScanned = system === 'duffing' && fixed.w === undefined && fixed.F !== 0
  const grid = isScanned ? Array.from({ length: steps }, (_, i) => (i + 1) * STEP) : [fixed.w ?? 1]
  const near = isScanned && Math.abs(begin) > 1 ? best(grid, free) : undefined
  const found = best(near === undefined ? grid : phases(near.values.w!, Math.abs(begin)), force)
  if (found === undefined) return null
  const { start, slope, ...values } = found.values
  return { values, state: [start!, slope! - values.c! * start!] }
}

/** Frequencies within a step of this one, so close that the phase at the first point differs by an eighth of a turn. */
function phases(w: number, begin: number): number[] {
  const count = Math.min(MAX_PHASES, Math.ceil((2 * STEP * begin) / (Math.PI / 4)))
  return Array.from({ length: count + 1 }, (_, i) => w + STEP * ((2 * i) / count - 1))
}

/** x = x0 + r Ix - r/K Ix^2. */
function growth(problem: Problem): Start | null {
  const { t, fixed } = problem
  const x = first(problem)
  const [one, two] = [integral(t, x), minus(integral(t, times(x, x)))]
  const start = x.map(() => 1)
  const { r, K } = fixed
  if (K !== undefined) {
    const found = match(x, { start, r: one.map((value, i) => value + two[i]! / K) }, {})
    return found && { values: { r: found.r! }, state: [found.start!] }
  }
  const found = match(x, { start, r: one, limit: two }, r === undefined ? {} : { r })
  if (found === null) return null
  return { values: { r: found.r!, K: found.r! / found.limit! }, state: [found.start!] }
}

/** x = x0 + alpha Ix - beta Ixy, y = y0 + delta Ixy - gamma Iy. */
function hunt(problem: Problem): Start | null {
  const { t, fixed } = problem
  const [x, y] = [first(problem), first(problem, 1)]
  const met = integral(t, times(x, y))
  const start = x.map(() => 1)
  const prey = match(x, { start, alpha: integral(t, x), beta: minus(met) }, fixed)
  const hunters = match(y, { start, delta: met, gamma: minus(integral(t, y)) }, fixed)
  if (prey === null || hunters === null) return null
  const { alpha, beta } = prey
  const { delta, gamma } = hunters
  return { values: { alpha: alpha!, beta: beta!, delta: delta!, gamma: gamma! }, state: [prey.start!, hunters.start!] }
}

/** Of the prey alone, with u = ln x the hunters drop out: u'' = alpha gamma - alpha delta x + delta x' - gamma u'. */
function unseenHunters(problem: Problem, typical: Values): Start | null {
  const { t, fixed } = problem
  const x = first(problem)
  if (!x.every((value) => value > 0)) return null
  const u = x.map(Math.log)
  const s = t.map((at) => at - t[0]!)
  const one = integral(t, x)
  const found = match(
    u,
    {
      start: x.map(() => 1),
      slope: s,
      alphaGamma: s.map((at) => (at * at) / 2),
      alphaDelta: minus(integral(t, one)),
      delta: one,
      gamma: minus(integral(t, u)),
    },
    fixed,
  )
  if (found === null) return null
  const { start, slope, alphaGamma, alphaDelta, delta, gamma } = found
  const alpha = fixed.alpha ?? (alphaGamma! * gamma! + alphaDelta! * delta!) / (gamma! * gamma! + delta! * delta!)
  const effect = alpha - (slope! + delta! * Math.exp(start!) - gamma! * start!)
  const beta = fixed.beta ?? typical.beta!
  const hunters = Math.max(effect, 0.01 * Math.abs(alpha)) / beta
  return { values: { alpha, beta, delta: delta!, gamma: gamma! }, state: [Math.exp(start!), hunters] }
}
