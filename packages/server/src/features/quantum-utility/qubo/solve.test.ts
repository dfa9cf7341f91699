import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { beasley, bruteForce, instanceProblem, problemOf, randomProblem } from '#testing/qubo/problems.ts'
import { sfc32 } from '../../../domain/sfc32.ts'
import { MAX_WORK, MIN_WORK, type QuboProblem } from '../schemas.ts'
import { solveBaseline } from './baseline.ts'
import { branchAndBound } from './branch-and-bound.ts'
import { enumerate } from './gray-code.ts'
import { raiseRoof } from './lower-bound.ts'
import { toQuadratic } from './problem.ts'
import { tabuSearch } from './tabu-search.ts'

const SEED = 20_261_116
const solved = (problem: QuboProblem, work_budget = MAX_WORK, seed = 0) => solveBaseline({ problem, work_budget, seed })
/** Summed from what was sent. */
const energyOf = ({ variables, linear = {}, quadratic = [] }: QuboProblem, bits: Uint8Array) => {
  const bit = (name: string) => bits[variables.indexOf(name)]!
  const own = variables.reduce((sum, name) => sum + (linear[name] ?? 0) * bit(name), 0)
  return quadratic.reduce((sum, { left, right, coefficient }) => sum + coefficient * bit(left) * bit(right), own)
}
const bitsOf = ({ assignment }: ReturnType<typeof solved>) => Object.values(assignment)

test('coefficients among the smallest numbers there are keep their value', () => {
  const found = solved(problemOf('tiny', [-1.2e-309, -5e-324], [[0, 1, 5e-324]]))
  assert.deepEqual([found.objective, found.degeneracy], [-1.2e-309, 2])
  const other = solved(problemOf('tiny', [1.2e-309, 5e-324], []))
  assert.deepEqual([other.objective, other.second_best], [0, 5e-324])
})

test('where coefficients were rounded, counts and the second best are withheld', () => {
  const found = solved(problemOf('wide', [1e9, -1e-9], []))
  assert.equal(found.arithmetic.kind, 'FIXED_POINT')
  assert.deepEqual(
    [found.degeneracy, found.second_best, found.gap_to_second, found.tie_break],
    [null, null, null, 'NOT_ESTABLISHED'],
  )
  assert.ok(found.lower_bound <= -1e-9)
})

test('two exclusive choices: -1 twice, the smaller is (0, 1), and the next is 0', () => {
  const found = solved(problemOf('two', [-1, -1], [[0, 1, 2]]))
  assert.deepEqual([found.objective, found.degeneracy, bitsOf(found), found.second_best], [-1, 2, [0, 1], 0])
  assert.deepEqual([found.certified, found.complete, found.solver], [true, true, 'GRAY_CODE_ENUMERATION'])
})

test('three variables: -3 at (0, 0, 1), twice, then -2, and the Ising form of it', () => {
  const problem = problemOf(
    'three',
    [-1, -2, -3],
    [
      [0, 1, 2],
      [1, 2, 4],
      [0, 2, 1],
    ],
  )
  const { ising, ...found } = solved(problem)
  assert.deepEqual([found.objective, bitsOf({ ...found, ising }), found.degeneracy], [-3, [0, 0, 1], 2])
  assert.deepEqual([found.second_best, found.gap_to_second, found.gap], [-2, 1, 0])
  assert.deepEqual(Object.values(ising.h), [-0.25, -0.5, 0.25])
  assert.deepEqual(
    ising.J.map(({ coefficient }) => coefficient),
    [0.5, 1, 0.25],
  )
  assert.equal(ising.constant, -1.25)
})

test('the Ising form has the energy of the bits for every assignment', () => {
  const problem = { ...randomProblem(7, 0.7, 9, 3), offset: 2.5 }
  const { ising } = solved(problem)
  for (let state = 0; state < 2 ** 7; state++) {
    const bit = (name: string) => (state >> problem.variables.indexOf(name)) & 1
    const spin = (name: string) => 1 - 2 * bit(name)
    const spins =
      ising.constant +
      Object.entries(ising.h).reduce((sum, [name, h]) => sum + h * spin(name), 0) +
      ising.J.reduce((sum, { left, right, coefficient }) => sum + coefficient * spin(left) * spin(right), 0)
    const bits =
      problem.offset +
      problem.variables.reduce((sum, name) => sum + problem.linear[name]! * bit(name), 0) +
      problem.quadratic.reduce((sum, { left, right, coefficient }) => sum + coefficient * bit(left) * bit(right), 0)
    assert.ok(Math.abs(spins - bits) < 1e-9)
  }
})

