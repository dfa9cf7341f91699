/** Side writes: documents and counters that commit together with a receipt, or by themselves. Here is what may be written
 *  and who wins when several write at once: first come, first served, each judged against the store and against what the
 *  earlier ones of its batch were given. */

import type { CounterMove, CounterRow, DocumentId, DocumentWrite, StoredDocument } from './contract.ts'
import type { DocumentVersions } from './document-versions.ts'
import { changedMeanwhile, noRoom, type Refusal } from './refusals.ts'
import type { Batch, LedgerStore } from './store/store.ts'
import type { SideWrites } from './types.ts'

export const MAX_DOCUMENT_BYTES = 1_048_576
/** A recovery moves a thousand effects at once, and its receipt stands for all of them. */
export const MAX_DOCUMENT_WRITES = 2_048

const SPACE = /^[a-z0-9][a-z0-9._/-]{0,127}$/
const KEY = /^[0-9a-f]{64}$/
const STATE = /^[A-Za-z0-9._-]{0,64}$/
const MAX_OWNER_BYTES = 512

/** Throws for what no caller of ours may send. One write the database chokes on would take a whole batch of other
 *  people's receipts with it, so it is found before it is queued. */
export function assertDocuments(writes: readonly DocumentWrite[]): void {
  if (writes.length > MAX_DOCUMENT_WRITES) throw new RangeError(`at most ${MAX_DOCUMENT_WRITES} documents go together`)
  for (const write of writes) assertDocument(write)
  if (new Set(writes.map(idOf)).size !== writes.length) throw new TypeError('a document is written once at a time')
}

/** What documents and counters are found under, and whose they are. */
function assertPlace({ space, key, owner }: DocumentId & { owner: string }): void {
  if (!SPACE.test(space)) throw new TypeError('a space is lower-case letters, digits, . _ - and /')
  if (!KEY.test(key)) throw new TypeError('the key of a document is 64 hex digits')
  if (!isText(owner) || Buffer.byteLength(owner) > MAX_OWNER_BYTES) throw new TypeError('the owner is not storable')
}

function assertDocument({ space, key, expect, owner, state, rank, value }: DocumentWrite): void {
  assertPlace({ space, key, owner })
  if (!Number.isSafeInteger(expect) || expect < 0) throw new RangeError('an expected version is 0 or more')
  if (!STATE.test(state)) throw new TypeError('a state is at most 64 letters, digits, . _ and -')
  if (!Number.isSafeInteger(rank)) throw new RangeError('a rank is a safe integer')
  if (value === null && expect === 0) throw new TypeError('what must not exist cannot be removed')
  if (value !== null && !isText(value)) throw new TypeError('the value is not JSON text')
  if (value !== null && Buffer.byteLength(value) > MAX_DOCUMENT_BYTES)
    throw new RangeError(`a document holds at most ${MAX_DOCUMENT_BYTES} bytes`)
}

/** PostgreSQL refuses U+0000 and UTF-8 has no lone surrogates; in JSON text both stand as escapes. */
const isText = (text: string): boolean => text.isWellFormed() && !text.includes('\u0000')

/** A space has no `:`, so two documents never share an id. */
export const idOf = ({ space, key }: DocumentId): string => `${space}:${key}`

/** How the store has a document. A removed one keeps its version: whoever still holds an old version of it can never
 *  meet that number again and overwrite what came after. */
export interface StoredVersion {
  version: number
  present: boolean
  nodeIndex: number | null
}

/** A document as it is to be stored; `from` is the version it replaces, 0 where there was none. */
export type DocumentChange = StoredDocument & { from: number }

/** Who was there first: the store, which is durable; the batch before, which is on its way to the disk; or an earlier one
 *  of the same batch. */
type Winner = 'store' | 'previous' | 'batch'

/** Takes writes in order, each against the store, what the batch before it leaves there and what was taken before it. */
export class DocumentCheck {
  private readonly stored: ReadonlyMap<string, StoredVersion>
  private readonly previous: ReadonlySet<string>
  private readonly changes = new Map<string, DocumentChange>()

