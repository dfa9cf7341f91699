import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { OutboundFault } from '../../../adapters/outbound/contract.ts'
import { clipped, commit, count, decimal, fieldsOf, flag, instant, link, optional, text } from './fields.ts'

const readers = { text: text(16), commit, instant, count, flag, link, decimal }

test('whatever stands in a field, it is read or refused with a code, and nothing else happens', () => {
  fc.assert(
    fc.property(fc.constantFrom(...Object.values(readers)), fc.anything(), (read, value) => {
      try {
        const found = read({ field: value }, 'field')
        assert.ok(['string', 'number', 'boolean'].includes(typeof found))
      } catch (error) {
        assert.ok(error instanceof OutboundFault && /^(?:MISSING|INVALID)_SOURCE_[A-Z]+$/.test(error.code))
      }
    }),
    { seed: 2 },
  )
})

test('what every object inherits is not a field', () => {
  assert.throws(() => text(16)({}, 'constructor'), OutboundFault)
  assert.equal(optional({}, '__proto__', text(16)), null)
  for (const value of [null, [], 'text', 7]) assert.throws(() => fieldsOf(value), OutboundFault)
})

test('clipped text is one line of at most so many code points', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.integer({ min: 1, max: 20 }), (value, most) => {
      const shown = clipped(value, most)
      assert.ok([...shown].length <= most)
      assert.doesNotMatch(shown, /[\p{Cc}\u2028\u2029]/u)
    }),
    { seed: 3 },
  )
})

test('a link is https and carries no credential', () => {
  for (const url of ['javascript:alert(1)', 'http://a.example/', 'https://u:p@a.example/', '//a.example', ''])
    assert.throws(() => link({ url }, 'url'), OutboundFault, url)
  assert.equal(link({ url: 'https://a.example/x' }, 'url'), 'https://a.example/x')
})

test('a number that does not print as a decimal is refused', () => {
  for (const value of [1e21, 1e-7, Number.NaN, '1e3', '0x1', ' 1', '1.'])
    assert.throws(() => decimal({ value }, 'value'), OutboundFault, String(value))
  assert.deepEqual(
    ['0.10', 12.5, -3].map((value) => decimal({ value }, 'value')),
    ['0.10', '12.5', '-3'],
  )
})
