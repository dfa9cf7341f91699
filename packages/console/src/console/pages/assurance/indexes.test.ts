import assert from 'node:assert/strict'
import { test } from 'node:test'
import { indexesText, spanBetween } from './indexes.ts'

test('places that follow each other become a range, in order and each once', () => {
  assert.equal(indexesText([12, 3, 9, 8, 10, 8]), '3,8-10,12')
  assert.equal(indexesText([]), '')
})

test('a range of days is in UTC, its last day is part of it, and a side that is open stays open', () => {
  assert.deepEqual(spanBetween('2026-11-01', '2026-11-15'), {
    since: '2026-11-01T00:00:00.000Z',
    until: '2026-11-16T00:00:00.000Z',
  })
  assert.deepEqual(spanBetween('', '2026-11-15'), { until: '2026-11-16T00:00:00.000Z' })
  assert.deepEqual(spanBetween('', ''), {})
})
