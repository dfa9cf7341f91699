import assert from 'node:assert/strict'
import { test } from 'node:test'
import { restoreOf, restoreSentence } from './decoded.ts'

const root = 'a'.repeat(64)
const payload = {
  reason: 'disk replaced',
  guard: { origin: 'log.test', size: 7, root },
  store: { origin: 'log.test', size: 3, root },
  log: { origin: 'log.test/restored-1', vkey: 'log.test/restored-1+00000000+AA==' },
}

test('a restore says how many receipts are missing, and that nobody knows where the guard was lost', () => {
  const sentence = restoreSentence(restoreOf({ kind: 'restore', payload })!)
  assert.match(sentence, /restored ledger of 3 receipts: 7 had been signed, so 4 are missing; .*log\.test\/restored-1/)
  assert.match(restoreSentence(restoreOf({ kind: 'restore', payload: { ...payload, guard: null } })!), /nobody can say/)
})

test('nothing but a whole restore receipt is taken for one', () => {
  assert.equal(restoreOf({ kind: 'mint', payload }), null)
  for (const broken of [
    { store: null },
    { guard: {} },
    { guard: { ...payload.guard, root: 'x' } },
    { log: null },
    { reason: 1 },
  ])
    assert.equal(restoreOf({ kind: 'restore', payload: { ...payload, ...broken } }), null)
})
