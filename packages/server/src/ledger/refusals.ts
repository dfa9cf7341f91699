/** Why something was not recorded. Plain data: it crosses a thread boundary. */
import { ServiceError } from '../errors.ts'
import type { CounterMove } from './contract.ts'
import { StoreReplaced } from './store/own-files.ts'
import { OutcomeUnknown } from './store/store.ts'
import type { RefusalCode } from './types.ts'

export interface Refusal {
  ok: false
  code: RefusalCode
  message: string
  /** The move that had no room, of a quota that is exceeded. */
  counter?: CounterMove
}

export const refusal = (code: RefusalCode, message: string): Refusal => ({ ok: false, code, message })

export const changedMeanwhile = (): Refusal =>
  refusal('state_conflict', 'the record changed meanwhile; read it again and retry')

export const noRoom = (counter: CounterMove): Refusal => ({
  ...refusal(
    'quota_exceeded',
    counter.add < 0
      ? 'more would be given back than was taken; nothing was recorded'
      : 'the quota is used up; free some of it or wait until it renews, then retry',
  ),
  counter,
})

/** A lost connection rolls a batch back; only a commit whose answer was lost leaves the outcome open. */
export const storeUnavailable = (error: unknown): Refusal =>
  refusal(
    'store_unavailable',
    error instanceof OutcomeUnknown
      ? 'the store did not say whether the receipt was kept; retry with the same Idempotency-Key'
      : 'the store cannot be written now; nothing was recorded, retry later',
  )

/** Why a store of our own is not tried again. */
export function storeFault(error: unknown): string {
  if (error instanceof StoreReplaced) return error.message
  // SQLite's words for its result code, never its message, which may quote what was to be stored.
  const { errstr, code } = error as { errstr?: string; code?: string }
  return `the store failed to record (${errstr ?? code ?? 'unknown error'}); restart after repair`
}

export const STOPPED = refusal('ledger_read_only', 'the ledger stopped; nothing was acknowledged')

/** What the caller of the ledger is told. */
export function toServiceError({ code, message, counter }: Refusal): ServiceError {
  if (counter === undefined) return new ServiceError(code, message)
  const { space, key, limit, retryAfter } = counter
  const headers: Record<string, string> = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }
  return new ServiceError(code, message, { headers, extra: { quota: { space, key, limit } } })
}
