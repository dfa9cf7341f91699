/** How documents stood when this process last wrote them. A document never has a version again that it had before, so one
 *  that is found behind, or at the same version and otherwise, was edited by somebody who writes past the service. So was
 *  one that is found ahead, where the store is ours alone: a used approval
 *  would be good once more, a spent budget full again. Receipts cannot show that of a document which is whole in itself.
 *  Kept in memory alone, where whoever holds the store does not reach. */
import type { DocumentId } from './contract.ts'
import { type DocumentChange, idOf, type StoredVersion } from './side-writes.ts'

const MAX_REMEMBERED = 50_000
/** The progress of a delivery rests on no receipt, and no decision rests on it. */
const UNDECIDED = /^gdw\.effect\//

export class DocumentRolledBack extends Error {
  constructor({ space }: DocumentId) {
    super(`a document of the kind ${space} was put back or edited past the service; restore the store from a copy`)
  }
}

export class DocumentVersions {
  private readonly max: number
  private readonly exclusive: boolean
  private readonly written = new Map<string, StoredVersion>()

  /** `exclusive`: nobody else writes to the store. */
  constructor(exclusive: boolean, max = MAX_REMEMBERED) {
    this.exclusive = exclusive
    this.max = max
  }

  /** Call once they are durable. */
  remember(changes: readonly DocumentChange[]): void {
    for (const { space, key, version, value, nodeIndex } of changes) {
      const id = idOf({ space, key })
      this.written.delete(id)
      if (nodeIndex !== null && !UNDECIDED.test(space)) this.keep(id, { version, present: value !== null, nodeIndex })
    }
  }

  /** Throws where the store has one otherwise than this process wrote it, unless another node may have written it since. */
  assertCurrent(ids: readonly DocumentId[], current: readonly (StoredVersion | null)[]): void {
    for (const [at, id] of ids.entries()) {
      const written = this.written.get(idOf(id))
      if (written !== undefined && !this.continues(current[at] ?? null, written)) throw new DocumentRolledBack(id)
    }
  }

  private continues(found: StoredVersion | null, written: StoredVersion): boolean {
    if (found === null || found.version < written.version) return false
    if (found.version > written.version) return !this.exclusive
    return found.present === written.present && found.nodeIndex === written.nodeIndex
  }

  /** Written last is forgotten last. */
  private keep(id: string, stored: StoredVersion): void {
    this.written.set(id, stored)
    if (this.written.size > this.max) this.written.delete(this.written.keys().next().value!)
  }
}
