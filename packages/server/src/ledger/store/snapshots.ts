/** Snapshots that outlive four lost files of ten: the ledger in segments of a thousand receipts, each cut by RS(10,6)
 *  into ten shards. A segment is written once; taking the next one never touches those before. */

import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  type ExportedKey,
  freeBytes,
  isUnsignedAt,
  type LedgerExportReceipt,
  packSnapshot,
  parseNote,
  parseRecord,
  readHeaderLine,
  readReceiptLine,
  receiptLine,
  TOTAL_SHARDS,
  unpackSnapshot,
} from '@orch/core'
import type { LedgerReader } from '../contract.ts'
import { exported, exportHeader, rootHexAt, rowsBetween } from '../export.ts'

const SEGMENT = 1_000
export const SNAPSHOT_FOLDER = 'snapshots'

/** From one look to the next where nothing is to be written. */
const LOOK_MS = 5_000
/** Looks at a busy ledger from one segment to the next. */
const BUSY_LOOKS = 12
/** A ledger that lacks more is not spared any longer: what was promised for every thousand receipts has to come. */
const MAX_MISSING = 5_000
/** After a segment, so many times as long as it took. */
const RESTS = 4

/** When segments are written, one at each look: a snapshot must not slow the receipts it is made of, and a segment takes the
 *  processor for as long as a hundred decisions do. A ledger that grows by more than a segment between two looks gets few.
 *  Any other gets one after the other with rests between them, and becomes busy from one to the next: a thousand that are
 *  missing do not hold a core for minutes because the ledger was at rest when the first of them was begun. */
export function snapshotPace() {
  let busyLooks = 0
  return {
    /** By how much the ledger has grown since the look before, how long ago that was, and how many segments it lacked. */
    most(grown: number, elapsedMs: number, missing: number): 0 | 1 {
      busyLooks = grown * LOOK_MS > SEGMENT * elapsedMs ? busyLooks + 1 : 0
      return busyLooks === 0 || busyLooks % BUSY_LOOKS === 1 || missing > MAX_MISSING ? 1 : 0
    },
    restMs: (written: number, tookMs: number): number => (written === 0 ? LOOK_MS : Math.min(LOOK_MS, RESTS * tookMs)),
  }
}

const segmentName = (from: number): string => String(from).padStart(15, '0')
/** Of the last segment while it is short: it has a name of its own, so that it is never taken for a full one. */
const shortName = (from: number, to: number): string => `${segmentName(from)}-${segmentName(to)}`
const SEGMENT_NAME = /^(\d{15})(?:-(\d{15}))?$/
const shardName = (shard: number): string => `shard-${shard}.rs`

/** Writes full segments that are not there yet, oldest first, at most so many. Returns how many it wrote, and how many are
 *  still missing. */
export async function takeSnapshots(
  reader: LedgerReader,
  folder: string,
  size: number,
  most = Number.POSITIVE_INFINITY,
): Promise<{ written: number; missing: number }> {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const present = new Set(readdirSync(folder))
  let [written, missing] = [0, 0]
  for (let from = 0; from + SEGMENT <= size; from += SEGMENT) {
    if (present.has(segmentName(from))) continue
    if (written === most) missing += 1
    else {
      await writeSegment(reader, folder, from, from + SEGMENT)
      written += 1
    }
  }
  return { written, missing }
}

/** What is left over after the full segments. The one before it goes when the new one is whole. */
export async function takeRest(reader: LedgerReader, folder: string, size: number): Promise<number> {
  const from = size - (size % SEGMENT)
  const name = shortName(from, size)
  const present = readdirSync(folder).filter((one) => one.includes('-') && SEGMENT_NAME.test(one))
  const isNew = from < size && !present.includes(name)
  if (isNew) await writeSegment(reader, folder, from, size, name)
  for (const one of present) if (one !== name) rmSync(join(folder, one), { recursive: true })
  return isNew ? 1 : 0
}

/** The folder gets its name when all ten shards are in it: half a segment is never taken for one. */
async function writeSegment(
  reader: LedgerReader,
  folder: string,
  from: number,
  to: number,
  name = segmentName(from),
): Promise<void> {
  const root = await rootHexAt(reader, to)
  const lines = [`${await exportHeader(reader, to, root, null)}\n`]
  for await (const row of rowsBetween(reader, from, to)) lines.push(`${receiptLine(exported(row))}\n`)
  const bytes = new TextEncoder().encode(lines.join(''))
  const { files } = packSnapshot({ bytes, node_index: to - 1, root })
  const partial = join(folder, `${name}.partial`)
  rmSync(partial, { recursive: true, force: true })
  mkdirSync(partial, { mode: 0o700 })
  files.forEach((bytes, shard) => {
    writeFileSync(join(partial, shardName(shard)), bytes, { mode: 0o600, flush: true })
  })
  renameSync(partial, join(folder, name))
  freeBytes([bytes, ...files])
}

interface Segment {
  name: string
  nodeIndex: number
  root: string
  /** Shards that were lost or altered and have been made good. */
  erased: number[]
  keys: readonly ExportedKey[]
  receipts: LedgerExportReceipt[]
  /** Whether the ledger recorded the receipt of this index without a signature. */
  declared(nodeIndex: number): boolean
}

/** The segments of a snapshot in order; throws at the first that cannot be made whole. */
export function* readSegments(folder: string): Generator<Segment> {
  for (const name of segmentNames(folder)) {
    const report = unpackSnapshot(
      Array.from({ length: TOTAL_SHARDS }, (_, shard) => readShard(join(folder, name, shardName(shard)))),
    )
    if (!report.ok)
      throw new Error(`segment ${name} cannot be restored: ${report.reason} (lost shards ${report.erased.join(', ')})`)
    const [first, ...lines] = new TextDecoder().decode(report.data).trimEnd().split('\n')
    const header = readHeaderLine(first ?? '')
    const receipts = lines.map(readReceiptLine)
    if (header === null || receipts.includes(null))
      throw new Error(`segment ${name} is whole but does not hold receipts`)
    yield {
      name,
      nodeIndex: report.header!.node_index,
      root: report.header!.root,
      erased: report.erased,
      keys: header.keys,
      receipts: receipts as LedgerExportReceipt[],
      declared: declaredBy(header.record),
    }
  }
}

/** Full segments in order, and the newest short one behind them. A short one that a full one has overtaken is left out. */
function segmentNames(folder: string): string[] {
  const names = readdirSync(folder).filter((name) => SEGMENT_NAME.test(name))
  const full = names.filter((name) => !name.includes('-')).sort()
  const short = names.filter((name) => name.includes('-') && !full.includes(name.split('-')[0]!)).sort()
  return [...full, ...short.slice(-1)]
}

/** Whether the record of a ledger, as stated, says that the receipt of an index was recorded without a signature. */
export function declaredBy(record: string | undefined): (nodeIndex: number) => boolean {
  const note = record === undefined ? null : parseNote(record)
  const stated = note === null ? null : parseRecord(note.text)
  return (nodeIndex) => stated !== null && isUnsignedAt(stated, nodeIndex)
}

function readShard(file: string): Uint8Array | null {
  try {
    return readFileSync(file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}
