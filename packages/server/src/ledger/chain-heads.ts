/** Where the chains stand, as far as somebody appended to them: read from the store once, then carried along. */
import { GENESIS_PREV, organOf } from '@orch/core'
import type { ChainHead } from './contract.ts'
import type { LedgerStore } from './store/store.ts'
import type { Entry, Head } from './types.ts'

export class ChainHeads {
  private readonly store: Pick<LedgerStore, 'chain'>
  private readonly heads = new Map<string, ChainHead>()
  private nextId: number

  constructor(store: Pick<LedgerStore, 'chain'>, head: Head) {
    this.store = store
    this.nextId = head.chainCount + 1
  }

  /** Forgets everything: what was placed after this head is not stored. */
  goBackTo(head: Head): void {
    this.heads.clear()
    this.nextId = head.chainCount + 1
  }

  async load(entries: readonly Entry[]): Promise<void> {
    for (const { ns, chain } of entries) {
      const organ = organOf(ns, chain)
      if (this.heads.has(organ)) continue
      this.heads.set(organ, (await this.store.chain(ns, chain)) ?? this.begun(ns, chain))
    }
  }

  /** Of an entry that was loaded. */
  of({ ns, chain }: Entry): ChainHead {
    return this.heads.get(organOf(ns, chain))!
  }

  keep(chains: readonly ChainHead[]): void {
    for (const chain of chains) this.heads.set(organOf(chain.ns, chain.chain), chain)
  }

  private begun(ns: string, chain: string): ChainHead {
    return { id: this.nextId++, ns, chain, depth: 0, head: GENESIS_PREV, headIndex: -1, lake: GENESIS_PREV }
  }
}
