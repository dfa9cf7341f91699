/** What the frame says on every page: how the service is open, what it signs with, how much it holds. It is asked every
 *  few seconds, so that each page learns soon that the service is gone or back. */
import type { Reply } from '@orch/client'
import { createContext, type ReactNode, use, useMemo } from 'react'
import { type Reading, useReading } from './reading.ts'

export interface Facts {
  health: Reading<Reply<'runtime.health'>>
  log: Reading<Reply<'lake.log'>>
  keys: Reading<Reply<'keys.list'>>
  /** Reviews that wait for a person; null where that is not known or not this reader's to know. */
  waiting: Reading<Reply<'reviews.list'>>
}

const FactsContext = createContext<Facts | null>(null)

export const useFacts = (): Facts => use(FactsContext) as Facts

const OFTEN_MS = 6_000
const NOW_AND_THEN_MS = 20_000
const nothing = () => ({})

export function FactsProvider({ children }: { children: ReactNode }) {
  const health = useReading('runtime.health', nothing, '', { everyMs: OFTEN_MS })
  const log = useReading('lake.log', nothing, '', { everyMs: OFTEN_MS })
  const keys = useReading('keys.list', nothing, '', { everyMs: NOW_AND_THEN_MS })
  const waiting = useReading('reviews.list', () => ({ query: { state: 'pending', limit: 1 } }), '', {
    everyMs: NOW_AND_THEN_MS,
  })
  const facts = useMemo(() => ({ health, log, keys, waiting }), [health, log, keys, waiting])
  return <FactsContext value={facts}>{children}</FactsContext>
}

/** Null while nobody knows. */
export const pendingReviews = ({ waiting }: Facts): number | null => {
  const { pending } = (waiting.value?.counts ?? {}) as { pending?: number }
  return pending ?? null
}
