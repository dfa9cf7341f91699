import assert from 'node:assert/strict'
import { test } from 'node:test'
import { utf8Encode } from '../encoding.ts'
import * as rule from './invariants.ts'

const violates = (formulaId: string, work: () => unknown) =>
  assert.throws(work, (error) => error instanceof rule.InvariantViolation && error.formulaId === formulaId)

test('stored bytes replay to the digest they are kept under and to no other', () => {
  const digest = rule.replayDigest({ b: 1, a: [] })
  assert.equal(rule.replays(utf8Encode('{"a":[],"b":1}'), digest), true)
  assert.equal(rule.replays(utf8Encode('{"a":[],"b":2}'), digest), false)
})

test('a link forwards, to itself or to no position is refused', () => {
  rule.assertAcyclic(-1, 0)
  for (const [prev, index] of [
    [1, 1],
    [2, 1],
    [Number.NaN, 1],
    [0.5, 1],
  ] as const)
    violates('F4', () => rule.assertAcyclic(prev, index))
})

test('a drain that reorders, skips, repeats or invents is refused', () => {
  rule.assertFifo([4, 5, 6], [4, 5])
  rule.assertFifo([4, 5, 6], [])
  for (const drained of [
    [5, 4],
    [4, 6],
    [4, 4],
    [4, 5, 6, 7],
  ])
    violates('F7', () => rule.assertFifo([4, 5, 6], drained))
})

test('postings that do not add up to zero change nothing', () => {
  const before = new Map([['a', 5n]])
  violates('F11', () => rule.postTransaction(before, [{ account: 'a', micros: 1n }]))
  assert.deepEqual(before, new Map([['a', 5n]]))
})

test('a weighted sum is exact beyond the doubles and refuses lists of different lengths', () => {
  assert.equal(rule.weightedSum([3n, 1n], [2n ** 60n, 1n]), 3n * 2n ** 60n + 1n)
  violates('F12', () => rule.weightedSum([1n], []))
})

test('four lost shards may be restored and five may not', () => {
  rule.assertRestorable(4)
  for (const erased of [5, -1, 1.5]) violates('F18', () => rule.assertRestorable(erased))
})

test('a budget reaches its cap and never passes it or falls', () => {
  assert.deepEqual(rule.spend({ spent: 6n, cap: 10n }, 4n), { spent: 10n, cap: 10n })
  for (const amount of [5n, -1n]) violates('F19', () => rule.spend({ spent: 6n, cap: 10n }, amount))
  for (const [amount, fits] of [
    [0n, true],
    [4n, true],
    [5n, false],
    [-1n, false],
  ] as const)
    assert.equal(rule.affords({ spent: 6n, cap: 10n }, amount), fits)
})

test('an index that repeats, skips or overflows is refused', () => {
  rule.assertEmitsNext(-1, 0)
  for (const next of [4, 6, Number.NaN, 2 ** 53])
    violates('F22', () => rule.assertEmitsNext(next === 2 ** 53 ? next - 1 : 4, next))
})
