import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  isLabel,
  LABELS,
  type Labelled,
  live,
  type Measured,
  measured,
  modeled,
  type Reading,
  reading,
  readingAsync,
  roadmap,
  sample,
  simulated,
  simulationOnly,
  structuralOnly,
  unavailable,
} from './label.ts'

const NOW = '2025-01-02T03:04:05.678Z'
const clockNow = (): string => NOW
const model = {
  value: 0.5,
  equation: 'y = a x',
  coefficients: [{ name: 'a', value: 0.5, source: 'fit of run 7' }],
  interval: { low: 0.4, high: 0.6, meaning: '95 % bootstrap' },
}
const run = {
  value: 3,
  simulator: 'queue',
  version: '1',
  seed: 1,
  assumptions: ['Poisson arrivals'],
  not_real: ['no network'],
}

test('there are exactly nine labels and no tenth word passes for one', () => {
  assert.equal(new Set(LABELS).size, 9)
  assert.ok(LABELS.every(isLabel))
  for (const word of ['measured', 'OK', '', 'SIMULATION', null, 1]) assert.equal(isLabel(word), false)
  assert.ok(Object.isFrozen(LABELS))
})

test('a measured value says where and when it was read', () => {
  const taken = reading('process.memoryUsage', clockNow, () => 42)
  const wire = { value: 42, source: 'process.memoryUsage', read_at: NOW }
  assert.deepEqual(measured(taken), { label: 'MEASURED', ...wire })
  assert.deepEqual(live(taken), { label: 'LIVE', ...wire })
  assert.equal(JSON.stringify(measured(taken)), JSON.stringify({ label: 'MEASURED', ...wire }))
})

test('the clock is read after the value, so read_at is never before the reading', async () => {
  const order: string[] = []
  const now = (): string => {
    order.push('clock')
    return NOW
  }
  reading('s', now, () => order.push('value'))
  await readingAsync('s', now, async () => order.push('value'))
  assert.deepEqual(order, ['value', 'clock', 'value', 'clock'])
})

test('a reading that throws gives no label at all', async () => {
  const fail = (): never => {
    throw new Error('meter gone')
  }
  assert.throws(() => measured(reading('meter', clockNow, fail)), /meter gone/)
  await assert.rejects(
    readingAsync('meter', clockNow, async () => fail()),
    /meter gone/,
  )
})

test('a value still being read is not a value', () => {
  assert.throws(() => reading('s', clockNow, async () => 1), TypeError)
})

test('the compiler refuses a bare number where a reading is wanted, and the run refuses a cast', () => {
  // @ts-expect-error a bare number is not a reading
  assert.throws(() => measured(42), TypeError)
  // @ts-expect-error an object shaped like a reading is not one
  assert.throws(() => live({ value: 42, source: 'guess', readAt: NOW }), TypeError)
  const cast = { value: 42, source: 'guess', readAt: NOW } as unknown as Reading<number>
  assert.throws(() => measured(cast), TypeError)
  const copied = { ...reading('s', clockNow, () => 1), value: 42 }
  assert.throws(() => measured(copied), TypeError)
})

test('the compiler refuses a MEASURED or LIVE written by hand', () => {
  // @ts-expect-error the brand of a measured value cannot be spelled
  const byHand: Measured<number> = { label: 'MEASURED', value: 42, source: 'guess', read_at: NOW }
  // @ts-expect-error nor that of a live one
  const liveByHand: Labelled<number> = { label: 'LIVE', value: 42, source: 'guess', read_at: NOW }
  // @ts-expect-error nor may a sample be relabelled
  const relabelled: Measured<number> = sample(42, NOW)
  assert.deepEqual([byHand.value, liveByHand.value, relabelled.value], [42, 42, 42])
})

test('a reading cannot be altered after it was taken', () => {
  const taken = reading('s', clockNow, () => 1)
  assert.throws(() => Object.assign(taken, { value: 2 }), TypeError)
})

test('the other labels carry what each must disclose', () => {
  assert.deepEqual(modeled(model), { label: 'MODELED', ...model })
  assert.deepEqual(simulated(run), { label: 'SIMULATED', ...run })
  assert.deepEqual(simulationOnly(run), { label: 'SIMULATION-ONLY', ...run })
  assert.deepEqual(sample([1], NOW), { label: 'SAMPLE', value: [1], measured_at: NOW })
  assert.deepEqual(unavailable('no meter'), { label: 'UNAVAILABLE', value: null, reason: 'no meter' })
  assert.deepEqual(structuralOnly({ a: 1 }), { label: 'STRUCTURAL-ONLY', value: { a: 1 } })
  assert.deepEqual(roadmap('planned'), { label: 'ROADMAP', value: null, note: 'planned' })
})

test('a label without its disclosure is misuse', () => {
  assert.throws(() => unavailable(' '), TypeError)
  assert.throws(() => roadmap(''), TypeError)
  assert.throws(() => sample(1, 'yesterday'), TypeError)
  assert.throws(() => reading('', clockNow, () => 1), TypeError)
  assert.throws(
    () =>
      reading(
        's',
        () => '2025-01-02T03:04:05Z',
        () => 1,
      ),
    TypeError,
  )
  assert.throws(() => modeled({ ...model, equation: '' }), TypeError)
  assert.throws(() => modeled({ ...model, coefficients: [{ name: 'a', value: 1, source: '' }] }), TypeError)
  assert.throws(() => simulated({ ...run, not_real: [] }), TypeError)
  assert.throws(() => simulated({ ...run, seed: 0.5 }), TypeError)
})
