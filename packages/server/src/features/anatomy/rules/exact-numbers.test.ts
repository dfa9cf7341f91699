import assert from 'node:assert/strict'
import { test } from 'node:test'
import { authorize, envelopeOf, keys, statement, trust } from '#testing/anatomy.ts'
import { readEvaluateBody } from './bodies.ts'
import { evaluateEvidence } from './evidence.ts'
import { hasInexactNumber } from './signatures.ts'

test('numbers that a double holds are exact however they are written, others are not', () => {
  for (const text of [
    '1',
    '1.0',
    '-0',
    '1e3',
    '0.1',
    '1.50e-7',
    '9007199254740992',
    '"9007199254740993"',
    '"a\\"9.1e999"',
  ])
    assert.equal(hasInexactNumber(`{"a":${text}}`), false, text)
  for (const text of ['9007199254740993', '0.10000000000000000001', '123456789012345678901', '1e-400'])
    assert.equal(hasInexactNumber(`{"a":${text}}`), true, text)
})

test('two signed envelopes that differ in any field never have one statement digest', async () => {
  const judged = async (run: string) => {
    const text = JSON.stringify(statement()).replace('"runDetails"', `"n":${run},"runDetails"`)
    const read = readEvaluateBody(await envelopeOf(text, keys.production))
    assert.ok(read.ok)
    return evaluateEvidence(read.value, trust, authorize)
  }
  const [even, odd] = [await judged('9007199254740992'), await judged('9007199254740993')]
  assert.deepEqual([even.outcome, odd.outcome], ['ALLOW', 'BLOCK'])
  assert.ok(odd.deny.includes('PAYLOAD_NUMBER_INEXACT'))
  assert.notEqual(odd.statementDigest, even.statementDigest)
  assert.notEqual(odd.envelopeDigest, even.envelopeDigest)
})
