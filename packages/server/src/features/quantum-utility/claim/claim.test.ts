import assert from 'node:assert/strict'
import { test } from 'node:test'
import { randomProblem } from '#testing/qubo/problems.ts'
import { sfc32 } from '../../../domain/sfc32.ts'
import { evaluate } from '../evaluate.ts'
import { CLAIM_EXAMPLE, RECEIPT_EXAMPLE } from '../examples.ts'
import { solveBaseline } from '../qubo/baseline.ts'
import { replayReceipt } from '../receipt.ts'
import type { ClaimInput } from '../schemas.ts'
import { binomial } from './binomial.ts'
import type { judgeClaim } from './rules.ts'
import { bootstrapUpperBound, pooledTimeToSolution } from './time-to-solution.ts'

type Verdict = ReturnType<typeof judgeClaim>

/** Everything holds: runs are fast enough against a baseline that took a second. */
const GOOD: ClaimInput = {
  ...CLAIM_EXAMPLE,
  quantum_observations: CLAIM_EXAMPLE.quantum_observations.map((run) => ({ ...run, wall_seconds: 0.1 })),
  environment: { baseline_wall_seconds: 1, evaluated_at: '2026-11-16T12:00:00.000Z', ledger_found: true },
}
function judged(changes: Partial<ClaimInput> = {}): Verdict {
  const result = evaluate('claim/rupture-gate', { ...GOOD, ...changes })
  assert.ok('output' in result)
  return result.output as Verdict
}
const failed = ({ rules }: Verdict) => rules.filter(({ state }) => state !== 'PASS').map(({ id }) => id)
const runs = (change: (run: ClaimInput['quantum_observations'][number], at: number) => object) =>
  GOOD.quantum_observations.map((run, at) => ({ ...run, ...change(run, at) }))
const onlyFirst = (changes: object) => runs((_, at) => (at === 0 ? changes : {}))

test('a claim of which everything holds is supported, for a person to review and for nothing else', () => {
  const verdict = judged()
  assert.deepEqual([verdict.evidence_state, failed(verdict), verdict.rules.length], ['SUPPORTED', [], 12])
  assert.deepEqual([verdict.gate_passed, verdict.eligible_for_human_review], [true, true])
  const { quantum_advantage_verified, claim_authorized, publication_authorized, execution_authorized } = verdict
  assert.deepEqual(
    [quantum_advantage_verified, claim_authorized, publication_authorized, execution_authorized],
    [false, false, false, false],
  )
})

for (const value_usd of ['0', '-5', '-0.000000000001', 0, -5])
  test(`a margin of ${JSON.stringify(value_usd)} is refuted`, () => {
    const verdict = judged({ utility_margin: { value_usd } })
    assert.equal(verdict.evidence_state, 'REFUTED')
    assert.ok(failed(verdict).includes('QUG-006') && !verdict.gate_passed)
  })

test('an interval that ends at or below zero is refuted', () => {
  const verdict = judged({ uncertainty: { ...GOOD.uncertainty, lower: -2, upper: 0 } })
  assert.equal(verdict.evidence_state, 'REFUTED')
})

test('an objective below the certified minimum is impossible, and the claim refuted', () => {
  const verdict = judged({ quantum_observations: onlyFirst({ objective: -1.000001 }) })
  assert.deepEqual([verdict.evidence_state, verdict.flags], ['REFUTED', ['IMPOSSIBLE_OBJECTIVE']])
  assert.match(verdict.rules[8]!.detail, /^IMPOSSIBLE_OBJECTIVE: observation 0/)
  const atTheEdge = judged({ quantum_observations: onlyFirst({ objective: -1 - 1e-9 }) })
  assert.equal(atTheEdge.evidence_state, 'SUPPORTED')
})

test('two observations are unknown by rule 004, and three are enough', () => {
  const verdict = judged({ quantum_observations: GOOD.quantum_observations.slice(0, 2) })
  assert.deepEqual([verdict.evidence_state, failed(verdict)], ['UNKNOWN', ['QUG-004']])
})

