/** Reads of the SQLite ledger over a connection of their own: in WAL mode a reader never waits for the writer. */

import { join } from 'node:path'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import type { LedgerReader } from '../../contract.ts'
import { ledgerReads, ledgerTexts } from '../ledger-sql.ts'
import { assertSameFiles, type OwnFile } from '../own-files.ts'
import { type Question, sideWriteReads } from '../side-writes-sql.ts'
import { SQLITE } from './side-writes.ts'
import { LEDGER_FILE } from './store.ts'

/** `files` are those that the writer has open, where there is one. A file that was put in their place meanwhile is not
 *  read; once open, the handle stays on the file it was opened on, whatever becomes of its name. */
export function openSqliteReader(folder: string, files: readonly OwnFile[] = []): LedgerReader {
  const db = new DatabaseSync(join(folder, LEDGER_FILE), { readOnly: true })
  try {
    const reader = sqliteReader(db, true)
    assertSameFiles(folder, files)
    return reader
  } catch (error) {
    db.close()
    throw error
  }
}

/** `owned` connections are closed with the reader; an in-memory ledger lends the writer's. */
export function sqliteReader(db: DatabaseSync, owned = false): LedgerReader {
  db.exec('PRAGMA busy_timeout = 5000')
  // Those about documents are prepared when they are first asked: a file from before there were any is still read.
  const prepared = new Map<string, StatementSync>(
    Object.entries(ledgerTexts(SQLITE)).map(([name, text]) => [name, db.prepare(text)]),
  )
  const ask = async ({ name, text, values }: Question): Promise<unknown[]> => {
    const statement = prepared.get(name) ?? db.prepare(text)
    prepared.set(name, statement)
    return statement.all(...values)
  }
  return {
    ...ledgerReads(SQLITE, ask),
    ...sideWriteReads(SQLITE, ask),
    time: async () => null,
    async close() {
      if (owned) db.close()
    },
  }
}
