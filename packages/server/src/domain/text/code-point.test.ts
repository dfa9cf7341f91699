import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { codePointAt } from './code-point.ts'

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