const zeros = '0'.repeat(64)
const broken: [rule: string, changes: Partial<ClaimInput>][] = [
  ['QUG-001', { claim_type: 'QUANTUM_UTILITY' }],
  ['QUG-002', { claim_owner: ' \t' }],
  ['QUG-002', { claim_id: '' }],
  ['QUG-003', { classical_baseline_receipt: { ...RECEIPT_EXAMPLE, receipt_sha256: zeros } }],
  ['QUG-005', { quantum_observations: onlyFirst({ run_id: 'run-2' }) }],
  ['QUG-005', { quantum_observations: onlyFirst({ run_id: ' run-2 ' }) }],
  ['QUG-005', { quantum_observations: onlyFirst({ problem_digest: zeros }) }],
  ['QUG-005', { quantum_observations: onlyFirst({ backend_id: '' }) }],
  ['QUG-005', { quantum_observations: onlyFirst({ shots: 0 }) }],
  ['QUG-005', { quantum_observations: onlyFirst({ shots: 1_000_001 }) }],
  ['QUG-005', { quantum_observations: onlyFirst({ success_count: 1001 }) }],
  ['QUG-005', { quantum_observations: onlyFirst({ raw_result_sha256: zeros }) }],
  ['QUG-005', { quantum_observations: onlyFirst({ raw_result_sha256: 'abc' }) }],
  ['QUG-005', { quantum_observations: runs(() => ({ objective: 5, success_count: 900 })) }],
  ['QUG-005', { quantum_observations: onlyFirst({ objective: -0.999, success_count: 1 }) }],
  ['QUG-005', { quantum_observations: runs(() => ({ raw_result_sha256: 'ab'.repeat(32) })) }],
  ['QUG-005', { quantum_observations: onlyFirst({ observed_at: '2026-02-30T00:00:00Z' }) }],
  ['QUG-008', { provenance: [{ ...GOOD.provenance[0]!, observed_at: '2026-04-31T00:00:00+02:00' }] }],
  ['QUG-011', { quantum_observations: onlyFirst({ observed_at: '2026-11-15T24:00:00Z' }) }],
  ['QUG-007', { uncertainty: { ...GOOD.uncertainty, lower: '0' } }],
  ['QUG-007', { uncertainty: { ...GOOD.uncertainty, lower: '2.01' } }],
  ['QUG-007', { uncertainty: { ...GOOD.uncertainty, upper: '1.99' } }],
  ['QUG-007', { uncertainty: { ...GOOD.uncertainty, confidence: 0.49 } }],
  ['QUG-007', { uncertainty: { ...GOOD.uncertainty, confidence: 1.01 } }],
  ['QUG-007', { uncertainty: { ...GOOD.uncertainty, method: '' } }],
  ['QUG-008', { provenance: [] }],
  ['QUG-008', { provenance: [{ ...GOOD.provenance[0]!, sha256: zeros }] }],
  ['QUG-010', { quantum_observations: runs(() => ({ wall_seconds: 1000 })) }],
  ['QUG-010', { quantum_observations: runs(() => ({ success_count: 0 })) }],
  ['QUG-010', { environment: { ...GOOD.environment, baseline_wall_seconds: null } }],
  ['QUG-011', { quantum_observations: onlyFirst({ observed_at: '2026-11-16T12:00:00.001Z' }) }],
  ['QUG-011', { quantum_observations: onlyFirst({ observed_at: '2025-11-16T11:59:59.999Z' }) }],
  ['QUG-011', { quantum_observations: onlyFirst({ observed_at: 'yesterday' }) }],
  ['QUG-012', { environment: { ...GOOD.environment, ledger_found: false } }],
]
for (const [rule, changes] of broken)
  test(`${rule} does not pass with ${JSON.stringify(changes).slice(0, 90)}`, () => {
    const verdict = judged(changes)
    assert.equal(verdict.evidence_state, 'UNKNOWN')
    assert.ok(failed(verdict).includes(rule), failed(verdict).join())
    assert.ok(!verdict.gate_passed)
  })

