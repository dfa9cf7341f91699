import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callsOf, countsOf, evidenceOf, latencyOf, stateOf, timesOf, verdictOf } from './topology-words.ts'

test('what was not checked or not timed is said so and never shown as zero or healthy', () => {
  assert.deepEqual([null, true, false].map(stateOf), ['not checked', 'healthy', 'failing'])
  assert.deepEqual([null, 0, 1.5].map(latencyOf), ['none', '0.00 ms', '1.50 ms'])
  assert.equal(timesOf({ p50_ms: null, p99_ms: null }), 'none')
  assert.equal(timesOf({ p50_ms: 0.2, p99_ms: 3 }), '0.20 ms / 3.00 ms')
})

test('calls are counted in words, and evidence is one fact a line', () => {
  assert.deepEqual([0, 1, 2].map(callsOf), ['0 calls', '1 call', '2 calls'])
  assert.equal(evidenceOf({ evidence: { state: 'FAILED', last_n: 2 } }), 'state: FAILED\nlast n: 2')
  assert.equal(evidenceOf({ evidence: {} }), '')
})

test('one sentence says whether the service works, what is broken and since when', () => {
  const since = '2026-01-02T03:04:05.006Z'
  const core = (ready: boolean, reason: string | null) => ({ core: { reason, evidence: { ready }, since } })
  assert.equal(verdictOf(core(true, null)), 'Ready since 2026-01-02 03:04:05 UTC')
  assert.equal(
    verdictOf(core(true, 'degraded by background')),
    'Ready: degraded by background, since 2026-01-02 03:04:05 UTC',
  )
  assert.equal(
    verdictOf(core(false, 'blocked by signer')),
    'Not ready: blocked by signer, since 2026-01-02 03:04:05 UTC',
  )
  assert.equal(countsOf({ counts: { healthy: 6, failing: 1, unknown: 2 } }), '6 healthy, 1 failing, 2 not checked')
})
