/** Work on a ledger at rest: `export`, `import`, `migrate`, `snapshot`, `restore`, `prove`. Run by the command line, one
 *  process per job; results as one JSON object on stdout, progress as JSON lines on stderr. The service that uses the
 *  data folder must be stopped, except for `export` and `prove`, which only read. */

import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { ChainWalker } from '@orch/core'
import { copyCompanions, digestCompanions, hasCompanions } from './ledger/companions.ts'
import { exported, exportLines, rootHexAt, rowsBetween } from './ledger/export.ts'
import { Importer } from './ledger/import.ts'
import { openSqliteReader } from './ledger/reader-sqlite.ts'
import { rootHex } from './ledger/sequencer.ts'
import { readSegments, SNAPSHOT_FOLDER, takeSnapshots, writeSegment } from './ledger/snapshots.ts'
import type { LedgerStore } from './ledger/store.ts'
import { sqliteStore } from './ledger/store-sqlite.ts'
import type { LedgerReader } from './ledger-contract.ts'
import { BrokenLedger, importExport, keyFrom } from './ledger-import.ts'

const PROGRESS_EVERY = 1_000
/** What the command line says for a verification that failed. */
const BROKEN_EXIT = 3

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: { data: { type: 'string' }, from: { type: 'string' }, to: { type: 'string' }, out: { type: 'string' } },
})

const need = (name: 'data' | 'from' | 'to'): string => {
  const value = flags[name]
  if (value === undefined) throw new Error(`--${name} is missing`)
  return value
}
const progress = (done: number, total: number) => {
  if (done % PROGRESS_EVERY === 0 || done === total) process.stderr.write(`${JSON.stringify({ done, total })}\n`)
}
const finish = (result: object) => process.stdout.write(`${JSON.stringify({ ok: true, ...result })}\n`)

const isPostgres = (place: string): boolean => /^postgres(ql)?:\/\//.test(place)

async function openReader(place: string): Promise<LedgerReader> {
  if (!isPostgres(place)) return openSqliteReader(resolve(place))
  return (await import('./ledger/reader-postgres.ts')).postgresReader({ url: place })
}

async function openEmptyStore(place: string): Promise<LedgerStore> {
  const store = isPostgres(place)
    ? (await import('./ledger/store-postgres.ts')).postgresStore({ url: place })
    : sqliteStore(folderAt(place))
  await store.open()
  const { size } = await store.head()
  if (size === 0) return store
  await store.close()
  throw new Error(`the target already holds ${size} receipts; it must be empty`)
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
    const isOurs = !isPostgres(data) && !existsSync(data)
    const store = await openEmptyStore(data)
    try {
      const result = await importExport(store, file, progress)
      await store.close()
      finish(result)
    } catch (error) {
      await store.close()
      if (isOurs) rmSync(data, { recursive: true, force: true })
      throw error
    }
  },

  /** Byte for byte into an empty target, then both sides re-walked and compared. Receipts come last: a move that is cut
   *  short lacks receipts, which the checkpoint kept in the data folder shows, and never the state that goes with them. */
  async migrate() {
    const source = await openReader(need('data'))
    const { size } = await source.head()
    const store = await openEmptyStore(need('to'))
    const target = await openReader(need('to'))
    if (await hasCompanions(target)) throw new Error('the target holds the rest of a move that was cut short; empty it')
    await copyCompanions(source, store)
    await store.putMeta('log_vkey', (await source.meta('log_vkey'))!)
    for (const key of await source.keys()) await store.putKey(key)
    const importer = new Importer(store, await store.head())
    for await (const row of rowsBetween(source, 0, size)) {
      await importer.push(exported(row))
      progress(importer.size, size)
    }
    await importer.flush()
    const checkpoint = await source.checkpoint()
    if (checkpoint !== null && checkpoint.size <= size) await store.putCheckpoint(checkpoint)
    const walked = { source: await walk(source, size), target: await walk(target, size) }
    const stored = { source: await rootHexAt(source, size), target: await rootHexAt(target, size) }
    const beside = { source: await digestCompanions(source), target: await digestCompanions(target) }
    const roots = new Set([walked.source, walked.target, stored.source, stored.target])
    if (roots.size !== 1 || beside.source !== beside.target)
      throw new Error('the two ledgers differ after the move; do not use the target')
    await Promise.all([store.close(), source.close(), target.close()])
    finish({ size, root: walked.target })
  },

  /** All of the ledger, the last segment as short as it is. */
  async snapshot() {
    const data = need('data')
    const reader = await openReader(data)
    const { size } = await reader.head()
    const out = flags.out ?? join(data, SNAPSHOT_FOLDER)
    const written = await takeSnapshots(reader, out, size)
    const rest = size % 1_000
    if (rest > 0) await writeSegment(reader, out, size - rest, size)
    progress(size, size)
    finish({ size, segments: written + (rest > 0 ? 1 : 0), folder: out })
  },

  async restore() {
    const store = await openEmptyStore(need('data'))
    const importer = new Importer(store, await store.head())
    const repaired: { segment: string; shards: number[] }[] = []
    for (const segment of readSegments(need('from'))) {
      for (const key of segment.keys) await store.putKey(keyFrom(key))
      for (const receipt of segment.receipts) {
        await importer.push(receipt)
        progress(importer.size, segment.nodeIndex + 1)
      }
      await importer.flush()
      if (rootHex(importer.current) !== segment.root)
        throw new Error(`segment ${segment.name} does not lead to the root in its header`)
      if (segment.erased.length > 0) repaired.push({ segment: segment.name, shards: segment.erased })
    }
    await store.close()
    finish({ size: importer.size, root: rootHex(importer.current), repaired })
  },

  /** The full re-walk from genesis. */
  async prove() {
    const reader = await openReader(need('data'))
    const { size } = await reader.head()
    const root = await walk(reader, size)
    const stored = await rootHexAt(reader, size)
    if (root !== stored) throw new BrokenLedger(`the receipts add up to ${root}, the tree says ${stored}`)
    finish({ size, root })
  },
}

async function walk(reader: LedgerReader, size: number): Promise<string> {
  const walker = new ChainWalker()
  for await (const row of rowsBetween(reader, 0, size)) {
    walker.push({ node_index: row.nodeIndex, body: row.body, digest: row.digest, lake: row.lake })
    progress(row.nodeIndex + 1, size)
  }
  const report = walker.finish()
  if (report.broken !== null)
    throw new BrokenLedger(`receipt ${report.broken.broken_at} is broken: ${report.broken.reason}`)
  return report.root
}

async function main(): Promise<void> {
  const command = commands[positionals[0] ?? '']
  if (command === undefined) throw new Error(`choose one of ${Object.keys(commands).join(', ')}`)
  await command()
}

main().catch((error: Error) => {
  process.stderr.write(`${JSON.stringify({ error: error.message })}\n`)
  process.exitCode = error instanceof BrokenLedger ? BROKEN_EXIT : 1
})
