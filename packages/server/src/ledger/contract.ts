/** What the ledger promises the rest of the service, as plain data. All of it crosses a thread boundary. */
import type { Checkpoint, Envelope, SessionCharge } from '@orch/core'
import type { FormulaRun } from '../domain/formulas.ts'
import type { TreeHead } from '../domain/ledger-tree.ts'
import type { ReplayPage, TailPage, Wanted } from '../domain/receipts/events.ts'
import type { GovernancePage } from '../domain/receipts/governance-page.ts'
import type { LakeRecord } from '../domain/receipts/lake.ts'
import type { Counted } from '../domain/receipts/local-spend.ts'
import type { Outcomes, OutcomesRequest } from '../domain/receipts/outcomes.ts'
import type { Page, PageRequest } from '../domain/receipts/page.ts'
import type { TextSearch } from '../domain/receipts/text-search.ts'
import type { StoredReceipt } from '../domain/stored-receipt.ts'
import type { Viewer } from '../domain/visibility.ts'

export type {
  AuditBreak,
  AuditedChain,
  AuditReport,
  BrokenPlace,
  NewestWalk,
  WalkedReport,
  WalkFigures,
} from '../domain/organs.ts'

/** One answer per key: the first commit under a key wins, later ones get its answer back. */
export interface Idempotency {
  /** SHA-256 over namespace, owner, operation and the caller's key. */
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
  signatureState: SignatureState
  /** The path to the root of the tree of `treeSize`, where the append asked for it. */
  inclusion: InclusionPath | null
  /** Set when the key had an answer already; nothing was appended. */
  replayed: string | null
  /** How the batch came about; null where nothing was appended. */
  batch: BatchTiming | null
}

/** Where the time of a batch went, in milliseconds since the epoch by the thread that wrote it. */
export interface BatchTiming {
  /** How many receipts were recorded together. */
  size: number
  signing: { from: number; to: number }
  storing: { from: number; to: number }
}

/** In hex; the hashes as one text, 64 characters each: what crosses a thread is best in few pieces. */
export interface InclusionPath {
  root: string
  hashes: string
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
  signatureState: SignatureState
}

/** Unsigned by choice, or because the signer did not answer and the operator allows that. */
export type SignatureState = 'SIGNED' | 'UNSIGNED' | 'SIGNER_UNAVAILABLE'

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

/** A stored receipt, verified by what this ledger signed about itself. */
export interface CheckedReceipt {
  /** SHA-256 of the stored bytes. */
  digest: string
  /** Null where it was recorded without a signature and the tree has it so; false where it should have one and does not,
   *  too. */
  signature: boolean | null
}

export type CheckReceipt = (row: Row) => Promise<CheckedReceipt>

export interface CheckpointRow {
  size: number
  note: string
}

export interface DocumentId {
  /** What kind of record it is, such as `gdw.session`. */
  space: string
  /** 64 hex digits: the digest of what it is about, made by `documentKey`. */
  key: string
}

/** A record that commits together with receipts: a session's state, an effect to deliver, an item under review. Working
 *  state and no evidence: it changes, it is not exported, and it counts as far as receipts bear it out. */
export interface DocumentRow extends DocumentId {
  /** One more with every write, and never a number again that it had before, not even after a removal. */
  version: number
  /** The partition it belongs to, `<namespace>/<owner>`. */
  owner: string
  state: string
  /** What lists are ordered by, such as the time of creation; the key decides between equals. */
  rank: number
  /** JSON text. */
  value: string
  /** The newest receipt this document was written together with; null where there is none. */
  nodeIndex: number | null
}

/** As the store keeps it: a removed document leaves its version behind and no value. */
export type StoredDocument = Omit<DocumentRow, 'value'> & { value: string | null }

/** Happens only if the document is at the version the writer saw; otherwise nothing of what it belongs to happens. */
export interface DocumentWrite extends DocumentId {
  /** 0: there must be none. */
  expect: number
  owner: string
  state: string
  rank: number
  /** JSON text of at most 1 MiB; null removes the document. */
  value: string | null
}

