/** Which nodes work on one store: each leaves a document with the time, and whoever looks counts the fresh ones. The
 *  name of a node is random and says nothing about its machine. */
import { randomUUID } from 'node:crypto'
import Type from 'typebox'
import { collection } from '../../../domain/collection.ts'
import { documentKey } from '../../../domain/document-key.ts'
import type { Background, Clock, Ledger, Nodes } from '../../../ports.ts'

const BEAT_MS = 30_000
const FRESH_MS = 3 * BEAT_MS
const FORGOTTEN_MS = 3_600_000
const MAX_NODES = 256
const MAX_REMOVED = 16

const nodes = collection({
  space: 'node',
  key: (name: string) => documentKey('node', name),
  owner: () => 'system/nodes',
  state: () => 'SEEN',
  rank: (_value, now) => now,
  schema: Type.Object({}),
})

type Store = Pick<Ledger, 'reader' | 'writeDocuments'>

/** A store that one process holds has no other node. */
export const onlyNode: Nodes = { seen: async () => ({ count: 1, basis: 'the store is held by this process alone' }) }

export class Presence implements Nodes {
  readonly #ledger: Store
  readonly #clock: Clock
  readonly #name = randomUUID()

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

  /** Where another node removed the same one, it is gone all the same. */
  async beat(): Promise<void> {
    const { reader } = this.#ledger
    const now = this.#clock.now()
    await nodes.put(this.#ledger, this.#name, await nodes.get(reader, this.#name), {}, now)
    for (const node of await nodes.list(reader, { order: 'asc', limit: MAX_REMOVED }))
      if (node.row.rank < now - FORGOTTEN_MS) await nodes.remove(this.#ledger, node)
  }

  async seen(): Promise<{ count: number; basis: string }> {
    const since = this.#clock.now() - FRESH_MS
    const newest = await nodes.list(this.#ledger.reader, { order: 'desc', limit: MAX_NODES })
    return {
      count: newest.filter(({ row }) => row.rank >= since).length,
      basis: `nodes that wrote to the store in the last ${FRESH_MS / 1000} s`,
    }
  }
}
