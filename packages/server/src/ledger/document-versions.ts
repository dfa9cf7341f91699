/** The versions that documents had when this process last wrote them. A document never has a version again that it had
 *  before, so one that is found behind was put back, or deleted, by somebody who writes past the service: a used approval
 *  would be good once more, a spent budget full again. Receipts cannot show that of a document which is whole in itself.
 *  Kept in memory alone, where whoever holds the store does not reach. */
import type { DocumentId } from '../ledger-contract.ts'
import { type DocumentChange, idOf, type Stand } from './documents.ts'

const MAX_REMEMBERED = 50_000
/** The progress of a delivery rests on no receipt, and no decision rests on it. */
const UNDECIDED = /^gdw\.effect\//

export class DocumentPutBack extends Error {
  constructor({ space }: DocumentId) {
    super(`a document of the kind ${space} was put back to what it was before; restore the store from a copy`)
  }
}

export class DocumentVersions {
  private readonly max: number
  private readonly versions = new Map<string, number>()

  constructor(max = MAX_REMEMBERED) {
    this.max = max
  }

  /** Call once they are durable. */
  remember(changes: readonly DocumentChange[]): void {
    for (const { space, key, version, nodeIndex } of changes)
      if (nodeIndex !== null && !UNDECIDED.test(space)) this.keep(idOf({ space, key }), version)
  }

  /** Throws where the store has one at an earlier version than this process wrote. */
  assertCurrent(ids: readonly DocumentId[], stands: readonly (Stand | null)[]): void {
    for (const [at, id] of ids.entries())
      if ((stands[at]?.version ?? 0) < (this.versions.get(idOf(id)) ?? 0)) throw new DocumentPutBack(id)
  }

  /** Written last is forgotten last. */
  private keep(id: string, version: number): void {
    this.versions.delete(id)
    this.versions.set(id, version)
    if (this.versions.size <= this.max) return
    for (const [oldest] of this.versions) {
      this.versions.delete(oldest)
      return
    }
  }
}
