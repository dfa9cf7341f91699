/** Work on a ledger at rest: `export`, `import`, `migrate`, `snapshot`, `restore`, `prove`, `accept-restore`. Run by the command line, one
 *  process per job; results as one JSON object on stdout, progress as JSON lines on stderr. The service that uses the
 *  data folder must be stopped, except for `export` and `prove`, which only read. */

import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { isUnsignedAt, type PublicKey, parseVkey } from '@orch/core'
import { LOG_KEY_FILE, loadLogKey } from '../../adapters/signers/log-key.ts'
import { readTrustedKeys } from '../../adapters/signers/signer.ts'
import { readConfig } from '../../config/config.ts'
import { ledgerSettings } from '../../config/ledger-settings.ts'
import { systemClock } from '../../platform/clock.ts'
import { RECORD_META, recordReader } from '../audit/own-record.ts'
import { NotProven, proveLedger } from '../audit/prove.ts'
import { rootHex } from '../batch.ts'
import type { LedgerReader } from '../contract.ts'
import { exported, exportLines, rowsBetween } from '../export.ts'
import { CUT_SHORT, Importer, INCOMING } from '../import.ts'
import { openLedger } from '../ledger.ts'
import { copyLedger } from '../store/database-copy.ts'
import { readSegments, SNAPSHOT_FOLDER, takeRest, takeSnapshots } from '../store/snapshots.ts'
import { openSqliteReader } from '../store/sqlite/reader.ts'
import { LEDGER_FILE, LEDGER_FILES, lockFolder, sqliteStore } from '../store/sqlite/store.ts'
import type { LedgerStore } from '../store/store.ts'
import { copySideWrites, digestSideWrites, hasStoredSideWrites } from './copy-side-writes.ts'
import { BrokenLedger, importExport, keyFrom, publicKeys } from './import-files.ts'
import { ImportedBudgets } from './imported-budgets.ts'

const PROGRESS_EVERY = 1_000
/** What the command line says for a verification that failed. */
const BROKEN_EXIT = 3
const MISUSE_EXIT = 2

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    data: { type: 'string' },
    from: { type: 'string' },
    to: { type: 'string' },
    out: { type: 'string' },
    'log-key': { type: 'string', multiple: true },
    'guard-head': { type: 'string' },
    'store-head': { type: 'string' },
    reason: { type: 'string' },
    database: { type: 'boolean' },
    keep: { type: 'string' },
  },
})

/** What the caller named is not what the job needs: exit code 2, as for every mistake on a command line. */
class Misuse extends Error {}

const need = (name: 'data' | 'from' | 'to' | 'guard-head' | 'store-head' | 'reason'): string => {
  const value = flags[name]
  if (value === undefined) throw new Misuse(`--${name} is missing`)
  return value
}
const progress = (done: number, total: number) => {
  if (done % PROGRESS_EVERY === 0 || done === total) process.stderr.write(`${JSON.stringify({ done, total })}\n`)
}
const finish = (result: object) => process.stdout.write(`${JSON.stringify({ ok: true, ...result })}\n`)

const isPostgres = (place: string): boolean => /^postgres(ql)?:\/\//.test(place)

async function openReader(place: string): Promise<LedgerReader> {
  if (!isPostgres(place)) {
    const folder = resolve(place)
    if (!existsSync(join(folder, LEDGER_FILE)))
      throw new Misuse(
        `--data ${folder} holds no ${LEDGER_FILE}; name the data folder of a ledger (ORCH_DATA of the service)`,
      )
    return openSqliteReader(folder)
  }
  return (await import('../store/postgres/reader.ts')).postgresReader({ url: place })
}

async function openEmptyStore(place: string): Promise<LedgerStore> {
  const store = isPostgres(place)
    ? (await import('../store/postgres/store.ts')).postgresStore({ url: place })
    : sqliteStore(folderAt(place))
  await store.open()
  const { size } = await store.head()
  const cutShort = ((await store.meta(INCOMING)) ?? '') !== ''
  if (size === 0 && !cutShort) return store
  await store.close()
  throw new Error(cutShort ? CUT_SHORT : `the target already holds ${size} receipts; it must be empty`)
}

/** Fills a store that has to be empty. What fails takes away what it placed; what it cannot take away says of itself that
 *  it is no ledger. */
