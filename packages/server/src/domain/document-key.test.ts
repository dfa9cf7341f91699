import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { documentKey } from './document-key.ts'

test('a key is the SHA-256 of the canonical list of its parts', () => {
  const text = '["public","local","a\\u0000b"]'
  assert.equal(documentKey('public', 'local', 'a\u0000b'), createHash('sha256').update(text).digest('hex'))
})

test('other parts, another order or another split of the same text is another key', () => {
  const parts = fc.array(fc.string({ unit: 'grapheme', maxLength: 6 }), { maxLength: 4 })
  fc.assert(
    fc.property(parts, parts, (a, b) => {
      assert.equal(documentKey(...a) === documentKey(...b), JSON.stringify(a) === JSON.stringify(b))
    }),
    { seed: 1 },
  )
  assert.notEqual(documentKey('a', 'bc'), documentKey('ab', 'c'))
  assert.notEqual(documentKey('a', ''), documentKey('a'))
})
