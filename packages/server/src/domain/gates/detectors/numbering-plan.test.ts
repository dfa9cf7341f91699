import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parsePhoneNumberFromString } from 'libphonenumber-js/core'
import metadata from 'libphonenumber-js/metadata.min.json'
import { hasTrunkZero, isInternational, isNorthAmerican } from './numbering-plan.ts'

const valid = (written: string, country?: 'US' | 'GB' | 'DE' | 'FR' | 'JP'): boolean =>
  parsePhoneNumberFromString(written, country as 'US', metadata)?.isValid() ?? false

/** Codes that many countries share, codes of one, and codes that nobody has. */
const CODES = ['1', '7', '44', '49', '33', '81', '86', '91', '55', '52', '966', '351', '999', '210', '39']
const international = fc
  .tuple(fc.constantFrom(...CODES), fc.stringMatching(/^[1-9][0-9]{6,11}$/))
  .map(([code, national]) => code + national)

test('what the library takes for a number of its country, the plans take too, and hardly anything else', () => {
  let [both, ours] = [0, 0]
  fc.assert(
    fc.property(international, (digits) => {
      const [own, other] = [isInternational(digits), valid(`+${digits}`)]
      both += other ? 1 : 0
      ours += own && !other ? 1 : 0
      return own || !other
    }),
    { numRuns: 2000, seed: 20_261_116 },
  )
  assert.ok(both > 300 && ours < both / 10, `${both} by both, ${ours} by the plans alone`)
})

test('a national number is one of a plan that is written so', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[1-9][0-9]{9}$/), (digits) => isNorthAmerican(digits) || !valid(digits, 'US')),
    { numRuns: 500, seed: 20_261_116 },
  )
  for (const [written, country] of [
    ['02079460958', 'GB'],
    ['030901820', 'DE'],
    ['0142685300', 'FR'],
    ['0312345678', 'JP'],
  ] as const)
    assert.deepEqual([hasTrunkZero(written), valid(written, country)], [true, true], written)
  for (const digits of ['1234567890', '0555123456', '4155551']) assert.equal(isNorthAmerican(digits), false, digits)
  for (const digits of ['0000000000', '01', '5551234567']) assert.equal(hasTrunkZero(digits), false, digits)
})

test('no pattern of the plans repeats without bound', () => {
  for (const [name, country] of Object.entries(metadata.countries as unknown as Record<string, unknown[]>)) {
    const patterns = [country[2], ...((country[11] || []) as unknown[]).flat()].filter((one) => typeof one === 'string')
    for (const pattern of patterns) assert.doesNotMatch(pattern, /[*+]|\{\d+,\}|\\[1-9k]|\(\?[=!<]/, name)
  }
})
