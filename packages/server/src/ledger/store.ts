import type { ChainHead, CheckpointRow, Head, KeyRow, Placed, Row, StoredAnswer } from './types.ts'

/** The writing side of a store. One sequencer uses it, one call at a time.
 *
 *  MUST hold: `commit` returns only when the batch is durable; a batch is stored whole or not at all; the store itself
 *  refuses a second receipt at a place, a second successor of a receipt, a second receipt with a digest, and any change
 *  or removal of a receipt. Any rejection of `lock`, `write` or `commit` leaves nothing of the batch behind, or throws
 *  `OutcomeUnknown` where the store cannot tell. */
export interface LedgerStore {
  readonly durability: 'EPHEMERAL' | 'DURABLE' | 'DURABLE_EXTERNAL'
  /** True where no other process can append: the next batch may then be placed before the last one is durable. */
  readonly exclusive: boolean
  open(): Promise<void>
  /** Starts the batch and gives the head it must continue. */
  lock(): Promise<Head>
  head(): Promise<Head>
  /** The chain’s head, or null where the chain has not begun. */
  chain(ns: string, chain: string): Promise<ChainHead | null>
  answers(keys: readonly Uint8Array[]): Promise<(StoredAnswer | null)[]>
  write(batch: Batch): Promise<void>
  commit(): Promise<void>
  rollback(): Promise<void>
  keys(): Promise<KeyRow[]>
  /** Adds a key or ends one; the rows of the ring are the only ones that ever change. */
  putKey(key: KeyRow): Promise<void>
  checkpoint(): Promise<CheckpointRow | null>
  putCheckpoint(row: CheckpointRow): Promise<void>
  /** A value kept beside the ledger (the vkey of its log, say), or null. */
  meta(name: string): Promise<string | null>
  putMeta(name: string, value: string): Promise<void>
  /** Drops idempotency answers older than the time given. */
  forgetAnswers(beforeMs: number): Promise<number>
  close(): Promise<void>
}

export interface Batch {
  placed: readonly Placed[]
  signatures: readonly (Uint8Array | null)[]
  keyid: string | null
  /** Heads of every chain the batch touched. */
  chains: readonly ChainHead[]
  head: Head
  /** Hash tiles of the tree that became full with this batch. */
  tiles: readonly { level: number; index: number; data: Uint8Array }[]
  /** Levels whose filling tile differs from before. */
  changedEdges: readonly number[]
  answers: readonly { key: Uint8Array; request: Uint8Array; nodeIndex: number; answer: string; atMs: number }[]
}

/** The reading side. Never blocks a writer and sees only what is durable. All calls cost at most O(log n) unless the
 *  caller asks for a range. */
export interface LedgerReader {
  head(): Promise<{ size: number; frontier: Uint8Array[] }>
  byIndex(index: number): Promise<Row | null>
  byDigest(digest: string): Promise<Row | null>
  bySeq(ns: string, chain: string, seq: number): Promise<Row | null>
  /** Receipts from `from` on, in order, at most `limit`. */
  range(from: number, limit: number): Promise<Row[]>
  /** Receipts of one chain from `fromSeq` on, in order. */
  chainRange(ns: string, chain: string, fromSeq: number, limit: number): Promise<Row[]>
  chains(): Promise<ChainHead[]>
  /** The hashes of a tile, full or as far as it is filled; null where it has not begun. */
  tile(level: number, index: number): Promise<Uint8Array | null>
  keys(): Promise<KeyRow[]>
  checkpoint(): Promise<CheckpointRow | null>
  answer(key: Uint8Array): Promise<StoredAnswer | null>
  /** A value kept beside the ledger, such as the `log_vkey`. */
  meta(name: string): Promise<string | null>
  close(): Promise<void>
}

/** The connection went away between sending the commit and hearing of it. */
export class OutcomeUnknown extends Error {}
