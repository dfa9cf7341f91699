import assert from 'node:assert/strict'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { startApp } from '../../../../scripts/testing/layer.ts'
import { freshFolder } from '../../../../scripts/testing/private-folder.ts'
import { post, send } from '../../../../scripts/testing/raw-http.ts'
import { RULES_FOLDER } from '../governance/gate-engine.ts'
import { writeBlockers } from './write-blockers.ts'

const folder = freshFolder('stepping-blocked')
after(() => rmSync(folder, { recursive: true, force: true }))
const none = join(folder, 'none')
mkdirSync(none)
const policies = fileURLToPath(new URL('../../../../policies/', import.meta.url))

test('without rules nothing is stepped: 503 with the reasons, before the body is looked at; health says so and is 200', async (t) => {
  const service = await startApp(t as never, { ORCH_STORE: 'memory' }, [], {
    governanceFolders: { rules: none, policies },
  })
  const url = `${service.url}/v1/gdw/step`
  for (const [body, headers] of [
    ['{"session_id":"s","request":"read"}', {}],
    ['not json', {}],
    ['text', { 'content-type': 'text/plain' }],
    ['x'.repeat(70_000), {}],
  ] as const) {
    const { status, json } = await post(url, body, headers)
    assert.deepEqual([status, json.error.code], [503, 'write_surface_unavailable'])
    assert.deepEqual(json.error.write_blockers, ['GATES_UNAVAILABLE'])
  }
  const health = await send(`${service.url}/v1/gdw/healthz`)
  assert.deepEqual([health.status, health.json.write_ready, health.json.status], [200, false, 'degraded'])
  assert.deepEqual(health.json.write_blockers, ['GATES_UNAVAILABLE'])
})

test('without policies nothing is stepped either', async (t) => {
  const service = await startApp(t as never, { ORCH_STORE: 'memory' }, [], {
    governanceFolders: { rules: RULES_FOLDER, policies: none },
  })
  const { status, json } = await post(`${service.url}/v1/gdw/step`, '{"session_id":"s","request":"read"}')
  assert.deepEqual([status, json.error.write_blockers], [503, ['POLICY_UNAVAILABLE']])
})

test('every blocker is told, not the first alone', () => {
  const unready = { status: () => ({ ready: false }) }
  const ledger = {
    state: () => ({ readOnly: 'the disk is full', rolledBack: true }),
    tail: { broken: { nodeIndex: 1, reason: 'x' } },
  }
  const parts = { ledger, gates: unready, policies: unready, isBroken: () => false, hasRegistry: () => false }
  assert.deepEqual(writeBlockers(parts as unknown as Parameters<typeof writeBlockers>[0]), [
    'CREDENTIAL_REGISTRY_UNAVAILABLE',
    'POLICY_UNAVAILABLE',
    'GATES_UNAVAILABLE',
    'STORE_READ_ONLY',
    'CHAIN_BROKEN',
    'HEAD_BEHIND_CHECKPOINT',
  ])
})
