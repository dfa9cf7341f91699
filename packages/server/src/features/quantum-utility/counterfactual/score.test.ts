import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { SCORE_EXAMPLE } from '../examples.ts'
import type { CandidateInputs, InputName, ScoreBody } from '../schemas.ts'
import { scoreCandidates, scoreFaults } from './score.ts'

const SEED = 77
const declared = (value: string, more: object = {}) => ({
  value,
  basis: 'DECLARED' as const,
  source_ref: 'a test',
  ...more,
})
const UNKNOWN = { value: null, basis: 'UNKNOWN' as const, source_ref: 'a test' }

const inputsWith = (changes: Partial<Record<InputName, object>>): CandidateInputs =>
  ({ ...SCORE_EXAMPLE.candidates[0]!.inputs, ...changes }) as CandidateInputs

const bodyWith = (...candidates: Partial<Record<InputName, object>>[]): ScoreBody => ({
  ...SCORE_EXAMPLE,
  baseline_candidate_id: 'c0',
  candidates: candidates.map((changes, at) => ({
    ...{ candidate_id: `c${at}`, backend_id: 'b', compile_plan_id: 'p', inputs: inputsWith(changes) },
  })),
})
function scored(body: ScoreBody, receipts_found: string[] = []) {
  assert.deepEqual(scoreFaults(body), [])
  return scoreCandidates({ ...body, environment: { receipts_found } })
}

test('value 10 at accuracy 0.9 less five costs of 1 is a margin of 4.00', () => {
  const { candidates, p_best } = scored(bodyWith({}))
  assert.deepEqual([candidates[0]!.margin, candidates[0]!.disposition, p_best], ['4.00', 'POSITIVE_MARGIN', null])
})

test('an unknown energy cost breaks even at 5.00, and nothing is guessed in its place', () => {
  const [row] = scored(bodyWith({ energy_cost_usd: UNKNOWN })).candidates
  assert.deepEqual(
    [row!.margin, row!.interval, row!.disposition, row!.basis],
    [null, null, 'UNKNOWN_INPUTS', 'UNKNOWN'],
  )
  assert.deepEqual(row!.break_even, {
    ...{ input: 'energy_cost_usd', value: '5.00', exact: true, attainable: true },
    meaning: 'MARGIN_IS_POSITIVE_BELOW',
  })
})

test('break-even of value and accuracy is a quotient, and says where it cannot be reached', () => {
  const at = (changes: Partial<Record<InputName, object>>) => scored(bodyWith(changes)).candidates[0]!.break_even
  assert.deepEqual(
    [at({ bounded_value_usd: UNKNOWN })!.value, at({ bounded_value_usd: UNKNOWN })!.exact],
    ['5.55555555555555555556', false],
  )
  assert.equal(at({ estimated_accuracy: UNKNOWN })!.value, '0.5')
  const poor = at({ estimated_accuracy: UNKNOWN, bounded_value_usd: declared('4') })!
  assert.deepEqual([poor.value, poor.attainable], ['1.25', false])
  const worthless = at({ estimated_accuracy: UNKNOWN, bounded_value_usd: declared('0') })!
  assert.deepEqual([worthless.value, worthless.attainable], [null, false])
  const lost = at({ energy_cost_usd: UNKNOWN, bounded_value_usd: declared('1') })!
  assert.deepEqual([lost.value, lost.attainable], ['-3.10', false])
  assert.equal(at({ energy_cost_usd: UNKNOWN, queue_cost_usd: UNKNOWN }), null)
})

test('decimals are exact where doubles are not', () => {
  const tenth = { bounded_value_usd: declared('0.3'), estimated_accuracy: declared('1') }
  const none = Object.fromEntries(
    ['queue', 'energy', 'verification', 'operational_risk'].map((name) => [`${name}_cost_usd`, declared('0')]),
  )
  const row = (cost: string) => scored(bodyWith({ ...tenth, ...none, compute_cost_usd: declared(cost) })).candidates[0]!
  assert.deepEqual([row('0.3').margin, row('0.3').disposition], ['0.00', 'NON_POSITIVE_MARGIN'])
  assert.deepEqual([row('0.1').margin, row('0.299999999999').margin], ['0.20', '0.000000000001'])
  const number = scored(bodyWith({ estimated_accuracy: { ...declared('1'), value: 0.9 } })).candidates[0]!
  assert.equal(number.margin, '4.00')
})