const problems = fc
  .record({
    size: fc.integer({ min: 1, max: 9 }),
    density: fc.double({ min: 0, max: 1, noNaN: true }),
    range: fc.constantFrom(1, 2, 6, 40),
    seed: fc.nat(1e6),
  })
  .map(({ size, density, range, seed }) => randomProblem(size, density, range, seed))

test(`what is certified is what every assignment summed from scratch gives (seed ${SEED})`, () => {
  fc.assert(
    fc.property(problems, fc.constantFrom(MAX_WORK, MIN_WORK, 40), (problem, budget) => {
      const expected = bruteForce(problem)
      const found = solved(problem, budget)
      assert.equal(found.reevaluated_objective, found.objective)
      assert.ok(found.lower_bound <= expected.objective && found.objective >= expected.objective)
      if (budget === MAX_WORK) {
        const { objective, degeneracy, second_best, assignment } = found
        assert.deepEqual({ objective, degeneracy, second_best, assignment }, expected)
        return
      }
      if (!found.certified) return
      assert.equal(found.objective, expected.objective)
      if (found.tie_break === 'SMALLEST_IN_VARIABLE_ORDER') assert.deepEqual(found.assignment, expected.assignment)
      if (found.degeneracy !== null) assert.equal(found.degeneracy, expected.degeneracy)
      if (found.second_best !== null) assert.equal(found.second_best, expected.second_best)
    }),
    { seed: SEED, numRuns: 400 },
  )
})

test('all three solvers agree on dense problems of twelve variables, and no bound is above them', () => {
  for (let seed = 0; seed < 4; seed++) {
    const sent = randomProblem(12, 1, 50, seed)
    const { problem } = toQuadratic(sent)
    const { best } = enumerate(problem)
    const roof = raiseRoof(problem)
    const tree = branchAndBound(problem, roof, { maxUnits: 1e7, below: Number.POSITIVE_INFINITY })
    const found = tabuSearch(problem, sfc32('a test', { seed }), 1e5)
    assert.deepEqual([tree.closed, tree.found?.value, found.best], [true, best, best])
    for (const bits of [tree.found!.bits, found.bits]) assert.equal(energyOf(sent, bits), best)
    assert.equal(bruteForce(sent).objective, best)
    assert.ok(roof.bound <= best)
  }
})

test('of equally good assignments branch and bound gives the smallest as well', () => {
  // A ring of 30 with weights 0 and 1 has very many optima.
  const size = 30
  const linear = new Array<number>(size).fill(-1)
  const ring = linear.map((_, at) => [at, (at + 1) % size, 2] as const)
  const found = solved(problemOf('ring', linear, ring))
  assert.deepEqual(
    [found.solver, found.certified, found.tie_break],
    ['BRANCH_AND_BOUND', true, 'SMALLEST_IN_VARIABLE_ORDER'],
  )
  assert.deepEqual([found.objective, found.degeneracy, found.second_best], [-15, null, null])
  assert.deepEqual(
    bitsOf(found),
    linear.map((_, at) => at % 2),
  )
})

test('24 dense variables are enumerated within the budget, and with less of it the proof is another', () => {
  const problem = randomProblem(24, 1, 100, 24)
  const found = solved(problem)
  assert.deepEqual([found.solver, found.work.states, found.certified], ['GRAY_CODE_ENUMERATION', 2 ** 24, true])
  const less = solved(problem, 2 ** 24 - 1)
  assert.deepEqual([less.solver, less.certified, less.objective], ['BRANCH_AND_BOUND', true, found.objective])
  assert.deepEqual(less.assignment, found.assignment)
  const more = solved(randomProblem(25, 1, 100, 25))
  assert.deepEqual([more.solver, more.certified, more.degeneracy], ['BRANCH_AND_BOUND', true, null])
})

test('what is not certified says so, with a bound below it', () => {
  for (const [problem, budget] of [
    [randomProblem(200, 0.1, 100, 1), 200_000],
    [randomProblem(61, 1, 100, 2), 100_000],
    [randomProblem(60, 1, 100, 3), MIN_WORK],
  ] as const) {
    const found = solved(problem, budget)
    assert.deepEqual([found.certified, found.complete, found.solver], [false, false, 'TABU_HEURISTIC'])
    assert.deepEqual([found.degeneracy, found.second_best, found.tie_break], [null, null, 'NOT_ESTABLISHED'])
    assert.ok(found.lower_bound < found.objective && found.gap === found.objective - found.lower_bound)
    assert.ok(found.work.units <= budget + 60 ** 2, JSON.stringify(found.work))
  }
})

