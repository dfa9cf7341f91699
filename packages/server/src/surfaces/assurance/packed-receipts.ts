/** The newest receipts a caller may see, each with its envelope and a proof against one checkpoint that travels along. */
import { type Evidence, inclusionAt, receiptRecord } from '../../domain/evidence.ts'
import { ringRecord } from '../../domain/keys.ts'
import type { StoredReceipt } from '../../domain/stored-receipt.ts'
import { sees, type Viewer } from '../../domain/visibility.ts'

/** Rows looked at, whoever asks for how many: a caller who sees few of them must not make the ledger be read whole. */
const MOST_SCANNED = 5_000
const CHUNK = 250

export type PackedReceipts = Awaited<ReturnType<typeof packReceipts>>

export async function packReceipts(evidence: Evidence, viewer: Viewer, wanted: number, activeKeyid: string | null) {
  const checkpoint = await newestCheckpoint(evidence)
  const rows = checkpoint === null ? [] : await newestRows(evidence, viewer, wanted, checkpoint.size)
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

async function newestRows(evidence: Evidence, viewer: Viewer, wanted: number, size: number): Promise<StoredReceipt[]> {
  const found: StoredReceipt[] = []
  const stop = Math.max(0, size - MOST_SCANNED)
  for (let before = size; before > stop && found.length < wanted; ) {
    const from = Math.max(stop, before - CHUNK)
    const rows = await evidence.reader.range(from, before - from)
    found.push(...rows.filter((row) => row.nodeIndex < before && sees(viewer, row)).reverse())
    before = from
  }
  return found.slice(0, wanted)
}

/** Without a checkpoint of its own: all of them share that of the pack. */
async function packedRecord(evidence: Evidence, row: StoredReceipt, size: number) {
  const inclusion = await inclusionAt(evidence, row.nodeIndex, size)
  const { checkpoint: _, ...record } = receiptRecord(row, { inclusion, checkpoint: null })
  return record
}
