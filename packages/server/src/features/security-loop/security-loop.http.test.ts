import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { after, test } from 'node:test'
import { startApp } from '#testing/layer.ts'
import { send } from '#testing/raw-http.ts'
import { ServiceError } from '../../errors.ts'
import { securityLoop } from './operations.ts'

const service = await startApp({ after }, { ORCH_STORE: 'memory' }, [])
const MANIFEST = `${service.url}/api/orch/v1/waqay/security-loop/manifest`

test('the manifest of this build has a run over its own lockfile, and reading it appends nothing', async () => {
  const { size } = service.app.ports.ledger.state()
  const { status, json } = await send(MANIFEST)
  assert.deepEqual([status, json.ready, json.mode, json.gate_ids.length], [200, true, 'PROPOSAL_ONLY', 9])
  assert.deepEqual([json.run.label, json.run.complete, json.run.state], ['SAMPLE', false, 'COMPLETED'])
  assert.ok(json.run.components > 200)
  const fileDigest = (path: string) =>
    createHash('sha256')
      .update(readFileSync(new URL(path, import.meta.url)))
      .digest('hex')
  assert.equal(json.run.lockfile_sha256, fileDigest('../../../../../package-lock.json'))
  assert.equal(json.run.advisories_sha256, fileDigest('../../../data/advisories.sample.json'))
  assert.equal(service.app.ports.ledger.state().size, size)
  assert.equal((await send(MANIFEST, { method: 'HEAD' })).status, 200)
  const refused = await send(MANIFEST, { method: 'POST' })
  assert.deepEqual([refused.status, refused.headers.allow], [405, 'GET, HEAD'])
})

test('an engine that does not load is 503 and says that it is not ready', async (t) => {
  const run = () => Promise.reject(new ServiceError('data_file_invalid', 'the advisories are not the committed ones'))
  const [broken] = securityLoop({ securityLoop: { run } })
  const { url } = await startApp(t, { ORCH_STORE: 'memory' }, [broken!], { omit: ['securityLoop.manifest'] })
  const { status, json } = await send(`${url}/api/orch/v1/waqay/security-loop/manifest`)
  assert.deepEqual([status, json.ready, json.error.code], [503, false, 'data_file_invalid'])
})
