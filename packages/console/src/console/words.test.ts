import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sentenceOf, sentencesOf, withCounts } from './words.ts'

const said = (decision: string, reasons: string[], rules: string[]) =>
  sentenceOf({ kind: 'decision', decision, reasons, rules })

test('the sentence names the reason that decided, and a rule only where it belongs to that reason', () => {
  assert.equal(said('DENY', ['POLICY_DEFAULT_DENY'], ['T13']), 'Denied: no policy permits it')
  assert.equal(said('REVIEW', ['THREAT_SIGNATURE'], ['T13']), 'Held: transfer of value')
  assert.equal(said('DENY', ['SECRET_EGRESS'], ['T13', 'P02', 'P20']), 'Denied: private key block')
  assert.equal(said('REVIEW', ['PII_EGRESS'], ['P20', 'P02']), 'Held: payment card number')
  assert.equal(said('REVIEW', ['LAMBDA_BELOW_FLOOR'], ['P05']), 'Held: lambda below its floor')
})

test('a gate is given the sentences of its own reasons alone', () => {
  const reasons = ['THREAT_SIGNATURE', 'POLICY_DEFAULT_DENY']
  assert.match(sentencesOf('cedar-policy', reasons).join(), /^Effects need a permit and none applies/)
  assert.deepEqual(sentencesOf('lambda-floor', reasons), [])
})

test('counts in a sentence are grouped; dates, versions and digests are left alone', () => {
  assert.equal(withCounts('At most 262144 bytes, 4096 wait.'), 'At most 262,144 bytes, 4,096 wait.')
  for (const text of ['2026-07-28', 'v2025.1', '12345678ab', 'of 512 tokens']) assert.equal(withCounts(text), text)
})