  constructor(
    ids: readonly DocumentId[],
    documentVersions: readonly (StoredVersion | null)[],
    previous: readonly DocumentChange[] = [],
  ) {
    const known = ids.flatMap((id, at): [string, StoredVersion][] =>
      documentVersions[at] ? [[idOf(id), documentVersions[at]]] : [],
    )
    const left = previous.map((change): [string, StoredVersion] => [
      idOf(change),
      { version: change.version, present: change.value !== null, nodeIndex: change.nodeIndex },
    ])
    this.stored = new Map([...known, ...left])
    this.previous = new Set(left.map(([id]) => id))
  }

  /** Null where every document is at the version expected of it. */
  conflict(writes: readonly DocumentWrite[]): Winner | null {
    const missed = writes.filter((write) => this.versionOf(write) !== write.expect).map(idOf)
    if (missed.length === 0) return null
    if (missed.every((id) => this.changes.has(id))) return 'batch'
    return missed.some((id) => !this.changes.has(id) && !this.previous.has(id)) ? 'store' : 'previous'
  }

  private versionOf(id: DocumentId): number {
    const change = this.changes.get(idOf(id))
    if (change !== undefined) return change.value === null ? 0 : change.version
    const stored = this.stored.get(idOf(id))
    return stored?.present ? stored.version : 0
  }

  /** `nodeIndex` of the receipt they belong to; without one a document keeps the receipt it had. */
  take(writes: readonly DocumentWrite[], nodeIndex: number | null): void {
    for (const write of writes) this.changes.set(idOf(write), this.changed(write, nodeIndex))
  }

  private changed({ space, key, expect, owner, state, rank, value }: DocumentWrite, nodeIndex: number | null) {
    const stored = this.stored.get(idOf({ space, key }))
    const before = this.changes.get(idOf({ space, key }))
    const place = {
      space,
      key,
      version: (before?.version ?? stored?.version ?? 0) + 1,
      from: before?.from ?? stored?.version ?? 0,
      nodeIndex: nodeIndex ?? (expect === 0 ? null : ((before ?? stored)?.nodeIndex ?? null)),
    }
    // What is removed is gone: its place keeps a digest and a number, and nothing that was anybody's.
    return value === null ? { ...place, owner: '', state: '', rank: 0, value } : { ...place, owner, state, rank, value }
  }

  /** One per document, however often it was written. */
  get result(): DocumentChange[] {
    return [...this.changes.values()]
  }
}

export const MAX_COUNTER_MOVES = 64

/** Throws for what no caller of ours may send. */
export function assertCounters(moves: readonly CounterMove[]): void {
  if (moves.length > MAX_COUNTER_MOVES) throw new RangeError(`at most ${MAX_COUNTER_MOVES} counters go together`)
  for (const { space, key, owner, add, limit, retryAfter = 1 } of moves) {
    assertPlace({ space, key, owner })
    if (!Number.isSafeInteger(add)) throw new RangeError('a counter moves by a safe integer')
    if (limit !== null && !(Number.isSafeInteger(limit) && limit >= 0)) throw new RangeError('a limit is 0 or more')
    if (!(Number.isSafeInteger(retryAfter) && retryAfter > 0)) throw new RangeError('whole seconds, one at least')
  }
  if (new Set(moves.map(idOf)).size !== moves.length) throw new TypeError('a counter is moved once at a time')
}

/** A counter as it is to be stored; `from` is the value it replaces, null where it was never moved. */
export type CounterChange = CounterRow & { from: number | null }

/** Takes moves in order, each against the store, what the batch before it leaves there and what was taken before it. */
export class CounterCheck {
  private readonly stored: ReadonlyMap<string, number | null>
  private readonly previous: ReadonlySet<string>
  private readonly changes = new Map<string, CounterChange>()

  constructor(ids: readonly DocumentId[], values: readonly (number | null)[], previous: readonly CounterChange[] = []) {
    const known = ids.map((id, at): [string, number | null] => [idOf(id), values[at] ?? null])
    this.stored = new Map([...known, ...previous.map((change): [string, number] => [idOf(change), change.value])])
    this.previous = new Set(previous.map(idOf))
  }

