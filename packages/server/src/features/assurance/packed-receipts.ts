/** The newest receipts a caller may see, each with its envelope and a proof against one checkpoint that travels along. */
import { type Evidence, inclusionAt, receiptRecord } from '../../domain/evidence.ts'
import { ringRecord } from '../../domain/keys.ts'
import type { StoredReceipt } from '../../domain/stored-receipt.ts'
import type { Viewer } from '../../domain/visibility.ts'

type Ledger = Evidence & {
  queries: { newestReceipts(viewer: Viewer, limit: number, size: number): Promise<StoredReceipt[]> }
}

export type PackedReceipts = Awaited<ReturnType<typeof packReceipts>>

export async function packReceipts(evidence: Ledger, viewer: Viewer, wanted: number, activeKeyid: string | null) {
  const checkpoint = await newestCheckpoint(evidence)
  const rows = checkpoint === null ? [] : await evidence.queries.newestReceipts(viewer, wanted, checkpoint.size)
  const records = await Promise.all(rows.map((row) => packedRecord(evidence, row, checkpoint!.size)))
  const ring = await evidence.reader.keys()
  return {
    receipts: records,
    public_keys: ring.map((key) => ringRecord(key, activeKeyid)),
    checkpoint: checkpoint?.note ?? null,
  }
}

/** One that covers everything recorded so far. */
async function newestCheckpoint(evidence: Evidence): Promise<{ size: number; note: string } | null> {
  const [stored, { size }] = [await evidence.reader.checkpoint(), await evidence.reader.head()]
  if (stored !== null && stored.size >= size) return stored
  await evidence.checkpointNow()
  return evidence.reader.checkpoint()
}

/** Without a checkpoint of its own: all of them share that of the pack. */
async function packedRecord(evidence: Evidence, row: StoredReceipt, size: number) {
  const inclusion = await inclusionAt(evidence, row.nodeIndex, size)
  const { checkpoint: _, ...record } = receiptRecord(row, { inclusion, checkpoint: null })
  return record
}
