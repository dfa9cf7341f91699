// What kind of key signs stands in the bytes it signs: on both stores, for every receipt, whatever a caller hands in.
import assert from 'node:assert/strict'
import { rmSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { after, type TestContext, test } from 'node:test'
import {
  importPublicKey,
  LedgerExportVerifier,
  type ReceiptDraft,
  readBody,
  readHeaderLine,
  type TrustedKey,
} from '@orch/core'

import { settingsFor } from '#testing/ledger/crashes.ts'
import { type PostgresDatabases, postgresUnavailable, sharedPostgres } from '#testing/postgres.ts'

import { freshFolder } from '#testing/private-folder.ts'
import type { Ledger } from '../ports.ts'
import { openLedger } from './ledger.ts'
import type { LedgerSettings } from './protocol.ts'
import { sqliteStore } from './store/sqlite/store.ts'
import { importExport } from './tools/import-files.ts'

let server: PostgresDatabases | null = null
after(() => server?.stop())

function folder(t: TestContext): string {
  const made = freshFolder('key-kind')
  t.after(() => rmSync(made, { recursive: true, force: true }))
  return made
}

const STORES: Record<string, (t: TestContext) => Promise<LedgerSettings>> = {
  SQLite: async (t) => settingsFor(folder(t)),
  PostgreSQL: async (t) => {
    server ??= await sharedPostgres()
    return settingsFor(folder(t), { store: 'postgres', postgresUrl: await server.createDatabase('key_kind') })
  },
}

const draft = (payload: Record<string, unknown>, more: Partial<ReceiptDraft> = {}): ReceiptDraft => ({
  ns: 'public',
  chain: 'kinds',
  kind: 'mint',
  ts_utc: '2026-01-01T00:00:00.000Z',
  request_id: 'r',
  actor: { owner: 'local', key_id: null, auth_mode: 'open' },
  policy: null,
  payload,
  ...more,
})

/** Closed whatever becomes of the test. */
async function opened(t: TestContext, settings: LedgerSettings, trusted: TrustedKey[] = []): Promise<Ledger> {
  const ledger = await openLedger(settings, trusted)
  t.after(() => ledger.close())
  return ledger
}

async function payloadAt(ledger: Ledger, index: number): Promise<Record<string, unknown>> {
  const reading = readBody((await ledger.reader.byIndex(index))!.body)
  assert.ok(reading.ok)
  return reading.body.payload
}

for (const [name, settingsOf] of Object.entries(STORES))
  test(`${name}: signed bytes say demo, whatever the draft says, before and after a rotation`, async (t) => {
    const unavailable = name === 'PostgreSQL' ? postgresUnavailable() : undefined
    if (unavailable) return t.skip(unavailable)
    const ledger = await opened(t, await settingsOf(t))
    await ledger.append(draft({ z: 1 }))
    await ledger.append(draft({ key_kind: 'production', statement: { key_kind: 'production' } }))
    await ledger.append(draft({ n: 1 }, { kind: 'sample', chain: 'sample' }), { unsigned: true })
    await ledger.prepareKey()
    await ledger.activateKey()
    await ledger.append(draft({}))
    assert.deepEqual(await payloadAt(ledger, 0), { z: 1, key_kind: 'demo' })
    assert.deepEqual(await payloadAt(ledger, 1), { key_kind: 'demo', statement: { key_kind: 'production' } })
    assert.deepEqual(await payloadAt(ledger, 2), { n: 1 }, 'no key is in charge of a sample')
    assert.deepEqual(await payloadAt(ledger, 3), { key_kind: 'demo' })
  })

test('without a signer the bytes say nothing of a key', async (t) => {
  const ledger = await opened(t, settingsFor(folder(t), { signer: 'none' }))
  await ledger.append(draft({ n: 1 }))
  assert.deepEqual(await payloadAt(ledger, 0), { n: 1 })
})

async function linesOf(ledger: Ledger): Promise<string[]> {
  const lines: string[] = []
  for await (const line of ledger.exportLines()) lines.push(line.trimEnd())
  return lines
}

test('an imported demo key that the operator trusts as production stays a demo key, and its export says so', async (t) => {
  const source = await opened(t, settingsFor(folder(t)))
  for (const n of [1, 2]) await source.append(draft({ n }))
  await source.checkpointNow()
  const lines = await linesOf(source)
  const key = importPublicKey(source.signer.publicKeyPem!)!
  const [data, file] = [folder(t), join(folder(t), 'ledger.jsonl')]
  writeFileSync(file, `${lines.join('\n')}\n`)
  const store = sqliteStore(data)
  await store.open()
  await importExport(store, await open(file), [], () => undefined)
  await store.close()
  const trusted = [{ key, kind: 'production' as const }]
  const ledger = await opened(t, settingsFor(data, { logOrigin: null }), trusted)
  assert.equal((await ledger.reader.byIndex(0))?.keyKind, 'demo')
  const exported = await linesOf(ledger)
  assert.equal(readHeaderLine(exported[0]!)?.keys.find(({ keyid }) => keyid === key.keyid)?.kind, 'demo')
  const verifier = new LedgerExportVerifier({ keys: trusted })
  for (const line of exported) await verifier.push(line)
  assert.equal((await verifier.finish()).checks.find(({ check }) => check === 'key_trust')?.status, 'DEMO')
})
