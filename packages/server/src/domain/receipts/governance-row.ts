/** A receipt as a row of the governance ledger: what it says of itself, and the digest of the bytes it says it in. */
import { type ReceiptBody, sha256Hex } from '@orch/core'
import { bodyOf, isRecord, type StoredReceipt } from '../stored-receipt.ts'

export function ledgerRow(stored: StoredReceipt) {
  const body = bodyOf(stored)
  return {
    ...placeOf(stored, body),
    ...stated(body, body?.payload ?? {}),
    simulated: false,
    label: 'STRUCTURAL-ONLY' as const,
  }
}

/** What a sample states stands one level deeper, so that no reader of receipts takes it for a decision. */
export function sampleRow(stored: StoredReceipt) {
  const body = bodyOf(stored)
  const value = isRecord(body?.payload.value) ? body.payload.value : {}
  return { ...placeOf(stored, body), ...stated(body, value), simulated: true, label: 'SIMULATED' as const }
}

export type LedgerRow = ReturnType<typeof ledgerRow>

const placeOf = (stored: StoredReceipt, body: ReceiptBody | null) => ({
  seq: stored.seq,
  receipt_id: stored.digest,
  kind: body?.kind ?? null,
  ts: text(body?.ts_utc),
  hash: sha256Hex(stored.body),
  prev_hash: body?.prev ?? stored.prev,
  signed: stored.signature !== null,
  keyid: stored.keyid,
})

const stated = (body: ReceiptBody | null, said: Record<string, unknown>) => ({
  vertical: text(said.vertical),
  action: text(said.action) ?? text(said.operation) ?? body?.kind ?? null,
  decision: text(said.decision)?.toLowerCase() ?? null,
  lambda_advisory: typeof said.lambda === 'number' ? said.lambda : null,
  gates_fired: Array.isArray(said.gates_fired) ? said.gates_fired.filter((gate) => typeof gate === 'string') : [],
})

const text = (value: unknown): string | null => (typeof value === 'string' ? value : null)
