/** The receipts of one chain as they follow each other: every place is taken, each names the one before, in both
 *  chains of hashes, and the chain ends where the ledger says that it does. */
import { lakeHash, organOf } from '@orch/core'
import type { ChainHead, Row } from '../../../ledger/contract.ts'
import { FIRST_PREV } from './state.ts'

export interface ChainPlace {
  /** Place of the next receipt. */
  seq: number
  /** Digest and lake hash of the receipt before it. */
  digest: string
  lake: string
}

export const chainStart = (): ChainPlace => ({ seq: 0, digest: FIRST_PREV, lake: FIRST_PREV })

export type LinkedRow = Pick<Row, 'ns' | 'chain' | 'seq' | 'prev' | 'digest' | 'lake'>

/** `ts_utc` from the receipt's own bytes. Null where it is the next one. */
export function linkFault(place: ChainPlace, row: LinkedRow, ts_utc: string): 'missing_receipt' | 'link' | null {
  if (row.seq !== place.seq) return 'missing_receipt'
  const organ = organOf(row.ns, row.chain)
  const link = { organ, chain_index: row.seq + 1, prev_hash: place.lake, receipt_digest: row.digest, ts_utc }
  return row.prev === place.digest && row.lake === lakeHash(link) ? null : 'link'
}

/** Where a chain ends, as the ledger keeps it apart from the receipts. */
export type ChainEnd = Pick<ChainHead, 'depth' | 'head' | 'lake'>

/** Whether this place is the end as it was read before: receipts may have come since. */
export const isAtEnd = ({ seq }: ChainPlace, end: ChainEnd): boolean => seq === end.depth

export const isEnd = ({ digest, lake }: ChainPlace, end: ChainEnd): boolean =>
  end.depth === 0 || (digest === end.head && lake === end.lake)
