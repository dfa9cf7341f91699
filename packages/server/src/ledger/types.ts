/** The words the ledger’s parts share. Plain data: all of it crosses a thread boundary. */
import type { BodyTemplate, Frontier } from '@orch/core'

/** What a caller hands in: everything about a receipt but its place. */
export interface Entry {
  ns: string
  chain: string
  ts: string
  template: BodyTemplate
  idempotency: Idempotency | null
}

/** One answer per key: the first commit under a key wins, later ones get its answer back. */
export interface Idempotency {
  /** SHA-256 over namespace, owner, operation and the caller’s key. */
  key: Uint8Array
  /** SHA-256 of the canonical request: the same key with another request is a conflict. */
  request: Uint8Array
  /** What the operation will answer, apart from what the ledger adds; replays are rebuilt from it byte for byte. */
  answer: string
}

/** Where a chain stands. Digests in lower-case hex. */
export interface ChainHead {
  id: number
  ns: string
  chain: string
  depth: number
  head: string
  /** Node index of the newest receipt, -1 before the first. */
  headIndex: number
  lake: string
}

/** The tile a level of the tree is filling at the moment. */
export interface Edge {
  index: number
  hashes: readonly Uint8Array[]
}

/** Where the whole ledger stands. Never changed in place. */
export interface Head {
  size: number
  frontier: Frontier
  /** By tile level, lowest first. */
  edges: readonly Edge[]
  /** How many chains there are; a new one gets the next number. */
  chainCount: number
}

/** A receipt with its place, before its signature. */
export interface Placed {
  nodeIndex: number
  chainId: number
  seq: number
  prev: string
  digest: string
  lake: string
  body: Uint8Array
}

export interface StoredAnswer {
  request: Uint8Array
  nodeIndex: number
  treeSize: number
  answer: string
}

/** What an append comes back as. `treeSize` is the size of the tree the batch left behind: a proof of inclusion in it
 *  is the same for ever, so a replay can give the very same bytes. */
export interface Appended {
  nodeIndex: number
  treeSize: number
  seq: number
  prev: string
  digest: string
  body: Uint8Array
  signature: Uint8Array | null
  keyid: string | null
  keyKind: KeyKind | null
  /** Set when the key had an answer already; nothing was appended. */
  replayed: string | null
}

/** A receipt as it is stored. */
export interface Row {
  nodeIndex: number
  ns: string
  chain: string
  seq: number
  prev: string
  digest: string
  lake: string
  body: Uint8Array
  signature: Uint8Array | null
  keyid: string | null
  /** As the ring of keys has it. */
  keyKind: KeyKind | null
}

export type KeyKind = 'demo' | 'production'

export interface KeyRow {
  keyid: string
  spki: Uint8Array
  kind: KeyKind
  /** First receipt this key may have signed, and one past the last; null while it is in use. */
  fromIndex: number
  toIndex: number | null
  from: string
  to: string | null
}

export interface CheckpointRow {
  size: number
  note: string
}

export type RefusalCode =
  | 'ledger_read_only'
  | 'ledger_busy'
  | 'signer_unavailable'
  | 'store_unavailable'
  | 'idempotency_conflict'
  | 'receipt_too_large'

/** What the worker tells the rest of the process about itself, whenever it changes. */
export interface LedgerState {
  size: number
  root: string
  /** Null while it may append; else why it may not. */
  readOnly: string | null
  /** The store is behind, or differs from, the checkpoint remembered outside it. */
  rolledBack: boolean
  durability: 'EPHEMERAL' | 'DURABLE' | 'DURABLE_EXTERNAL'
}
