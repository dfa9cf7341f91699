/** Pages of receipts, newest first. A call reads a bounded number of rows whatever it is asked for: a filter that
 *  matches little gives a short page and a cursor that goes on. */

import { InputError } from '../../errors.ts'
import type { ReceiptReader, StoredReceipt } from '../stored-receipt.ts'
import { type ChainName, sees, seesWhole, type Viewer } from '../visibility.ts'
import { matcher, narrowsByChainOnly, type ReceiptFilter } from './filter.ts'
import { type LakeRecord, lakeRecord } from './lake.ts'
import { type ReceiptRow, rowOf } from './row.ts'

export const MAX_SCANNED = 5_000
const CHUNK = 250

export interface Page<T = ReceiptRow> {
  receipts: T[]
  next_cursor: string | null
  scanned: number
  /** Matches in the whole ledger, where that is known. */
  count: number | null
}

export interface PageRequest {
  limit: number
  cursor?: string | undefined
  filter: ReceiptFilter
  /** The chain the filter names, as the viewer means it. */
  chain: ChainName | null
}

/** Where to read: all rows by node index, or one chain by its own numbers. */
interface Track {
  letter: 'i' | 's'
  size: number
  read(from: number, limit: number): Promise<StoredReceipt[]>
  place(row: StoredReceipt): number
}

export async function pageOf(reader: ReceiptReader, viewer: Viewer, request: PageRequest): Promise<Page> {
  const { rows, ...page } = await rowsOf(reader, viewer, request)
  return { ...page, receipts: rows.map(rowOf) }
}

/** The same receipts as links of the lake chains. */
export async function lakePageOf(
  reader: ReceiptReader,
  viewer: Viewer,
  request: PageRequest,
): Promise<Page<LakeRecord>> {
  const { rows, ...page } = await rowsOf(reader, viewer, request)
  return { ...page, receipts: await Promise.all(rows.map((row) => lakeRecord(reader, row))) }
}

/** The newest receipts that the viewer may see, newest first, of the first `size` where that is said. */
export async function newestOf(
  reader: ReceiptReader,
  viewer: Viewer,
  limit: number,
  size?: number,
): Promise<StoredReceipt[]> {
  const cursor = size === undefined ? undefined : `i${size}`
  return (await rowsOf(reader, viewer, { limit, cursor, filter: {}, chain: null })).rows
}

interface FoundRows extends Omit<Page, 'receipts'> {
  rows: StoredReceipt[]
}

async function rowsOf(reader: ReceiptReader, viewer: Viewer, request: PageRequest): Promise<FoundRows> {
  const track = await trackOf(reader, request.chain)
  const matches = matcher(request.filter)
  const page: FoundRows = { rows: [], next_cursor: null, scanned: 0, count: countOf(track, viewer, request) }
  let before = startOf(track, request.cursor)
  while (before > 0 && page.rows.length < request.limit && page.scanned < MAX_SCANNED) {
    const from = Math.max(0, before - Math.min(CHUNK, MAX_SCANNED - page.scanned))
    const chunk = (await track.read(from, before - from)).filter((row) => track.place(row) < before)
    page.scanned += before - from
    before = from
    for (const row of chunk.reverse()) {
      if (!sees(viewer, row) || !matches(rowOf(row))) continue
      page.rows.push(row)
      if (page.rows.length < request.limit) continue
      before = track.place(row)
      break
    }
  }
  page.next_cursor = before > 0 ? `${track.letter}${before}` : null
  return page
}

async function trackOf(reader: ReceiptReader, chain: ChainName | null): Promise<Track> {
  if (chain === null) {
    const { size } = await reader.head()
    return { letter: 'i', size, read: (from, limit) => reader.range(from, limit), place: ({ nodeIndex }) => nodeIndex }
  }
  const { ns, chain: name } = chain
  const found = (await reader.chains()).find((one) => one.ns === ns && one.chain === name)
  return {
    letter: 's',
    size: found?.depth ?? 0,
    read: (from, limit) => reader.chainRange(ns, name, from, limit),
    place: ({ seq }) => seq,
  }
}

/** A cursor names the place the page before ended at; one of another list is refused rather than misread. Asked before
 *  the question goes to the reading thread, whose refusals are not the caller's. */
export function assertCursor(cursor: string | undefined, chain: ChainName | null): void {
  if (cursor !== undefined && !cursor.startsWith(chain === null ? 'i' : 's'))
    throw new InputError([
      {
        loc: ['query', 'cursor'],
        msg: 'this cursor is of another list; use next_cursor of the page before, such as i42',
        type: 'cursor',
      },
    ])
}

const startOf = ({ size }: Track, cursor: string | undefined): number =>
  cursor === undefined ? size : Math.min(size, Number(cursor.slice(1)))

function countOf({ size }: Track, viewer: Viewer, { filter, chain }: PageRequest): number | null {
  const whole = chain === null ? viewer.authMode !== 'registry' : seesWhole(viewer, chain.ns)
  return whole && narrowsByChainOnly(filter) ? size : null
}
