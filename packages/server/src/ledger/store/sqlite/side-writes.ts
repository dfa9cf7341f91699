/** Documents and counters in SQLite. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { DocumentId } from '../../contract.ts'
import type { CounterChange, DocumentChange, StoredVersion } from '../../side-writes.ts'
import { type Dialect, indexesOf, toStoredVersion } from '../side-writes-sql.ts'
import { bytesOf } from '../stored-rows.ts'

/** Documents are changed in place by design; what of them is append-only has guards of its own. */
export const DOCUMENTS_SCHEMA = `
CREATE TABLE IF NOT EXISTS documents (
  space TEXT NOT NULL, key BLOB NOT NULL CHECK (length(key) = 32), version INTEGER NOT NULL CHECK (version > 0),
  owner TEXT NOT NULL, state TEXT NOT NULL, rank INTEGER NOT NULL, value TEXT, node_index INTEGER,
  PRIMARY KEY (space, key)
) STRICT;
${indexesOf('documents', 'IF NOT EXISTS')}
`

export const COUNTERS_SCHEMA = `
CREATE TABLE IF NOT EXISTS counters (
  space TEXT NOT NULL, key BLOB NOT NULL CHECK (length(key) = 32), owner TEXT NOT NULL,
  value INTEGER NOT NULL CHECK (value >= 0), PRIMARY KEY (space, key)
) STRICT, WITHOUT ROWID;
`

/** Of memories that their owner forgets: what is removed here is removed from the write-ahead log at once. */
const ERASED_SPACES: ReadonlySet<string> = new Set(['organ.n15.record'])

const SQL = {
  version:
    'SELECT version, value IS NOT NULL AS present, node_index AS "nodeIndex" FROM documents WHERE space = ? AND key = ?',
  insertDocument:
    'INSERT INTO documents (version, owner, state, rank, value, node_index, space, key) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
  updateDocument: `UPDATE documents SET version = ?, owner = ?, state = ?, rank = ?, value = ?, node_index = ?
    WHERE space = ? AND key = ? AND version = ?`,
  value: 'SELECT value FROM counters WHERE space = ? AND key = ?',
  insertCounter: 'INSERT INTO counters (space, key, owner, value) VALUES (?, ?, ?, ?)',
  updateCounter: 'UPDATE counters SET value = ? WHERE space = ? AND key = ? AND value = ?',
} as const

export const prepareAll = <Name extends string>(db: DatabaseSync, texts: Readonly<Record<Name, string>>) =>
  Object.fromEntries(Object.entries<string>(texts).map(([name, text]) => [name, db.prepare(text)])) as Record<
    Name,
    StatementSync
  >

/** The writing side, on the store's own connection. */
export function sqliteSideWrites(db: DatabaseSync) {
  const sql = prepareAll(db, SQL)
  let erased = false
  return {
    /** Something was removed that must not stay in the log either. */
    hasErased: () => erased,
    forgotErased: () => {
      erased = false
    },
    documentVersions: (ids: readonly DocumentId[]): (StoredVersion | null)[] =>
      ids.map(({ space, key }) => toStoredVersion(sql.version.get(space, bytesOf(key)))),
    writeDocuments(changes: readonly DocumentChange[]): void {
      for (const { space, key, version, from, owner, state, rank, value, nodeIndex } of changes) {
        const row = [version, owner, state, rank, value, nodeIndex, space, bytesOf(key)]
        erased ||= value === null && ERASED_SPACES.has(space)
        const { changes: written } = from === 0 ? sql.insertDocument.run(...row) : sql.updateDocument.run(...row, from)
        if (Number(written) !== 1) throw new Error('a document is not at the version the batch found it at')
      }
    },
    counterValues: (ids: readonly DocumentId[]): (number | null)[] =>
      ids.map(({ space, key }) => (sql.value.get(space, bytesOf(key)) as { value: number } | undefined)?.value ?? null),
    writeCounters(changes: readonly CounterChange[]): void {
      for (const { space, key, owner, value, from } of changes) {
        const { changes: written } =
          from === null
            ? sql.insertCounter.run(space, bytesOf(key), owner, value)
            : sql.updateCounter.run(value, space, bytesOf(key), from)
        if (Number(written) !== 1) throw new Error('a counter is not at the value the batch found it at')
      }
    },
  }
}

/** Without statistics SQLite guesses, and may take the order of ranks for more than the state that is asked for. */
export const SQLITE: Dialect = {
  prefix: '',
  mark: (n) => `?${n}`,
  aside: '+',
  along: (index) => `INDEXED BY ${index}`,
  countersExist: `SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'counters'`,
}
