import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { SHOT_PLAN_EXAMPLE } from '../examples.ts'
import { GROUPINGS, MAX_SHOTS, type PauliTerm, type ShotPlanBody } from '../schemas.ts'
import { planShots } from './plan.ts'
import { termFaults } from './terms.ts'

const SEED = 5_346
type Plan = Extract<ReturnType<typeof planShots>, { plan: unknown }>['plan']

function planned(body: ShotPlanBody): Plan {
  assert.deepEqual(termFaults(body), [])
  const result = planShots({ grouping: 'qubit_wise', ...body })
  assert.ok('plan' in result, JSON.stringify(result))
  return result.plan
}
const refused = (body: ShotPlanBody) => {
  const result = planShots({ grouping: 'qubit_wise', ...body })
  return 'faults' in result ? result.faults[0]!.place.join('.') : null
}
const terms = (...list: (readonly [string, number, Partial<PauliTerm>?])[]): PauliTerm[] =>
  list.map(([pauli, coefficient, more], at) => ({ term_id: `t${at}`, pauli, coefficient, ...more }))
const bodyOf = (list: PauliTerm[], asked: Partial<ShotPlanBody>): ShotPlanBody => ({
  hamiltonian: { problem_id: 'test', qubit_count: list[0]!.pauli.length, terms: list },
  ...asked,
})

test('hydrogen on two qubits: 754 and 246 shots of 1000, and nothing for the identity', () => {
  const plan = planned(SHOT_PLAN_EXAMPLE)
  assert.equal(plan.constant, -1.05)
  assert.deepEqual(
    plan.groups.map(({ basis, term_ids, shots }) => [basis, term_ids, shots]),
    [
      ['ZZ', ['z0', 'z1', 'zz'], 754],
      ['XX', ['xx'], 246],
    ],
  )
  assert.equal(plan.predicted_variance.toPrecision(5), '0.00053532')
  assert.equal(plan.comparison.per_term_optimal.toPrecision(5), '0.00094284')
  assert.equal(plan.comparison.uniform?.toPrecision(7), '0.001346884')
  const { shot_budget: _, ...open } = SHOT_PLAN_EXAMPLE
  const exact = planned({ ...open, target_standard_error: 0.01 })
  assert.deepEqual([exact.shots_allocated, exact.shots_by_formula], [5354, 5354])
  assert.ok(exact.predicted_standard_error <= 0.01)
})

const letters = fc.constantFrom('I', 'X', 'Y', 'Z')
const hamiltonians = fc.integer({ min: 1, max: 5 }).chain((qubits) =>
  fc.array(
    fc.record({
      pauli: fc.array(letters, { minLength: qubits, maxLength: qubits }).map((list) => list.join('')),
      coefficient: fc.integer({ min: -1000, max: 1000 }).map((value) => value / 100),
      prior: fc.option(fc.constantFrom(-1, -0.5, 0, 0.9, 1), { nil: undefined }),
    }),
    { minLength: 1, maxLength: 30 },
  ),
)
type Drawn = { pauli: string; coefficient: number; prior: number | undefined }

/** Of equal strings the first one's expectation holds; the identity has none to state. */
const toTerms = (drawn: Drawn[]): PauliTerm[] =>
  drawn.map(({ pauli, coefficient }, at) => {
    const { prior } = drawn.find((one) => one.pauli === pauli)!
    const isStated = prior !== undefined && /[XYZ]/.test(pauli)
    return { term_id: `t${at}`, pauli, coefficient, ...(isStated ? { prior_expectation: prior } : {}) }
  })

/** Letter by letter, another way than the bits of the implementation. */
const clashes = (a: string, b: string): number =>
  [...a].filter((letter, at) => letter !== 'I' && b[at] !== 'I' && letter !== b[at]).length

