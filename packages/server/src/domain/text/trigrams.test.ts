import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { mayHold } from './trigrams.ts'

const FILLER = 'the sea is calm. '.repeat(40)
const words = fc.string({
  unit: fc.constantFrom('a', 'B', '0', '_', 'é', '漢', '😀', ' '),
  minLength: 1,
  maxLength: 12,
})

test('what a text holds is never said to be missing, in capitals, behind pictures and after other texts', () => {
  fc.assert(
    fc.property(fc.array(words, { minLength: 1, maxLength: 8 }), fc.nat(600), (literals, at) => {
      for (const literal of literals) {
        const text = `${FILLER.slice(0, at)}${literal}${FILLER.slice(at)}`
        assert.ok(mayHold(text, literal))
        assert.ok(mayHold(text.toLowerCase(), literal.toLowerCase()))
      }
    }),
    { seed: 21 },
  )
})

test('what a long text does not hold is known without a search, and a short one is left to be searched', () => {
  assert.equal(mayHold(FILLER, 'mkfs'), false)
  assert.equal(mayHold('the sea is calm', 'mkfs'), true)
  assert.equal(mayHold(FILLER, '$('), true, 'two units are no run of three')
})