test('a margin has all its places, however small the accuracy', () => {
  const free = Object.fromEntries(
    ['compute', 'queue', 'energy', 'verification', 'operational_risk'].map((name) => [
      `${name}_cost_usd`,
      declared('0'),
    ]),
  )
  const row = (accuracy: number | string, changes: object = free) =>
    scored(
      bodyWith({
        ...changes,
        bounded_value_usd: declared('1'),
        estimated_accuracy: { ...declared('1'), value: accuracy },
      }),
    ).candidates[0]!
  assert.deepEqual([row(5e-324).margin, row(5e-324).disposition], [`0.${'0'.repeat(323)}5`, 'POSITIVE_MARGIN'])
  assert.equal(row(1e-300, {}).margin, `-4.${'9'.repeat(300)}`)
  const fine = bodyWith({
    ...free,
    bounded_value_usd: declared('0.000000000001'),
    estimated_accuracy: declared('0.000000000001'),
  })
  assert.equal(scored(fine).candidates[0]!.margin, `0.${'0'.repeat(23)}1`)
})

test('what is compared leaves candidates with unknown inputs out, and says so', () => {
  const { compared, p_best, candidates } = scored(
    bodyWith(
      { bounded_value_usd: declared('10', { low: '9', high: '11' }) },
      { bounded_value_usd: declared('100'), energy_cost_usd: UNKNOWN },
    ),
  )
  assert.deepEqual(compared, { among: 'CANDIDATES_WITHOUT_UNKNOWN_INPUTS', left_out: ['c1'] })
  assert.deepEqual([p_best, candidates[0]!.regret], [[{ candidate_id: 'c0', p_best: 1 }], '0.00'])
})

test('intervals add up end by end', () => {
  const { candidates } = scored(
    bodyWith({
      bounded_value_usd: declared('10', { low: '8', high: '12' }),
      estimated_accuracy: declared('0.9', { low: '0.5' }),
      compute_cost_usd: declared('1', { high: '2' }),
    }),
  )
  // 8 * 0.5 - 2 - 4 and 12 * 0.9 - 1 - 4.
  assert.deepEqual(candidates[0]!.interval, { low: '-2.00', high: '5.80' })
})

test('contrast, regret and the Pareto front rest on known margins alone', () => {
  const { candidates, pareto_front } = scored(
    bodyWith(
      {},
      { estimated_accuracy: declared('0.95'), compute_cost_usd: declared('3') },
      { estimated_accuracy: declared('0.5') },
      { energy_cost_usd: UNKNOWN },
    ),
  )
  assert.deepEqual(
    candidates.map(({ contrast_to_baseline }) => contrast_to_baseline),
    ['0.00', '-1.50', '-4.00', null],
  )
  assert.deepEqual(
    candidates.map(({ regret }) => regret),
    ['0.00', '1.50', '4.00', null],
  )
  assert.deepEqual(pareto_front, ['c0', 'c1'])
})

test('only a receipt in the ledger lifts a basis, and the weakest input names the candidate', () => {
  const digest = 'ab'.repeat(32)
  const named = { basis: 'ASSERTED_MEASURED', receipt_digest: digest }
  const all = Object.fromEntries(
    Object.keys(SCORE_EXAMPLE.candidates[0]!.inputs).map((name) => [name, declared('1', named)]),
  )
  const basis = (found: string[], changes = all) => scored(bodyWith(changes), found).candidates[0]!.basis
  assert.deepEqual([basis([]), basis([digest])], ['ASSERTED_MEASURED', 'RECEIPTED'])
  assert.equal(basis([digest], { ...all, queue_cost_usd: declared('1') }), 'DECLARED')
})

