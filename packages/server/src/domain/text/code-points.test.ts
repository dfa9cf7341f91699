import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { codePointAt, codePoints } from './code-points.ts'

test('a text has as many code points as its iterator gives, also one with halves of pairs', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.array(fc.integer({ min: 0xd7ff, max: 0xe000 })), (text, units) => {
      for (const sample of [text, String.fromCharCode(...units)]) assert.equal(codePoints(sample), [...sample].length)
    }),
    { seed: 31 },
  )
})

const units = fc.string({ unit: fc.constantFrom('a', 'ß', '\ud83d', '\ude00', '👨', '\uffff') })

test('every place of every text has the code point that the standard says', () => {
  fc.assert(
    fc.property(units, (text) => {
      for (let at = 0; at < text.length; at++) {
        const [first] = Array.from(text.slice(at))
        assert.equal(codePointAt(text, at), first?.codePointAt(0))
      }
      assert.ok(Number.isNaN(codePointAt(text, text.length)))
    }),
    { seed: 32 },
  )
})

test('a text cut between the halves of a pair ends in the first half, however often it is read', () => {
  const whole = '👨\u200d👩 '.repeat(200)
  const last = (text: string): number => {
    let value = 0
    for (let at = 0; at < text.length; at += value > 0xffff ? 2 : 1) value = codePointAt(text, at)
    return value
  }
  const seen = new Set(Array.from({ length: 20_000 }, () => last(whole.slice(0, 700))))
  assert.deepEqual([...seen], [0xd83d])
})
