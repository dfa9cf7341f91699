/** The governance chain of a namespace, its newest receipts re-checked. Runs where receipts are read: it recomputes
 *  digests and verifies signatures. */
import { GENESIS_PREV, type ReceiptBody, sha256Hex } from '@orch/core'
import { bodyOf, isRecord, type StoredReceipt } from '../stored-receipt.ts'
import { sees, type Viewer } from '../visibility.ts'
import { chainWindow, type WindowReader } from './chain-window.ts'
import { number, text, texts } from './row.ts'

export const GOVERNANCE_CHAIN = 'governance'
export const SAMPLE_CHAIN = 'sample'

export type GovernancePage = Awaited<ReturnType<typeof governancePage>>

/** Of somebody else's receipts a caller sees neither the row nor that it counts; the links of all of them are checked. */
export async function governancePage(reader: WindowReader, viewer: Viewer, limit: number) {
  const named = (chain: string) => ({ ns: viewer.namespace, chain })
  const window = await chainWindow(reader, named(GOVERNANCE_CHAIN), limit)
  const samples = await chainWindow(reader, named(SAMPLE_CHAIN), limit)
  const receipts = window.rows.filter((row) => sees(viewer, row)).map(ledgerRow)
  return {
    chain_depth: window.depth,
    final_hash: window.head,
    genesis_prev: GENESIS_PREV,
    window: window.check,
    window_verified: window.check.first_break_seq === null,
    decisions_in_window: counted(receipts.map(({ decision }) => decision)),
    verticals_in_window: counted(receipts.map(({ vertical }) => vertical)),
    receipts: receipts.reverse(),
    samples: samples.rows
      .filter((row) => sees(viewer, row))
      .map(sampleRow)
      .reverse(),
  }
}

/** How often each word stands there; what states none is not counted under another's. */
function counted(words: readonly (string | null)[]): Record<string, number> {
  const groups = Map.groupBy(
    words.filter((word) => word !== null),
    (word) => word,
  )
  return Object.fromEntries([...groups].map(([word, found]) => [word, found.length]))
}

function ledgerRow(stored: StoredReceipt) {
  const body = bodyOf(stored)
  return {
    ...placeOf(stored, body),
    ...stated(body, body?.payload ?? {}),
    simulated: false,
    label: 'STRUCTURAL-ONLY' as const,
  }
}

/** What a sample states stands one level deeper, so that no reader of receipts takes it for a decision. */
function sampleRow(stored: StoredReceipt) {
  const body = bodyOf(stored)
  const value = isRecord(body?.payload.value) ? body.payload.value : {}
  return { ...placeOf(stored, body), ...stated(body, value), simulated: true, label: 'SIMULATED' as const }
}

/** What a receipt says of itself, and the digest of the bytes it says it in. */
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
  lambda_advisory: number(said.lambda),
  gates_fired: texts(said.gates_fired),
})
