/** From the wire form of a problem to the form that is solved. */
import { type Fault, fault, repeated } from '../faults.ts'
import type { QuboProblem } from '../schemas.ts'
import { type FixedPoint, toFixedPoint } from './fixed-point.ts'
import { type Pair, type Quadratic, quadratic } from './quadratic.ts'

type Stated = Required<QuboProblem>

export const withDefaults = (problem: QuboProblem): Stated => ({
  ...problem,
  offset: problem.offset ?? 0,
  linear: problem.linear ?? {},
  quadratic: problem.quadratic ?? [],
})

export function problemFaults({ variables, linear = {}, quadratic: pairs = [] }: QuboProblem): Fault[] {
  const known = new Map(variables.map((name, at) => [name, at]))
  const unknown = (name: string) => `${JSON.stringify(name)} is not among the variables`
  const seen = new Set<number>()
  return [
    ...repeated(variables, (at) => ['problem', 'variables', at]),
    ...Object.keys(linear).flatMap((name) =>
      known.has(name) ? [] : [fault(['problem', 'linear', name], unknown(name))],
    ),
    ...pairs.flatMap(({ left, right }, at) => {
      const place = ['problem', 'quadratic', at]
      const missing = (['left', 'right'] as const).find((end) => !known.has(end === 'left' ? left : right))
      if (missing !== undefined) return [fault([...place, missing], unknown(missing === 'left' ? left : right))]
      if (left === right) return [fault(place, 'a pair has two variables; the diagonal belongs to linear')]
      const [a, b] = [known.get(left)!, known.get(right)!]
      const key = Math.min(a, b) * variables.length + Math.max(a, b)
      if (seen.has(key)) return [fault(place, 'this pair stands here twice; add the coefficients', 'duplicate')]
      seen.add(key)
      return []
    }),
  ]
}

interface WholeProblem {
  form: FixedPoint
  problem: Quadratic
}

/** The offset is left out: it is added at the end. */
export function toQuadratic({ variables, linear, quadratic: stated }: Stated): WholeProblem {
  const place = new Map(variables.map((name, at) => [name, at]))
  const terms = variables.map((name) => (Object.hasOwn(linear, name) ? linear[name]! : 0))
  const form = toFixedPoint([...terms, ...stated.map(({ coefficient }) => coefficient)])
  const pairs = stated.map(
    ({ left, right }, at): Pair => ({
      left: place.get(left)!,
      right: place.get(right)!,
      weight: form.integers[variables.length + at]!,
    }),
  )
  return { form, problem: quadratic(0, Float64Array.from(form.integers.slice(0, variables.length)), pairs) }
}
