import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callsOf, evidenceOf, latencyOf, stateOf, timesOf } from './topology-words.ts'

test('what was not checked or not timed is said so and never shown as zero or healthy', () => {
  assert.deepEqual([null, true, false].map(stateOf), ['not checked', 'healthy', 'failing'])
  assert.deepEqual([null, 0, 1.5].map(latencyOf), ['none', '0 ms', '1.5 ms'])
  assert.equal(timesOf({ p50_ms: null, p99_ms: null }), 'none')
  assert.equal(timesOf({ p50_ms: 0.2, p99_ms: 3 }), '0.2 ms / 3 ms')
})

test('calls are counted in words, and evidence names its reason first', () => {
  assert.deepEqual([0, 1, 2].map(callsOf), ['0 calls', '1 call', '2 calls'])
  assert.equal(evidenceOf({ reason: 'gone', evidence: { state: 'FAILED', n: 2 } }), 'gone; state: FAILED; n: 2')
  assert.equal(evidenceOf({ reason: null, evidence: {} }), '')
})