/** Maximum cut of a square lattice on a torus: even sides, so that every edge can be cut. */
function torusCut(side: number): QuboProblem {
  const at = (row: number, column: number) => `v${(row % side) * side + (column % side)}`
  const edges = Array.from({ length: side * side }, (_, i) => i).flatMap((i) => {
    const [row, column] = [Math.floor(i / side), i % side]
    return [at(row, column + 1), at(row + 1, column)].map((right) => ({ left: at(row, column), right }))
  })
  const variables = Array.from({ length: side * side }, (_, i) => `v${i}`)
  return {
    ...{ kind: 'QUBO', problem_id: `torus-${side}`, variables },
    linear: Object.fromEntries(variables.map((name) => [name, -4])),
    quadratic: edges.map((edge) => ({ ...edge, coefficient: 2 })),
  }
}

test('an assignment that reaches the proven bound is certified, however it was found', () => {
  for (const side of [8, 10]) {
    const found = solveBaseline({ problem: torusCut(side), work_budget: MAX_WORK, seed: 0 })
    assert.deepEqual(
      [found.objective, found.lower_bound, found.gap, found.solver, found.certified, found.complete, found.tie_break],
      [-2 * side * side, -2 * side * side, 0, 'TABU_HEURISTIC', true, true, 'NOT_ESTABLISHED'],
    )
  }
})

test('decimals are exact: 0.1 + 0.2 - 0.3 is 0, and a tie is a tie', () => {
  const found = solved(problemOf('decimals', [0.1, 0.2], [[0, 1, -0.3]]))
  assert.deepEqual([found.objective, found.degeneracy, found.second_best], [0, 2, 0.1])
  assert.equal(found.arithmetic.kind, 'EXACT_DECIMAL')
})

test('doubles without a short decimal form have a stated tolerance and no count of ties', () => {
  const third = 1 / 3
  const found = solved(problemOf('thirds', [-third, -third, 1e9], [[0, 1, third * 2]]))
  assert.deepEqual([found.arithmetic.kind, found.degeneracy, found.objective], ['FIXED_POINT', null, -third])
  assert.ok(found.arithmetic.tolerance > 0 && found.arithmetic.tolerance < 1e-4)
  assert.ok(found.lower_bound < found.objective)
})

test('persistent bits are fixed, and the second best assignment may have one of them wrong', () => {
  const found = solved(problemOf('forced', [-10, 3, -1], [[0, 1, 1]]))
  assert.deepEqual(found.persistency, { fixed_to_zero: 1, fixed_to_one: 2 })
  assert.deepEqual([found.objective, found.second_best, found.degeneracy], [-11, -10, 1])
})

test('a count that no double holds is a text', () => {
  const found = solved(problemOf('free', new Array<number>(60).fill(0), []))
  assert.deepEqual([found.degeneracy, found.objective, found.second_best], [String(2n ** 60n), 0, null])
  assert.equal(found.components.length, 60)
})

test('the same request gives the same bytes, another seed another search', () => {
  const problem = randomProblem(70, 0.3, 100, 7)
  const [one, two] = [solved(problem, 50_000), solved(problem, 50_000)]
  assert.equal(JSON.stringify(one), JSON.stringify(two))
  assert.equal(solved(problem, 50_000, 1).problem_digest, one.problem_digest)
})

test('all ten bqp50 instances are solved to their best-known values, with a proof', () => {
  for (const instance of beasley('bqp50')) {
    const found = solved(instanceProblem(instance))
    assert.deepEqual([found.objective, found.certified, found.gap], [instance.best_known, true, 0], instance.name)
  }
})

test('bqp100 comes within 0.5 % of the best-known values, and claims no proof', () => {
  for (const instance of beasley('bqp100')) {
    const found = solved(instanceProblem(instance))
    assert.ok(found.objective <= instance.best_known * 0.995, `${instance.name} ${found.objective}`)
    assert.ok(found.objective >= instance.best_known && found.lower_bound <= instance.best_known, instance.name)
    assert.deepEqual([found.certified, found.solver], [false, 'TABU_HEURISTIC'])
  }
})
