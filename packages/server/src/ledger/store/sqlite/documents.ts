/** Documents in SQLite. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { DocumentId } from '../../contract.ts'
import type { DocumentChange, Stand } from '../../documents.ts'
import { type Dialect, documentReads, indexesOf, standOf } from '../documents-sql.ts'
import { bytesOf } from '../stored-rows.ts'

/** Changed in place by design; what of them is append-only has guards of its own. */
export const DOCUMENTS_SCHEMA = `
CREATE TABLE IF NOT EXISTS documents (
  space TEXT NOT NULL, key BLOB NOT NULL CHECK (length(key) = 32), version INTEGER NOT NULL CHECK (version > 0),
  owner TEXT NOT NULL, state TEXT NOT NULL, rank INTEGER NOT NULL, value TEXT, node_index INTEGER,
  PRIMARY KEY (space, key)
) STRICT;
${indexesOf('documents', 'IF NOT EXISTS')}
`

const STAND = 'SELECT version, value IS NOT NULL AS present, node_index FROM documents WHERE space = ? AND key = ?'
const INSERT =
  'INSERT INTO documents (version, owner, state, rank, value, node_index, space, key) VALUES (?, ?, ?, ?, ?, ?, ?, ?)'
const UPDATE = `UPDATE documents SET version = ?, owner = ?, state = ?, rank = ?, value = ?, node_index = ?
  WHERE space = ? AND key = ? AND version = ?`

/** The writing side, on the store’s own connection. */
export function sqliteDocuments(db: DatabaseSync) {
  const [stand, insert, update] = [db.prepare(STAND), db.prepare(INSERT), db.prepare(UPDATE)]
  return {
    stands: (ids: readonly DocumentId[]): (Stand | null)[] =>
      ids.map(({ space, key }) => standOf(stand.get(space, bytesOf(key)))),
    write(changes: readonly DocumentChange[]): void {
      for (const { space, key, version, from, owner, state, rank, value, nodeIndex } of changes) {
        const row = [version, owner, state, rank, value, nodeIndex, space, bytesOf(key)]
        const { changes: written } = from === 0 ? insert.run(...row) : update.run(...row, from)
        if (Number(written) !== 1) throw new Error('a document is not at the version the batch found it at')
      }
    },
  }
}

/** Without statistics SQLite guesses, and may take the order of ranks for more than the state that is asked for. */
export const SQLITE: Dialect = { table: 'documents', mark: (n) => `?${n}`, along: (index) => `INDEXED BY ${index}` }

/** Prepared when first asked: a file from before there were documents is still read. */
export function sqliteDocumentReads(db: DatabaseSync): ReturnType<typeof documentReads> {
  const prepared = new Map<string, StatementSync>()
  return documentReads(SQLITE, async ({ name, text, values }) => {
    const statement = prepared.get(name) ?? db.prepare(text)
    prepared.set(name, statement)
    return statement.all(...values)
  })
}
