/** What a start finds in the store and in the guard, read in the order that makes them comparable. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Checkpoint, frontierRoot } from '@orch/core'
import { folderGuard, GUARD_FILE, namedGuard } from '../../adapters/guard/guard.ts'
import type { LogKey } from '../../adapters/signers/log-key.ts'
import { RESTORE_PENDING, restoreSentence } from '../audit/guard-check.ts'
import type { OwnRecord } from '../audit/own-record.ts'
import { checkStart, type StartReport } from '../audit/start-check.ts'
import type { Guard, LedgerReader } from '../contract.ts'
import type { LedgerSettings } from '../protocol.ts'
import { openSqliteReader, sqliteReader } from '../store/sqlite/reader.ts'
import { sqliteStore } from '../store/sqlite/store.ts'
import type { LedgerStore } from '../store/store.ts'
import type { Head } from '../types.ts'

export async function openStore(settings: LedgerSettings): Promise<{ store: LedgerStore; reader: LedgerReader }> {
  if (settings.store === 'postgres') {
    const url = settings.postgresUrl!
    const { postgresStore } = await import('../store/postgres/store.ts')
    const { postgresReader } = await import('../store/postgres/reader.ts')
    const store = postgresStore({ url })
    await store.open()
    return { store, reader: postgresReader({ url }) }
  }
  const store = sqliteStore(settings.store === 'memory' ? null : settings.data)
  await store.open()
  if (settings.store === 'memory') return { store, reader: sqliteReader(store.database()) }
  return { store, reader: openSqliteReader(settings.data, store.files()) }
}

/** The guard of this ledger: the one the operator named, else the file in the data folder. */
export function openGuard(settings: LedgerSettings, { durability }: LedgerStore, vkey: string): Guard | null {
  if (durability === 'EPHEMERAL') return null
  return settings.guard ? namedGuard(settings.guard, vkey) : folderGuard(settings.data)
}

/** What it holds. One that the operator has just named takes over what the data folder held until now. */
export async function newestIn(
  guard: Guard,
  { data }: LedgerSettings,
  origin: string,
): Promise<{ note: string | null; isTakenOver: boolean }> {
  const note = await guard.newest(origin)
  if (note !== null || guard.kind === 'data-folder') return { note, isTakenOver: false }
  const before = await folderGuard(data).newest(origin)
  return { note: before, isTakenOver: before !== null }
}

/** Two places that both claim to hold the newest checkpoint would be one too many. */
export const leaveFolderGuard = ({ data }: LedgerSettings): void => rmSync(join(data, GUARD_FILE), { force: true })

export interface Examined extends StartReport {
  head: Head
  isTakenOver: boolean
  isRestorePending: boolean
  /** Why the operator has to accept the store, and how. */
  refusal: string | null
}

export interface StartParts {
  settings: LedgerSettings
  store: LedgerStore
  reader: LedgerReader
  logKey: LogKey
  record: OwnRecord
}

/** Null for a guard that does not answer. Rejects with `GuardUnavailable` where one that is given does not. */
export async function examineStart(parts: StartParts, guard: Guard | null): Promise<Examined> {
  const { settings, store, reader, logKey, record } = parts
  // The note in the store, then the guard, then the head: other nodes move them in the opposite order.
  const newest = await store.checkpoint()
  const found = guard === null ? null : await newestIn(guard, settings, logKey.signer.name)
  const head = await store.head()
  const isRestorePending = (await store.meta(RESTORE_PENDING)) === logKey.signer.name
  const seesAll = settings.guard != null || store.exclusive
  const report = await checkStart({
    ...{ reader, head, newest, vkey: logKey.vkey, isNewLog: logKey.isNew, record: record.read },
    guard: found === null ? null : { kind: guard!.kind, note: found.note, isRestorePending, seesAll },
  })
  const refusal = report.restore && restoreSentence(report.restore, settings.data, report.guardCheckpoint, headOf(head))
  return { ...report, head, refusal, isRestorePending, isTakenOver: found?.isTakenOver ?? false }
}

export const headOf = ({ size, frontier }: Head): Pick<Checkpoint, 'size' | 'root'> => ({
  size,
  root: frontierRoot(frontier),
})