test('a run above the minimum that claims no success is complete, and rounding is not above', () => {
  const above = judged({ quantum_observations: onlyFirst({ objective: -0.5, success_count: 0 }) })
  assert.ok(!failed(above).includes('QUG-005'))
  const rounded = judged({ quantum_observations: onlyFirst({ objective: -1 + 5e-10 }) })
  assert.equal(rounded.evidence_state, 'SUPPORTED')
})

test('times at both ends of the year count', () => {
  const boundaries = ['2026-11-16T12:00:00.000Z', '2025-11-16T12:00:00.000Z', '2026-11-16T13:00:00+01:00']
  assert.equal(
    judged({ quantum_observations: runs((_, at) => ({ observed_at: boundaries[at] })) }).evidence_state,
    'SUPPORTED',
  )
})

test('a baseline that is not certified, or no baseline at all, supports nothing and refutes nothing by its objective', () => {
  const input = { problem: randomProblem(70, 0.2, 9, 1), work_budget: 20_000, seed: 0 }
  const weak = replayReceipt('qubo/baseline', input, solveBaseline(input))
  const verdict = judged({ classical_baseline_receipt: weak })
  assert.equal(verdict.rules[2]!.state, 'FAIL')
  assert.deepEqual([verdict.rules[8]!.state, verdict.certified_minimum], ['NOT_EVALUABLE', null])
  const plan = { ...RECEIPT_EXAMPLE, operation: 'hamiltonian/shot-plan' as const }
  assert.equal(judged({ classical_baseline_receipt: plan }).rules[2]!.state, 'FAIL')
})

test('an objective edited into the baseline is found by the replay', () => {
  const edited = replayReceipt('qubo/baseline', RECEIPT_EXAMPLE.input, { ...RECEIPT_EXAMPLE.output, objective: 5 })
  const verdict = judged({ classical_baseline_receipt: edited })
  assert.deepEqual([verdict.rules[2]!.state, verdict.evidence_state], ['FAIL', 'UNKNOWN'])
  assert.match(verdict.rules[2]!.detail, /\/objective/)
})

test('time to solution of 0.01 s at 0.2 is 0.206377 s; never without success, one attempt with nothing else', () => {
  const after = (t: number, success_count: number) =>
    pooledTimeToSolution([{ shots: 5, success_count, wall_seconds: 5 * t }])
  assert.equal(after(0.01, 1).toFixed(6), '0.206377')
  assert.deepEqual([after(3, 0), after(3, 5)], [Number.POSITIVE_INFINITY, 3])
  const run = { shots: 1000, success_count: 200, wall_seconds: 10 }
  assert.equal(pooledTimeToSolution([run, run]).toFixed(6), '0.206377')
})

test('the upper bound lies above the estimate, the same each time, and without end where nothing succeeded', () => {
  const run = { shots: 100, success_count: 20, wall_seconds: 1 }
  const upper = bootstrapUpperBound([run, run, run], { a: 1 })
  assert.ok(upper > pooledTimeToSolution([run]) && upper < 2 * pooledTimeToSolution([run]))
  assert.equal(bootstrapUpperBound([run, run, run], { a: 1 }), upper)
  assert.equal(bootstrapUpperBound([{ ...run, success_count: 0 }], {}), Number.POSITIVE_INFINITY)
})

test('binomial draws have the mean and the variance of the law, by either way', () => {
  const random = sfc32('a test', {})
  for (const [n, p] of [
    [40, 0.1],
    [40, 0.97],
    [100_000, 0.3],
    [10, 0.5],
  ] as const) {
    const draws = Array.from({ length: 4000 }, () => binomial(n, p, random))
    const mean = draws.reduce((sum, draw) => sum + draw, 0) / draws.length
    const variance = draws.reduce((sum, draw) => sum + (draw - mean) ** 2, 0) / draws.length
    const expected = n * p * (1 - p)
    assert.ok(Math.abs(mean - n * p) < 5 * Math.sqrt(expected / draws.length), `${n} ${p} ${mean}`)
    assert.ok(Math.abs(variance / expected - 1) < 0.15 && draws.every((draw) => draw >= 0 && draw <= n))
  }
  assert.deepEqual([binomial(9, 0, random), binomial(9, 1, random)], [0, 9])
})
