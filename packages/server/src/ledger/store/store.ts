import type { AnswerRow, ChainHead, CheckpointRow, DocumentId, KeyRow, StoredAnswer, StoreModes } from '../contract.ts'
import type { CounterChange, DocumentChange, StoredVersion } from '../side-writes.ts'
import type { Head, Placed } from '../types.ts'
import type { OwnFile } from './own-files.ts'

/** The writing side of a store. One sequencer uses it, one call at a time.
 *
 *  MUST hold: `commit` returns only when the batch is durable; a batch is stored whole or not at all; the store itself
 *  refuses a second receipt at a place, a second successor of a receipt, a second receipt with a digest, and any change
 *  or removal of a receipt. Any rejection of `lock`, `begin`, `write` or `commit` leaves nothing of the batch behind, or throws
 *  `OutcomeUnknown` where the store cannot tell. */
export interface LedgerStore {
  readonly durability: 'EPHEMERAL' | 'DURABLE' | 'DURABLE_EXTERNAL'
  /** True where no other process can append: the next batch may then be placed before the last one is durable. */
  readonly exclusive: boolean
  open(): Promise<void>
  /** Throws `StoreReplaced` where the files of the store are no longer those it opened; nothing it took may then be
   *  acknowledged. Nothing to do where the files are another machine's. */
  assertOwnFiles(): void
  /** Those files, for a reader to compare with the ones it opens. */
  files(): readonly OwnFile[]
  /** Starts the batch and gives the head it must continue. */
  lock(): Promise<Head>
  /** Starts a batch whose head its caller knows or does not need: reading one is an eighth of what a small batch costs. */
  begin(): Promise<void>
  head(): Promise<Head>
  /** The chain's head, or null where the chain has not begun. */
  chain(ns: string, chain: string): Promise<ChainHead | null>
  answers(keys: readonly Uint8Array[]): Promise<(StoredAnswer | null)[]>
  /** The versions documents are at, removed ones included; null for those that never were. */
  documentVersions(ids: readonly DocumentId[]): Promise<(StoredVersion | null)[]>
  /** The values of counters; null for those that were never moved. */
  counterValues(ids: readonly DocumentId[]): Promise<(number | null)[]>
  write(batch: Batch): Promise<void>
  /** Documents of a batch without receipts. Rejects where one is not at the version it is said to replace. */
  writeDocuments(changes: readonly DocumentChange[]): Promise<void>
  /** The same of counters, for the value each is said to have had. */
  writeCounters(changes: readonly CounterChange[]): Promise<void>
  /** Answers of another store, as they are there. */
  putAnswers(rows: readonly AnswerRow[]): Promise<void>
  commit(): Promise<void>
  rollback(): Promise<void>
  modes(): Promise<StoreModes>
  /** While on, what a batch writes goes to the disk as it comes and not only with the commit. Nothing to do where the
   *  disk is another machine's. */
  spill(on: boolean): void
  keys(): Promise<KeyRow[]>
  /** Adds a key, ends one, or puts its kind right; the rows of the ring are the only ones that ever change. */
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
  /** The key in charge of the batch; with it and without a signature, the signer did not answer. It is not in charge of
   *  receipts that are unsigned by choice: those are stored without a key. */
  keyid: string | null
  /** Heads of every chain the batch touched. */
  chains: readonly ChainHead[]
  head: Head
  /** Hash tiles of the tree that became full with this batch. */
  tiles: readonly { level: number; index: number; data: Uint8Array }[]
  /** Levels whose filling tile differs from before. */
  changedEdges: readonly number[]
  answers: readonly { key: Uint8Array; request: Uint8Array; nodeIndex: number; answer: string; atMs: number }[]
  /** One change per document; absent where no entry has any. */
  documents?: readonly DocumentChange[]
  /** One change per counter, likewise. */
  counters?: readonly CounterChange[]
}

/** The connection went away between sending the commit and hearing of it. */
export class OutcomeUnknown extends Error {}
