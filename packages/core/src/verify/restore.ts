// What a reader must not overlook: the operator went on with a restored ledger, and receipts may be missing before it.
import type { ReceiptBody } from '../receipt.ts'
import { type Fields, isHex64, isRecord } from './shape.ts'

export type RestoredHead = { origin: string; size: number; root: string }
export type RestoreFacts = {
  reason: string
  /** What was known to have been signed; null where the guard was lost, and nobody can say how much is missing. */
  guard: RestoredHead | null
  store: RestoredHead
  log: { origin: string; vkey: string }
}

/** Null for any other receipt, and for one that only calls itself so. */
export function restoreOf({ kind, payload }: Pick<ReceiptBody, 'kind' | 'payload'>): RestoreFacts | null {
  if (kind !== 'restore') return null
  const { reason, guard, store, log } = payload as Fields
  if (typeof reason !== 'string' || !isHead(store) || !(guard === null || isHead(guard))) return null
  if (!isRecord(log) || typeof log.origin !== 'string' || typeof log.vkey !== 'string') return null
  return { reason, guard, store, log: { origin: log.origin, vkey: log.vkey } }
}

export function restoreSentence({ guard, store, log, reason }: RestoreFacts): string {
  const lost =
    guard === null
      ? 'its guard was lost, so nobody can say what is missing'
      : guard.origin === store.origin && guard.size > store.size
        ? `${guard.size} had been signed, so ${guard.size - store.size} are missing`
        : `the guard held ${guard.size} receipts of ${guard.origin}`
  return `the operator went on with a restored ledger of ${store.size} receipts: ${lost}; the log goes on as ${log.origin} (${reason.slice(0, 500)})`
}

const isHead = (value: unknown): value is RestoredHead =>
  isRecord(value) && typeof value.origin === 'string' && Number.isSafeInteger(value.size) && isHex64(value.root)
