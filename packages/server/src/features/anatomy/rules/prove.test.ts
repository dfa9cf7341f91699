import assert from 'node:assert/strict'
import { test } from 'node:test'
import { authorize, keys } from '#testing/anatomy.ts'
import { prove } from './prove.ts'

const CASES = [
  ...['intent-deploy-policy-allow', 'intent-read-policy-allow', 'intent-cross-tenant-block', 'intent-untrusted-block'],
  ...['evidence-forged-verification-review', 'evidence-forged-verification-false', 'evidence-unsigned-review'],
  ...['evidence-empty-block', 'evidence-signed-allow', 'evidence-wrong-key-review', 'evidence-tampered-payload-block'],
  ...['evidence-demo-key-review', 'bind-review-cannot-execute', 'bind-forged-verification-cannot-execute'],
  ...['bind-empty-cannot-execute', 'bind-untrusted-cannot-execute', 'bind-verified-eligible'],
]

test('every case of the proof comes out as it says', () => {
  const proof = prove(keys, authorize)
  assert.deepEqual(
    proof.results.map(({ id }) => id),
    CASES,
  )
  for (const { id, expected, actual } of proof.results) assert.equal(actual, expected, id)
  assert.deepEqual([proof.passed, proof.failed, proof.label], [17, 0, 'SIMULATED'])
})

test('an engine that allows everything, or a key that does not sign, fails the proof', () => {
  const blind = prove(keys, (request) => ({
    ...authorize(request),
    outcome: 'allow',
    reasons: [],
    forbids: [],
    errors: [],
  }))
  assert.ok(blind.results.some(({ id, pass }) => id === 'intent-cross-tenant-block' && !pass))
  const forged = prove({ ...keys, production: { ...keys.production, sign: keys.untrusted.sign } }, authorize)
  assert.ok(forged.failed >= 2)
})
