/** What receipts say of documents. Whoever holds the store can edit a document and the receipt beside it; he cannot sign. */
import { matchesReceipt } from '../domain/bound-documents.ts'
import { bodyOf, type VerifiedBody } from '../domain/stored-receipt.ts'
import type { CheckReceipt, DocumentRow, LedgerReader, Row } from '../ledger/contract.ts'

export interface ReceiptSource {
  reader: LedgerReader
  check: CheckReceipt
}

/** The receipt that the document was last written with, if it says that it was written like this. */
export async function provingReceipt(source: ReceiptSource, row: DocumentRow): Promise<VerifiedBody | null> {
  const body = row.nodeIndex === null ? null : await verified(source, await source.reader.byIndex(row.nodeIndex))
  return body !== null && matchesReceipt(body.payload, row) ? body : null
}

/** Null for a receipt that is gone, that was edited, or that this ledger did not sign or record. */
export async function verified({ check }: ReceiptSource, row: Row | null): Promise<VerifiedBody | null> {
  const body = row && bodyOf(row)
  if (row === null || body === null) return null
  const { digest, signature } = await check(row)
  return digest === row.digest && signature !== false ? { ...body, digest } : null
}
