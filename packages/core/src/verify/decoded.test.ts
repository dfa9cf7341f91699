import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ReceiptBody } from '../receipt.ts'
import { decodedOf } from './decoded.ts'

const bodyOf = (kind: ReceiptBody['kind'], payload: Record<string, unknown>) =>
  decodedOf({ kind, payload, actor: { owner: 'local', auth_mode: 'open' }, policy: null } as unknown as ReceiptBody)

test('a receipt of the documented example or of a simulated row says so and gives no decision', () => {
  for (const kind of ['example', 'sample'] as const) {
    const { kind_words, outcome } = bodyOf(kind, { example_of: 'decision', decision: 'ALLOW' })
    assert.match(kind_words ?? '', /nobody asked/, kind)
    assert.equal(outcome, null, kind)
  }
  assert.equal(bodyOf('decision', {}).kind_words, null)
})

test('agent and tool are read where the service wrote them, never out of an object that a caller minted', () => {
  const stated = { decision: 'ALLOW', agent: 'billing-agent', tool: { name: 'deploy' } }
  const { kind, agent, tool } = bodyOf('decision', stated)
  assert.deepEqual([kind, agent, tool], ['decision', 'billing-agent', 'deploy'])
  assert.equal(bodyOf('agent-step', { tool: 'hash' }).tool, 'hash')
  const minted = bodyOf('mint', stated)
  assert.deepEqual([minted.agent, minted.tool, minted.outcome], [null, null, null])
})
