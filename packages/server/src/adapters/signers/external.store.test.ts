import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { importPublicKey, pae, RECEIPT_PAYLOAD_TYPE, verifyP256Sync } from '@orch/core'
import { settingsFor } from '#testing/ledger/crashes.ts'
import { freshFolder } from '#testing/private-folder.ts'
import { openLedger } from '../../ledger/ledger.ts'
import { externalSigner } from './external.ts'

const REFERENCE = fileURLToPath(new URL('../../../../../examples/reference-signer.ts', import.meta.url))
const message = pae(RECEIPT_PAYLOAD_TYPE, new TextEncoder().encode('{}'))

function folder(t: TestContext): string {
  const made = freshFolder('signer')
  t.after(() => rmSync(made, { recursive: true, force: true }))
  return made
}

/** The reference signer as a process of its own, on a Unix socket. */
async function reference(t: TestContext) {
  const made = folder(t)
  const url = `unix:${join(made, 's')}`
  const child = spawn(process.execPath, [REFERENCE, join(made, 'key.pem'), url], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.after(() => child.kill('SIGKILL'))
  await once(child.stdout, 'data')
  return { url, child, pem: readFileSync(join(made, 'key.pem.pub'), 'utf8') }
}

/** A signing service that answers whatever the test says. */
async function impostor(
  t: TestContext,
  answer: (body: { pae_b64: string; keyid: string }) => { status?: number; body: string },
): Promise<string> {
  const server: Server = createServer(async (request, response) => {
    let text = ''
    for await (const part of request) text += part
    const { status = 200, body } = answer(JSON.parse(text))
    response.writeHead(status, { 'content-type': 'application/json' }).end(body)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const draft = (n: number) => ({
  ns: 'public',
  chain: 'signed',
  kind: 'mint' as const,
  ts_utc: '2026-01-01T00:00:00.000Z',
  request_id: `r${n}`,
  actor: { owner: 'local', key_id: null, auth_mode: 'open' },
  policy: null,
  payload: { n },
})

test('receipts signed by the reference signer over a Unix socket verify under its key and count as production', async (t) => {
  const { url, pem } = await reference(t)
  const ledger = await openLedger(settingsFor(folder(t), { signer: 'external', signerUrl: url, signerPublicKey: pem }))
  const appended = await Promise.all(Array.from({ length: 40 }, (_, n) => ledger.append(draft(n))))
  const key = importPublicKey(pem)!
  for (const { body, signature, keyKind, keyid } of appended) {
    assert.ok(verifyP256Sync(key, pae(RECEIPT_PAYLOAD_TYPE, body), signature!))
    assert.equal(keyKind, 'production')
    assert.equal(JSON.parse(new TextDecoder().decode(body)).payload.key_kind, 'production')
    assert.equal(keyid, key.keyid)
  }
  assert.equal(ledger.signer.test.ok, true)
  await ledger.close()
})

test('a signer that stops answering: nothing is recorded, and the next append after its return continues the chain', async (t) => {
  const { url, pem, child } = await reference(t)
  const ledger = await openLedger(settingsFor(folder(t), { signer: 'external', signerUrl: url, signerPublicKey: pem }))
  await ledger.append(draft(0))
  child.kill('SIGKILL')
  await once(child, 'exit')
  await assert.rejects(ledger.append(draft(1)), { code: 'signer_unavailable' })
  assert.equal(ledger.state().size, 1)
  assert.equal(ledger.state().readOnly, null)
  await ledger.close()
})

test('with unsigned receipts allowed a missing signer leaves them unsigned, never signed by another key', async (t) => {
  const { url, pem, child } = await reference(t)
  const ledger = await openLedger(
    settingsFor(folder(t), { signer: 'external', signerUrl: url, signerPublicKey: pem, allowUnsigned: true }),
  )
  child.kill('SIGKILL')
  await once(child, 'exit')
  const { signature, keyid, keyKind } = await ledger.append(draft(0))
  assert.deepEqual({ signature, keyid, keyKind }, { signature: null, keyid: null, keyKind: null })
  await ledger.close()
})

const hostile: [
  string,
  (pem: string) => (body: { pae_b64: string; keyid: string }) => { status?: number; body: string },
  RegExp,
][] = [
  [
    'a signature that does not verify',
    () =>
      ({ keyid }) => ({
        body: JSON.stringify({ sig_b64: Buffer.from('3006020101020101', 'hex').toString('base64'), keyid }),
      }),
    /does not verify/,
  ],
  [
    'another key’s id',
    () => () => ({ body: JSON.stringify({ sig_b64: 'AAAA', keyid: '0'.repeat(64) }) }),
    /another key/,
  ],
  ['no JSON', () => () => ({ body: '<html>' }), /./],
  ['an error status', () => () => ({ status: 500, body: '{}' }), /answered 500/],
  ['a flood', () => () => ({ body: ' '.repeat(100_000) }), /too great length/],
  [
    'base64 that is not strict',
    () =>
      ({ keyid }) => ({ body: JSON.stringify({ sig_b64: 'AA', keyid }) }),
    /does not verify/,
  ],
]
for (const [name, answer, reason] of hostile) {
  test(`a signing service that returns ${name} is not believed`, async (t) => {
    const { pem } = await reference(t)
    const signer = externalSigner(await impostor(t, answer(pem)), pem)
    t.after(() => signer.close())
    await assert.rejects(signer.sign([message]), reason)
  })
}

test('the reference signer refuses what is no receipt, pack or probe', async (t) => {
  const { url, pem } = await reference(t)
  const signer = externalSigner(url, pem)
  t.after(() => signer.close())
  await assert.rejects(signer.sign([pae('application/vnd.in-toto+json', message)]), /answered 403/)
  await assert.rejects(signer.sign([new Uint8Array(10)]), /answered 403/)
})