test('chances of being best come from triangular draws and agree with what can be computed', () => {
  const wide = { bounded_value_usd: declared('10', { low: '0', high: '20' }), estimated_accuracy: declared('1') }
  const fixed = { bounded_value_usd: declared('15'), estimated_accuracy: declared('1') }
  const { p_best, value_of_information, simulation } = scored(bodyWith(wide, fixed))
  // A symmetric triangle on 0 to 20 lies above 15 with probability 1/8.
  assert.ok(Math.abs(p_best![0]!.p_best - 0.125) < 0.02, JSON.stringify(p_best))
  assert.equal(
    p_best!.reduce((sum, one) => sum + one.p_best, 0),
    1,
  )
  // E[max(X, 15)] - 15 is the integral of (x - 15)(20 - x)/100 from 15 to 20.
  assert.ok(Math.abs(value_of_information[0]!.expected_gain_usd! - 125 / 600) < 0.03)
  assert.deepEqual([simulation!.draws, simulation!.label], [4000, 'SIMULATED'])
})

test('what is unknown without an interval is listed and has no figure', () => {
  const { value_of_information: rows } = scored(bodyWith({}, { energy_cost_usd: UNKNOWN }))
  assert.deepEqual([rows.length, rows[0]!.input, rows[0]!.expected_gain_usd], [1, 'energy_cost_usd', null])
})

test(`margins are those of whole cents, computed in integers (seed ${SEED})`, () => {
  const cents = fc.integer({ min: 0, max: 1_000_000 })
  fc.assert(
    fc.property(
      cents,
      fc.array(cents, { minLength: 5, maxLength: 5 }),
      fc.integer({ min: 0, max: 100 }),
      (value, costs, share) => {
        const text = (amount: number) => `${Math.floor(amount / 100)}.${String(amount % 100).padStart(2, '0')}`
        const names = ['compute', 'queue', 'energy', 'verification', 'operational_risk']
        const body = bodyWith({
          bounded_value_usd: declared(text(value)),
          estimated_accuracy: declared(text(share)),
          ...Object.fromEntries(names.map((name, at) => [`${name}_cost_usd`, declared(text(costs[at]!))])),
        })
        const { margin } = scored(body).candidates[0]!
        const expected = BigInt(value) * BigInt(share) - 100n * costs.reduce((sum, cost) => sum + BigInt(cost), 0n)
        const [whole, places] = margin!.split('.')
        assert.equal(BigInt(`${whole}${places!.padEnd(4, '0')}`), expected)
      },
    ),
    { seed: SEED, numRuns: 200 },
  )
})

test('what contradicts itself is named', () => {
  const places = (body: ScoreBody) => scoreFaults(body).map(({ place }) => place.slice(-2).join('.'))
  assert.deepEqual(places({ ...bodyWith({}), baseline_candidate_id: 'other' }), ['baseline_candidate_id'])
  assert.deepEqual(places(bodyWith({ queue_cost_usd: { ...UNKNOWN, basis: 'DECLARED' } })), ['queue_cost_usd.basis'])
  assert.deepEqual(places(bodyWith({ queue_cost_usd: { ...declared('1'), basis: 'UNKNOWN' } })), [
    'queue_cost_usd.basis',
  ])
  assert.deepEqual(places(bodyWith({ queue_cost_usd: { ...UNKNOWN, low: '1' } })), ['queue_cost_usd.value'])
  const wrong = declared('2', { low: '3', high: '1' })
  assert.deepEqual(places(bodyWith({ queue_cost_usd: wrong })), ['queue_cost_usd.low', 'queue_cost_usd.high'])
  const twice = bodyWith({}, {})
  twice.candidates[1]!.candidate_id = 'c0'
  assert.deepEqual(places(twice), ['1.candidate_id'])
})

test('the same candidates give the same bytes', () => {
  const body = bodyWith({ bounded_value_usd: declared('10', { low: '1', high: '30' }) }, {})
  assert.equal(JSON.stringify(scored(body)), JSON.stringify(scored(body)))
})
