import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { latencyRow } from './readings.ts'

const NOW = '2026-01-01T00:00:00.000Z'
const rowOf = (durationsMs: number[], over = {}) =>
  latencyRow({ id: 'a', count: durationsMs.length, errors: 0, lastAt: NOW, durationsMs, ...over }, () => NOW)
const upTo = (count: number) => Array.from({ length: count }, (_, n) => n + 1)

test('what was never called has no number and says so', () => {
  assert.deepEqual(rowOf([], { lastAt: null }), {
    id: 'a',
    count: 0,
    errors: 0,
    window_count: 0,
    p50_ms: null,
    p95_ms: null,
    p99_ms: null,
    max_ms: null,
    last_at: null,
    label: 'UNAVAILABLE',
    reason: 'NEVER_CALLED',
  })
})

for (const [count, p95, p99, reason] of [
  [1, null, null, 'INSUFFICIENT_SAMPLES'],
  [19, null, null, 'INSUFFICIENT_SAMPLES'],
  [20, 19, null, 'INSUFFICIENT_SAMPLES'],
  [99, 95, null, 'INSUFFICIENT_SAMPLES'],
  [100, 95, 99, null],
  [1024, 973, 1014, null],
] as const)
  test(`${count} durations give ${p95 === null ? 'no' : 'a'} 95th and ${p99 === null ? 'no' : 'a'} 99th percentile`, () => {
    const row = rowOf(upTo(count))
    assert.deepEqual(
      [row.p50_ms, row.p95_ms, row.p99_ms, row.max_ms, row.label, row.reason],
      [Math.ceil(count / 2), p95, p99, count, 'MEASURED', reason],
    )
  })

test('a quantile is the smallest duration that so many are not above, in whatever order they came', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 60_000 }), { minLength: 1, maxLength: 300 }), (durations) => {
      const row = rowOf(durations)
      const smallest = (percent: number) =>
        Math.min(...durations.filter((x) => 100 * durations.filter((y) => y <= x).length >= percent * durations.length))
      assert.equal(row.p50_ms, smallest(50))
      assert.equal(row.p95_ms, durations.length < 20 ? null : smallest(95))
      assert.equal(row.p99_ms, durations.length < 100 ? null : smallest(99))
      assert.equal(row.max_ms, Math.max(...durations))
      assert.equal(row.window_count, durations.length)
    }),
    { seed: 2 },
  )
})

test('counts are those that were handed over and not those of the window', () => {
  const row = rowOf(upTo(1024), { count: 5000, errors: 7 })
  assert.deepEqual([row.count, row.errors, row.window_count], [5000, 7, 1024])
})
