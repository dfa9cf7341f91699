/** How many effects wait, are claimed, have failed for good or have left, read from the store at every call. */
import type { LedgerReader } from '../../../ledger/contract.ts'
import type { Outbox } from '../../../ports.ts'
import type { DrainReport } from '../effect-schemas.ts'
import type { SessionReply } from '../read-schemas.ts'
import type { EffectState } from '../rules/effect-transitions.ts'
import { COUNT_ALL, STEP_CHAIN } from '../store/session-documents.ts'
import { EXPORTED_COUNTER } from './attempt.ts'
import { effectSpace } from './effect-documents.ts'

/** Every namespace that ever recorded a step. */
export const steppingNamespaces = async (reader: LedgerReader): Promise<string[]> =>
  (await reader.chains()).filter(({ chain }) => chain === STEP_CHAIN).map(({ ns }) => ns)

export async function effectCounts(
  reader: LedgerReader,
  namespace: string,
  now: number,
): Promise<Pick<DrainReport, 'pending' | 'claimed' | 'dead_letter' | 'due_remaining'>> {
  const space = effectSpace(namespace)
  const [pending, claimed, dead_letter, due_remaining] = await Promise.all([
    reader.countDocuments({ space, state: 'PENDING' }, COUNT_ALL),
    reader.countDocuments({ space, state: 'CLAIMED' }, COUNT_ALL),
    reader.countDocuments({ space, state: 'DEAD_LETTER' }, COUNT_ALL),
    reader.countDocuments({ space, state: 'PENDING', upTo: now }, COUNT_ALL),
  ])
  return { pending, claimed, dead_letter, due_remaining }
}

export async function effectTotals(reader: LedgerReader, now: number): Promise<Record<EffectState, number>> {
  const counts = { PENDING: 0, CLAIMED: 0, DEAD_LETTER: 0 }
  for (const namespace of await steppingNamespaces(reader)) {
    const { pending, claimed, dead_letter } = await effectCounts(reader, namespace, now)
    counts.PENDING += pending
    counts.CLAIMED += claimed
    counts.DEAD_LETTER += dead_letter
  }
  return { ...counts, EXPORTED: await reader.counter(EXPORTED_COUNTER.space, EXPORTED_COUNTER.key) }
}

/** How long the oldest due effect of all namespaces has been waiting, in seconds; 0 where none is due. */
export async function outboxLag(reader: LedgerReader, now: number): Promise<number> {
  const waiting = (await steppingNamespaces(reader)).map(async (namespace) => {
    const query = { space: effectSpace(namespace), state: 'PENDING', upTo: now, order: 'asc', limit: 1 } as const
    const [oldest] = await reader.documents(query)
    return oldest === undefined ? 0 : Math.max(0, now - oldest.rank) / 1000
  })
  return Math.max(0, ...(await Promise.all(waiting)))
}

/** For the operator's view: effects of every namespace that has recorded anything, since no effect comes without a
 *  receipt. */
export const outboxStats = (reader: LedgerReader, now: () => number): Outbox => ({
  async stats() {
    const none = { pending: 0, claimed: 0, expiredLeases: 0, deadLetters: 0, oldestDueAt: null }
    const stats: Awaited<ReturnType<Outbox['stats']>> = none
    for (const ns of new Set((await reader.chains()).map((chain) => chain.ns))) {
      const space = effectSpace(ns)
      const [oldest] = await reader.documents({ space, state: 'PENDING', order: 'asc', limit: 1 })
      stats.pending += await reader.countDocuments({ space, state: 'PENDING' })
      stats.claimed += await reader.countDocuments({ space, state: 'CLAIMED' })
      stats.expiredLeases += await reader.countDocuments({ space, state: 'CLAIMED', upTo: now() })
      stats.deadLetters += await reader.countDocuments({ space, state: 'DEAD_LETTER' })
      if (oldest !== undefined) stats.oldestDueAt = Math.min(stats.oldestDueAt ?? oldest.rank, oldest.rank)
    }
    return stats
  },
})

type EffectCounts = SessionReply['effects']

/** Effects by state: those of one namespace, or of one session in it. At one moment, for the outbox moves them meanwhile. */
export async function countEffects(
  reader: LedgerReader,
  filter: { space: string; owner?: string },
): Promise<EffectCounts> {
  const { PENDING = 0, CLAIMED = 0, EXPORTED = 0, DEAD_LETTER = 0 } = await reader.countByState(filter)
  return { pending: PENDING, claimed: CLAIMED, exported: EXPORTED, dead_letter: DEAD_LETTER }
}

export const sumEffects = (counts: readonly EffectCounts[]): EffectCounts => {
  const sum = (state: keyof EffectCounts) => counts.reduce((all, one) => all + one[state], 0)
  return {
    pending: sum('pending'),
    claimed: sum('claimed'),
    exported: sum('exported'),
    dead_letter: sum('dead_letter'),
  }
}
