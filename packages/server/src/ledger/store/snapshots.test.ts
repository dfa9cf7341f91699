import assert from 'node:assert/strict'
import { test } from 'node:test'
import { snapshotPace } from './snapshots.ts'

test('a ledger at rest is cut to its end, and one written to at full speed gets one segment in twelve looks', () => {
  const pace = snapshotPace()
  assert.equal(pace(1_000), Number.POSITIVE_INFINITY)
  const busy = Array.from({ length: 24 }, () => pace(1_001))
  assert.deepEqual(busy, [1, ...Array(11).fill(0), 1, ...Array(11).fill(0)])
  assert.equal(pace(0), Number.POSITIVE_INFINITY)
})

test('every time a ledger becomes busy again its first look takes a segment', () => {
  const pace = snapshotPace()
  assert.deepEqual([1_001, 0, 1_001].map(pace), [1, Number.POSITIVE_INFINITY, 1])
})
