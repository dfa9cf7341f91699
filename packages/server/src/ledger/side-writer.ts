/** Documents and counters that need no receipt. Whatever waits when the ledger has a moment goes in one transaction, each
 *  write whole or not at all: a hundred effects marked as delivered cost one sync of the disk. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { DocumentVersions } from './document-versions.ts'
import type { Refusal } from './refusals.ts'
import { SideWriteCheck } from './side-writes.ts'
import type { LedgerStore } from './store/store.ts'
import type { SideWrites } from './types.ts'

const MAX_TOGETHER = 256

/** What the writer needs of the ledger it belongs to. */
interface SideWriterDeps {
  store: LedgerStore
  versions: DocumentVersions
  /** Runs some work alone with the store. */
  runExclusive(work: () => Promise<void>): Promise<void>
  /** Null while it may write. */
  closed(): Refusal | null
  /** What a failure of the store means for everybody. */
  failed(error: unknown): Refusal
}

interface Waiting {
  writes: SideWrites
  /** Null when it is durable. */
  settle(refusal: Refusal | null): void
}

export class SideWriter {
  private readonly host: SideWriterDeps
  private readonly queue: Waiting[] = []

  constructor(host: SideWriterDeps) {
    this.host = host
  }

  write(writes: SideWrites): Promise<Refusal | null> {
    return new Promise((settle) => {
      if (this.queue.push({ writes, settle }) === 1) this.wake()
    })
  }

  private wake(): void {
    void this.host.runExclusive(async () => {
      // Messages arrive one at a time and a store in this thread never waits for anything: without a turn of the loop each
      // would be committed alone, however many stand at the door.
      await nextTurn()
      const waiting = this.queue.splice(0, MAX_TOGETHER)
      if (this.queue.length > 0) this.wake()
      const outcome = this.host.closed() ?? (await this.writeTogether(waiting).catch((error) => this.fail(error)))
      // Nobody may hear of a change, or of having lost to one, before it is durable.
      for (const [at, { settle }] of waiting.entries()) settle(Array.isArray(outcome) ? outcome[at]! : outcome)
    })
  }

  private async writeTogether(waiting: readonly Waiting[]): Promise<(Refusal | null)[]> {
    const { store } = this.host
    await store.lock()
    const all = waiting.map(({ writes }) => writes)
    const check = await SideWriteCheck.open(store, all, this.host.versions)
    const outcomes = all.map((writes) => {
      const conflict = check.findConflict(writes)
      if (conflict === null) check.take(writes, null)
      return conflict?.reason ?? null
    })
    const { documents, counters } = check.changes
    await store.writeDocuments(documents)
    await store.writeCounters(counters)
    await store.commit()
    this.host.versions.remember(documents)
    return outcomes
  }

  private async fail(error: unknown): Promise<Refusal> {
    await this.host.store.rollback().catch(() => undefined)
    return this.host.failed(error)
  }
}
