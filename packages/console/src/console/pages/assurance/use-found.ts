/** The receipts of the ledger that fit, newest first and up to a number. A search that matches little gives short pages,
 *  so it goes on until there are enough or the ledger ends. */
import { OrchError, OrchUnreachable, type ReceiptRow } from '@orch/client'
import { useEffect, useState } from 'react'
import { useService } from '../../data/service.tsx'
import type { WireFilters } from '../../ledger/filters.ts'

interface Found {
  rows: readonly ReceiptRow[]
  /** Nothing more is being looked for. */
  isDone: boolean
  /** The number was reached before the ledger ended. */
  hasMore: boolean
  fault: OrchError | OrchUnreachable | null
}
const NOTHING: Found = { rows: [], isDone: false, hasMore: false, fault: null }
const PAGE = 200
const SETTLE_MS = 250

/** Null asks for nothing. */
export function useFound(filters: WireFilters | null, wanted: number): Found {
  const { client, noteAnswer } = useService()
  const [found, setFound] = useState(NOTHING)
  const key = JSON.stringify(filters)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the filters are compared by their text
  useEffect(() => {
    setFound(NOTHING)
    if (filters === null) return
    const stopped = new AbortController()
    const search = async (): Promise<void> => {
      const rows: ReceiptRow[] = []
      let cursor: string | null | undefined
      do {
        const query = { ...filters, limit: Math.min(PAGE, wanted - rows.length), ...(cursor ? { cursor } : {}) }
        const page = await client.khipu.ledger({ query }, { signal: stopped.signal })
        rows.push(...page.receipts)
        cursor = page.next_cursor
        const isDone = cursor === null || rows.length >= wanted
        setFound({ rows: [...rows], isDone, hasMore: cursor !== null, fault: null })
        if (isDone) return
      } while (cursor !== null)
    }
    // Not for each letter that is typed.
    const timer = setTimeout(() => {
      search().then(
        () => noteAnswer(null),
        (error: unknown) => {
          if (stopped.signal.aborted) return
          if (!(error instanceof OrchError || error instanceof OrchUnreachable)) throw error
          noteAnswer(error)
          setFound({ ...NOTHING, isDone: true, fault: error })
        },
      )
    }, SETTLE_MS)
    return () => {
      clearTimeout(timer)
      stopped.abort()
    }
  }, [key, wanted, client, noteAnswer])
  return found
}
