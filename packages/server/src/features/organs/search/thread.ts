/** The thread in which indexes live, and how they are asked. */
import { documentPages } from '../../../domain/collection.ts'
import { ServiceError } from '../../../errors.ts'
import type { DocumentFilter } from '../../../ledger/contract.ts'
import { Compute } from '../../../platform/compute/compute.ts'
import { SingleFlight } from '../../../platform/single-flight.ts'
import type { Ledger } from '../../../ports.ts'
import type { Add, Ask, Page, Revision } from './derived.ts'

const DAY_MS = 86_400_000
const JOB_MS = 10_000
/** Adding pages of a large index takes seconds, and others wait behind them. */
const WAIT_MS = 10_000
const ATTEMPTS = 5
/** It stays for its indexes. No job of it is ever cancelled by a caller who leaves: that would end the thread. SQLite runs
 *  fixed statements over bounded texts in it, so that no native call is long and nothing rests on its being stopped. */
export const searchThread = new Compute({
  ...{ threads: 1, maxQueue: 10_000, maxQueuePerJob: 10_000, waitMs: WAIT_MS },
  ...{ idleMs: DAY_MS, memoryMb: 1024 },
})

/** The documents that one index is made of, ranked by the revision they were written at, and where they stand. */
interface Source extends Revision {
  filter: DocumentFilter
  /** Documents that the main thread hands on at a time. */
  pageRows: number
  /** Keys of those that were removed after a revision. */
  removedSince?(revision: number): string[]
  now: number
}

type Reader = Pick<Ledger['reader'], 'documents'>

/** Indexes of one kind; `Query` and `Answer` are JSON values. */
interface Indexes<Query, Answer> {
  /** Resolves when the index of the documents as they stand is there. */
  ready(reader: Reader, source: Source): Promise<unknown>
  ask(reader: Reader, source: Source, query: Query): Promise<Answer>
  /** Nothing of it stays in memory. */
  drop(filter: DocumentFilter): Promise<unknown>
}

/** Registers the jobs of a module that `derivedIndexes` made. What is opened for one store shares nothing with others. */
export function registerIndexes<Query, Answer>(name: string, module: URL): () => Indexes<Query, Answer> {
  const job = <Params, Result>(method: string) =>
    searchThread.register<Params, Result>({ name: `${name}-${method}`, module, function: method, deadlineMs: JOB_MS })
  const [add, drop] = [job<Add, boolean>('add'), job<string, null>('drop')]
  const ask = job<Ask<Query>, { answer: Answer } | { since: number }>('ask')
  let opened = 0
  let isAsked = false
  return () => {
    const store = opened++
    const loads = new SingleFlight<string>()
    const keyOf = ({ owner, state }: DocumentFilter) => JSON.stringify([store, owner, state ?? null])
    /** The next page is read while the one before is added. */
    const load = async (key: string, { revision, now }: Source, from: number, pages: AsyncIterable<Page>) => {
      let [since, adding] = [from, Promise.resolve({ value: true })]
      for await (const page of pages) {
        if (!(await adding).value) return
        adding = add({ key, since, ...page, revision: null, now })
        // Whoever waits for it learns why it failed; it must not fail unheard before.
        adding.catch(() => undefined)
        since = Math.max(since, 0)
      }
      if ((await adding).value) await add({ key, since, rows: [], revision, now })
    }
    const answer = async (reader: Reader, source: Source, query: Query | null): Promise<Answer> => {
      const { filter, revision, purged } = source
      const key = keyOf(filter)
      isAsked = true
      for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
        const { value } = await ask({ key, revision, purged, query })
        if ('answer' in value) return value.answer
        // Whoever asks while it is built waits for the same one.
        await loads.run(key, () => load(key, source, value.since, pagesSince(reader, source, value.since)))
      }
      throw new ServiceError('state_conflict', 'the documents change faster than they can be read; retry')
    }
    return {
      ready: (reader, source) => answer(reader, source, null),
      ask: answer,
      // Where nothing was asked yet there is nothing, and no thread has to start for it.
      drop: async (filter) => isAsked && drop(keyOf(filter)),
    }
  }
}

/** What was written after a revision, newest first. */
async function* pagesSince(
  reader: Reader,
  { filter, pageRows: limit, removedSince }: Source,
  since: number,
): AsyncGenerator<Page> {
  if (since >= 0 && removedSince !== undefined) yield { rows: [], removed: removedSince(since) }
  for await (const page of documentPages(reader, { ...filter, order: 'desc', limit })) {
    const fresh = page.filter(({ rank }) => rank > since)
    yield { rows: fresh.map(({ key, value }) => [key, value]) }
    if (fresh.length < limit) return
  }
}
