import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { canonicalize } from '../canonical.ts'
import { GENESIS_PREV } from '../doctrine.ts'
import { utf8Encode } from '../encoding.ts'
import { checkLambda, verifyReceipt } from '../index.ts'
import { type LambdaInputs, lambdaInputsFault } from '../lambda/inputs.ts'
import { lambdaOf } from '../lambda/lambda.ts'
import type { ReceiptBody, ReceiptKind } from '../receipt.ts'
import { checkLambdaOf } from './lambda.ts'

const INPUTS: LambdaInputs = {
  threats: [{ rule: 'T01', severity: 'block', values: 1 }],
  values: [{ rule: 'P05', severity: 'note', values: 3 }],
  sensitivity: 'INTERNAL',
  effect: 'write',
  origin: 'tool',
  severity_milli: 6500,
  invisible: 1,
  mixed_script_words: 1,
  decoded_children: 1,
  completed: 5,
  planned: 6,
  spent_micro: 400_000,
  budget_micro: 1_000_000,
}
const { value, raw, axes } = lambdaOf(INPUTS)!.lambda
const RECORD = {
  decision: 'REVIEW',
  lambda: value,
  lambda_raw: raw,
  lambda_formula: 'orch.lambda/v1',
  lambda_inputs: INPUTS,
  lambda_axes: axes.map(({ name, weight, value: own }) => ({ name, weight, value: own })),
}
const body = (kind: ReceiptKind, payload: Record<string, unknown>): ReceiptBody => ({
  schema: 'orch.receipt/v1',
  doctrine: 'v11',
  kind,
  ns: 'public',
  chain: 'governance',
  seq: 0,
  prev: GENESIS_PREV,
  ts_utc: '2026-01-02T03:04:05.000Z',
  request_id: 'req-1',
  actor: { owner: 'local', key_id: null, auth_mode: 'open' },
  policy: null,
  payload,
})
const statusOf = (payload: Record<string, unknown>, kind: ReceiptKind = 'decision') =>
  checkLambda(body(kind, payload))?.status ?? null

test('lambda, its raw value and its axes are computed again from the inputs in the receipt', () => {
  const found = checkLambda(body('decision', RECORD))
  assert.deepEqual([found?.status, found?.details.computed], ['VERIFIED', value])
})

test('any input, axis or number that is changed by itself is found', () => {
  const [axis, ...more] = RECORD.lambda_axes
  const changed: Record<string, unknown>[] = [
    { lambda: value + 0.000002 },
    { lambda: 0.97 },
    { lambda: null },
    { lambda: String(value) },
    { lambda_raw: raw - 0.000002 },
    { lambda_axes: [{ ...axis, value: 1 }, ...more] },
    { lambda_axes: [{ ...axis, weight: 0.24 }, ...more] },
    { lambda_axes: more },
    { lambda_inputs: { ...INPUTS, threats: [] } },
    { lambda_inputs: { ...INPUTS, effect: 'none' } },
    { lambda_inputs: { ...INPUTS, completed: 6 } },
    { lambda_inputs: { ...INPUTS, spent_micro: 0 } },
  ]
  for (const one of changed) assert.equal(statusOf({ ...RECORD, ...one }), 'MISMATCH', JSON.stringify(one))
})

test('inputs nobody can compute with are a contradiction and never an exception', () => {
  const hostile: unknown[] = [
    [],
    'x',
    1,
    { a: 1 },
    { ...INPUTS, threats: null },
    { ...INPUTS, threats: [{ rule: 'T01', severity: 'toString', values: 1 }] },
    { ...INPUTS, values: [{ rule: 'P01', severity: 'note', values: -1 }] },
    { ...INPUTS, effect: '__proto__' },
    { ...INPUTS, origin: 'constructor' },
    { ...INPUTS, planned: 0, completed: 0 },
    { ...INPUTS, completed: 7 },
    { ...INPUTS, budget_micro: 0 },
    { ...INPUTS, severity_milli: 10_001 },
    { ...INPUTS, invisible: 0.5 },
  ]
  for (const inputs of hostile)
    assert.equal(statusOf({ ...RECORD, lambda_inputs: inputs }), 'MISMATCH', JSON.stringify(inputs))
  fc.assert(
    fc.property(fc.anything(), (inputs) => {
      const fault = lambdaInputsFault(inputs)
      assert.ok(fault === null || typeof fault === 'string')
    }),
    { seed: 11 },
  )
})

