import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { verifyP256Sync } from '@orch/core'
import { demoSigner } from './demo.ts'

const HERE = 4

test('every message of a batch gets its own signature in order, made on this thread or by the pool', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'orch-demo-signer-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const signer = demoSigner(folder, HERE)
  for (const count of [0, 1, HERE - 1, HERE, HERE + 1, 40]) {
    const messages = Array.from({ length: count }, (_, at) => new TextEncoder().encode(`message ${at} of ${count}`))
    const signatures = await signer.sign(messages)
    assert.equal(signatures.length, count)
    messages.forEach((message, at) => {
      assert.ok(verifyP256Sync(signer.key!, message, signatures[at]!), `${at} of ${count}`)
    })
  }
})

test('a message that cannot be signed rejects the whole batch, on this thread and by the pool', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'orch-demo-signer-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const unsignable = [new Uint8Array(1), null as unknown as Uint8Array]
  for (const here of [0, HERE]) await assert.rejects(demoSigner(folder, here).sign(unsignable), TypeError)
})
