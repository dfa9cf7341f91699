/** Which entries were answered before. One answer per key: of two with one key the first has it, and the other waits
 *  until that one is durable and is then a replay. */
import { hexEncode } from '@orch/core'
import type { StoredAnswer } from './contract.ts'
import { type Outcome, replayOf, type Waiting } from './outcome.ts'
import type { LedgerStore } from './store/store.ts'
import type { Entry } from './types.ts'

interface Sorted {
  fresh: Waiting[]
  /** Their key is under way with another entry. */
  duplicates: Waiting[]
  answered: [Waiting, Outcome][]
}

const keyOf = ({ idempotency }: Entry): string | null => (idempotency === null ? null : hexEncode(idempotency.key))

export class Replays {
  private readonly store: Pick<LedgerStore, 'answers'>
  /** Keys placed but not durable yet. */
  private readonly underWay = new Set<string>()

  constructor(store: Pick<LedgerStore, 'answers'>) {
    this.store = store
  }

  /** The keys of what is fresh are under way from here on, until they are settled. */
  async sort(waiting: Waiting[]): Promise<Sorted> {
    const sorted: Sorted = { fresh: [], duplicates: [], answered: [] }
    const answers = await this.answersTo(waiting)
    for (const item of waiting) {
      const key = keyOf(item.entry)
      const answer = answers.get(item)
      if (answer) sorted.answered.push([item, replayOf(item.entry, answer)])
      else if (key !== null && this.underWay.has(key)) sorted.duplicates.push(item)
      else {
        if (key !== null) this.underWay.add(key)
        sorted.fresh.push(item)
      }
    }
    return sorted
  }

  /** Durable or refused: the key is free for whoever waits for it. */
  settled(entry: Entry): void {
    const key = keyOf(entry)
    if (key !== null) this.underWay.delete(key)
  }

  private async answersTo(waiting: readonly Waiting[]): Promise<Map<Waiting, StoredAnswer | null>> {
    const keyed = waiting.filter(({ entry }) => entry.idempotency !== null)
    if (keyed.length === 0) return new Map()
    const stored = await this.store.answers(keyed.map(({ entry }) => entry.idempotency!.key))
    return new Map(keyed.map((item, at) => [item, stored[at] ?? null]))
  }
}
