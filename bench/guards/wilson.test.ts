import assert from 'node:assert/strict'
import { test } from 'node:test'
import { wilson } from './wilson.ts'

test('the interval of 10 in 100 is the published one, and none or all of a few is not certainty', () => {
  assert.deepEqual(wilson(10, 100), { hits: 10, of: 100, value: 0.1, low: 0.0552, high: 0.1744 })
  assert.deepEqual([wilson(0, 10).low, wilson(0, 10).high], [0, 0.2775])
  assert.deepEqual([wilson(10, 10).low, wilson(10, 10).high], [0.7225, 1])
})

test('of nothing there is no proportion', () => {
  assert.equal(wilson(0, 0).value, null)
})