test('a lambda without inputs cannot be judged, and that is said; without either there is nothing to say', () => {
  for (const inputs of [undefined, null, {}]) {
    assert.equal(statusOf({ ...RECORD, lambda_inputs: inputs }), 'UNAVAILABLE')
    assert.equal(statusOf({ ...RECORD, lambda: null, lambda_inputs: inputs }), null)
  }
  assert.equal(statusOf({ lambda: 0.9 }, 'inference'), 'UNAVAILABLE')
  assert.equal(statusOf({ lambda: 0.9, input: { lambda: 0.9 } }, 'inference'), 'UNAVAILABLE')
  assert.equal(statusOf({ lambda: null }, 'agent-step'), null)
})

test('a step states what it is charged, and its budget axis follows from that; a budget of nothing is used up', () => {
  const own = { ...INPUTS, spent_micro: 100_000, budget_micro: 350_000, charge_micro: 75_000 }
  const { lambda, charge_micro } = lambdaOf(own)!
  assert.equal(charge_micro, 75_000)
  assert.equal(lambda.axes.at(-1)?.value, 0.875)
  assert.equal(lambdaOf({ ...own, budget_micro: 0 })!.lambda.axes.at(-1)?.value, 0.5)
  assert.match(lambdaInputsFault({ ...own, charge_micro: -1 }) ?? '', /charge_micro/)
  const step = { lambda: lambda.value, lambda_inputs: own }
  assert.equal(statusOf(step, 'step'), 'VERIFIED')
  for (const more of [{ charge_micro: 0 }, { effect: 'none' }, { spent_micro: 0 }, { budget_micro: 1_000_000 }])
    assert.equal(statusOf({ ...step, lambda_inputs: { ...own, ...more } }, 'step'), 'MISMATCH', JSON.stringify(more))
})

test('a receipt of a kind in which callers write is not judged by lambda at all', () => {
  assert.equal(statusOf({ ...RECORD, lambda: 0.5 }, 'mint'), null)
  assert.equal(statusOf({ statement: { ...RECORD, lambda: 0.5 } }, 'mint'), null)
})

test('another formula is said to be unknown, neither right nor wrong', () => {
  assert.equal(statusOf({ ...RECORD, lambda_formula: 'orch.lambda/v2' }), 'UNAVAILABLE')
})

test('of an inference and a step every part is computed, and the whole is the smallest of them', () => {
  const clean = { ...INPUTS, threats: [], values: [] }
  const better = { lambda: lambdaOf(clean)!.lambda.value, lambda_inputs: clean }
  const whole = { lambda: value, input: better, output: RECORD }
  assert.equal(statusOf(whole, 'inference'), 'VERIFIED')
  assert.equal(statusOf({ lambda: better.lambda, input: better, output: null }, 'inference'), 'VERIFIED')
  assert.equal(statusOf({ ...whole, lambda: better.lambda }, 'inference'), 'MISMATCH')
  assert.equal(statusOf({ ...whole, input: { ...better, lambda: 0.97 } }, 'inference'), 'MISMATCH')
  const step = { lambda: value, gate: RECORD, observation: better }
  assert.equal(statusOf(step, 'agent-step'), 'VERIFIED')
  assert.equal(statusOf({ ...step, observation: { ...better, lambda: 0.1 } }, 'agent-step'), 'MISMATCH')
  const unknown = { lambda: null, lambda_inputs: null }
  assert.equal(statusOf({ lambda: null, gate: RECORD, observation: unknown }, 'agent-step'), 'VERIFIED')
  assert.equal(statusOf({ lambda: value, gate: RECORD, observation: unknown }, 'agent-step'), 'MISMATCH')
})

test('the report on a receipt has the check after the six, and a wrong lambda fails it', async () => {
  const good = await verifyReceipt(body('decision', RECORD), { keys: [] })
  assert.deepEqual([good.checks.length, good.checks[6]?.check, good.checks[6]?.status], [7, 'lambda', 'VERIFIED'])
  const wrong = await verifyReceipt(body('decision', { ...RECORD, lambda: 0.95 }), { keys: [] })
  assert.deepEqual([wrong.verdict, wrong.checks[6]?.status], ['FAIL', 'MISMATCH'])
  assert.equal(wrong.checks.filter(({ status }) => status === 'MISMATCH').length, 1)
})

test('the bytes of a receipt are judged like the receipt', () => {
  const bytesOf = (payload: Record<string, unknown>) => utf8Encode(canonicalize(body('decision', payload)))
  assert.equal(checkLambdaOf(bytesOf(RECORD))?.status, 'VERIFIED')
  assert.equal(checkLambdaOf(bytesOf({ ...RECORD, lambda_inputs: [] }))?.status, 'MISMATCH')
  for (const inputs of [null, {}]) {
    assert.equal(checkLambdaOf(bytesOf({ ...RECORD, lambda_inputs: inputs }))?.status, 'UNAVAILABLE')
    assert.equal(checkLambdaOf(bytesOf({ ...RECORD, lambda: null, lambda_inputs: inputs })), null)
  }
})
