/** Who of a batch may have what it wants written beside the receipts. First come, first served: each is held to the store
 *  and to what those before it were given. */

import { CounterCheck } from './counters.ts'
import type { DocumentVersions } from './document-versions.ts'
import { DocumentCheck } from './documents.ts'
import { changedMeanwhile, noRoom, type Refusal } from './refusals.ts'
import type { Batch, LedgerStore } from './store/store.ts'
import type { SideWrites } from './types.ts'

export type SideWriteChanges = Required<Pick<Batch, 'documents' | 'counters'>>

export const NO_CHANGES: SideWriteChanges = { documents: [], counters: [] }

export const hasSideWrites = ({ documents, counters }: SideWrites): boolean =>
  documents !== undefined || counters !== undefined

export interface Conflict {
  reason: Refusal
  /** False where it lost to somebody of the same batch, which may still come to nothing. */
  durable: boolean
}

export class SideWriteCheck {
  private readonly documents: DocumentCheck
  private readonly counters: CounterCheck

  private constructor(documents: DocumentCheck, counters: CounterCheck) {
    this.documents = documents
    this.counters = counters
  }

  /** Rejects with `DocumentPutBack` where the store is behind what this process wrote. */
  static async open(
    store: LedgerStore,
    all: readonly SideWrites[],
    versions: DocumentVersions,
  ): Promise<SideWriteCheck> {
    const writes = all.flatMap(({ documents }) => documents ?? [])
    const moves = all.flatMap(({ counters }) => counters ?? [])
    const stands = writes.length === 0 ? [] : await store.stands(writes)
    versions.assertCurrent(writes, stands)
    const values = moves.length === 0 ? [] : await store.counters(moves)
    return new SideWriteCheck(new DocumentCheck(writes, stands), new CounterCheck(moves, values))
  }

  /** Null where nothing is in the way. A document comes first: whoever decided on an old one decides again before
   *  anything is said about a quota. */
  findConflict({ documents = [], counters = [] }: SideWrites): Conflict | null {
    const conflict = this.documents.conflict(documents)
    if (conflict !== null) return { reason: changedMeanwhile(), durable: conflict === 'store' }
    const full = this.counters.full(counters)
    return full === null ? null : { reason: noRoom(full.move), durable: full.by === 'store' }
  }

  /** `nodeIndex` of the receipt they belong to, null without one. */
  take({ documents = [], counters = [] }: SideWrites, nodeIndex: number | null): void {
    this.documents.take(documents, nodeIndex)
    this.counters.take(counters)
  }

  get changes(): SideWriteChanges {
    return { documents: this.documents.result, counters: this.counters.result }
  }
}
