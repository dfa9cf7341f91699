import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { cutText } from './cut-text.ts'

test('a cut leaves whole code points, and as many as there is room for', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('a', 'ß', '👨', '\u{10000}') }),
      fc.nat({ max: 12 }),
      (text, most) => {
        const cut = cutText(text, most)
        assert.ok(cut.isWellFormed() && text.startsWith(cut) && cut.length <= most)
        const [next = ''] = text.slice(cut.length)
        assert.equal(cut === text || cut.length + next.length > most || !next.isWellFormed(), true)
      },
    ),
    { seed: 33 },
  )
  assert.deepEqual(
    [0, 1, 2, 3, 4, 9].map((most) => cutText('a😀b', most)),
    ['', 'a', 'a', 'a😀', 'a😀b', 'a😀b'],
  )
})