  /** Null where there is room for all of them; else the first without, and who has taken it. */
  full(moves: readonly CounterMove[]): { move: CounterMove; by: Winner } | null {
    const move = moves.find((asked) => !fits(this.valueOf(asked), asked))
    if (move === undefined) return null
    const id = idOf(move)
    return { move, by: this.changes.has(id) ? 'batch' : this.previous.has(id) ? 'previous' : 'store' }
  }

  take(moves: readonly CounterMove[]): void {
    for (const { space, key, owner, add } of moves) {
      const before = this.changes.get(idOf({ space, key }))
      const from = before === undefined ? (this.stored.get(idOf({ space, key })) ?? null) : before.from
      const value = this.valueOf({ space, key }) + add
      this.changes.set(idOf({ space, key }), { space, key, owner: before?.owner ?? owner, value, from })
    }
  }

  private valueOf(id: DocumentId): number {
    return this.changes.get(idOf(id))?.value ?? this.stored.get(idOf(id)) ?? 0
  }

  /** One per counter that is not where it was. */
  get result(): CounterChange[] {
    return [...this.changes.values()].filter(({ value, from }) => value !== (from ?? 0))
  }
}

function fits(value: number, { add, limit }: CounterMove): boolean {
  const next = value + add
  return add < 0 ? next >= 0 : next <= (limit ?? Number.MAX_SAFE_INTEGER)
}

export type SideWriteChanges = Required<Pick<Batch, 'documents' | 'counters'>>

export const NO_CHANGES: SideWriteChanges = { documents: [], counters: [] }

export const hasSideWrites = ({ documents, counters }: SideWrites): boolean =>
  documents !== undefined || counters !== undefined

/** As the ledger takes them; throws for what no caller of ours may send. */
export function toSideWrites(documents: readonly DocumentWrite[], counters: readonly CounterMove[]): SideWrites {
  assertDocuments(documents)
  assertCounters(counters)
  return { ...(documents.length > 0 ? { documents } : {}), ...(counters.length > 0 ? { counters } : {}) }
}

interface Conflict {
  reason: Refusal
  /** What is not in the store yet may still come to nothing. */
  by: Winner
}

/** `previous`: what the batch before, which the store does not hold yet, changes in it. Rejects with `DocumentRolledBack`
 *  where the store is behind what this process wrote. */
export async function checkSideWrites(
  store: LedgerStore,
  all: readonly SideWrites[],
  versions: DocumentVersions,
  previous: SideWriteChanges = NO_CHANGES,
) {
  const writes = all.flatMap((one) => one.documents ?? [])
  // The same few counters are moved by all of a batch: each is read once.
  const moves = [...new Map(all.flatMap((one) => (one.counters ?? []).map((move) => [idOf(move), move]))).values()]
  const current = writes.length === 0 ? [] : await store.documentVersions(writes)
  versions.assertCurrent(writes, current)
  const documents = new DocumentCheck(writes, current, previous.documents)
  const values = moves.length === 0 ? [] : await store.counterValues(moves)
  const counters = new CounterCheck(moves, values, previous.counters)
  return {
    /** Null where nothing is in the way. A document comes first: whoever decided on an old one decides again before
     *  anything is said about a quota. */
    findConflict(asked: SideWrites): Conflict | null {
      const conflict = documents.conflict(asked.documents ?? [])
      if (conflict !== null) return { reason: changedMeanwhile(), by: conflict }
      const full = counters.full(asked.counters ?? [])
      return full === null ? null : { reason: noRoom(full.move), by: full.by }
    },
    /** `nodeIndex` of the receipt they belong to, null without one. */
    take(asked: SideWrites, nodeIndex: number | null): void {
      documents.take(asked.documents ?? [], nodeIndex)
      counters.take(asked.counters ?? [])
    },
    changes: (): SideWriteChanges => ({ documents: documents.result, counters: counters.result }),
  }
}
