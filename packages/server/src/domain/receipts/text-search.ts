/** Looks for a text in the newest receipts, and whether all of them are there: one that was taken away or rewritten would
 *  not be found, and whoever asks rests on its absence. */
import { TILE_WIDTH, utf8Encode } from '@orch/core'
import { areInTree, type TileReader, type TreeHead } from '../ledger-tree.ts'
import type { ReceiptReader, StoredReceipt } from '../stored-receipt.ts'

export interface TextSearch {
  /** The first receipt that holds the text; null without one. */
  found: StoredReceipt | null
  /** Receipts before this one were looked at. */
  to: number
  /** Index of the first receipts that are not those of the tree; null where all are. */
  damagedAt: number | null
}

type Reader = Pick<ReceiptReader, 'head' | 'range'> & TileReader

/** `tree` is what the asking process knows by itself; what another node recorded since is searched as it is stored. */
export async function searchText(reader: Reader, text: string, from: number, tree: TreeHead): Promise<TextSearch> {
  const wanted = Buffer.from(utf8Encode(text))
  const size = Math.max(tree.size, (await reader.head()).size)
  let at = from
  while (at < size) {
    const end = endOfSlice(at, at < tree.size ? tree.size : size)
    const rows = await reader.range(at, end - at)
    if (!isWhole(rows, at, end) || (end <= tree.size && !(await areInTree(reader, tree, rows))))
      return { found: null, to: at, damagedAt: at }
    const found = rows.find(({ body }) => Buffer.from(body.buffer, body.byteOffset, body.length).includes(wanted))
    if (found !== undefined) return { found, to: found.nodeIndex + 1, damagedAt: null }
    at = end
  }
  return { found: null, to: at, damagedAt: null }
}

/** As far as one tile goes. */
const endOfSlice = (from: number, size: number): number =>
  Math.min(size, (Math.floor(from / TILE_WIDTH) + 1) * TILE_WIDTH)

const isWhole = (rows: readonly StoredReceipt[], from: number, end: number): boolean =>
  rows.length === end - from && rows.every(({ nodeIndex }, n) => nodeIndex === from + n)
