/** A Burgers profile that falls through a thin layer. Its two ends place the layer by e^(-C/2nu), which differences of them cannot
 *  follow: the place x0 of the layer is estimated in place of one end. Where both ends are unknown each is told beside the place;
 *  where one is fixed, the other is told by what the data leave of viscosity and place. */
import { solveExactly } from '../burgers/exact.ts'
import type { Identification, Identified } from './identify.ts'
import { rangeOfEnd } from './layer-end.ts'
import type { Problem } from './model.ts'
import { type Explicit, SYSTEMS, type Values } from './systems.ts'

/** Half-widths of the layer between it and the nearer end; below it the ends themselves are as good. */
const THIN = 2
/** A point that is no farther from an end shows the end itself. */
const AT_END = 3e-3
const STARTS = 4

type End = 'a' | 'b'
type Found = NonNullable<Identified['found']>
type Fitted = (asked: Identification) => Identified

const plain = SYSTEMS.burgers_viscosity

/** The size of the end, and its distance from the layer. */
const sideOf = (end: End, p: Values): [size: number, distance: number] =>
  end === 'a' ? [p.a!, p.x0!] : [-p.b!, 1 - p.x0!]

/** The size far from the layer: the profile between an end and its zero is one of its own. */
const sizeOfLayer = (nu: number, size: number, distance: number): number => solveExactly(nu / distance, size, 0).C

/** In viscosity, one end and the place of the layer. */
const layerBeside = (end: End): Explicit => ({
  kind: 'explicit',
  equation: plain.equation,
  parameters: {
    nu: plain.parameters.nu!,
    [end]: plain.parameters[end]!,
    x0: { units: 'x', truth: 0.5, powers: [0, 0, 0] },
  },
  defaultUnknowns: ['nu', end, 'x0'],
  example: plain.example,
  domain: [0, 1],
  // The length over which the data are positive ends at the layer.
  typical: (x, y) => {
    const steps = x.slice(1).map((at, i) => at - x[i]!)
    const positive = steps.filter((_, i) => y[i]! + y[i + 1]! > 0)
    return { nu: 0.02, a: 1, b: -1, x0: x[0]! + positive.reduce((sum, step) => sum + step, 0) }
  },
  limits: (p) => ({
    nu: [sideOf(end, p)[0] / 4000, 1e4],
    [end]: end === 'a' ? [1e-9, 1e9] : [-1e9, -1e-9],
    x0: [1e-3, 1 - 1e-3],
  }),
  model: (p) => {
    const C = sizeOfLayer(p.nu!, ...sideOf(end, p))
    return (x) => -C * Math.tanh((C * (x - p.x0!)) / (2 * p.nu!))
  },
})

const LAYER_FORMS = { a: layerBeside('a'), b: layerBeside('b') }

/** Null where no end is asked for, or the data show no thin layer within the bounds. */
export function asLayer(asked: Identification, fitted: Fitted): Identified | null {
  const { system, unknowns, t, y, fixed } = asked.problem
  if (system !== 'burgers_viscosity' || !(y[0]![0]! > 0 && y.at(-1)![0]! < 0)) return null
  // A layer before the only point that shows an end may be one of the boundary, with any value there.
  const isOfBoundary = (t[0]! < AT_END && y[1]![0]! < 0) || (t.at(-1)! > 1 - AT_END && y.at(-2)![0]! > 0)
  if (isOfBoundary) return null
  const [isLeft, isRight] = ['a', 'b'].map((name) => unknowns.includes(name))
  const isPossible = (isLeft || fixed.a! > 0) && (isRight || fixed.b! < 0)
  if (!isPossible || !(isLeft || isRight)) return null
  const result = isLeft && isRight ? withoutEnds(asked, fitted) : withEnd(asked, isLeft ? 'b' : 'a', fitted)
  const isWithin = result?.found?.discovered.every(({ name, value }) => {
    const [low, high] = asked.bounds[name] ?? [-Infinity, Infinity]
    return value > low && value < high
  })
  return isWithin ? result : null
}

function withoutEnds(asked: Identification, fitted: Fitted): Identified | null {
  const sight = fitted({ ...withLayerPlace('a', asked), profile: false })
  if (!isThin(sight.found, asked.problem, 'a')) return null
  const [one, other] = [fitted(withLayerPlace('a', asked)), fitted(withLayerPlace('b', asked))]
  if (one.found === null || other.found === null) return null
  const { x0: _, ...refusals } = one.found.refusals
  const { b } = other.found.refusals
  const rows = [...one.found.discovered, ...other.found.discovered]
  return {
    found: { ...one.found, discovered: inOrder(asked.problem, rows), refusals: { ...refusals, ...(b && { b }) } },
    work: sight.work + one.work + other.work,
  }
}

function withEnd(asked: Identification, end: End, fitted: Fitted): Identified | null {
  const { problem } = asked
  const { found, work } = fitted(withLayerPlace(end, asked))
  if (!isThin(found, problem, end)) return null
  const { x0: _, ...refusals } = found.refusals
  const fixedEnd = problem.fixed[end]!
  const values = valuesOf(found, problem)
  // In units of the fixed end, and seen from it: -u(1 - x) solves the same equation.
  const [size, distance] = sideOf(end, values)
  const data = { x: problem.t.map((x) => (end === 'a' ? x : 1 - x)), u: problem.y.map(([u]) => u! / fixedEnd) }
  const shape = { nu: values.nu! / size, x0: distance, sigma: found.sigma / size, sizeOf: sizeBesideOne }
  const isOpen = problem.unknowns.includes('nu')
  const estimated = rangeOfEnd(data, { ...shape, isOpen })
  const alone = refusals.nu === undefined ? { ...estimated, work: 0 } : rangeOfEnd(data, { ...shape, isOpen: false })
  const value = fixedEnd * estimated.value
  const row = {
    ...{ name: end === 'a' ? 'b' : 'a', index: 0, value, scale: Math.abs(value) },
    ...{ sd: size * estimated.sd, conditionalSd: size * alone.sd },
    profiled: estimated.range.map((at) => fixedEnd * at).toSorted((low, high) => low - high) as [number, number],
  }
  const discovered = inOrder(problem, [...found.discovered, row])
  return { found: { ...found, discovered, refusals }, work: work + estimated.work + alone.work }
}

const sizeBesideOne = (nu: number, distance: number): number => sizeOfLayer(nu, 1, distance)

const inOrder = ({ unknowns }: Problem, rows: Found['discovered']): Found['discovered'] =>
  unknowns.map((name, index) => ({ ...rows.find((row) => row.name === name)!, index }))

/** In place of the other end, the place of the layer. */
function withLayerPlace(end: End, { problem, bounds, ...asked }: Identification): Identification {
  const unknowns = LAYER_FORMS[end].defaultUnknowns.filter((name) => name === 'x0' || problem.unknowns.includes(name))
  const own = Object.fromEntries(Object.entries(bounds).filter(([name]) => unknowns.includes(name)))
  return { ...asked, starts: STARTS, bounds: own, problem: { ...problem, form: LAYER_FORMS[end], unknowns } }
}

const valuesOf = ({ discovered }: Found, { fixed }: Problem): Values => ({
  ...fixed,
  ...Object.fromEntries(discovered.map(({ name, value }) => [name, value])),
})

function isThin(found: Found | null, problem: Problem, end: End): found is Found {
  if (found === null || !found.fit.converged) return false
  const values = valuesOf(found, problem)
  const C = sizeOfLayer(values.nu!, ...sideOf(end, values))
  return (C / (2 * values.nu!)) * Math.min(values.x0!, 1 - values.x0!) > THIN
}
