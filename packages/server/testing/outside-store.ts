// Somebody with the database in hand: edits what a running service has stored, past every guard, and puts it back.
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { LEDGER_FILE } from '../src/ledger/store/sqlite/store.ts'

type Params = readonly (string | number | Uint8Array | null)[]

export interface OutsideStore {
  /** Parameters are `$1`, `$2` and so on. */
  run(sql: string, ...params: Params): Promise<Record<string, unknown>[]>
  /** Does `work`, then `look`, and leaves everything as it was before. */
  restoring(work: () => Promise<unknown>, look: () => Promise<void>): Promise<void>
  close(): Promise<void>
}

const TABLES = ['documents', 'receipts', 'chains', 'answers', 'keys'] as const

export async function outsideSqlite(folder: string): Promise<OutsideStore> {
  const db = new DatabaseSync(join(folder, LEDGER_FILE), { timeout: 10_000 })
  const run: OutsideStore['run'] = async (sql, ...params) =>
    db.prepare(sql.replaceAll(/\$(\d+)/g, '?$1')).all(...params) as Record<string, unknown>[]
  for (const { name } of await run("SELECT name FROM sqlite_master WHERE type = 'trigger'"))
    db.exec(`DROP TRIGGER ${name}`)
  db.exec('PRAGMA foreign_keys = OFF')
  const copyOf = (table: string) => `temp.copy_${table}`
  return { run, restoring: restoringBy(async (sql) => db.exec(sql), copyOf), close: async () => db.close() }
}

export async function outsidePostgres(url: string): Promise<OutsideStore> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query('SET search_path = orch')
  for (const table of TABLES) await client.query(`ALTER TABLE ${table} DISABLE TRIGGER ALL`)
  const run: OutsideStore['run'] = async (sql, ...params) => (await client.query(sql, [...params])).rows
  const copyOf = (table: string) => `pg_temp.copy_${table}`
  return { run, restoring: restoringBy((sql) => client.query(sql), copyOf), close: () => client.end() }
}

const restoringBy =
  (exec: (sql: string) => Promise<unknown>, copyOf: (table: string) => string): OutsideStore['restoring'] =>
  async (work, look) => {
    for (const table of TABLES) {
      await exec(`DROP TABLE IF EXISTS ${copyOf(table)}`)
      await exec(`CREATE TEMP TABLE ${copyOf(table).split('.')[1]} AS SELECT * FROM ${table}`)
    }
    try {
      await work()
      await look()
    } finally {
      await exec('BEGIN')
      // The ring has an identity column and is only ever added to here.
      await exec(`DELETE FROM keys WHERE id NOT IN (SELECT id FROM ${copyOf('keys')})`)
      for (const table of TABLES.filter((one) => one !== 'keys')) {
        await exec(`DELETE FROM ${table}`)
        await exec(`INSERT INTO ${table} SELECT * FROM ${copyOf(table)}`)
      }
      await exec('COMMIT')
    }
  }
