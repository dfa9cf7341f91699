/** A Burgers profile that falls through a thin layer. Its two ends place the layer by e^(-C/2nu), which differences of them cannot
 *  follow: the place x0 of the layer is estimated in place of one end, and the other end is told by the mirrored profile. */
import { solveExactly } from '../burgers/exact.ts'
import type { Identification, Identified } from './identify.ts'
import type { Problem } from './model.ts'
import { type Explicit, SYSTEMS } from './systems.ts'
import type { OwnBounds } from './units.ts'

/** Half-widths of the layer between it and the nearer end; below it the ends themselves are as good. */
const THIN = 2
const STARTS = 4

const plain = SYSTEMS.burgers_viscosity
const { nu, a } = plain.parameters

const LAYER: Explicit = {
  kind: 'explicit',
  equation: plain.equation,
  parameters: { nu: nu!, a: a!, x0: { units: 'x', truth: 0.5, powers: [0, 0, 0] } },
  defaultUnknowns: ['nu', 'a', 'x0'],
  example: plain.example,
  domain: [0, 1],
  // The length over which the data are positive ends at the layer.
  typical: (x, y) => {
    const steps = x.slice(1).map((at, i) => at - x[i]!)
    const positive = steps.filter((_, i) => y[i]! + y[i + 1]! > 0)
    return { nu: 0.02, a: 1, x0: x[0]! + positive.reduce((sum, step) => sum + step, 0) }
  },
  limits: (p) => ({ nu: [p.a! / 4000, 1e4], a: [1e-9, 1e9], x0: [1e-3, 1 - 1e-3] }),
  model: (p) => {
    const C = sizeOf(p.nu!, p.a!, p.x0!)
    return (x) => -C * Math.tanh((C * (x - p.x0!)) / (2 * p.nu!))
  },
}

/** The size far from the layer: the profile between the left end and its zero is one of its own. */
const sizeOf = (nu: number, a: number, x0: number): number => solveExactly(nu / x0, a, 0).C

/** Null where the two ends are not both asked for, or the data show no thin layer within the bounds. */
export function asLayer(asked: Identification, fitted: (asked: Identification) => Identified): Identified | null {
  const { problem, bounds } = asked
  const isAsked = problem.system === 'burgers_viscosity' && ['a', 'b'].every((name) => problem.unknowns.includes(name))
  if (!isAsked || !(problem.y[0]![0]! > 0 && problem.y.at(-1)![0]! < 0)) return null
  const { b: _, ...leftBounds } = bounds
  const left = { ...asked, starts: STARTS, problem: inLayer(problem), bounds: leftBounds }
  const sight = fitted({ ...left, profile: false })
  if (sight.found === null || !isThin(sight.found, problem)) return null
  const one = fitted(left)
  const other = fitted({ ...left, problem: inLayer(mirrored(problem)), bounds: mirroredBounds(bounds) })
  if (one.found === null || other.found === null) return null
  const { a: end, x0: __, ...refusals } = one.found.refusals
  const right = other.found.refusals.a
  const discovered = problem.unknowns.map((name, index) => {
    const { value, profiled, ...row } = (name === 'b' ? other : one).found!.discovered.find(
      (found) => found.name === (name === 'b' ? 'a' : name),
    )!
    if (name !== 'b') return { ...row, index, value, profiled }
    const turned = (at: number | null) => (at === null ? null : -at)
    return {
      ...row,
      name,
      index,
      value: -value,
      profiled: profiled && ([turned(profiled[1]), turned(profiled[0])] as typeof profiled),
    }
  })
  const isWithin = discovered.every(({ name, value }) => {
    const [low, high] = bounds[name] ?? [-Infinity, Infinity]
    return value > low && value < high
  })
  if (!isWithin) return null
  return {
    found: {
      ...one.found,
      discovered,
      refusals: { ...refusals, ...(end && { a: end }), ...(right && { b: right }) },
    },
    work: sight.work + one.work + other.work,
  }
}

const inLayer = (problem: Problem): Problem => ({
  ...problem,
  form: LAYER,
  unknowns: LAYER.defaultUnknowns.filter((name) => name === 'x0' || problem.unknowns.includes(name)),
})

/** -u(1 - x) solves the same equation. */
const mirrored = (problem: Problem): Problem => ({
  ...problem,
  t: problem.t.map((x) => 1 - x).toReversed(),
  y: problem.y.map((row) => row.map((value) => -value)).toReversed(),
})

function mirroredBounds({ a: _, b, ...rest }: OwnBounds): OwnBounds {
  return b === undefined ? rest : { ...rest, a: [-b[1], -b[0]] }
}

function isThin({ fit, discovered }: NonNullable<Identified['found']>, { fixed }: Problem): boolean {
  const value = (name: string) => discovered.find((row) => row.name === name)?.value ?? fixed[name]!
  const [nu, a, x0] = [value('nu'), value('a'), value('x0')]
  return fit.converged && (sizeOf(nu, a, x0) / (2 * nu)) * Math.min(x0, 1 - x0) > THIN
}
