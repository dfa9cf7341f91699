/** One operation asked for a page: its newest good answer, what went wrong since, and when it is asked again. */
import {
  type CallArguments,
  type Input,
  type OperationId,
  OrchError,
  OrchUnreachable,
  type Reply,
  rowOf,
} from '@orch/client'
import { useCallback, useEffect, useRef, useState } from 'react'
import { useService } from './service.tsx'

export interface Reading<Value> {
  operation: OperationId
  value: Value | null
  /** Milliseconds since the epoch, of the newest good answer. */
  readAt: number | null
  fault: OrchError | OrchUnreachable | null
  /** When it is asked again by itself, while it cannot be reached. */
  nextTryAt: number | null
  askAgain(): void
}

interface ReadingOptions {
  /** Milliseconds from a good answer to the next question; without it, it is asked once. */
  everyMs?: number
  isWanted?: boolean
}

const FIRST_WAIT_MS = 1_000
const MAX_WAIT_MS = 8_000

/** The input is made anew for each question, so that "the last 24 hours" ends now. `key` says when it is another one. */
export function useReading<Id extends OperationId>(
  operation: Id,
  input: () => Input<Id>,
  key: string,
  { everyMs, isWanted = true }: ReadingOptions = {},
): Reading<Reply<Id>> {
  const { client, isReachable, noteAnswer } = useService()
  const [state, setState] = useState<Omit<Reading<Reply<Id>>, 'askAgain' | 'operation'>>(NOTHING)
  const [turn, setTurn] = useState(0)
  const latest = useRef(input)
  latest.current = input
  const failures = useRef(0)
  const askAgain = useCallback(() => setTurn((count) => count + 1), [])

  // biome-ignore lint/correctness/useExhaustiveDependencies: another key is another question
  useEffect(() => {
    setState(NOTHING)
    failures.current = 0
  }, [operation, key, client])

  // biome-ignore lint/correctness/useExhaustiveDependencies: a turn or another key asks again
  useEffect(() => {
    if (!isWanted) return
    const stopped = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    const askIn = (ms: number) => {
      timer = setTimeout(askAgain, ms)
    }
    const args = [latest.current(), { signal: stopped.signal }] as unknown as CallArguments<Id>
    client.call(operation, ...args).then(
      (value) => {
        failures.current = 0
        noteAnswer(null)
        setState({ value, readAt: Date.now(), fault: null, nextTryAt: null })
        if (everyMs !== undefined) askIn(everyMs)
      },
      (error: unknown) => {
        if (stopped.signal.aborted) return
        if (!(error instanceof OrchError || error instanceof OrchUnreachable)) throw error
        noteAnswer(error)
        const wait = Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** failures.current)
        failures.current += 1
        const comesBack = error instanceof OrchUnreachable || error.status >= 500 || error.status === 429
        setState((before) => ({ ...before, fault: error, nextTryAt: comesBack ? Date.now() + wait : null }))
        if (comesBack) askIn(wait)
      },
    )
    return () => {
      stopped.abort()
      clearTimeout(timer)
    }
  }, [operation, key, client, turn, isWanted])

  // The frame hears first that the service is back.
  const { fault } = state
  useEffect(() => {
    if (isReachable && fault instanceof OrchUnreachable) askAgain()
  }, [isReachable, fault, askAgain])

  return { operation, ...state, askAgain }
}

const NOTHING = { value: null, readAt: null, fault: null, nextTryAt: null }

/** What the service calls a value: in the reply itself, else as the operation declares it. Null is a fault of ours. */
export function labelOf(operation: OperationId, reply: unknown): string | null {
  const own = (reply as { label?: unknown } | null)?.label
  if (typeof own === 'string') return own
  const { labels } = rowOf(operation)
  return labels.length === 1 ? (labels[0] as string) : null
}