async function filling<T>(place: string, work: (store: LedgerStore) => Promise<T>): Promise<T> {
  const isFolder = !isPostgres(place)
  const [hadFolder, hadLedger] = [existsSync(place), isFolder && existsSync(join(place, LEDGER_FILE))]
  const store = await openEmptyStore(place)
  try {
    const result = await work(store)
    await store.close()
    return result
  } catch (error) {
    await store.rollback()
    await store.close()
    if (isFolder && !hadFolder) rmSync(place, { recursive: true, force: true })
    else if (isFolder && !hadLedger) for (const name of LEDGER_FILES) rmSync(join(place, name), { force: true })
    throw error
  }
}

function folderAt(place: string): string {
  mkdirSync(place, { recursive: true, mode: 0o700 })
  return resolve(place)
}

const commands: Record<string, () => Promise<void>> = {
  async export() {
    const reader = await openReader(need('data'))
    const total = (await reader.head()).size
    let done = -1
    for await (const line of exportLines(reader)) {
      if (!process.stdout.write(`${line}\n`)) await new Promise((drained) => process.stdout.once('drain', drained))
      done += 1
      if (done > 0) progress(done, total)
    }
  },

  async import() {
    const data = need('data')
    // Opened first: a file that cannot be read leaves no folder behind.
    const file = await open(need('from'))
    finish(await filling(data, (store) => importExport(store, file, flags['log-key'] ?? [], progress)))
  },

  /** Byte for byte into an empty target, then both sides proven and compared. Receipts come last: a move that is cut
   *  short lacks receipts, which the checkpoint kept in the data folder shows, and never the state that goes with them. */
  async migrate() {
    const from = need('data')
    // The service must be stopped: what it records meanwhile would be acknowledged and lost.
    const fence = isPostgres(from) ? null : lockFolder(resolve(from))
    const source = await openReader(from)
    try {
      finish(await filling(need('to'), (store) => move(source, store)))
    } finally {
      await source.close()
      fence?.close()
    }
  },

  /** All of the ledger, the last segment as short as it is; again and again into one folder, of which what is new is written. The
   *  service may run: readers see one moment of the store. With `--database` a copy of the database itself as well. */
  async snapshot() {
    const data = need('data')
    const reader = await openReader(data)
    // A backup of a broken ledger could not be restored, and nobody would know before that day.
    const { size } = await proveLedger(reader, await vkeyOf(data, reader), progress)
    const out = flags.out ?? join(data, SNAPSHOT_FOLDER)
    const segments = (await takeSnapshots(reader, out, size)).written + (await takeRest(reader, out, size))
    await reader.close()
    progress(size, size)
    const copied = flags.database ? await copyDatabase(data, out, keepOf(flags.keep)) : {}
    finish({ size, segments, folder: out, ...copied })
  },

  async restore() {
    const repaired: { segment: string; shards: number[] }[] = []
    const result = await filling(need('data'), async (store) => {
      const keys = new Map<string, PublicKey>()
      const budgets = new ImportedBudgets()
      let importer: Importer | null = null
      let declared = (_: number) => false
      for (const segment of readSegments(need('from'))) {
        const ring = segment.keys.map(keyFrom)
        // Each segment knows what its ledger had declared by then.
        declared = segment.declared
        importer ??= await Importer.begin(store, { keys, declared: (index) => declared(index) })
        for (const [keyid, key] of publicKeys(ring)) keys.set(keyid, key)
        for (const key of ring) await store.putKey(key)
        for (const receipt of segment.receipts) {
          await importer.push(receipt)
          budgets.note(receipt)
          progress(importer.size, segment.nodeIndex + 1)
        }
        await importer.flush()
        if (rootHex(importer.current) !== segment.root)
          throw new Error(`segment ${segment.name} does not lead to the root in its header`)
        if (segment.erased.length > 0) repaired.push({ segment: segment.name, shards: segment.erased })
      }
      if (importer === null) throw new Error('there is no segment of a snapshot in that folder')
      await budgets.write(store)
      await importer.finish()
      return { size: importer.size, root: rootHex(importer.current) }
    })
    finish({ ...result, repaired })
  },

  /** The full re-walk from genesis. */
  async prove() {
    const data = need('data')
    const reader = await openReader(data)
    finish({ ...(await proveLedger(reader, await vkeyOf(data, reader), progress)) })
    await reader.close()
  },

  /** The one job that needs the settings of the service: its guard, its signer, its store. */
  async 'accept-restore'() {
    const config = readConfig()
    const acceptRestore = { guardHead: need('guard-head'), storeHead: need('store-head'), reason: need('reason') }
    const settings = { ...ledgerSettings(config, resolve(need('data'))), acceptRestore }
    const ledger = await openLedger(settings, readTrustedKeys(config.trustedKeys))
    const { size, root, readOnly } = ledger.state()
    const receipt = await ledger.reader.byIndex(size - 1)
    await ledger.close()
    if (readOnly !== null) throw new Error(readOnly)
    finish({ size, root, receipt: receipt?.digest, origin: parseVkey(ledger.vkey)?.name, log_key: ledger.vkey })
  },
}

