/** The reviews of one state, all of them up to a limit: the service lists the newest first, and what lapses next is the
 *  oldest. Asked again when the ledger says that something about reviews happened. */
import { OrchError, OrchUnreachable, type Reply } from '@orch/client'
import { useCallback, useEffect, useRef, useState } from 'react'
import { useFacts } from '../../data/facts.tsx'
import { useLive } from '../../data/live.tsx'
import { type Reading, useReading } from '../../data/reading.ts'
import { useService } from '../../data/service.tsx'

type ReviewList = Reply<'reviews.list'>
export type ReviewItem = ReviewList['items'][number]

const PAGE = 100
const MAX_PAGES = 10
const EVERY_MS = 10_000

interface Queue extends Reading<ReviewList> {
  /** After those of the reading. */
  older: readonly ReviewItem[]
}

export function useQueue(state: 'pending' | 'all'): Queue {
  const { client, noteAnswer } = useService()
  const reading = useReading('reviews.list', () => ({ query: { state, limit: PAGE } }), state, { everyMs: EVERY_MS })
  const [older, setOlder] = useState<readonly ReviewItem[]>([])
  const { value, askAgain } = reading
  useEffect(() => {
    if (value === null) return
    const stopped = new AbortController()
    const read = async (): Promise<void> => {
      const items: ReviewItem[] = []
      let cursor = value.next_cursor
      for (let page = 1; cursor !== null && page < MAX_PAGES; page += 1) {
        const found = await client.reviews.list({ query: { state, limit: PAGE, cursor } }, { signal: stopped.signal })
        items.push(...found.items)
        cursor = found.next_cursor
      }
      setOlder(items)
    }
    read().catch((error: unknown) => {
      if (stopped.signal.aborted) return
      if (!(error instanceof OrchError || error instanceof OrchUnreachable)) throw error
      noteAnswer(error)
    })
    return () => stopped.abort()
  }, [value, client, noteAnswer, state])
  useReviewNews(askAgain)
  return { ...reading, older }
}

/** Holds, verdicts and used approvals are receipts, so the stream of the ledger tells of them first. */
function useReviewNews(onNews: () => void): void {
  const { log } = useFacts()
  const [start, setStart] = useState<number | null>(null)
  const size = log.value?.size ?? null
  useEffect(() => {
    if (size !== null) setStart((known) => known ?? size - 1)
  }, [size])
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const soon = useCallback(() => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined
      onNews()
    }, 200)
  }, [onNews])
  useEffect(() => () => clearTimeout(timer.current), [])
  useLive({ after: start, filters: {}, onRow: soon, onReset: soon }, 0)
}
