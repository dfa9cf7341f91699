/** The ledger as it grows, for the page that shows it, and whether that stream is open, for the frame. */
import { OrchError, OrchUnreachable, type ReceiptRow } from '@orch/client'
import { createContext, type ReactNode, use, useEffect, useMemo, useRef, useState } from 'react'
import { useService } from './service.tsx'

interface LiveState {
  /** `off`: this page follows nothing. */
  state: 'off' | 'open' | 'lost'
  heardAt: number | null
}

interface LiveContext extends LiveState {
  set(state: LiveState): void
}

const Live = createContext<LiveContext>({ state: 'off', heardAt: null, set: () => undefined })

export const useLiveState = (): LiveState => use(Live)

export function LiveProvider({ children }: { children: ReactNode }) {
  const [live, set] = useState<LiveState>({ state: 'off', heardAt: null })
  const value = useMemo(() => ({ ...live, set }), [live])
  return <Live value={value}>{children}</Live>
}

interface Following {
  /** The last index that is known; null while that is not known yet. */
  after: number | null
  filters: Record<string, string | undefined>
  onRow(row: ReceiptRow): void
  /** The ledger is another one, or shorter than what was seen of it. */
  onReset(): void
}

/** Each receipt once and in order, across lost connections: the client resumes after the last one it handed over. */
export function useLive({ after, filters, onRow, onReset }: Following, attempt: number): void {
  const { client, noteAnswer } = useService()
  const { set } = use(Live)
  const handlers = useRef({ onRow, onReset })
  handlers.current = { onRow, onReset }
  const seen = useRef(after)
  const key = JSON.stringify(filters)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the filters are compared by their text
  useEffect(() => {
    if (after === null) return
    const stopped = new AbortController()
    seen.current = Math.max(after, seen.current ?? after)
    const follow = async (): Promise<void> => {
      const onConnection = (state: 'open' | 'lost') => set({ state, heardAt: Date.now() })
      const options = { after: seen.current as number, filters, signal: stopped.signal, onConnection }
      for await (const { id, event, data } of client.events(options)) {
        seen.current = id
        set({ state: 'open', heardAt: Date.now() })
        if (event === 'reset') handlers.current.onReset()
        else handlers.current.onRow(data as ReceiptRow)
      }
    }
    follow().catch((error: unknown) => {
      if (stopped.signal.aborted) return
      if (!(error instanceof OrchError || error instanceof OrchUnreachable)) throw error
      noteAnswer(error)
      set({ state: 'lost', heardAt: null })
    })
    return () => {
      stopped.abort()
      set({ state: 'off', heardAt: null })
    }
  }, [after, key, client, attempt, noteAnswer, set])
}
