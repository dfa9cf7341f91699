import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { distance, nearest } from './nearest.ts'

test('a slip of the finger finds the word, a different word finds none', () => {
  const known = ['verify', 'version', 'ledger export']
  assert.equal(nearest('verfiy', known), 'verify')
  assert.equal(nearest('ledger exprot', known), 'ledger export')
  assert.equal(nearest('quantum', known), null)
  assert.equal(nearest('x', []), null)
})

test('distance is a measure: zero for the same, the same both ways, at most the longer word', () => {
  const word = fc.string({ maxLength: 12 })
  fc.assert(
    fc.property(word, word, (a, b) => {
      assert.equal(distance(a, a), 0)
      assert.equal(distance(a, b), distance(b, a))
      assert.ok(distance(a, b) <= Math.max(a.length, b.length))
    }),
    { seed: 1 },
  )
})
