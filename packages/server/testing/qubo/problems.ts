// Problems for the tests of the quantum utility surface, in the form that is sent.
import { readFileSync } from 'node:fs'
import type { QuboProblem } from '../../src/features/quantum-utility/schemas.ts'

interface Instance {
  name: string
  variables: number
  best_known: number
  /** Row, column and weight of the upper triangle, counted from 1: `1 4 -39, 1 43 72`. */
  entries: string
}

export const beasley = (family: 'bqp50' | 'bqp100'): Instance[] => {
  const file = readFileSync(new URL('./beasley.json', import.meta.url), 'utf8')
  const { instances } = JSON.parse(file) as { instances: Instance[] }
  return instances.filter(({ name }) => name.startsWith(`${family}-`))
}

export const problemOf = (
  problem_id: string,
  linear: readonly number[],
  pairs: readonly (readonly [left: number, right: number, coefficient: number])[],
): Required<QuboProblem> => ({
  kind: 'QUBO',
  problem_id,
  offset: 0,
  variables: linear.map((_, at) => `x${at}`),
  linear: Object.fromEntries(linear.map((value, at) => [`x${at}`, value])),
  quadratic: pairs.map(([left, right, coefficient]) => ({ left: `x${left}`, right: `x${right}`, coefficient })),
})

/** x^T Q x of a symmetric matrix: what lies off the diagonal counts twice. */
export function instanceProblem({ name, variables, entries: text }: Instance): Required<QuboProblem> {
  const entries = text.split(', ').map((entry) => entry.split(' ').map(Number) as [number, number, number])
  const linear = new Array<number>(variables).fill(0)
  for (const [row, column, weight] of entries) if (row === column) linear[row - 1]! += weight
  const pairs = entries.filter(([row, column]) => row !== column)
  return problemOf(
    name,
    linear,
    pairs.map(([row, column, weight]) => [row - 1, column - 1, 2 * weight]),
  )
}

/** Numbers from 0 to 1 by a generator that the service does not use. */
export function lehmer(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
}

/** Whole coefficients from -range to range; `density` of the pairs are there. */
export function randomProblem(size: number, density: number, range: number, seed: number): Required<QuboProblem> {
  const random = lehmer(seed + 1)
  const coefficient = () => Math.round((2 * random() - 1) * range)
  const linear = Array.from({ length: size }, coefficient)
  const pairs = linear.flatMap((_, left) =>
    Array.from({ length: size - left - 1 }, (_, at) => [left, left + 1 + at, coefficient()] as const),
  )
  return problemOf(
    `random-${size}-${seed}`,
    linear,
    pairs.filter(() => random() < density),
  )
}

/** Every assignment, each summed from scratch; the first variable is the highest digit. */
export function bruteForce({ variables, offset = 0, linear = {}, quadratic = [] }: QuboProblem) {
  const size = variables.length
  const values = Array.from({ length: 2 ** size }, (_, state) => {
    const isOn = (name: string) => Math.floor(state / 2 ** (size - 1 - variables.indexOf(name))) % 2 === 1
    const own = variables.filter(isOn).reduce((sum, name) => sum + (linear[name] ?? 0), offset)
    return quadratic.reduce(
      (sum, { left, right, coefficient }) => sum + (isOn(left) && isOn(right) ? coefficient : 0),
      own,
    )
  })
  const best = Math.min(...values)
  const first = values.indexOf(best)
  const above = values.filter((value) => value > best)
  return {
    objective: best,
    degeneracy: values.length - above.length,
    second_best: above.length === 0 ? null : Math.min(...above),
    assignment: Object.fromEntries(variables.map((name, at) => [name, Math.floor(first / 2 ** (size - 1 - at)) % 2])),
  }
}
