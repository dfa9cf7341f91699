/** Which receipts travel in an evidence pack: the newest ones, or exactly those that are named by their place. */
import { MAX_PACK_RECEIPTS } from '@orch/core'
import type { StoredReceipt } from '../../domain/stored-receipt.ts'
import { sees, type Viewer } from '../../domain/visibility.ts'
import { InputError, ServiceError } from '../../errors.ts'
import type { PackQuery } from './schemas.ts'

export const INDEXES_PATTERN = '^\\d{1,15}(?:-\\d{1,15})?(?:,\\d{1,15}(?:-\\d{1,15})?){0,199}$'

export interface ReceiptSource {
  reader: { byIndex(index: number): Promise<StoredReceipt | null> }
  queries: { newestReceipts(viewer: Viewer, limit: number, size: number): Promise<StoredReceipt[]> }
}

/** Newest first. Of the first `size` receipts, which are those that the checkpoint of the pack covers. */
export async function chosenReceipts(
  source: ReceiptSource,
  viewer: Viewer,
  { receipts, indexes }: PackQuery,
  size: number,
): Promise<StoredReceipt[]> {
  if (indexes === undefined) return source.queries.newestReceipts(viewer, receipts, size)
  return Promise.all(readIndexes(indexes).map((index) => receiptAt(source, viewer, index, size)))
}

async function receiptAt(source: ReceiptSource, viewer: Viewer, index: number, size: number): Promise<StoredReceipt> {
  const row = index < size ? await source.reader.byIndex(index) : null
  if (row !== null && sees(viewer, row)) return row
  throw new ServiceError(
    'receipt_not_found',
    `no receipt with node_index ${index} that you may see; GET /api/orch/khipu/ledger lists those you may`,
  )
}

/** `3,8-10` is 10, 9, 8, 3. A part that runs backwards, or more than a pack holds, is refused before anything is read. */
function readIndexes(text: string): number[] {
  const chosen = new Set<number>()
  for (const part of text.split(',')) {
    const [from, to] = part.split('-').map(Number) as [number, number | undefined]
    const last = to ?? from
    if (last < from) throw fault(`${part} runs backwards; write the smaller node_index first, such as 8-12`)
    if (last - from >= MAX_PACK_RECEIPTS) throw tooMany()
    for (let index = from; index <= last; index += 1) chosen.add(index)
  }
  if (chosen.size > MAX_PACK_RECEIPTS) throw tooMany()
  return [...chosen].sort((a, b) => b - a)
}

const tooMany = (): InputError =>
  fault(`these are more than the ${MAX_PACK_RECEIPTS} receipts that a pack holds; make one pack for each part`)

const fault = (msg: string): InputError => new InputError([{ loc: ['query', 'indexes'], msg, type: 'indexes' }])
