import assert from 'node:assert/strict'
import { chmodSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { startApp } from '#testing/layer.ts'
import { freshFolder } from '#testing/private-folder.ts'
import { post } from '#testing/raw-http.ts'
import { tokenDigest } from '../../../adapters/credentials.ts'

test('a simulated token opens nothing on this service', async (t) => {
  const folder = freshFolder('simulated-identity')
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'registry.json')
  const token_sha256 = Buffer.from(tokenDigest('a-real-token')).toString('hex')
  const entry = { key_id: 'a', namespace: 'team', owner_id: 'a', token_sha256, role: 'user' }
  writeFileSync(file, JSON.stringify({ credentials: [entry] }))
  chmodSync(file, 0o600)
  const { url } = await startApp(t, { ORCH_STORE: 'memory', ORCH_CREDENTIALS: file })
  const run = (token: string) => post(`${url}/api/orch/v1/organs/N22`, '{}', { authorization: `Bearer ${token}` })
  const { status, json } = await run('a-real-token')
  assert.equal(status, 200)
  const refused = await run(json.result.token)
  assert.deepEqual([refused.status, refused.json.error.code], [401, 'invalid_bearer_token'])
})
