/** Counters in SQLite. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { DocumentId } from '../../contract.ts'
import type { CounterChange } from '../../counters.ts'
import { counterReads } from '../counters-sql.ts'
import { bytesOf } from '../stored-rows.ts'

export const COUNTERS_SCHEMA = `
CREATE TABLE IF NOT EXISTS counters (
  space TEXT NOT NULL, key BLOB NOT NULL CHECK (length(key) = 32), owner TEXT NOT NULL,
  value INTEGER NOT NULL CHECK (value >= 0), PRIMARY KEY (space, key)
) STRICT, WITHOUT ROWID;
`

const VALUE = 'SELECT value FROM counters WHERE space = ? AND key = ?'
const INSERT = 'INSERT INTO counters (space, key, owner, value) VALUES (?, ?, ?, ?)'
const UPDATE = 'UPDATE counters SET value = ? WHERE space = ? AND key = ? AND value = ?'
const THERE = `SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'counters'`

/** The writing side, on the store’s own connection. */
export function sqliteCounters(db: DatabaseSync) {
  const [value, insert, update] = [db.prepare(VALUE), db.prepare(INSERT), db.prepare(UPDATE)]
  return {
    values: (ids: readonly DocumentId[]): (number | null)[] =>
      ids.map(({ space, key }) => (value.get(space, bytesOf(key)) as { value: number } | undefined)?.value ?? null),
    write(changes: readonly CounterChange[]): void {
      for (const { space, key, owner, value: next, from } of changes) {
        const { changes: written } =
          from === null ? insert.run(space, bytesOf(key), owner, next) : update.run(next, space, bytesOf(key), from)
        if (Number(written) !== 1) throw new Error('a counter is not at the value the batch found it at')
      }
    },
  }
}

/** Prepared when first asked. */
export function sqliteCounterReads(db: DatabaseSync): ReturnType<typeof counterReads> {
  const prepared = new Map<string, StatementSync>()
  return counterReads(
    { table: 'counters', mark: (n) => `?${n}` },
    async ({ name, text, values }) => {
      const statement = prepared.get(name) ?? db.prepare(text)
      prepared.set(name, statement)
      return statement.all(...values)
    },
    async () => db.prepare(THERE).get() !== undefined,
  )
}
