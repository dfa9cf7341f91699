/** Where the chains stand, as far as somebody appended to them: read from the store once, then carried along. */
import { GENESIS_PREV, organOf } from '@orch/core'
import type { ChainHead } from './contract.ts'
import type { LedgerStore } from './store/store.ts'
import type { Entry, Head } from './types.ts'

/** The head of a chain that has no receipt yet. */
export const newChain = (id: number, ns: string, chain: string): ChainHead => {
  const before = { head: GENESIS_PREV, lake: GENESIS_PREV }
  return { id, ns, chain, depth: 0, headIndex: -1, ...before }
}

export function chainHeads(store: Pick<LedgerStore, 'chain'>, { chainCount }: Head) {
  const heads = new Map<string, ChainHead>()
  let nextId = chainCount + 1
  return {
    /** Forgets everything: what was placed after this head is not stored. */
    goBackTo(head: Head): void {
      heads.clear()
      nextId = head.chainCount + 1
    },
    async load(entries: readonly Entry[]): Promise<void> {
      for (const { ns, chain } of entries) {
        const organ = organOf(ns, chain)
        if (heads.has(organ)) continue
        heads.set(organ, (await store.chain(ns, chain)) ?? newChain(nextId++, ns, chain))
      }
    },
    /** Of an entry that was loaded. */
    of: ({ ns, chain }: Entry): ChainHead => heads.get(organOf(ns, chain))!,
    set(chains: readonly ChainHead[]): void {
      for (const chain of chains) heads.set(organOf(chain.ns, chain.chain), chain)
    },
  }
}
