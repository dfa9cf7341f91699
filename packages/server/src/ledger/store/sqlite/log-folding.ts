// Exists for speed alone. Left to itself, SQLite folds its write-ahead log into the database file within a commit, and all who
// wait for that commit wait 18 to 26 ms longer, about once a second at 850 decisions a second. Another thread folds it here
// beforehand, so that the writer finds little left: at 400 decisions a second, sent evenly, p99 fell from 14 ms to 10, beside a
// service in which `mayFoldBesideWriter` says no. The rows of `npm run bench -- --spread` at half of what was answered right before
// show what is waited now.
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { gte } from 'semver'
import { assertSameFiles, type OwnFile } from '../own-files.ts'
import { LEDGER_FILE } from './store.ts'

/** Fewer pages are not worth a sync of the file. */
const MIN_PAGES = 500

/** Up to 3.51.2 SQLite may damage a database whose log begins anew while two connections fold it (sqlite.org/wal.html, "The
 *  WAL-Reset Bug"). There the writer folds alone, as it does by itself. */
export const mayFoldBesideWriter = (sqlite: string): boolean => gte(sqlite, '3.51.3')

interface LogPages {
  log: number
  checkpointed: number
}

/** Over a connection of its own, which copies pages and never writes any: SQLite lets it run beside the writer. `files` are
 *  those that the writer has open. */
export function openLogFolding(folder: string, files: readonly OwnFile[]) {
  const db = new DatabaseSync(join(folder, LEDGER_FILE))
  try {
    assertSameFiles(folder, files)
  } catch (error) {
    db.close()
    throw error
  }
  const look = db.prepare('PRAGMA wal_checkpoint(NOOP)')
  const fold = db.prepare('PRAGMA wal_checkpoint(PASSIVE)')
  return {
    pages: () => look.get() as unknown as LogPages,
    /** Whether there was enough to fold. */
    foldIfDue(): boolean {
      const { log, checkpointed } = look.get() as unknown as LogPages
      if (log - checkpointed < MIN_PAGES) return false
      fold.get()
      return true
    },
    close: () => db.close(),
  }
}
