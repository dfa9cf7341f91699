import assert from 'node:assert/strict'
import { test } from 'node:test'
import { moveOf } from '#testing/ledger-stores.ts'
import type { CounterMove } from './contract.ts'
import { assertCounters, CounterCheck, MAX_COUNTER_MOVES } from './side-writes.ts'

test('moves that no store could keep are refused before they are queued', () => {
  const bad: Partial<CounterMove>[] = [
    { space: 'Upper' },
    { key: 'short' },
    { owner: 'x\u0000' },
    { add: 0.5 },
    { add: 2 ** 53 },
    { add: Number.NaN },
    { limit: -1 },
    { limit: 1.5 },
    { limit: Number.POSITIVE_INFINITY },
    { retryAfter: 0 },
  ]
  for (const over of bad) assert.throws(() => assertCounters([moveOf('a', over)]), Error, JSON.stringify(over))
  assert.throws(() => assertCounters([moveOf('a'), moveOf('a', { add: 2 })]), /once at a time/)
  const many = Array.from({ length: MAX_COUNTER_MOVES + 1 }, (_, n) => moveOf(`${n}`))
  assert.throws(() => assertCounters(many), /go together/)
  assertCounters([moveOf('a', { add: -(2 ** 53) + 1, limit: 0, retryAfter: 1 }), ...many.slice(2)])
})

test('a counter that comes back to where it was is not written', () => {
  const [up, down] = [moveOf('a'), moveOf('a', { add: -1 })]
  for (const stored of [null, 0, 7]) {
    const check = new CounterCheck([up, down], [stored, stored])
    check.take([up])
    check.take([down])
    assert.deepEqual(check.result, [])
  }
})

test('who is in the way is the batch as soon as the batch has moved the counter', () => {
  const move = moveOf('a', { limit: 1 })
  const check = new CounterCheck([move], [0])
  assert.equal(check.full([move]), null)
  check.take([move])
  assert.deepEqual(check.full([move]), { move, by: 'batch' })
  assert.deepEqual(new CounterCheck([move], [1]).full([move]), { move, by: 'store' })
})
