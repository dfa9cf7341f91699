/** Which nodes work on one store: each leaves a document with the time, and whoever looks counts the fresh ones. The
 *  name of a node is random and says nothing about its machine. */
import { randomUUID } from 'node:crypto'
import { canonicalBytes, sha256Hex } from '@orch/core'
import { ServiceError } from '../../../errors.ts'
import type { DocumentWrite } from '../../../ledger/contract.ts'
import type { Background, Clock, Ledger, Nodes } from '../../../ports.ts'

const SPACE = 'node'
const OWNER = 'system/nodes'
const BEAT_MS = 30_000
const FRESH_MS = 3 * BEAT_MS
const FORGOTTEN_MS = 3_600_000
const MAX_NODES = 256
const MAX_REMOVED = 16

type Store = Pick<Ledger, 'reader' | 'writeDocuments'>

/** A store that one process holds has no other node. */
export const onlyNode: Nodes = { seen: async () => ({ count: 1, basis: 'the store is held by this process alone' }) }

export class Presence implements Nodes {
  readonly #ledger: Store
  readonly #clock: Clock
  readonly #key = sha256Hex(canonicalBytes([SPACE, randomUUID()]))

  constructor(ledger: Store, clock: Clock) {
    this.#ledger = ledger
    this.#clock = clock
  }

  /** Kept up in the background; the first one does not wait for the timer. */
  keep(background: Background): void {
    background.every('node-presence', BEAT_MS, () => this.beat())
    // The timer tries again and reports what fails.
    void this.beat().catch(() => undefined)
  }

  async beat(): Promise<void> {
    const { reader } = this.#ledger
    const now = this.#clock.now()
    const own = await reader.document(SPACE, this.#key)
    await this.#write({ key: this.#key, expect: own?.version ?? 0, value: '{}', rank: now })
    const oldest = await reader.documents({ space: SPACE, order: 'asc', limit: MAX_REMOVED })
    for (const { key, version, rank } of oldest)
      if (rank < now - FORGOTTEN_MS) await this.#write({ key, expect: version, value: null, rank })
  }

  async seen(): Promise<{ count: number; basis: string }> {
    const since = this.#clock.now() - FRESH_MS
    const newest = await this.#ledger.reader.documents({ space: SPACE, order: 'desc', limit: MAX_NODES })
    return {
      count: newest.filter(({ rank }) => rank >= since).length,
      basis: `nodes that wrote to the store in the last ${FRESH_MS / 1000} s`,
    }
  }

  /** Where another node removed the same one, it is gone all the same. */
  async #write(write: Pick<DocumentWrite, 'key' | 'expect' | 'value' | 'rank'>): Promise<void> {
    try {
      await this.#ledger.writeDocuments([{ space: SPACE, owner: OWNER, state: 'SEEN', ...write }])
    } catch (error) {
      if (!(error instanceof ServiceError && error.code === 'state_conflict')) throw error
    }
  }
}
