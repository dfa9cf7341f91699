/** Documents that need no receipt. Whatever waits when the ledger has a moment goes in one transaction, each write whole
 *  or not at all: a hundred effects marked as delivered cost one sync of the disk. */
import type { DocumentWrite } from '../ledger-contract.ts'
import { DocumentDesk } from './documents.ts'
import { changedMeanwhile, type Refusal } from './refusals.ts'
import type { LedgerStore } from './store.ts'

const MAX_TOGETHER = 256

/** What the writer needs of the ledger it belongs to. */
export interface Host {
  store: LedgerStore
  /** Runs some work alone with the store. */
  between(work: () => Promise<void>): Promise<void>
  /** Null while it may write. */
  closed(): Refusal | null
  /** What a failure of the store means for everybody. */
  failed(error: unknown): Refusal
}

interface Waiting {
  writes: readonly DocumentWrite[]
  /** Null when it is durable. */
  settle(refusal: Refusal | null): void
}

export class DocumentWriter {
  private readonly host: Host
  private readonly queue: Waiting[] = []

  constructor(host: Host) {
    this.host = host
  }

  write(writes: readonly DocumentWrite[]): Promise<Refusal | null> {
    return new Promise((settle) => {
      if (this.queue.push({ writes, settle }) === 1) this.wake()
    })
  }

  private wake(): void {
    void this.host.between(async () => {
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
    const all = waiting.flatMap(({ writes }) => writes)
    const desk = new DocumentDesk(all, await store.stands(all))
    const outcomes = waiting.map(({ writes }) => {
      if (desk.conflict(writes) !== null) return changedMeanwhile()
      desk.take(writes, null)
      return null
    })
    await store.writeDocuments(desk.result)
    await store.commit()
    return outcomes
  }

  private async fail(error: unknown): Promise<Refusal> {
    await this.host.store.rollback().catch(() => undefined)
    return this.host.failed(error)
  }
}
