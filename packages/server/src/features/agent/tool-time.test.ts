import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withinTime } from './rules/tool-box.ts'

test('a tool that never answers is given up', async () => {
  const use = await withinTime(new Promise(() => undefined), 5)
  assert.deepEqual(use, { ok: false, failure: 'TIMEOUT', reason: 'the tool took too long' })
})

test('a tool that answers is heard', async () => {
  const answer = { ok: false as const, failure: 'REFUSED' as const, reason: 'no' }
  assert.deepEqual(await withinTime(Promise.resolve(answer), 5000), answer)
})
