/** What a tool tells of a receipt: where it stands, and nothing of what it is about. */
import { bodyOf, type StoredReceipt } from '../stored-receipt.ts'
import { sees, type Viewer } from '../visibility.ts'

/** Null for a receipt that is not the viewer's to see, or cannot be read. */
export function receiptFacts(viewer: Viewer, row: StoredReceipt | null): Record<string, unknown> | null {
  const body = row !== null && sees(viewer, row) ? bodyOf(row) : null
  if (row === null || body === null) return null
  const { kind, ts_utc, payload } = body
  const decision = payload.decision ?? null
  return { kind, chain: row.chain, seq: row.seq, ts_utc, decision, signed: row.signature !== null }
}
