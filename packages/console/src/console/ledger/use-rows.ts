/** The rows of a list: the newest page, older ones as the reader scrolls, and new ones as they come. What comes while the
 *  list is paused or scrolled away waits, so that nothing moves under the reader's eyes. */
import { OrchError, OrchUnreachable, type ReceiptRow } from '@orch/client'
import { useCallback, useEffect, useReducer, useRef, useState } from 'react'
import { useLive } from '../data/live.tsx'
import type { Reading } from '../data/reading.ts'
import { useService } from '../data/service.tsx'
import { type Filters, type WireFilters, wireFilters } from './filters.ts'
import { changeRows, type Rows } from './rows.ts'

const PAGE = 100
/** A filter that matches little gives short pages: so many are asked for before the reader has to scroll. */
const MAX_SHORT_PAGES = 8

export interface RowList extends Omit<Reading<Rows>, 'operation'> {
  isLoadingOlder: boolean
  older(): void
  take(): void
  reconnect(): void
}

export function useRows(filters: Filters, isHeld: () => boolean, onRow: () => void): RowList {
  const { client, isReachable, noteAnswer } = useService()
  const [value, change] = useReducer(changeRows, null)
  const [status, setStatus] = useState<Pick<RowList, 'readAt' | 'fault' | 'nextTryAt'>>(QUIET)
  const [turn, setTurn] = useState(0)
  const [attempt, setAttempt] = useState(0)
  const [start, setStart] = useState<number | null>(null)
  const [isLoadingOlder, setLoadingOlder] = useState(false)
  const askAgain = useCallback(() => setTurn((count) => count + 1), [])
  const key = JSON.stringify(filters)
  const wire = useRef<WireFilters>({})

  const read = useCallback(
    async (query: WireFilters, from: string | undefined, signal?: AbortSignal) => {
      const rows: ReceiptRow[] = []
      let cursor = from
      for (let pages = 1; ; pages += 1) {
        const input = { query: { ...query, limit: PAGE, ...(cursor === undefined ? {} : { cursor }) } }
        const page = await client.khipu.ledger(input, signal === undefined ? {} : { signal })
        rows.push(...page.receipts)
        cursor = page.next_cursor ?? undefined
        if (rows.length < PAGE && cursor !== undefined && pages < MAX_SHORT_PAGES) continue
        return { rows, cursor: page.next_cursor, count: page.count, size: page.ledger_size }
      }
    },
    [client],
  )

  const failed = useCallback(
    (error: unknown): void => {
      if (!(error instanceof OrchError || error instanceof OrchUnreachable)) throw error
      noteAnswer(error)
      setStatus((before) => ({ ...before, fault: error, nextTryAt: null }))
    },
    [noteAnswer],
  )

  // biome-ignore lint/correctness/useExhaustiveDependencies: the filters are compared by their text, a turn asks again
  useEffect(() => {
    const stopped = new AbortController()
    change({ type: 'clear' })
    setStart(null)
    setStatus(QUIET)
    wire.current = wireFilters(filters, Date.now())
    read(wire.current, undefined, stopped.signal).then(
      (page) => {
        noteAnswer(null)
        change({ type: 'first', page })
        setStatus({ ...QUIET, readAt: Date.now() })
        setStart(page.size - 1)
      },
      (error: unknown) => {
        if (!stopped.signal.aborted) failed(error)
      },
    )
    return () => stopped.abort()
  }, [key, read, turn])

  useLive(
    {
      after: filters.until === undefined ? start : null,
      filters: wire.current as Record<string, string | undefined>,
      onRow: (row) => {
        change({ type: 'came', row, isHeld: isHeld() })
        setStatus((before) => ({ ...before, readAt: Date.now() }))
        onRow()
      },
      onReset: askAgain,
    },
    attempt,
  )

  const { fault } = status
  // The frame hears first that the service is back: the stream need not wait for its own next try.
  useEffect(() => {
    if (isReachable) setAttempt((count) => count + 1)
  }, [isReachable])
  useEffect(() => {
    if (isReachable && fault instanceof OrchUnreachable) askAgain()
  }, [isReachable, fault, askAgain])

  const take = useCallback(() => change({ type: 'take' }), [])
  const isWaiting = (value?.fresh.length ?? 0) > 0
  // What waits is taken as soon as nothing holds it: the reader is back at the top, or the list is no longer paused.
  useEffect(() => {
    if (!isWaiting) return
    const takeAtTop = () => (isHeld() ? undefined : take())
    takeAtTop()
    addEventListener('scroll', takeAtTop, { passive: true })
    return () => removeEventListener('scroll', takeAtTop)
  }, [isWaiting, isHeld, take])

  const cursor = value?.cursor ?? null
  const older = useCallback(() => {
    if (cursor === null || isLoadingOlder) return
    setLoadingOlder(true)
    read(wire.current, cursor)
      .then((page) => change({ type: 'older', page }), failed)
      .finally(() => setLoadingOlder(false))
  }, [cursor, isLoadingOlder, read, failed])

  return {
    value,
    ...status,
    isLoadingOlder,
    askAgain,
    older,
    take,
    reconnect: () => setAttempt((count) => count + 1),
  }
}

const QUIET = { readAt: null, fault: null, nextTryAt: null }