function keepOf(keep = '7'): number {
  if (!/^[1-9]\d{0,3}$/.test(keep)) throw new Misuse('--keep is a whole number from 1 to 9999')
  return Number(keep)
}

async function copyDatabase(data: string, out: string, keep: number): Promise<object> {
  if (isPostgres(data)) throw new Error('a database of PostgreSQL is copied with pg_dump; leave --database out')
  const copy = await copyLedger(data, out, keep, new Date(systemClock.now()))
  const vkey = await vkeyOf(data, copy.reader)
  // A copy that was not read again is a hope.
  const { size, root } = await proveLedger(copy.reader, vkey)
  await copy.reader.close()
  return { database: copy.folder, database_size: size, database_root: root, removed: copy.removed }
}

async function move(source: LedgerReader, store: LedgerStore): Promise<object> {
  const { size } = await source.head()
  const target = await openReader(need('to'))
  if (await hasStoredSideWrites(target))
    throw new Error('the target holds the rest of a move that was cut short; empty it')
  const keys = await source.keys()
  const vkey = await vkeyOf(need('data'), source)
  const record = vkey === null ? null : await recordReader((name) => source.meta(name), vkey)()
  const declared = (index: number) => record !== null && isUnsignedAt(record, index)
  const importer = await Importer.begin(store, { keys: publicKeys(keys), declared })
  await copySideWrites(source, store)
  for (const name of ['log_vkey', 'log_origin', RECORD_META]) {
    const value = await source.meta(name)
    if (value !== null) await store.putMeta(name, value)
  }
  for (const key of keys) await store.putKey(key)
  for await (const row of rowsBetween(source, 0, size)) {
    await importer.push(exported(row))
    progress(importer.size, size)
  }
  await importer.flush()
  const checkpoint = await source.checkpoint()
  if (checkpoint !== null && checkpoint.size <= size) await store.putCheckpoint(checkpoint)
  const proven = { source: await proveLedger(source, vkey), target: await proveLedger(target, vkey) }
  const digests = { source: await digestSideWrites(source), target: await digestSideWrites(target) }
  if (proven.source.root !== proven.target.root || digests.source !== digests.target)
    throw new Error('the two ledgers differ after the move; do not use the target')
  if (proven.source.size !== size)
    throw new Error('the source grew while it was copied; stop every service that uses it and move it again')
  await importer.finish()
  await target.close()
  return { size, root: proven.target.root, signed: proven.target.signed, checkpoint: proven.target.checkpoint }
}

/** The verification key of the log: by its private key where that lies in the folder, else as the store says. Null for a
 *  ledger that no log key has met yet. */
async function vkeyOf(place: string, reader: LedgerReader): Promise<string | null> {
  const stated = await reader.meta('log_vkey')
  if (stated === null || isPostgres(place) || !existsSync(join(place, LOG_KEY_FILE))) return stated
  const { vkey } = loadLogKey(place, parseVkey(stated)?.name ?? 'unknown')
  if (vkey !== stated) throw new BrokenLedger('the log key in the data folder is not the one this ledger names')
  return vkey
}

async function main(): Promise<void> {
  const command = commands[positionals[0] ?? '']
  if (command === undefined) throw new Misuse(`choose one of ${Object.keys(commands).join(', ')}`)
  await command()
}

main().catch((error: Error) => {
  process.stderr.write(`${JSON.stringify({ error: error.message })}\n`)
  process.exitCode =
    error instanceof BrokenLedger || error instanceof NotProven
      ? BROKEN_EXIT
      : error instanceof Misuse
        ? MISUSE_EXIT
        : 1
})
