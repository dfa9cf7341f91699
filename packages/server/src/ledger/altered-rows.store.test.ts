// Rows that the ledger keeps of itself (checkpoints, head, meta, keys), altered by somebody who can edit the store and holds
// no key. The service stops appending, or does not start, with one sentence that names the row.
import assert from 'node:assert/strict'
import { copyFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, type TestContext, test } from 'node:test'
import pg from 'pg'
import { fillLedger, receiptDraft, stopReason, testFolder } from '#testing/ledger/at-rest.ts'
import { settingsFor } from '#testing/ledger/crashes.ts'
import { type PostgresDatabases, postgresUnavailable, sharedPostgres } from '#testing/postgres.ts'
import { openLedger } from './ledger.ts'
import type { LedgerSettings } from './protocol.ts'
import { LEDGER_FILE } from './store/sqlite/store.ts'

const unavailable = postgresUnavailable()
let server: PostgresDatabases | null = null
let databases = 0
after(() => server?.stop())

const draft = (n: number) => receiptDraft(n, { chain: 'rows' })
const folder = (t: TestContext) => testFolder(t, 'altered-rows')
type Edit = (sql: string) => Promise<void>

const STORES: [name: string, open: (t: TestContext) => Promise<{ settings: LedgerSettings; edit: Edit }>][] = [
  [
    'SQLite',
    async (t) => {
      const data = folder(t)
      const edit: Edit = async (sql) => {
        const db = new DatabaseSync(join(data, LEDGER_FILE), { timeout: 10_000 })
        db.exec(sql)
        db.close()
      }
      return { settings: settingsFor(data), edit }
    },
  ],
  [
    'PostgreSQL',
    async (t) => {
      server ??= await sharedPostgres()
      databases += 1
      const postgresUrl = await server.createDatabase(`altered_${databases}`)
      const edit: Edit = async (sql) => {
        const client = new pg.Client({ connectionString: postgresUrl })
        await client.connect()
        await client.query(`SET search_path = orch; ${sql}`)
        await client.end()
      }
      return { settings: settingsFor(folder(t), { store: 'postgres', postgresUrl }), edit }
    },
  ],
]

const fill = (settings: LedgerSettings, from: number, to: number) => fillLedger(settings, from, to, draft)

