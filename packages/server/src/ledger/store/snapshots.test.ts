import assert from 'node:assert/strict'
import { test } from 'node:test'
import { snapshotPace } from './snapshots.ts'

test('a ledger written to at full speed gets one segment in twelve looks, unless it lacks too many, and any other one at each', () => {
  const { most } = snapshotPace()
  assert.deepEqual([most(999, 5_000, 0), most(1_000, 5_000, 0)], [1, 1])
  const busy = Array.from({ length: 24 }, () => most(1_001, 5_000, 5_000))
  assert.deepEqual(busy, [1, ...Array(11).fill(0), 1, ...Array(11).fill(0)])
  assert.deepEqual([most(1_001, 5_000, 5_001), most(0, 5_000, 0)], [1, 1])
})

test('how busy a ledger is does not depend on how soon it is looked at again', () => {
  const { most } = snapshotPace()
  const looks = [80, 81, 81, 81, 80].map((grown) => most(grown, 400, 0))
  assert.deepEqual(looks, [1, 1, 0, 0, 1])
})

test('a segment is followed by a rest four times as long, and by no longer one than a look without any', () => {
  const { restMs } = snapshotPace()
  assert.deepEqual([restMs(1, 100), restMs(1, 1_249), restMs(1, 1_251), restMs(0, 1)], [400, 4_996, 5_000, 5_000])
})
