import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startApp } from '#testing/layer.ts'
import { post } from '#testing/raw-http.ts'

const step = (url: string, session_id: string, more: object = {}) =>
  post(`${url}/v1/gdw/step`, JSON.stringify({ session_id, request: 'read the audit log', ...more }))

test('a first step that is refused for want of quota leaves no key behind', async () => {
  const { url, app } = await startApp({ after }, { ORCH_STORE: 'memory', ORCH_GDW_QUOTAS: 'bytes=10/10' }, [])
  const { reader } = app.ports.ledger
  const stored = async () =>
    (await reader.documentsAfter(null, 100)).map(({ space }) => space).filter((space) => space.startsWith('gdw.'))
  assert.equal((await step(url, 's')).json.error.code, 'quota_exceeded')
  assert.deepEqual(await stored(), [])
  assert.equal((await step(url, 's', { dry_run: true })).status, 200)
  assert.deepEqual(await stored(), [])
})

test('of first steps at once one brings the key, and all of them are recognised under it', async () => {
  const { url, app } = await startApp({ after }, { ORCH_STORE: 'memory' }, [])
  const ids = Array.from({ length: 12 }, (_, n) => `s${n}`)
  for (const { status } of await Promise.all(ids.map((id) => step(url, id)))) assert.equal(status, 200)
  const keys = await app.ports.ledger.reader.documents({ space: 'gdw.key', order: 'asc', limit: 10 })
  assert.equal(keys.length, 1)
  for (const id of ids) assert.equal((await step(url, id, { dry_run: true })).json.novelty.measured, 0)
})
