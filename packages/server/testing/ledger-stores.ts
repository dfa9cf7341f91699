// The stores of the ledger as one suite sees them: opened fresh for each test, with a way past the store to the
// database itself, so that a test can show what the database refuses on its own.

import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, test } from 'node:test'
import { bodyTemplate, sha256Hex } from '@orch/core'
import pg from 'pg'
import type { CounterMove, DocumentWrite, KeyRow, LedgerReader } from '../src/ledger/contract.ts'
import { postgresReader } from '../src/ledger/store/postgres/reader.ts'
import { postgresStore } from '../src/ledger/store/postgres/store.ts'
import { openSqliteReader, sqliteReader } from '../src/ledger/store/sqlite/reader.ts'
import { LEDGER_FILE, sqliteStore } from '../src/ledger/store/sqlite/store.ts'
import type { LedgerStore } from '../src/ledger/store/store.ts'
import type { Entry } from '../src/ledger/types.ts'
import { type PostgresDatabases, postgresUnavailable, sharedPostgres } from './postgres.ts'
import { freshFolder } from './private-folder.ts'

export interface OpenLedger {
  store: LedgerStore
  reader: LedgerReader
  /** Runs SQL past the store. Tables are written `{receipts}`, bytes `{x:00ff}`: each database spells them its way. */
  sql(text: string): Promise<unknown[]>
  /** The address for a second node on the same ledger; null where there can be none. */
  url: string | null
  close(): Promise<void>
}

export interface StoreKind {
  name: string
  shared: boolean
  unavailable(): string | undefined
  open(): Promise<OpenLedger>
  stop(): Promise<void>
}

const sqliteText = (text: string): string => text.replace(/\{x:([0-9a-f]*)\}/g, "x'$1'").replace(/\{(\w+)\}/g, '$1')
const postgresText = (text: string): string =>
  text.replace(/\{x:([0-9a-f]*)\}/g, "'\\x$1'::bytea").replace(/\{(\w+)\}/g, 'orch.$1')

const always = { shared: false, unavailable: () => undefined, stop: async () => undefined }

const sqliteFile: StoreKind = {
  ...always,
  name: 'SQLite',
  async open() {
    const folder = freshFolder('ledger')
    const store = sqliteStore(folder)
    await store.open()
    const reader = openSqliteReader(folder)
    const outside = new DatabaseSync(join(folder, LEDGER_FILE))
    return {
      store,
      reader,
      sql: async (text) => outside.prepare(sqliteText(text)).all(),
      url: null,
      async close() {
        outside.close()
        await reader.close()
        await store.close()
        await rm(folder, { recursive: true })
      },
    }
  },
}

const sqliteMemory: StoreKind = {
  ...always,
  name: 'SQLite in memory',
  async open() {
    const store = sqliteStore(null)
    await store.open()
    return {
      store,
      reader: sqliteReader(store.database()),
      sql: async (text) => store.database().prepare(sqliteText(text)).all(),
      url: null,
      close: () => store.close(),
    }
  },
}

/** One server per kind, a database per opened ledger. */
function postgresKind(): StoreKind {
  let server: Promise<PostgresDatabases> | null = null
  let databases = 0
  return {
    name: 'PostgreSQL',
    shared: true,
    unavailable: postgresUnavailable,
    async open() {
      // Nothing here pulls the plug; what an fsync is for is tested where it does.
      server ??= sharedPostgres()
      databases += 1
      return openPostgres(await (await server).createDatabase(`ledger_${databases}`))
    },
    async stop() {
      await (await server)?.stop()
    },
  }
}

async function openPostgres(url: string): Promise<OpenLedger> {
  const store = postgresStore({ url })
  await store.open()
  const reader = postgresReader({ url })
  const outside = new pg.Client({ connectionString: url })
  await outside.connect()
  return {
    store,
    reader,
    sql: async (text) => (await outside.query(postgresText(text))).rows,
    url,
    async close() {
      await outside.end()
      await reader.close()
      await store.close()
    },
  }
}

const storeKinds = (): StoreKind[] => [sqliteFile, sqliteMemory, postgresKind()]

/** Runs the same test against a fresh ledger of every kind; a server that was started stops with the file. */
export function storeSuite(prepare: (ledger: OpenLedger) => Promise<void> = async () => undefined) {
  const kinds = storeKinds()
  after(async () => {
    for (const kind of kinds) await kind.stop()
  })
  return (
    sentence: string,
    check: (ledger: OpenLedger, kind: StoreKind) => Promise<void>,
    only: (kind: StoreKind) => boolean = () => true,
  ): void => {
    for (const kind of kinds.filter(only)) {
      test(`${kind.name}: ${sentence}`, async (t) => {
        const reason = kind.unavailable()
        if (reason) return t.skip(reason)
        const ledger = await kind.open()
        try {
          await prepare(ledger)
          await check(ledger, kind)
        } finally {
          await ledger.close()
        }
      })
    }
  }
}

export const KEYID = 'ab'.repeat(32)
export const RING_KEY: KeyRow = {
  keyid: KEYID,
  spki: new Uint8Array([1, 2, 3]),
  kind: 'demo',
  fromIndex: 0,
  toIndex: null,
  from: '2026-01-01T00:00:00.000Z',
  to: null,
}

/** An entry with some text in it that databases like to get wrong. */
export function entryOf(chain: string, n: number, over: Partial<Entry> = {}): Entry {
  const ts = new Date(Date.UTC(2026, 0, 1) + n).toISOString()
  const ns = over.ns ?? 'public'
  const draft = {
    kind: 'decision' as const,
    ns,
    chain,
    ts_utc: ts,
    request_id: `request-${n}`,
    actor: { owner: 'local', key_id: null, auth_mode: 'open' },
    policy: null,
    payload: { n, text: `\\x00 '";--  \u2028 \u00e9 e\u0301 \ud83d\ude80 ${'.'.repeat(n % 97)}` },
  }
  return { ns, chain, ts, template: bodyTemplate(draft, null), idempotency: null, ...over }
}

/** A write to the document named `name`, of the first version unless told. */
export function writeOf(name: string, over: Partial<DocumentWrite> = {}): DocumentWrite {
  const blank = { space: 'test.thing', expect: 0, owner: 'public/local', state: 'OPEN', rank: 0, value: '{}' }
  return { ...blank, key: sha256Hex(name), ...over }
}

/** A move of the counter named `name`, by one and without a limit unless told. */
export function moveOf(name: string, over: Partial<CounterMove> = {}): CounterMove {
  return { space: 'test.quota', key: sha256Hex(name), owner: 'public/local', add: 1, limit: null, ...over }
}
