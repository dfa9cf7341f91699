import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Slots } from './slots.ts'

test('each value is taken once, under the number it was given, in whatever order', () => {
  const moves = fc.array(fc.oneof(fc.constant('add'), fc.nat({ max: 20 })), { maxLength: 200 })
  fc.assert(
    fc.property(moves, (list) => {
      const slots = new Slots<{ n: number }>()
      const model = new Map<number, { n: number }>()
      for (const [n, move] of list.entries()) {
        if (move === 'add') {
          const value = { n }
          const slot = slots.add(value)
          assert.ok(!model.has(slot))
          model.set(slot, value)
        } else {
          assert.equal(slots.take(move as number), model.get(move as number))
          model.delete(move as number)
        }
        assert.equal(slots.size, model.size)
      }
      assert.deepEqual(new Set(slots.takeAll()), new Set(model.values()))
      assert.equal(slots.size, 0)
    }),
    { seed: 71 },
  )
})

test('numbers are used again, so that there are never more than were out at once', () => {
  const slots = new Slots<string>()
  const numbers = new Set<number>()
  for (let round = 0; round < 100; round += 1) {
    const out = ['a', 'b', 'c'].map((value) => slots.add(value))
    for (const slot of out) numbers.add(slot)
    for (const slot of out) slots.take(slot)
  }
  assert.deepEqual([...numbers].sort(), [0, 1, 2])
  assert.equal(slots.take(7), undefined)
})
