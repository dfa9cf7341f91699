/** Copies of the database of a running service: receipts and everything beside them, as of one moment. Private keys are not
 *  in it: whoever reads a backup must not be able to sign. */
import { chmodSync, closeSync, fsyncSync, mkdirSync, openSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { backup, DatabaseSync } from 'node:sqlite'
import type { LedgerReader } from '../contract.ts'
import { openSqliteReader } from './sqlite/reader.ts'
import { LEDGER_FILE } from './sqlite/store.ts'

const NAME = /^database-\d{8}T\d{6}\d{3}Z$/

interface LedgerCopy {
  folder: string
  reader: LedgerReader
  /** Names of older copies that made room. */
  removed: string[]
}

/** The folder gets its name when the copy is whole. Of the copies in `out`, the newest `keep` stay. */
export async function copyLedger(data: string, out: string, keep: number, now: Date): Promise<LedgerCopy> {
  mkdirSync(out, { recursive: true, mode: 0o700 })
  const folder = join(out, `database-${now.toISOString().replaceAll(/[-:.]/g, '')}`)
  const partial = `${folder}.partial`
  rmSync(partial, { recursive: true, force: true })
  mkdirSync(partial, { mode: 0o700 })
  const source = new DatabaseSync(join(data, LEDGER_FILE), { readOnly: true })
  try {
    await backup(source, join(partial, LEDGER_FILE))
  } finally {
    source.close()
  }
  // One file, which stays one file whoever reads it; the service that opens it turns the log on again.
  const copy = new DatabaseSync(join(partial, LEDGER_FILE))
  copy.exec('PRAGMA journal_mode = DELETE')
  copy.close()
  chmodSync(join(partial, LEDGER_FILE), 0o600)
  const file = openSync(join(partial, LEDGER_FILE), 'r+')
  fsyncSync(file)
  closeSync(file)
  renameSync(partial, folder)
  const copies = readdirSync(out)
    .filter((name) => NAME.test(name))
    .sort()
  const removed = copies.slice(0, Math.max(0, copies.length - keep))
  for (const name of removed) rmSync(join(out, name), { recursive: true })
  return { folder, reader: openSqliteReader(folder), removed }
}
