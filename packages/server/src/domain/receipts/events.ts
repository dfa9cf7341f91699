/** Receipts as server-sent events, made where receipts are read: each one is parsed and written once, however many
 *  clients want it, and what crosses to the thread that serves them is bytes. */
import type { ReceiptReader, StoredReceipt } from '../stored-receipt.ts'
import { type ChainName, sees, type Viewer } from '../visibility.ts'
import { matcher, type ReceiptFilter } from './filter.ts'
import { type ReceiptRow, rowOf } from './row.ts'

const CHUNK = 256
/** Receipts looked at for one page of a replay: a filter that matches nothing costs no more than this in a turn. */
const MAX_SCANNED = 1_024
const MAX_PAGE_BYTES = 128 * 1024

/** What one client wants to hear of. */
export interface Wanted {
  viewer: Viewer
  filter: ReceiptFilter
  /** The chain the filter names as the viewer means it; null for any, `nobody` for one he may not see. */
  chain: ChainName | null | 'nobody'
}

export interface ReplayPage {
  bytes: Uint8Array
  /** Where the next page begins. */
  next: number
  /** Nothing more was stored when this was read. */
  atHead: boolean
}

/** Events of new receipts, one behind the other, and who wants which. */
export interface TailPage {
  next: number
  bytes: Uint8Array
  /** Of each event: the index of its receipt, and where its bytes end. */
  indexes: number[]
  endOffsets: number[]
  /** For each that asked: the places in the list above that it wants; null for all of them. */
  wanted: (number[] | null)[]
}

type Reader = Pick<ReceiptReader, 'range'>

const encoder = new TextEncoder()

export const eventOf = (name: string, data: object, id?: number): string =>
  `${id === undefined ? '' : `id: ${id}\n`}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`

export async function replayPage(reader: Reader, wanted: Wanted, from: number): Promise<ReplayPage> {
  const isWanted = matcherOf(wanted)
  let [text, next, atHead] = ['', from, false]
  while (!atHead && next - from < MAX_SCANNED && text.length < MAX_PAGE_BYTES) {
    const rows = await reader.range(next, CHUNK)
    atHead = rows.length < CHUNK
    for (const stored of rows) {
      next = stored.nodeIndex + 1
      const row = rowOf(stored)
      if (isWanted(stored, row)) text += receiptEvent(row)
      if (text.length >= MAX_PAGE_BYTES) break
    }
    atHead &&= next > (rows.at(-1)?.nodeIndex ?? -1)
  }
  return { bytes: encoder.encode(text), next, atHead }
}

export async function tailPage(reader: Reader, wanted: readonly Wanted[], from: number): Promise<TailPage> {
  const rows = await reader.range(from, CHUNK)
  const matchers = wanted.map(matcherOf)
  const heard = rows
    .map((stored) => ({ stored, row: rowOf(stored) }))
    .filter(({ stored, row }) => matchers.some((isWanted) => isWanted(stored, row)))
  return {
    ...joined(heard.map(({ row }) => encoder.encode(receiptEvent(row)))),
    next: (rows.at(-1)?.nodeIndex ?? from - 1) + 1,
    indexes: heard.map(({ row }) => row.node_index),
    wanted: matchers.map((isWanted) => placesOf(heard, isWanted)),
  }
}

function joined(texts: readonly Uint8Array[]): { bytes: Uint8Array; endOffsets: number[] } {
  const bytes = new Uint8Array(texts.reduce((sum, { length }) => sum + length, 0))
  const endOffsets: number[] = []
  let at = 0
  for (const text of texts) {
    bytes.set(text, at)
    at += text.length
    endOffsets.push(at)
  }
  return { bytes, endOffsets }
}

function placesOf(heard: readonly { stored: StoredReceipt; row: ReceiptRow }[], isWanted: Matcher): number[] | null {
  const places = heard.flatMap(({ stored, row }, at) => (isWanted(stored, row) ? [at] : []))
  return places.length === heard.length ? null : places
}

const receiptEvent = (row: ReceiptRow): string => eventOf('receipt', row, row.node_index)

type Matcher = (stored: StoredReceipt, row: ReceiptRow) => boolean

function matcherOf({ viewer, filter, chain }: Wanted): Matcher {
  const matches = matcher(filter)
  return (stored, row) => isOf(chain, stored) && sees(viewer, stored) && matches(row)
}

const isOf = (chain: Wanted['chain'], stored: StoredReceipt): boolean =>
  chain === null || (chain !== 'nobody' && stored.ns === chain.ns && stored.chain === chain.chain)
