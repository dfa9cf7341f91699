/** The ledger as it is shown: what was read, what was recomputed, and what of it holds. */
import type { Partition } from '../../domain/partition.ts'
import { ServiceError } from '../../errors.ts'
import type { AnchorReading } from '../../ports.ts'
import { EVALUATION } from './disclosure.ts'
import { type CheckedPage, checkPage, type Signature } from './integrity.ts'
import { EMPTY_OUTCOMES, type Head } from './records.ts'
import { type PageWanted, readPage, type StoredPage } from './stored-page.ts'
import type { RecordSource } from './stored-records.ts'

export async function checkedPage(
  source: RecordSource,
  partition: Partition,
  wanted: PageWanted,
): Promise<{ page: StoredPage; checked: CheckedPage }> {
  const page = await readable(() => readPage(source, partition, wanted))
  return { page, checked: checkPage(page) }
}

/** What the store cannot hand out is no empty ledger. */
async function readable<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    throw new ServiceError('ledger_unavailable', 'the anatomy ledger cannot be read now; retry later', {
      extra: error instanceof ServiceError ? { cause: error.code } : {},
    })
  }
}

export function ledgerView(page: StoredPage, checked: CheckedPage, anchor: AnchorReading, generatedAt: string) {
  const { errors, records, signatures } = checked
  const holds = errors.every(({ code }) => code !== 'HEAD_MISMATCH')
  const head: Head | null = holds ? (page.head?.value ?? null) : null
  const newest = page.head?.receipt?.nodeIndex ?? null
  return {
    schema: 'orch.anatomy.ledger.v1' as const,
    ...EVALUATION,
    generatedAt,
    order: 'newest-first' as const,
    recordCount: holds ? (head?.recordCount ?? 0) : null,
    outcomes: holds ? (head?.outcomes ?? EMPTY_OUTCOMES) : null,
    chainRoot: head?.chainRoot ?? null,
    records: records.map(({ record }) => record),
    receipts: records.map(({ record, receipt }) => ({
      ...{ index: record.index, receiptId: receipt.digest, nodeIndex: receipt.nodeIndex },
    })),
    nextCursor: page.older === null ? null : String(page.older.rank + 1),
    signatureStatus: signatureStatus(signatures),
    externalAnchor: { status: anchor.status, checkpoint: anchor.checkpoint, note: anchor.note },
    chainIntegrity: {
      ...integrityOf(page, checked),
      anchored: anchor.status === 'INCLUDED' && newest !== null && newest < (anchor.checkpoint?.size ?? 0),
    },
  }
}

function integrityOf({ rows, older }: StoredPage, { errors }: CheckedPage) {
  const indexes = rows.map(({ row }) => row.rank)
  const found = errors.flatMap(({ index }) => (index === null ? [] : [index]))
  return {
    valid: errors.length === 0,
    errors,
    brokenAt: found.length === 0 ? null : Math.min(...found),
    recordCount: rows.length,
    checked: {
      newest: indexes[0] ?? null,
      oldest: indexes.at(-1) ?? null,
      linkedTo: older?.rank ?? null,
      what: 'of this page: each record’s hash, its index, its link to the record before it, and the digest and signature of the receipt that binds it; of the chain: where it ends. Older records are checked on their own pages',
    },
  }
}

const WORDS: Readonly<Record<Signature, string>> = {
  production: 'SIGNED_PRODUCTION',
  demo: 'SIGNED_DEMO',
  unsigned: 'UNSIGNED',
  invalid: 'INVALID',
}
export const SIGNATURE_STATUSES = [...Object.values(WORDS), 'MIXED', 'NONE']

/** Of the receipts that bind the records shown, verified for this reply. */
function signatureStatus(signatures: readonly Signature[]): string {
  const kinds = [...new Set(signatures)]
  const [first] = kinds
  if (first === undefined) return 'NONE'
  if (kinds.includes('invalid')) return WORDS.invalid
  return kinds.length === 1 ? WORDS[first] : 'MIXED'
}