test(`every generated Hamiltonian: no shots on the identity, groups commute, below the naive plan (seed ${SEED})`, () => {
  fc.assert(
    fc.property(
      hamiltonians,
      fc.constantFrom(...GROUPINGS),
      fc.integer({ min: 30, max: 5000 }),
      (drawn, grouping, budget) => {
        const list = toTerms(drawn)
        const plan = planned(bodyOf(list, { grouping, shot_budget: budget }))
        const byId = new Map(list.map((term) => [term.term_id, term]))
        const measured = plan.groups.flatMap(({ term_ids }) => term_ids)
        assert.equal(new Set(measured).size, plan.measured_terms)
        for (const { term_ids, shots, basis, rotation } of plan.groups) {
          const strings = term_ids.map((id) => byId.get(id)!.pauli)
          assert.ok(shots >= 1 && strings.every((pauli) => /[XYZ]/.test(pauli)))
          for (const a of strings)
            for (const b of strings)
              assert.equal(grouping === 'qubit_wise' ? clashes(a, b) : clashes(a, b) % 2, 0, `${a} ${b}`)
          assert.equal(basis === null, grouping === 'general')
          if (basis !== null) {
            assert.ok(
              strings.every((pauli) => [...pauli].every((letter, at) => letter === 'I' || letter === basis[at])),
            )
            assert.equal(rotation!.length, [...basis].filter((letter) => letter === 'X' || letter === 'Y').length)
          }
        }
        const identity = list.filter(({ pauli }) => !/[XYZ]/.test(pauli)).reduce((sum, one) => sum + one.coefficient, 0)
        assert.ok(Math.abs(plan.constant - identity) < 1e-9)
        assert.equal(plan.shots_allocated, plan.groups.length === 0 ? 0 : budget)
        const { uniform, grouped } = plan.comparison
        assert.ok(uniform === null || grouped <= uniform * (1 + 1e-9), JSON.stringify(plan.comparison))
        assert.ok(plan.variance_upper_bound >= plan.predicted_variance * (1 - 1e-9))
      },
    ),
    { seed: SEED, numRuns: 600 },
  )
})

test('small budgets in which rounding counts stay below the naive plan as well', () => {
  fc.assert(
    fc.property(hamiltonians, fc.integer({ min: 0, max: 12 }), (drawn, more) => {
      const list = toTerms(drawn)
      const groups = planned(bodyOf(list, { shot_budget: 1000 })).measured_terms
      if (groups === 0) return
      const { uniform, grouped } = planned(bodyOf(list, { grouping: 'none', shot_budget: groups + more })).comparison
      assert.ok(uniform !== null && grouped <= uniform * (1 + 1e-9))
    }),
    { seed: SEED, numRuns: 400 },
  )
})

test('shots go by largest remainder of the weights', () => {
  const list = terms(['X', 3], ['Y', 2], ['Z', 1.3])
  const plan = planned(bodyOf(list, { shot_budget: 100 }))
  // 47.619, 31.746 and 20.635: the two largest remainders are rounded up.
  assert.deepEqual(
    plan.groups.map(({ shots }) => shots),
    [47, 32, 21],
  )
})

test('a plan that another division of as many shots beats is not called optimal', () => {
  const list = terms(['X', 5.968], ['Y', 1.307], ['Z', 1.0584])
  const at = (budget: number) => planned(bodyOf(list, { shot_budget: budget, grouping: 'none' }))
  for (let budget = 3; budget < 60; budget++) {
    const { variance_optimal, predicted_variance } = at(budget)
    let least = Infinity
    for (let a = 1; a < budget - 1; a++)
      for (let b = 1; a + b < budget; b++)
        least = Math.min(least, 5.968 ** 2 / a + 1.307 ** 2 / b + 1.0584 ** 2 / (budget - a - b))
    assert.equal(variance_optimal, predicted_variance <= least * (1 + 1e-9), `${budget}`)
  }
  assert.ok([...Array(57).keys()].some((budget) => !at(budget + 3).variance_optimal))
})

test('coefficients whose squares no double holds have their standard error, and an error target is met in truth', () => {
  const list = terms(['X', 1e-200], ['Z', 1e-200])
  const { predicted_standard_error, groups } = planned(bodyOf(list, { shot_budget: 10 }))
  assert.deepEqual([predicted_standard_error, groups.map(({ shots }) => shots)], [6.32455532034e-201, [5, 5]])
  const met = planned(bodyOf(list, { target_standard_error: 1e-201 }))
  // 400 up to rounding.
  assert.ok(met.predicted_standard_error <= 1e-201 && met.shots_allocated >= 400 && met.shots_allocated <= 401)
})

test('general commutation joins XX, YY and ZZ, which no product basis measures', () => {
  const list = terms(['XX', 1], ['YY', 0.5], ['ZZ', 0.25])
  const general = planned(bodyOf(list, { grouping: 'general', shot_budget: 30 }))
  assert.deepEqual([general.groups.length, general.groups[0]!.rotation, general.groups[0]!.basis], [1, null, null])
  const wise = planned(bodyOf(list, { shot_budget: 30 }))
  assert.deepEqual(
    wise.groups.map(({ rotation }) => rotation!.map(({ gates }) => gates.join(' '))),
    [['H', 'H'], ['SDG H', 'SDG H'], []],
  )
})

