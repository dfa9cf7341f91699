/** How many requests of the UTC day a provider has had, counted in the store: a restart gives none back, and nodes on one
 *  store spend the same budget. */
import { documentKey } from '../../domain/document-key.ts'
import { ServiceError } from '../../errors.ts'
import type { Clock } from '../../platform/clock.ts'
import type { CacheStore } from './cache.ts'
import type { Failure, Provider } from './contract.ts'
import { unasked } from './pace.ts'

const SPACE = 'outbound.budget'
const DAY_MS = 86_400_000

export class DayBudgets {
  readonly #store: CacheStore
  readonly #clock: Pick<Clock, 'now'>

  constructor(store: CacheStore, clock: Pick<Clock, 'now'>) {
    this.#store = store
    this.#clock = clock
  }

  /** Null where one more request may be sent. A budget that cannot be counted is not spent either. */
  async spend({ id, perDay }: Provider): Promise<Failure | null> {
    if (perDay === null) return null
    const move = { space: SPACE, key: this.#key(id), owner: 'system/outbound', add: 1, limit: perDay }
    try {
      await this.#store.writeDocuments([], [move])
      return null
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
      return unasked('PROVIDER_BUDGET_SPENT', Math.ceil((DAY_MS - (this.#clock.now() % DAY_MS)) / 1000))
    }
  }

  async state({ id, perDay }: Provider): Promise<{ limit: number; used: number } | null> {
    if (perDay === null) return null
    return { limit: perDay, used: await this.#store.reader.counter(SPACE, this.#key(id)) }
  }

  #key = (id: string): string => documentKey(SPACE, id, new Date(this.#clock.now()).toISOString().slice(0, 10))
}
