import assert from 'node:assert/strict'
import { createHash, createPublicKey } from 'node:crypto'
import { after, test } from 'node:test'
import { startApp } from '#testing/layer.ts'
import { post, send } from '#testing/raw-http.ts'

const P = '/api/orch/v1'
const service = await startApp({ after }, { ORCH_STORE: 'memory' })
const get = (path: string, url = service.url) => send(`${url}${path}`)
const rotate = (headers = {}) => post(`${service.url}${P}/keys/rotate`, undefined, headers)
const mint = async () => (await post(`${service.url}/api/orch/khipu/sign`, '{"a":1}')).json

test('the key in use is published under every name, with its kind and its id', async () => {
  const [{ keyid }] = (await get(`${P}/keys`)).json.keys
  for (const path of ['/cosign.pub', '/api/orch/cosign.pub', '/.well-known/cosign.pub', '/demo-cosign.pub']) {
    const { text, headers } = await get(path)
    const der = createPublicKey(text).export({ type: 'spki', format: 'der' })
    assert.equal(createHash('sha256').update(der).digest('hex'), keyid)
    assert.deepEqual([headers['x-orch-key-kind'], headers['x-orch-key-id']], ['demo', keyid])
  }
})

test('a rotation is a receipt signed by the old key that names the new one, and old receipts keep verifying', async () => {
  const before = await mint()
  const { json } = await rotate()
  assert.deepEqual([json.old_keyid, json.receipt.keyid], [before.keyid, before.keyid])
  assert.equal(json.receipt.chain, 'keys')
  const body = JSON.parse((await get(`${P}/receipts/${json.receipt.digest}/canonical`)).text)
  assert.equal(body.kind, 'key-rotation')
  assert.deepEqual([body.payload.old_keyid, body.payload.new_keyid], [json.old_keyid, json.new_keyid])
  const after = await mint()
  assert.equal(after.keyid, json.new_keyid)
  const { keys, active_keyid } = (await get(`${P}/keys`)).json
  assert.equal(active_keyid, json.new_keyid)
  const old = keys.find(({ keyid }: { keyid: string }) => keyid === before.keyid)
  assert.deepEqual([old.active, old.to_index], [false, json.receipt.node_index + 1])
  for (const { digest } of [before, after, json.receipt])
    assert.equal((await get(`${P}/verify/receipt/${digest}`)).json.verdict, 'PARTIAL')
  assert.equal((await get(`/cosign.pub?keyid=${before.keyid}`)).headers['x-orch-key-id'], before.keyid)
  assert.equal((await get(`/cosign.pub?keyid=${'0'.repeat(64)}`)).json.error.code, 'no_signing_key')
})

test('the same Idempotency-Key turns the key once', async () => {
  const headers = { 'idempotency-key': 'turn' }
  const first = await rotate(headers)
  const again = await rotate(headers)
  assert.equal(again.text, first.text)
  assert.equal((await get(`${P}/keys`)).json.active_keyid, first.json.new_keyid)
})

test('rotations at the same moment happen one after the other, each from the key of the one before', async () => {
  const turns = (await Promise.all([rotate(), rotate(), rotate()])).map(({ json }) => json)
  assert.equal(new Set(turns.map(({ new_keyid }) => new_keyid)).size, 3)
  const newest = turns.sort((a, b) => a.receipt.seq - b.receipt.seq)
  assert.equal(newest[1].old_keyid, newest[0].new_keyid)
  assert.equal(newest[2].old_keyid, newest[1].new_keyid)
  assert.equal((await mint()).keyid, newest[2].new_keyid)
})

test('without signing there is no key to publish, to list or to rotate', async (t) => {
  const unsigned = await startApp(t as never, { ORCH_STORE: 'memory', ORCH_SIGNER: 'none' })
  for (const path of ['/cosign.pub', '/demo-cosign.pub']) {
    const answer = await get(path, unsigned.url)
    assert.equal(answer.status, 404)
    assert.equal(answer.json.error.code, 'no_signing_key')
  }
  assert.deepEqual((await get(`${P}/keys`, unsigned.url)).json.keys, [])
  const answer = await post(`${unsigned.url}${P}/keys/rotate`)
  assert.deepEqual([answer.status, answer.json.error.code], [409, 'key_not_rotatable'])
})
