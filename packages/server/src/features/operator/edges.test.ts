import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countEdges, ROUTES } from './nodes.ts'

test('times are nearest ranks of what was observed, and nothing observed is 0 calls and no times', () => {
  const durationsMs = Array.from({ length: 100 }, (_, n) => 100 - n)
  const edges = countEdges([{ name: 'gate', calls: 4000, durationsMs }], 300)
  const [gate, ...others] = edges
  assert.deepEqual([gate?.observed_calls, gate?.p50_ms, gate?.p99_ms, gate?.window_s], [4000, 50, 99, 300])
  assert.equal(others.length, ROUTES.length - 1)
  for (const { observed_calls, p50_ms, p99_ms } of others)
    assert.deepEqual([observed_calls, p50_ms, p99_ms], [0, null, null])
})
