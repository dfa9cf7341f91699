import assert from 'node:assert/strict'
import { chmodSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { startApp } from '#testing/layer.ts'
import { freshFolder } from '#testing/private-folder.ts'
import { send } from '#testing/raw-http.ts'
import { tokenDigest } from '../adapters/credentials.ts'

const SEARCH = '/api/orch/v1/layer/search'

test('five a minute: exactly five pass, then 429 says when to come back, and health goes on', async (t) => {
  const { url, app } = await startApp(t, { ORCH_RATE_PER_MINUTE: '5' })
  for (let left = 4; left >= 0; left -= 1) {
    const { status, headers } = await send(url + SEARCH)
    assert.equal(status, 200)
    assert.equal(headers['ratelimit-limit'], '5')
    assert.equal(headers['ratelimit-remaining'], String(left))
  }
  for (const path of [SEARCH, '/nope', '/api/orch/v1/layer/echo']) {
    const refused = await send(url + path)
    assert.equal(refused.status, 429)
    assert.equal(refused.json.error.code, 'rate_limited')
    assert.match(String(refused.headers['retry-after']), /^([1-9]|1[0-2])$/)
    assert.equal(refused.headers['ratelimit-remaining'], '0')
  }
  for (const path of ['/api/livez', '/api/build-info', '/healthz', '/api/orch/v1/health'])
    assert.equal((await send(url + path)).status, 200, path)
  for (const path of ['/metrics', '/openapi.json']) assert.equal((await send(url + path)).status, 429, path)
  assert.match(await app.ports.metrics.text(), /^orch_rate_limited_total 5$/m)
})

test('behind a trusted proxy each client has its own count, and one more hop is not believed', async (t) => {
  const { url } = await startApp(t, { ORCH_RATE_PER_MINUTE: '1', ORCH_TRUST_PROXY: '1' })
  const from = async (chain: string) => (await send(url + SEARCH, { headers: { 'x-forwarded-for': chain } })).status
  assert.equal(await from('198.51.100.1'), 200)
  assert.equal(await from('198.51.100.1'), 429)
  assert.equal(await from('198.51.100.2'), 200)
  assert.equal(await from('203.0.113.9, 198.51.100.2'), 429, 'the caller’s own entry changes nothing')
  assert.equal(await from('2001:db8::1'), 200)
  assert.equal(await from('2001:db8::2'), 429, 'the same /64')
  assert.equal(await from('2001:db8:0:1::2'), 200)
})

test('without a trusted proxy the header changes nothing', async (t) => {
  const { url } = await startApp(t, { ORCH_RATE_PER_MINUTE: '1' })
  assert.equal((await send(url + SEARCH, { headers: { 'x-forwarded-for': '198.51.100.1' } })).status, 200)
  assert.equal((await send(url + SEARCH, { headers: { 'x-forwarded-for': '198.51.100.2' } })).status, 429)
})

test('a credential is counted across addresses', async (t) => {
  const folder = freshFolder('rate')
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'registry.json')
  const entry = (id: string) => ({
    key_id: id,
    namespace: 'team',
    owner_id: id,
    token_sha256: Buffer.from(tokenDigest(`token-${id}`)).toString('hex'),
    role: 'user',
  })
  writeFileSync(file, JSON.stringify({ credentials: [entry('a'), entry('b')] }))
  chmodSync(file, 0o600)
  const { url } = await startApp(t, { ORCH_RATE_PER_MINUTE: '2', ORCH_TRUST_PROXY: '1', ORCH_CREDENTIALS: file })
  const call = async (id: string, address: string) => {
    const headers = { authorization: `Bearer token-${id}`, 'x-forwarded-for': address }
    return (await send(`${url}/api/orch/v1/layer/guarded`, { headers })).status
  }
  assert.equal(await call('a', '198.51.100.1'), 200)
  assert.equal(await call('a', '198.51.100.2'), 200)
  assert.equal(await call('a', '198.51.100.3'), 429)
  assert.equal(await call('b', '198.51.100.4'), 200)
})
