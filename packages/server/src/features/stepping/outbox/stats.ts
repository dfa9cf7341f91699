/** How many effects wait, are claimed or have failed for good, for the operator's view. */
import type { Outbox, Ports } from '../../../ports.ts'
import { effectSpace } from './effect-documents.ts'

/** Effects of every namespace that has recorded anything: no effect comes without a receipt. */
export const outboxStats = (reader: Ports['ledger']['reader']): Outbox => ({
  async stats() {
    const namespaces = [...new Set((await reader.chains()).map(({ ns }) => ns))]
    const found = await Promise.all(
      namespaces.map(async (ns) => {
        const space = effectSpace(ns)
        const count = (state: string) => reader.countDocuments({ space, state })
        const [pending, claimed, deadLetters, [oldest]] = await Promise.all([
          count('PENDING'),
          count('CLAIMED'),
          count('DEAD_LETTER'),
          reader.documents({ space, state: 'PENDING', order: 'asc', limit: 1 }),
        ])
        return { pending, claimed, deadLetters, oldestDueAt: oldest?.rank ?? Number.POSITIVE_INFINITY }
      }),
    )
    const sum = (of: (one: (typeof found)[number]) => number) => found.reduce((total, one) => total + of(one), 0)
    const oldest = found.reduce((least, { oldestDueAt }) => Math.min(least, oldestDueAt), Number.POSITIVE_INFINITY)
    return {
      pending: sum(({ pending }) => pending),
      claimed: sum(({ claimed }) => claimed),
      deadLetters: sum(({ deadLetters }) => deadLetters),
      oldestDueAt: Number.isFinite(oldest) ? oldest : null,
    }
  },
})
