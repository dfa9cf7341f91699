/** The newest decisions that a reader may see, told as their receipts tell them. Nothing is verified here: each row leads
 *  to its receipt and to the check of it. */
import { DECISIONS, type Decision, type ReceiptBody } from '@orch/core'
import { verifyUrl } from '../receipt-view.ts'
import { bodyOf, type ReceiptReader, type StoredReceipt } from '../stored-receipt.ts'
import { sees, type Viewer } from '../visibility.ts'
import { texts } from './row.ts'

export const MAX_DECISIONS = 20
/** Receipts looked at for one page, so that a ledger full of other things costs no more than this. */
export const MAX_SCANNED = 2_000
const CHUNK = 250
const MAX_REASONS = 16
const MAX_TEXT = 200

export type NewestDecisions = Awaited<ReturnType<typeof readDecisions>>
export type DecisionRow = NewestDecisions['items'][number]

type Reader = Pick<ReceiptReader, 'head' | 'range'>

export async function readDecisions(reader: Reader, viewer: Viewer) {
  const { size } = await reader.head()
  const end = Math.max(0, size - MAX_SCANNED)
  const items: ReturnType<typeof rowOf>[] = []
  let [before, unreadable] = [size, 0]
  while (before > end && items.length < MAX_DECISIONS) {
    const from = Math.max(end, before - CHUNK)
    const chunk = (await reader.range(from, before - from)).filter(({ nodeIndex }) => nodeIndex < before)
    for (const row of chunk.reverse().filter((one) => sees(viewer, one))) {
      const body = bodyOf(row)
      if (body === null) unreadable += 1
      else items.push(...decided(row, body))
    }
    before = from
  }
  return {
    items: items.slice(0, MAX_DECISIONS),
    order: 'newest first' as const,
    scanned: size - before,
    size,
    unreadable,
  }
}

/** A sample decides nothing, and neither does a receipt without one of the three words. */
function decided(row: StoredReceipt, body: ReceiptBody) {
  const decision = DECISIONS.find((word) => word === body.payload.decision)
  return decision === undefined || body.kind === 'sample' ? [] : [rowOf(row, body, decision)]
}

function rowOf(
  { digest, chain, seq, signature, keyKind }: StoredReceipt,
  { kind, ts_utc, actor, payload }: ReceiptBody,
  decision: Decision,
) {
  const reasons = texts(payload.reasons)
  return {
    decision,
    reasons: reasons.slice(0, MAX_REASONS).map((reason) => text(reason) as string),
    reasons_total: reasons.length,
    kind: text(kind),
    operation: text(payload.operation),
    owner: text(actor.owner),
    ts_utc: text(ts_utc),
    chain,
    seq,
    signed: signature === null ? ('unsigned' as const) : (keyKind ?? ('unknown key' as const)),
    digest,
    verify_url: verifyUrl(digest),
  }
}

/** Whoever can write to the store chooses these; a page holds so much of them and no more. */
const text = (value: unknown): string | null =>
  typeof value !== 'string' ? null : value.length > MAX_TEXT ? `${value.slice(0, MAX_TEXT)}…` : value