/** A number beside the receipts that many move at once, such as what an owner has used of a quota. Unlike a document it is
 *  never at another version than expected: a move happens wherever the counter stands, as long as there is room. */
export interface CounterRow extends DocumentId {
  /** The partition of whoever moved it first. */
  owner: string
  value: number
}

/** Happens only if the counter stays between 0 and the limit; otherwise nothing of what it belongs to happens. */
export interface CounterMove extends DocumentId {
  owner: string
  /** Less than 0 gives back. What gives back is never over the limit: a limit may have been lowered meanwhile. */
  add: number
  /** Null: as far as integers are exact. */
  limit: number | null
  /** Seconds after which there may be room again, where the mover knows; a refusal tells them. */
  retryAfter?: number
}

export interface DocumentFilter {
  space: string
  owner?: string
  state?: string
  /** The highest rank that still belongs, such as the present moment where ranks are the times something is due. */
  upTo?: number
}

export interface DocumentQuery extends DocumentFilter {
  /** Of rank, then key. */
  order: 'asc' | 'desc'
  /** The last one of the page before. */
  after?: { rank: number; key: string }
  limit: number
}

/** An idempotency answer with all that is stored of it. */
export interface AnswerRow extends StoredAnswer {
  key: Uint8Array
  atMs: number
}

/** How the store keeps what it is given, as the store itself says when it is asked. */
export interface StoreModes {
  engine: 'sqlite' | 'postgresql'
  journal_mode: string
  synchronous: string
}

/** What the worker tells the rest of the process about itself, whenever it changes. */
export interface LedgerState {
  size: number
  root: string
  /** Null while it may append; else why it may not. */
  readOnly: string | null
  /** What is stored was found not to hold. A disk that is full or a thread that ended shows nothing of the kind. */
  broken: boolean
  /** The store is behind, or differs from, the checkpoint remembered outside it. */
  rolledBack: boolean
  durability: 'EPHEMERAL' | 'DURABLE' | 'DURABLE_EXTERNAL'
  guard: GuardState
}

/** Where the newest checkpoint is kept outside the store, and whether that place answers. */
export interface GuardState {
  kind: GuardKind | 'none'
  /** Why it could not be asked or moved on; null while it answers. */
  fault: string | null
  /** Appends wait until it answers. */
  blocking: boolean
}

/** `data-folder`: beside the store it guards, so it is restored together with it. */
export type GuardKind = 'data-folder' | 'file' | 'witness'

export interface GuardStep {
  /** The signed checkpoint to move on to. */
  note: string
  /** What the guard is thought to hold; null for nothing. */
  old: Checkpoint | null
  /** That the one continues the other. */
  proof: readonly Uint8Array[]
}

/** Keeps the newest checkpoint of the log where a store that is rolled back does not take it along.
 *
 *  MUST hold: after `advance` gave true, `newest` gives that note or a later one, also after a loss of power. Both reject
 *  with `GuardUnavailable` where the place does not answer; no answer is never taken for an empty guard. */
export interface Guard {
  readonly kind: GuardKind
  /** The newest note of this log in any generation from the one of `origin` on, unverified; null where there is none. */
  newest(origin: string): Promise<string | null>
  /** False where it holds another checkpoint than `old` says, or one that the note does not continue. */
  advance(step: GuardStep): Promise<boolean>
}

/** The reading side. Never blocks a writer and sees only what is durable. All calls cost at most O(log n) unless the
 *  caller asks for a range. */
