/** The ledger as it is shown: what was read, what was recomputed, and what of it holds. */

import { GENESIS_PREV } from '@orch/core'
import type { Partition } from '../../domain/partition.ts'
import { ServiceError } from '../../errors.ts'
import type { Row } from '../../ledger/contract.ts'
import type { AnchorReading } from '../../ports.ts'
import { EVALUATION } from './disclosure.ts'
import type { PageWanted } from './schemas.ts'
import { readPage, type StoredPage } from './stored-page.ts'
import {
  type AnatomyRecord,
  type BoundRow,
  EMPTY_OUTCOMES,
  type Head,
  headHolds,
  type RecordSource,
  recordHolds,
  recordIn,
} from './stored-records.ts'

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
      headers: { 'retry-after': '5' },
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

interface ChainError {
  /** Of the record; null where the end of the chain as a whole does not hold. */
  index: number | null
  code:
    | 'RECORD_MISSING'
    | 'RECORD_HASH_MISMATCH'
    | 'INDEX_MISMATCH'
    | 'LINK_BROKEN'
    | 'RECEIPT_MISMATCH'
    | 'SIGNATURE_INVALID'
    | 'HEAD_MISMATCH'
  detail: string
}

type Signature = 'production' | 'demo' | 'unsigned' | 'invalid'

interface CheckedPage {
  /** Those that their receipts bear out; what does not hold is named by its index and not shown. */
  records: { record: AnatomyRecord; receipt: Row }[]
  signatures: Signature[]
  errors: ChainError[]
}

function checkPage(page: StoredPage): CheckedPage {
  const checked = page.rows.map((bound) => checkRow(page.partition, bound))
  const errors = [
    ...headErrors(page),
    ...gapErrors(page),
    ...checked.flatMap((row) => row.errors),
    ...linkErrors(page),
  ].sort((one, other) => (one.index ?? -1) - (other.index ?? -1))
  return {
    records: checked.flatMap(({ shown }) => (shown === null ? [] : [shown])),
    signatures: checked.flatMap(({ signature }) => (signature === null ? [] : [signature])),
    errors,
  }
}

interface CheckedRow {
  shown: CheckedPage['records'][number] | null
  signature: Signature | null
  errors: ChainError[]
}

function checkRow(partition: Partition, { row, receipt, body }: BoundRow): CheckedRow {
  const record = recordIn(row)
  const fault = (code: ChainError['code'], detail: string, signature: Signature | null = null) => ({
    ...{ shown: null, signature, errors: [{ index: row.rank, code, detail }] },
  })
  if (record === null) return fault('RECORD_HASH_MISMATCH', 'the record is not the one its hash was taken of')
  if (record.index !== row.rank) return fault('INDEX_MISMATCH', `the record says that its index is ${record.index}`)
  if (receipt !== null && body === null)
    return fault('SIGNATURE_INVALID', 'its receipt was edited, or this ledger did not sign it', 'invalid')
  if (receipt === null || !recordHolds(partition, record, body))
    return fault('RECEIPT_MISMATCH', 'no receipt of this ledger bears the record out')
  return { shown: { record, receipt }, signature: receipt.keyKind ?? 'unsigned', errors: [] }
}

/** The chain has no gaps: from where the page begins each index follows, down to the neighbour or to the first. */
function gapErrors({ rows, older, before, head }: StoredPage): ChainError[] {
  if (head === null && rows.length === 0) return []
  const present = [...rows.map(({ row }) => row.rank), ...(older === null ? [] : [older.rank])]
  const start = head?.value == null ? (present[0] ?? 0) + 1 : before
  const errors: ChainError[] = []
  const missing = (index: number, count: number) =>
    count > 0 &&
    errors.push({ index, code: 'RECORD_MISSING', detail: `${count} of the chain are not there, up to this one` })
  let expected = start - 1
  for (const index of present) {
    missing(expected, expected - index)
    expected = index - 1
  }
  if (older === null) missing(expected, expected + 1)
  return errors
}

/** By the hash that the older one states: an edit shows at the edited record alone. */
function linkErrors({ rows, older }: StoredPage): ChainError[] {
  const chain = [...rows.map(({ row }) => row), ...(older === null ? [] : [older])].map((row) => ({
    index: row.rank,
    record: recordIn(row),
  }))
  return chain.flatMap(({ index, record }, at): ChainError[] => {
    const before = chain[at + 1]
    const expected = index === 0 ? GENESIS_PREV : before?.index === index - 1 ? before.record?.recordHash : undefined
    if (record === null || expected === undefined || record.previousHash === expected) return []
    if (older !== null && index === older.rank) return []
    return [{ index, code: 'LINK_BROKEN', detail: 'the record before it has another hash' }]
  })
}

function headErrors({ partition, head, rows, newestKnown, before }: StoredPage): ChainError[] {
  const fault = (detail: string): ChainError[] => [{ index: null, code: 'HEAD_MISMATCH', detail }]
  if (head === null) {
    if (newestKnown < 0) return []
    return fault('there are records, and the document that says where the chain ends is gone')
  }
  const { value, body } = head
  if (value === null) return fault('what says where the chain ends cannot be read')
  if (!headHolds(partition, value, body)) return fault('no receipt bears out where the chain ends')
  if (newestKnown >= value.recordCount) return fault(`there is a record ${newestKnown}, and the chain ends before it`)
  const newest = rows[0]?.row
  const named = newest?.rank === value.recordCount - 1 ? recordIn(newest) : null
  return before === value.recordCount && named !== null && named.recordHash !== value.chainRoot
    ? fault('the newest record is not the one the chain ends with')
    : []
}