for (const [store, open] of STORES) {
  const skip = store === 'PostgreSQL' ? unavailable : undefined

  test(`${store}: a checkpoint filed under a larger size stops appends and is not shown as the newest`, async (t) => {
    if (skip) return t.skip(skip)
    const { settings, edit } = await open(t)
    await fill(settings, 0, 3)
    const ledger = await openLedger(settings)
    t.after(() => ledger.close())
    assert.equal((await ledger.reader.checkpoint())?.size, 3)
    await edit('INSERT INTO checkpoints (size, note) SELECT 1000000, note FROM checkpoints WHERE size = 3')
    await assert.rejects(ledger.reader.checkpoint(), /files under 1000000 receipts was signed over 3/)
    assert.match(await stopReason(ledger), /files under 1000000 receipts was signed over 3; restore the store/)
    await assert.rejects(ledger.append(draft(3)), { code: 'ledger_read_only' })
  })

  test(`${store}: a checkpoint filed under a larger size is noticed though nobody asks for it`, async (t) => {
    if (skip) return t.skip(skip)
    const { settings, edit } = await open(t)
    await fill(settings, 0, 3)
    const ledger = await openLedger(settings)
    t.after(() => ledger.close())
    await edit('INSERT INTO checkpoints (size, note) SELECT 1000000, note FROM checkpoints WHERE size = 3')
    await ledger.append(draft(3))
    await ledger.checkpointNow()
    assert.match(ledger.state().readOnly ?? '', /files under 1000000 receipts was signed over 3/)
  })

  test(`${store}: a start on a checkpoint filed under another size is read-only and says both`, async (t) => {
    if (skip) return t.skip(skip)
    const { settings, edit } = await open(t)
    await fill(settings, 0, 3)
    await edit('INSERT INTO checkpoints (size, note) SELECT 9, note FROM checkpoints WHERE size = 3')
    const ledger = await openLedger(settings)
    t.after(() => ledger.close())
    assert.match(
      ledger.state().readOnly ?? '',
      /files under 9 receipts was signed over 3; restore the store from a copy/,
    )
  })

  const DAMAGED: [what: string, sql: string, sentence: RegExp][] = [
    ['no head', 'DELETE FROM head', /^the row of table head in the store is missing; restore the store from a copy$/],
    ['a negative head', 'UPDATE head SET size = -1', /^the row of table head in the store has a size that is no count/],
    [
      'a head without its hashes',
      "UPDATE head SET frontier = ''",
      /^the row of table head .* not the 2 that the tree of 3/,
    ],
    [
      'a head with a negative number of chains',
      'UPDATE head SET chains = -4',
      /^the row of table head .* no count; restore/,
    ],
    [
      'a log key that is none',
      "UPDATE meta SET value = '{' WHERE name = 'log_vkey'",
      /^the row log_vkey of table meta in the store is no verification key of a log; restore the store from a copy$/,
    ],
    [
      'an edge that is no row of hashes',
      "UPDATE edges SET data = 'x' WHERE level = 0",
      /^the row of table edges for level 0 in the store is no row of whole hashes; restore/,
    ],
  ]
  for (const [what, sql, sentence] of DAMAGED)
    test(`${store}: a store with ${what} does not start, and one sentence says which row and what to do`, async (t) => {
      if (skip) return t.skip(skip)
      const { settings, edit } = await open(t)
      await fill(settings, 0, 3)
      await edit(
        store === 'SQLite' ? sql.replaceAll(/= '(x?)'/g, (_, hex) => (hex === 'x' ? "= x'00'" : "= x''")) : sql,
      )
      await assert.rejects(openLedger(settings), { message: sentence })
    })

  test(`${store}: a record of the keys that is garbage is read-only and names its row`, async (t) => {
    if (skip) return t.skip(skip)
    const { settings, edit } = await open(t)
    await fill(settings, 0, 3)
    await edit("UPDATE meta SET value = '{' WHERE name = 'ledger_record'")
    const ledger = await openLedger(settings)
    t.after(() => ledger.close())
    assert.match(ledger.state().readOnly ?? '', /row ledger_record of table meta.*restore the store from a copy/)
  })

  test(`${store}: a lost signing key refuses the start, and does not once the operator gives it up`, async (t) => {
    if (skip) return t.skip(skip)
    const { settings } = await open(t)
    const first = await openLedger(settings)
    await first.append(draft(0))
    const lost = first.signer.keyid!
    await first.close()
    const key = join(settings.data, 'demo-signing-key.pem')
    renameSync(key, `${key}.away`)
    await assert.rejects(openLedger(settings), {
      message: `the ring says that key ${lost} signs here, and demo-signing-key.pem is not in the data folder; restore that file from a copy, or start once with ORCH_LOST_KEY=${lost} to end this key and sign with a new one`,
    })
    await assert.rejects(openLedger({ ...settings, lostKey: 'f'.repeat(64) }), /the ring says that key/)
    copyFileSync(`${key}.away`, key)
    await (await openLedger(settings)).close()
    rmSync(key)
    const second = await openLedger({ ...settings, lostKey: lost })
    t.after(() => second.close())
    assert.equal(second.state().readOnly, null)
    assert.notEqual(second.signer.keyid, lost)
    await second.append(draft(1))
    const ring = (await second.reader.keys()).map(({ keyid, fromIndex, toIndex }) => ({ keyid, fromIndex, toIndex }))
    assert.deepEqual(ring, [
      { keyid: lost, fromIndex: 0, toIndex: 1 },
      { keyid: second.signer.keyid, fromIndex: 1, toIndex: null },
    ])
    assert.equal((await second.audit()).broken, null)
  })
}

test('PostgreSQL: a second node begins with a key of its own', async (t) => {
  if (unavailable) return t.skip(unavailable)
  const { settings } = await STORES[1]![1](t)
  await fill(settings, 0, 1)
  const other = { ...settings, data: folder(t) }
  copyFileSync(join(settings.data, 'log-key.pem'), join(other.data, 'log-key.pem'))
  await fill(other, 1, 2)
})

test('PostgreSQL: a store put back to an older copy under a running node takes nothing more and says both sizes', async (t) => {
  if (unavailable) return t.skip(unavailable)
  const { settings, edit } = await STORES[1]![1](t)
  await fill(settings, 0, 2)
  const tables = ['edges', 'chains', 'head']
  for (const table of tables) await edit(`CREATE TABLE old_${table} AS SELECT * FROM ${table}`)
  const ledger = await openLedger(settings)
  t.after(() => ledger.close())
  await ledger.append(draft(2))
  // A walk that is at this very receipt would find it beside a leaf that is gone, and say so first.
  await ledger.audit()
  // In one statement list, hence one transaction: no checkpoint is taken in between.
  await edit(
    `ALTER TABLE receipts DISABLE TRIGGER ALL; DELETE FROM receipts WHERE node_index >= 2; ${tables
      .map((table) => `DELETE FROM ${table}; INSERT INTO ${table} SELECT * FROM old_${table};`)
      .join(' ')}`,
  )
  await assert.rejects(ledger.append(draft(3)), { code: 'ledger_read_only' })
  assert.match(ledger.state().readOnly ?? '', /holds 2 receipts, but (?:3 were recorded|a checkpoint over 3)/)
  assert.equal(ledger.state().rolledBack, true)
  assert.equal((await ledger.reader.head()).size, 2)
})
