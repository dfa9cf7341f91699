import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { codePoints } from './code-points.ts'

test('a text has as many code points as its iterator gives, also one with halves of pairs', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.array(fc.integer({ min: 0xd7ff, max: 0xe000 })), (text, units) => {
      for (const sample of [text, String.fromCharCode(...units)]) assert.equal(codePoints(sample), [...sample].length)
    }),
    { seed: 31 },
  )
})
