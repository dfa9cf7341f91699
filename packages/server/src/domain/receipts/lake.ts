/** The lake chain: the same receipts linked a second time in another hash family. */
import { GENESIS_PREV, LAKE_SCHEMA, lakeHash, lakeText, organOf } from '@orch/core'
import { bodyOf, type ReceiptReader, type StoredReceipt } from '../stored-receipt.ts'

export type LakeRecord = Awaited<ReturnType<typeof lakeRecord>>

/** As the store has it; whether the hash is the right one is for `lakeProof` and the audit to say. */
export async function lakeRecord(reader: ReceiptReader, row: StoredReceipt) {
  const before = row.seq === 0 ? null : await reader.bySeq(row.ns, row.chain, row.seq - 1)
  return {
    schema: LAKE_SCHEMA as typeof LAKE_SCHEMA,
    organ: organOf(row.ns, row.chain),
    chain_index: row.seq + 1,
    prev_hash: before?.lake ?? GENESIS_PREV,
    receipt_digest: row.digest,
    ts_utc: bodyOf(row)?.ts_utc ?? '',
    hash: row.lake,
  }
}

/** The link with everything needed to compute it elsewhere: `sha3_256(canonical)` must be `hash`. */
export async function lakeProof(reader: ReceiptReader, row: StoredReceipt) {
  const record = await lakeRecord(reader, row)
  const computed = lakeHash(record)
  const next = await reader.bySeq(row.ns, row.chain, row.seq + 1)
  return {
    ok: computed === record.hash,
    record,
    canonical: lakeText(record),
    computed_hash: computed,
    matches: computed === record.hash,
    node_index: row.nodeIndex,
    next_hash: next?.lake ?? null,
  }
}
