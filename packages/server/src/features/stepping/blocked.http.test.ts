import assert from 'node:assert/strict'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { startApp } from '#testing/layer.ts'
import { freshFolder } from '#testing/private-folder.ts'
import { post, send } from '#testing/raw-http.ts'
import { movedClock, unguardFile } from '#testing/stepping-effects.ts'
import { RULES_FOLDER } from '../../governance/workers/gate-engine.ts'
import type { LedgerReader } from '../../ledger/contract.ts'
import { LEDGER_FILE } from '../../ledger/store/sqlite/store.ts'
import { SchemaWatch } from './store/schema-watch.ts'
import { watchedReader } from './store/store-reader.ts'
import { writeBlockers } from './write-blockers.ts'

const folder = freshFolder('stepping-blocked')
after(() => rmSync(folder, { recursive: true, force: true }))
const none = join(folder, 'none')
mkdirSync(none)
const policies = fileURLToPath(new URL('../../../../../policies/', import.meta.url))

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
    state: () => ({ readOnly: 'the disk is full', rolledBack: true, guard: { blocking: false } }),
    tail: { broken: { nodeIndex: 1, reason: 'x' } },
    signer: { test: { ok: false } },
  }
  const parts = {
    ...{ ledger, gates: unready, policies: unready, isBroken: () => false, hasRegistry: () => false },
    ...{ isStoreAway: () => true, isOtherSchema: () => true, mustSign: true },
  }
  assert.deepEqual(writeBlockers(parts as unknown as Parameters<typeof writeBlockers>[0]), [
    'CREDENTIAL_REGISTRY_UNAVAILABLE',
    'POLICY_UNAVAILABLE',
    'GATES_UNAVAILABLE',
    'STORE_UNAVAILABLE',
    'STORE_READ_ONLY',
    'SCHEMA_VERSION_MISMATCH',
    'CHAIN_BROKEN',
    'HEAD_BEHIND_CHECKPOINT',
    'LEDGER_UNAVAILABLE',
  ])
})

test('a signer that fails its test blocks where receipts must be signed', async (t) => {
  const service = await startApp(t as never, { ORCH_STORE: 'memory' }, [])
  const { signer } = service.app.ports.ledger
  Object.defineProperty(service.app.ports.ledger, 'signer', {
    get: () => ({ ...signer, test: { ok: false, testedAt: '2026-01-01T00:00:00.000Z', reason: 'no answer' } }),
  })
  const { status, json } = await post(`${service.url}/v1/gdw/step`, '{"session_id":"s","request":"read"}')
  assert.deepEqual([status, json.error.write_blockers], [503, ['LEDGER_UNAVAILABLE']])
})

test('a store whose newest step is of another form is not stepped on', async (t) => {
  const service = await startApp(t as never, {}, [])
  await post(`${service.url}/v1/gdw/step`, '{"session_id":"s","request":"read the audit log"}')
  const { reader } = service.app.ports.ledger
  const watch = new SchemaWatch(reader)
  await watch.look()
  assert.equal(watch.isOther, false)
  await unguardFile(service.data)
  const outside = new DatabaseSync(join(service.data, LEDGER_FILE), { timeout: 10_000 })
  outside.exec("UPDATE documents SET value = replace(value, 'orch.gdw.state/v1', 'orch.gdw.state/v2')")
  outside.close()
  await watch.look()
  assert.equal(watch.isOther, true)
})

test('a store that does not answer blocks for a few seconds, and until it answers', async () => {
  let away = true
  const store = {
    async head() {
      if (away) throw new Error('gone')
      return { size: 0, frontier: [] }
    },
    close: async () => undefined,
  } as unknown as LedgerReader
  const clock = movedClock()
  const { reader, isAway } = watchedReader(store, clock)
  assert.equal(isAway(), false)
  await assert.rejects(reader.head(), /store cannot be read/)
  assert.equal(isAway(), true)
  clock.time += 5_000
  assert.equal(isAway(), false)
  await assert.rejects(reader.head(), /store cannot be read/)
  away = false
  await reader.head()
  assert.equal(isAway(), false)
})
