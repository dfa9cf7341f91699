// A store that was cut, damaged or altered is read from and never appended to, and no size is ever signed twice.
import assert from 'node:assert/strict'
import { copyFileSync, existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { ReceiptDraft } from '@orch/core'
import pg from 'pg'

import { settingsFor } from '#testing/ledger/crashes.ts'
import { type PostgresDatabases, postgresUnavailable, sharedPostgres } from '#testing/postgres.ts'

import { freshFolder } from '#testing/private-folder.ts'
import { GUARD_FILE } from '../adapters/guard/guard.ts'
import type { Ledger } from '../ports.ts'
import { openLedger } from './ledger.ts'
import type { LedgerSettings } from './protocol.ts'
import { LEDGER_FILE, sqliteStore } from './store/sqlite/store.ts'

let server: PostgresDatabases | null = null
after(() => server?.stop())

const draft = (n: number): ReceiptDraft => ({
  ns: 'public',
  chain: 'damage',
  kind: 'mint',
  ts_utc: '2026-01-01T00:00:00.000Z',
  request_id: `r${n}`,
  actor: { owner: 'local', key_id: null, auth_mode: 'open' },
  policy: null,
  payload: { n },
})

function folder(t: TestContext): string {
  const data = freshFolder('damage')
  t.after(() => rmSync(data, { recursive: true, force: true }))
  return data
}

/** Appends receipts from `from` on and stops cleanly. */
async function fill(settings: LedgerSettings, from: number, to: number): Promise<void> {
  const ledger = await openLedger(settings)
  for (let n = from; n < to; n += 1) await ledger.append(draft(n))
  await ledger.close()
}

function edit(data: string, statements: string): void {
  const db = new DatabaseSync(join(data, LEDGER_FILE))
  for (const table of ['receipts', 'tiles', 'checkpoints'])
    db.exec(`DROP TRIGGER ${table}_never_change; DROP TRIGGER ${table}_never_leave`)
  db.exec(statements)
  db.close()
}

const notes = (data: string): unknown[] => {
  const db = new DatabaseSync(join(data, LEDGER_FILE), { readOnly: true })
  try {
    return db.prepare('SELECT size, note FROM checkpoints ORDER BY size').all()
  } finally {
    db.close()
  }
}

/** Starts on a damaged store: it can be read, nothing is taken, nothing is signed. */
async function readOnlyStart(settings: LedgerSettings, reason: RegExp): Promise<Ledger> {
  const ledger = await openLedger(settings)
  // What only the walk of the reading thread can find comes a moment after the start.
  for (let tries = 0; tries < 200 && ledger.state().readOnly === null; tries += 1) await pause(50)
  assert.match(ledger.state().readOnly ?? '', reason)
  const { size } = await ledger.reader.head()
  await assert.rejects(ledger.append(draft(99)), { code: 'ledger_read_only' })
  await ledger.checkpointNow()
  assert.equal((await ledger.reader.head()).size, size)
  assert.equal((await ledger.reader.byIndex(0))?.nodeIndex, 0)
  return ledger
}

test('a store cut back behind its own checkpoint is read-only, though the guard file is gone', async (t) => {
  const data = folder(t)
  const old = join(folder(t), 'old.sqlite')
  await fill(settingsFor(data), 0, 3)
  copyFileSync(join(data, LEDGER_FILE), old)
  await fill(settingsFor(data), 3, 7)
  rmSync(join(data, GUARD_FILE))
  edit(
    data,
    `ATTACH '${old}' AS old; DELETE FROM receipts WHERE node_index >= 3; DELETE FROM edges; DELETE FROM chains;
     INSERT INTO edges SELECT * FROM old.edges; INSERT INTO chains SELECT * FROM old.chains;
     DELETE FROM head; INSERT INTO head SELECT * FROM old.head`,
  )
  const before = notes(data)
  const ledger = await readOnlyStart(settingsFor(data), /holds 3 receipts, but a checkpoint over 7/)
  assert.equal(ledger.state().rolledBack, true)
  await ledger.close()
  assert.deepEqual(notes(data), before)
  assert.equal(existsSync(join(data, GUARD_FILE)), false)
})

test('another history under the checkpoint of the store is read-only, though the guard file is gone', async (t) => {
  const [data, other] = [folder(t), folder(t)]
  await fill(settingsFor(data), 0, 3)
  copyFileSync(join(data, 'log-key.pem'), join(other, 'log-key.pem'))
  await fill(settingsFor(other), 10, 14)
  const signed = (notes(data) as { size: number; note: string }[]).at(-1)!
  edit(other, `DELETE FROM checkpoints; INSERT INTO checkpoints VALUES (3, '${signed.note.replaceAll("'", "''")}')`)
  rmSync(join(other, GUARD_FILE))
  const ledger = await readOnlyStart(settingsFor(other), /another history than the one signed at 3 receipts/)
  assert.equal(ledger.state().rolledBack, true)
  await ledger.close()
  assert.deepEqual(
    notes(other).map((row) => (row as { size: number }).size),
    [3],
  )
})

test('PostgreSQL: tables cut back behind their own checkpoint are read-only, and no second note is stored', async (t) => {
  const unavailable = postgresUnavailable()
  if (unavailable) return t.skip(unavailable)
  server ??= await sharedPostgres()
  const postgresUrl = await server.createDatabase('cut_back')
  const settings = settingsFor(folder(t), { store: 'postgres', postgresUrl })
  const client = new pg.Client({ connectionString: postgresUrl })
  await client.connect()
  await fill(settings, 0, 3)
  const tables = ['edges', 'chains', 'head']
  for (const table of tables) await client.query(`CREATE TABLE old_${table} AS SELECT * FROM orch.${table}`)
  await fill(settings, 3, 7)
  rmSync(join(settings.data, GUARD_FILE))
  await client.query(`ALTER TABLE orch.receipts DISABLE TRIGGER USER; DELETE FROM orch.receipts WHERE node_index >= 3;
    ALTER TABLE orch.receipts ENABLE ALWAYS TRIGGER receipts_never_change;
    ALTER TABLE orch.receipts ENABLE ALWAYS TRIGGER receipts_never_leave`)
  for (const table of tables)
    await client.query(`DELETE FROM orch.${table}; INSERT INTO orch.${table} SELECT * FROM old_${table}`)
  const stored = async () => (await client.query('SELECT size, note FROM orch.checkpoints ORDER BY size')).rows
  const before = await stored()
  const ledger = await readOnlyStart(settings, /holds 3 receipts, but a checkpoint over 7/)
  assert.equal(ledger.state().rolledBack, true)
  await ledger.close()
  assert.deepEqual(await stored(), before)
  await client.end()
})

test('a history exchanged under a running ledger is not signed over', async (t) => {
  const data = folder(t)
  const ledger = await openLedger(settingsFor(data))
  t.after(() => ledger.close())
  for (let n = 0; n < 3; n += 1) await ledger.append(draft(n))
  await ledger.checkpointNow()
  const before = notes(data)
  await ledger.append(draft(3))
  edit(data, 'UPDATE edges SET data = zeroblob(length(data))')
  await ledger.checkpointNow()
  assert.match(ledger.state().readOnly ?? '', /another history than the one signed at 3 receipts/)
  assert.deepEqual(notes(data), before)
})

for (const [name, damage, reason] of [
  [
    'whose edges are gone',
    (data) => edit(data, 'DELETE FROM edges'),
    /tree is damaged \(tile .* is missing\); restore/,
  ],
  ['whose tiles are gone', (data) => edit(data, 'DELETE FROM tiles'), /^receipt 0 is broken: /],
  [
    'with a checkpoint nobody signed',
    (data) => edit(data, `UPDATE checkpoints SET note = 'x'`),
    /newest checkpoint in the store was not signed by this log; restore/,
  ],
  [
    'with a guard file of garbage',
    (data) => writeFileSync(join(data, GUARD_FILE), 'garbage'),
    /last-checkpoint\.txt in the data folder is not a checkpoint of this log; restore it or, if you are sure, remove it/,
  ],
] as [string, (data: string) => void, RegExp][])
  test(`a store ${name} is served read-only and says what to do`, async (t) => {
    const data = folder(t)
    const first = await openLedger(settingsFor(data))
    await Promise.all(Array.from({ length: 300 }, (_, n) => first.append(draft(n))))
    await first.close()
    damage(data)
    const ledger = await readOnlyStart(settingsFor(data), reason)
    assert.equal((await ledger.reader.range(0, 500)).length, 300)
    await ledger.close()
  })

test('a file that is no database refuses the start, names the file and the setting, and frees the folder', async (t) => {
  const data = folder(t)
  writeFileSync(join(data, LEDGER_FILE), 'this is no database '.repeat(500))
  await assert.rejects(openLedger(settingsFor(data)), /ledger\.sqlite in the data folder cannot be read.*ORCH_DATA/)
  rmSync(join(data, LEDGER_FILE))
  await (await openLedger(settingsFor(data))).close()
})

test('the open SQLite store commits to the disk: synchronous FULL, journal in WAL', async (t) => {
  const store = sqliteStore(folder(t))
  await store.open()
  assert.deepEqual({ ...store.database().prepare('PRAGMA synchronous').get() }, { synchronous: 2 })
  assert.deepEqual({ ...store.database().prepare('PRAGMA journal_mode').get() }, { journal_mode: 'wal' })
  await store.close()
})

test('after a clean stop the one file holds every receipt', async (t) => {
  const [data, copy] = [folder(t), folder(t)]
  await fill(settingsFor(data), 0, 20)
  assert.deepEqual(
    readdirSync(data).filter((name) => name.startsWith(`${LEDGER_FILE}-`)),
    [],
  )
  copyFileSync(join(data, LEDGER_FILE), join(copy, LEDGER_FILE))
  const db = new DatabaseSync(join(copy, LEDGER_FILE), { readOnly: true })
  assert.deepEqual({ ...db.prepare('SELECT count(*) AS n FROM receipts').get() }, { n: 20 })
  db.close()
})

test('a receipt altered before the last checkpoint stops the ledger when the walk comes to it', async (t) => {
  const data = folder(t)
  await fill(settingsFor(data), 0, 8)
  edit(
    data,
    `UPDATE receipts SET body = CAST(replace(CAST(body AS TEXT), '"n":4', '"n":9') AS BLOB) WHERE node_index = 4`,
  )
  const ledger = await openLedger(settingsFor(data))
  t.after(() => ledger.close())
  assert.equal(ledger.tail.broken, null)
  for (let tries = 0; tries < 200 && ledger.state().readOnly === null; tries += 1) await pause(50)
  assert.match(ledger.state().readOnly ?? '', /^receipt 4 is broken: /)
  await assert.rejects(ledger.append(draft(9)), { code: 'ledger_read_only' })
  assert.equal((await ledger.audit()).broken?.node_index, 4)
  assert.equal((await ledger.reader.head()).size, 8)
})
