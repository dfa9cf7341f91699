/** How the outbox stands: read from the store whenever somebody asks. */

import type { LedgerReader } from '../../../ledger/contract.ts'
import { STEP_CHAIN } from '../chains.ts'
import { TO_THE_END } from '../counting.ts'
import type { DrainReport } from '../effect-schemas.ts'
import type { EffectState } from '../rules/effect-transitions.ts'
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
    reader.countDocuments({ space, state: 'PENDING' }, TO_THE_END),
    reader.countDocuments({ space, state: 'CLAIMED' }, TO_THE_END),
    reader.countDocuments({ space, state: 'DEAD_LETTER' }, TO_THE_END),
    reader.countDocuments({ space, state: 'PENDING', upTo: now }, TO_THE_END),
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