test('equal strings are one term, and what cancels or is zero is dropped and listed', () => {
  const list = terms(['XI', 0.1], ['XI', 0.2], ['ZI', 0.3], ['ZI', -0.1], ['ZI', -0.2], ['IY', 0], ['II', 4])
  const plan = planned(bodyOf(list, { shot_budget: 10 }))
  assert.deepEqual([plan.constant, plan.measured_terms, plan.groups[0]!.weight], [4, 1, 0.3])
  assert.deepEqual(
    plan.merged.map(({ pauli, coefficient }) => [pauli, coefficient]),
    [
      ['XI', 0.3],
      ['ZI', 0],
    ],
  )
  assert.deepEqual(
    plan.dropped.map(({ pauli, reason }) => [pauli, reason]),
    [
      ['ZI', 'CANCELLED'],
      ['IY', 'ZERO_COEFFICIENT'],
    ],
  )
})

test('a Hamiltonian of the identity alone is known exactly without a shot', () => {
  const plan = planned(bodyOf(terms(['II', -2.5]), { shot_budget: 7 }))
  assert.deepEqual([plan.constant, plan.shots_allocated, plan.predicted_variance, plan.groups], [-2.5, 0, 0, []])
})

test('what a prior makes certain gets the one shot that every group has', () => {
  const plan = planned(bodyOf(terms(['X', 1], ['Z', 5, { prior_expectation: -1 }]), { shot_budget: 50 }))
  assert.deepEqual(
    plan.groups.map(({ term_ids, shots, weight }) => [term_ids[0], shots, weight]),
    [
      ['t1', 1, 0],
      ['t0', 49, 1],
    ],
  )
})

test('a declared priority moves shots and is no longer optimal', () => {
  const asked = { shot_budget: 100 }
  const plain = planned(bodyOf(terms(['X', 1], ['Z', 1]), asked))
  const pressed = planned(bodyOf(terms(['X', 1], ['Z', 1, { declared_priority: 3 }]), asked))
  assert.deepEqual([plain.variance_optimal, pressed.variance_optimal], [true, false])
  assert.deepEqual(
    pressed.groups.map(({ shots }) => shots),
    [25, 75],
  )
  assert.ok(pressed.predicted_variance > plain.predicted_variance)
})

test('a budget below the number of groups is refused, and so is an error that would take too many shots', () => {
  const list = terms(['X', 1], ['Y', 1], ['Z', 1])
  assert.equal(refused(bodyOf(list, { shot_budget: 2 })), 'shot_budget')
  assert.equal(planned(bodyOf(list, { shot_budget: 3 })).shots_allocated, 3)
  assert.equal(refused(bodyOf(list, { target_standard_error: 9e-5 })), 'target_standard_error')
  const most = planned(bodyOf(list, { target_standard_error: 9.5e-5 }))
  assert.ok(most.shots_allocated <= MAX_SHOTS && most.predicted_standard_error <= 9.5e-5)
  const never = terms(['X', 1], ['Z', 1, { declared_priority: 0 }])
  assert.equal(refused(bodyOf(never, { target_standard_error: 0.5 })), 'target_standard_error')
})

test('an error is met also where rounding takes more shots than the formula says', () => {
  for (const error of [1.9, 1.1, 0.9, 0.7, 0.31]) {
    const plan = planned(bodyOf(terms(['X', 1], ['Y', 0.6], ['Z', 0.3]), { target_standard_error: error }))
    assert.ok(plan.predicted_standard_error <= error && plan.shots_allocated >= plan.shots_by_formula!)
  }
})

test('what contradicts itself is named', () => {
  const faults = (body: ShotPlanBody) => termFaults(body).map(({ place }) => place.join('.'))
  const both = { shot_budget: 1, target_standard_error: 1 }
  assert.deepEqual(faults(bodyOf(terms(['X', 1]), both)), ['shot_budget'])
  assert.deepEqual(faults(bodyOf(terms(['X', 1]), {})), ['shot_budget'])
  const asked = { shot_budget: 1 }
  assert.deepEqual(faults(bodyOf(terms(['X', 1], ['XX', 1]), asked)), ['hamiltonian.terms.1.pauli'])
  const two = terms(['X', 1, { prior_expectation: 0.5 }], ['X', 1, { prior_expectation: 0.4 }])
  assert.deepEqual(faults(bodyOf(two, asked)), ['hamiltonian.terms.1.prior_expectation'])
  const twice = [...terms(['X', 1]), ...terms(['Z', 1])]
  assert.deepEqual(faults(bodyOf(twice, asked)), ['hamiltonian.terms.1.term_id'])
})

test('128 qubits and 2048 terms are planned, twice the same', () => {
  const list = Array.from({ length: 2048 }, (_, at) => {
    const pauli = Array.from({ length: 128 }, (_, qubit) => 'IXYZ'[(at * 7 + qubit * (1 + (at % 5))) % 4]).join('')
    return { term_id: `t${at}`, pauli, coefficient: Math.cos(at) }
  })
  const body = bodyOf(list, { shot_budget: 1e6, grouping: 'general' })
  assert.equal(JSON.stringify(planned(body)), JSON.stringify(planned(body)))
})
