import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { spentAfter } from './session-budget.ts'

const stored = (spent: number) => ({ key: 'k', version: 1, spent })

test('a charge is added, one that does not fit takes what is left, and a lowered limit takes nothing back', () => {
  assert.equal(spentAfter(stored(10), 15, 100), 15)
  assert.equal(spentAfter(stored(90), 140, 100), 100)
  assert.equal(spentAfter(stored(100), 100, 100), 100)
  assert.equal(spentAfter(stored(80), 90, 50), 80)
})

test('what was spent never falls: a charge below zero is refused by F19', () => {
  assert.throws(() => spentAfter(stored(10), 9, 100), { formulaId: 'F19' })
})

test('it is the smaller of the sum and the limit, wherever the limit stands', () => {
  const micros = fc.nat({ max: 1_000_000_000 })
  fc.assert(
    fc.property(micros, micros, micros, (before, charge, limit) => {
      assert.equal(
        spentAfter(stored(before), before + charge, limit),
        Math.min(before + charge, Math.max(limit, before)),
      )
    }),
    { seed: 20261116 },
  )
})