export interface LedgerReader {
  /** `chains`: how many chains the store counts. */
  head(): Promise<{ size: number; frontier: Uint8Array[]; chains?: number }>
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
  /** The first one over at least so many receipts: the same for ever, once there is one. */
  checkpointFrom(size: number): Promise<CheckpointRow | null>
  answer(key: Uint8Array): Promise<StoredAnswer | null>
  /** Answers in the order of their keys, for a move to another store. */
  answersAfter(key: Uint8Array | null, limit: number): Promise<AnswerRow[]>
  document(space: string, key: string): Promise<DocumentRow | null>
  documents(query: DocumentQuery): Promise<DocumentRow[]>
  /** Counts no further than `atMost`, 10,001 unless told: a result of that many means that many or more. */
  countDocuments(filter: DocumentFilter, atMost?: number): Promise<number>
  /** How many are in each state, at one moment; nothing for a state that none is in. */
  countByState(filter: Pick<DocumentFilter, 'space' | 'owner'>): Promise<Record<string, number>>
  /** All documents in the order of their keys, what removed ones left behind included, for a move to another store. */
  documentsAfter(after: DocumentId | null, limit: number): Promise<StoredDocument[]>
  /** 0 for one that was never moved. */
  counter(space: string, key: string): Promise<number>
  /** Several of one space at one moment, in the order of the keys. */
  counters(space: string, keys: readonly string[]): Promise<number[]>
  /** All counters in the order of their keys, for a move to another store. */
  countersAfter(after: DocumentId | null, limit: number): Promise<CounterRow[]>
  /** A value kept beside the ledger, such as the `log_vkey`. */
  meta(name: string): Promise<string | null>
  /** Milliseconds since the epoch by the clock of the store, which all its nodes share; null where the store has none but
   *  that of the machine its processes run on. */
  time(): Promise<number | null>
  close(): Promise<void>
}

/** Questions about many receipts, answered in the thread that reads them: it scans, parses and filters, by turns and a
 *  bounded number of receipts for each question, and what comes back is the answer. No body is parsed elsewhere. */
export interface LedgerQueries {
  receiptPage(viewer: Viewer, request: PageRequest): Promise<Page>
  lakePage(viewer: Viewer, request: PageRequest): Promise<Page<LakeRecord>>
  /** The newest receipts that the viewer may see, newest first, of the first `size` where that is said. */
  newestReceipts(viewer: Viewer, limit: number, size?: number): Promise<StoredReceipt[]>
  /** The newest receipt of anybody that is not a simulated sample; where only samples are near, the newest of them. */
  newestSigned(): Promise<StoredReceipt | null>
  outcomes(viewer: Viewer, request: OutcomesRequest): Promise<Outcomes>
  governancePage(viewer: Viewer, limit: number): Promise<GovernancePage>
  /** What the receipts of the namespaces that the viewer sees say was asked of models. */
  localSpend(viewer: Viewer): Promise<Counted>
  /** Digests of receipts the viewer may read, by the payload digests asked for. */
  payloadHolders(viewer: Viewer, digests: readonly string[]): Promise<Map<string, string>>
  /** The first receipt from `from` on whose bytes hold the text, in the tree that the asking process knows. */
  searchText(text: string, from: number, tree: TreeHead): Promise<TextSearch>
  /** What the newest charge of a session says, as far as the walk has come; null where it knows of none. */
  sessionCharge(ns: string, owner: string, session: string): Promise<SessionCharge | null>
  eventReplay(wanted: Wanted, from: number): Promise<ReplayPage>
  eventTail(wanted: readonly Wanted[], from: number): Promise<TailPage>
  /** No question about receipts, and long enough a computation to be kept off the thread that serves requests. */
  runFormulas(): Promise<FormulaRun>
}

/** What the verification at start-up found. */
export interface TailReport {
  verifiedFrom: number
  verifiedTo: number
  /** Null when everything holds. */
  broken: { nodeIndex: number; reason: string } | null
}

/** The newest self-test of the signer. */
export interface SelfTest {
  ok: boolean
  testedAt: string
  reason: string | null
}

export interface SignerInfo {
  kind: 'demo' | 'production' | null
  keyid: string | null
  publicKeyPem: string | null
  test: SelfTest
}

/** The signature of a statement other than a receipt. */
export interface StatementSignature {
  sig: Uint8Array
  keyid: string
  kind: KeyKind
}

/** The newest checkpoint of our log as a signed envelope. */
export interface SignedCheckpoint {
  size: number
  envelope: Envelope
  publicKeyPem: string
}
