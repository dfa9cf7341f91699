import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { canonicalize } from '@orch/core'
import { evaluate, replay } from './evaluate.ts'
import { CLAIM_EXAMPLE, RECEIPT_EXAMPLE, SCORE_EXAMPLE, SHOT_PLAN_EXAMPLE } from './examples.ts'
import { firstDifference } from './first-difference.ts'
import { isDeeperThan, replayReceipt } from './receipt.ts'
import type { Computing, ReplayReceipt } from './schemas.ts'

const sha256 = (value: unknown) => createHash('sha256').update(canonicalize(value)).digest('hex')

const ENVIRONMENT = { baseline_wall_seconds: 0.5, evaluated_at: '2026-11-16T12:00:00.000Z', ledger_found: false }
const INPUTS: [Computing, object][] = [
  ['qubo/baseline', RECEIPT_EXAMPLE.input],
  ['hamiltonian/shot-plan', { ...SHOT_PLAN_EXAMPLE, grouping: 'general' }],
  ['counterfactual/score', { ...SCORE_EXAMPLE, environment: { receipts_found: [] } }],
  ['claim/rupture-gate', { ...CLAIM_EXAMPLE, environment: ENVIRONMENT }],
]

for (const [operation, input] of INPUTS)
  test(`a receipt of ${operation} has eleven fields, digests that anybody can compute, and replays`, () => {
    const evaluated = evaluate(operation, input)
    assert.ok('output' in evaluated)
    const receipt = replayReceipt(operation, input, evaluated.output)
    const { receipt_sha256, ...rest } = receipt
    assert.equal(Object.keys(receipt).length, 11)
    assert.deepEqual(
      [receipt.input_sha256, receipt_sha256, receipt.output_sha256],
      [sha256(input), sha256(rest), sha256(evaluated.output)],
    )
    const sent = JSON.parse(JSON.stringify(receipt)) as ReplayReceipt
    const { valid, first_difference, replay_error } = replay(sent)
    assert.deepEqual([valid, first_difference, replay_error], [true, null, null])
  })

test('an objective changed with all hashes recomputed: three hashes hold, the replay does not', () => {
  const forged = replayReceipt('qubo/baseline', RECEIPT_EXAMPLE.input, { ...RECEIPT_EXAMPLE.output, objective: -2 })
  const verdict = replay(forged)
  assert.deepEqual(
    [verdict.hash_valid, verdict.input_digest_valid, verdict.output_digest_valid, verdict.replay_equal, verdict.valid],
    [true, true, true, false, false],
  )
  assert.deepEqual(verdict.first_difference, { pointer: '/objective', expected: -2, got: -1 })
})

test('each digest fails on its own', () => {
  const other = 'f'.repeat(64)
  const flags = (changes: Partial<ReplayReceipt>) => {
    const { hash_valid, input_digest_valid, output_digest_valid, replay_equal, valid } = replay({
      ...RECEIPT_EXAMPLE,
      ...changes,
    })
    return [hash_valid, input_digest_valid, output_digest_valid, replay_equal, valid]
  }
  assert.deepEqual(flags({ receipt_sha256: other }), [false, true, true, true, false])
  assert.deepEqual(flags({ input_sha256: other }), [false, false, true, true, false])
  assert.deepEqual(flags({ output_sha256: other }), [false, true, false, true, false])
})

test('an embedded input that no operation takes is an error of the replay', () => {
  const error = (input: Record<string, unknown>) => {
    const { valid, replay_equal, replay_error } = replay({ ...RECEIPT_EXAMPLE, input })
    assert.deepEqual([valid, replay_equal], [false, false])
    return replay_error!
  }
  assert.match(error({}), /problem/)
  const { seed: _, ...seedless } = RECEIPT_EXAMPLE.input
  assert.match(error(seedless), /seed is missing/)
  assert.match(error({ ...RECEIPT_EXAMPLE.input, more: 1 }), /more/)
  const problem = { ...(RECEIPT_EXAMPLE.input.problem as object), variables: ['a', 'a'] }
  assert.match(error({ ...RECEIPT_EXAMPLE.input, problem }), /twice/)
})

test('the first difference is the first in canonical order, by its pointer', () => {
  assert.equal(
    firstDifference({ b: 1, a: [1, { 'x/y~z': 2 }] }, { b: 2, a: [1, { 'x/y~z': 3 }] })!.pointer,
    '/a/1/x~1y~0z',
  )
  assert.deepEqual(firstDifference({ a: 1 }, { a: 1, b: { c: 1 } }), { pointer: '/b', expected: null, got: '[object]' })
  assert.deepEqual(firstDifference([1, 2, 3], [1, 2]), { pointer: '/2', expected: 3, got: null })
  assert.equal(firstDifference({ a: [] }, { a: {} })!.pointer, '/a')
  assert.equal(firstDifference({ a: -0, b: null }, { b: null, a: 0 }), null)
  const long = Array.from({ length: 12 }, (_, at) => at)
  assert.equal(firstDifference(long, [...long.slice(0, 2), 9, ...long.slice(3, 10), 0, 0])!.pointer, '/2')
})

test('sixteen levels are taken and seventeen are not', () => {
  const nested = (levels: number): unknown => (levels === 0 ? 1 : [nested(levels - 1)])
  assert.deepEqual(
    [isDeeperThan(nested(16), 16), isDeeperThan(nested(17), 16), isDeeperThan(1, 0)],
    [false, true, false],
  )
})

test('names that are not ASCII and numbers with an exponent have a digest as well', () => {
  const input = {
    problem: {
      kind: 'QUBO',
      problem_id: 'p',
      offset: 1e-9,
      variables: ['ä', '😀'],
      linear: { ä: -1e-7 },
      quadratic: [],
    },
    work_budget: 1000,
    seed: 0,
  }
  const evaluated = evaluate('qubo/baseline', input)
  assert.ok('output' in evaluated)
  assert.equal(replay(replayReceipt('qubo/baseline', input, evaluated.output)).valid, true)
})
