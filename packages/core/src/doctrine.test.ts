import assert from 'node:assert/strict'
import { test } from 'node:test'
import { canonicalBytes } from './canonical.ts'
import { sha256Hex } from './digest.ts'
import * as doctrine from './doctrine.ts'

test('the locked set has exactly eight formulas, in doctrine order', () => {
  assert.deepEqual([...doctrine.LOCKED_FORMULAS], ['F1', 'F4', 'F7', 'F11', 'F12', 'F18', 'F19', 'F22'])
})

test('the lambda formula is never inside the locked set', () => {
  assert.equal(doctrine.LAMBDA_FORMULA, 'F23')
  assert.equal((doctrine.LOCKED_FORMULAS as readonly string[]).includes(doctrine.LAMBDA_FORMULA), false)
})

test('lambda is a conjecture below its ceiling', () => {
  assert.deepEqual(
    { ...doctrine.LAMBDA },
    {
      status: 'Conjecture 1',
      is_theorem: false,
      trust_ceiling: 0.97,
      floor: 0.9,
    },
  )
  assert.equal(doctrine.CONJECTURES.lambda, doctrine.LAMBDA.status)
  assert.deepEqual([doctrine.CONJECTURES.consensus, doctrine.CONJECTURES.liveness], ['Conjecture 2', 'Conjecture 3'])
})

test('nothing in the module can be changed at run time', () => {
  for (const [name, value] of Object.entries(doctrine)) assert.ok(Object.isFrozen(value), name)
  const inflate = doctrine.LOCKED_FORMULAS as unknown as string[]
  assert.throws(() => inflate.push('F23'), TypeError)
  assert.throws(() => Object.assign(doctrine.LAMBDA, { is_theorem: true }), TypeError)
})

test('the constants give the published lock digest', () => {
  const lock = {
    kernel_commit: doctrine.KERNEL_COMMIT,
    lambda_status: doctrine.LAMBDA.status,
    locked_formula_count: doctrine.LOCKED_FORMULAS.length,
    locked_formula_ids: [...doctrine.LOCKED_FORMULAS],
  }
  const published = 'e7fd73286d1c5ccbfefab497764036ec4586f0496c417ecd3f18bcf497aba005'
  assert.equal(sha256Hex(canonicalBytes(lock)), published)
})

test('genesis is 64 zeros and the versions are the declared ones', () => {
  assert.equal(doctrine.GENESIS_PREV, '0'.repeat(64))
  assert.deepEqual(
    [doctrine.DOCTRINE, doctrine.INTERFACE_VERSION, doctrine.BUILD_VERSION, doctrine.LOCK],
    ['v11', '2.0.0', '1.1.0', '749/14/163'],
  )
  assert.deepEqual(
    [doctrine.SIGNING_SCHEME, doctrine.RECEIPT_PAYLOAD_TYPE],
    ['DSSEv1 / ECDSA-P256', 'application/vnd.orch.receipt+json'],
  )
})
