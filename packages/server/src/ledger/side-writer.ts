/** Documents and counters that need no receipt. Whatever waits when the ledger has a moment goes in one transaction, each
 *  write whole or not at all: a hundred effects marked as delivered cost one sync of the disk. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { DocumentVersions } from './document-versions.ts'
import type { Refusal } from './refusals.ts'
import { checkSideWrites } from './side-writes.ts'
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

/** Gives the function that writes: null when it is durable. */
export function sideWriter({ store, versions, runExclusive, closed, failed }: SideWriterDeps) {
  const queue: Waiting[] = []
  const wake = (): void =>
    void runExclusive(async () => {
      // Messages arrive one at a time and a store in this thread never waits for anything: without a turn of the loop each
      // would be committed alone, however many stand at the door.
      await nextTurn()
      const waiting = queue.splice(0, MAX_TOGETHER)
      if (queue.length > 0) wake()
      const outcome = closed() ?? (await writeTogether(waiting).catch(fail))
      // Nobody may hear of a change, or of having lost to one, before it is durable.
      for (const [at, { settle }] of waiting.entries()) settle(Array.isArray(outcome) ? outcome[at]! : outcome)
    })

  const writeTogether = async (waiting: readonly Waiting[]): Promise<(Refusal | null)[]> => {
    await store.begin()
    const all = waiting.map(({ writes }) => writes)
    const check = await checkSideWrites(store, all, versions)
    const outcomes = all.map((writes) => {
      const conflict = check.findConflict(writes)
      if (conflict === null) check.take(writes, null)
      return conflict?.reason ?? null
    })
    const { documents, counters } = check.changes()
    await store.writeDocuments(documents)
    await store.writeCounters(counters)
    await store.commit()
    versions.remember(documents)
    return outcomes
  }

  const fail = async (error: unknown): Promise<Refusal> => {
    await store.rollback().catch(() => undefined)
    return failed(error)
  }

  return (writes: SideWrites): Promise<Refusal | null> =>
    new Promise((settle) => {
      if (queue.push({ writes, settle }) === 1) wake()
    })
}
