/** Documents: what commits together with a receipt. Here is what may be written and who wins when two write at once. */

import type { DocumentId, DocumentWrite, StoredDocument } from './contract.ts'

export const MAX_DOCUMENT_BYTES = 1_048_576
/** A recovery moves a thousand effects at once, and its receipt stands for all of them. */
export const MAX_DOCUMENT_WRITES = 2_048

const SPACE = /^[a-z0-9][a-z0-9._/-]{0,127}$/
const KEY = /^[0-9a-f]{64}$/
const STATE = /^[A-Za-z0-9._-]{0,64}$/
const MAX_OWNER_BYTES = 512

/** Throws for what no caller of ours may send. One write the database chokes on would take a whole batch of other
 *  people’s receipts with it, so it is found before it is queued. */
export function assertDocuments(writes: readonly DocumentWrite[]): void {
  if (writes.length > MAX_DOCUMENT_WRITES) throw new RangeError(`at most ${MAX_DOCUMENT_WRITES} documents go together`)
  for (const write of writes) assertDocument(write)
  if (new Set(writes.map(idOf)).size !== writes.length) throw new TypeError('a document is written once at a time')
}

/** What documents and counters are found under, and whose they are. */
export function assertPlace({ space, key, owner }: DocumentId & { owner: string }): void {
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
export interface Stand {
  version: number
  present: boolean
  nodeIndex: number | null
}

/** A document as it is to be stored; `from` is the version it replaces, 0 where there was none. */
export type DocumentChange = StoredDocument & { from: number }

/** Takes writes in order, each against the store and what was taken before it. */
export class DocumentCheck {
  private readonly stored: ReadonlyMap<string, Stand>
  private readonly changes = new Map<string, DocumentChange>()

  constructor(ids: readonly DocumentId[], stands: readonly (Stand | null)[]) {
    const known = ids.flatMap((id, at): [string, Stand][] => (stands[at] ? [[idOf(id), stands[at]]] : []))
    this.stored = new Map(known)
  }

  /** Null where every document is at the version expected of it; else who was there first: the store, which is durable,
   *  or an earlier write of the same batch, which is not yet. */
  conflict(writes: readonly DocumentWrite[]): 'store' | 'batch' | null {
    const missed = writes.filter((write) => this.versionOf(write) !== write.expect)
    if (missed.length === 0) return null
    return missed.every((write) => this.changes.has(idOf(write))) ? 'batch' : 'store'
  }

  private versionOf(id: DocumentId): number {
    const change = this.changes.get(idOf(id))
    if (change !== undefined) return change.value === null ? 0 : change.version
    const stand = this.stored.get(idOf(id))
    return stand?.present ? stand.version : 0
  }

  /** `nodeIndex` of the receipt they belong to; without one a document keeps the receipt it had. */
  take(writes: readonly DocumentWrite[], nodeIndex: number | null): void {
    for (const write of writes) this.changes.set(idOf(write), this.changed(write, nodeIndex))
  }

  private changed({ space, key, expect, owner, state, rank, value }: DocumentWrite, nodeIndex: number | null) {
    const stand = this.stored.get(idOf({ space, key }))
    const before = this.changes.get(idOf({ space, key }))
    const place = {
      space,
      key,
      version: (before?.version ?? stand?.version ?? 0) + 1,
      from: before?.from ?? stand?.version ?? 0,
      nodeIndex: nodeIndex ?? (expect === 0 ? null : ((before ?? stand)?.nodeIndex ?? null)),
    }
    // What is removed is gone: its place keeps a digest and a number, and nothing that was anybody’s.
    return value === null ? { ...place, owner: '', state: '', rank: 0, value } : { ...place, owner, state, rank, value }
  }

  /** One per document, however often it was written. */
  get result(): DocumentChange[] {
    return [...this.changes.values()]
  }
}
