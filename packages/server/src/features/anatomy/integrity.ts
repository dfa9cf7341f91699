/** Whether a page of the chain holds: every hash, every link and every receipt recomputed from what is stored now. */
import { GENESIS_PREV } from '@orch/core'
import type { Partition } from '../../domain/partition.ts'
import type { Row } from '../../ledger/contract.ts'
import type { AnatomyRecord } from './records.ts'
import type { StoredPage } from './stored-page.ts'
import { type BoundRow, headHolds, recordHolds, recordIn } from './stored-records.ts'

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

export type Signature = 'production' | 'demo' | 'unsigned' | 'invalid'

export interface CheckedPage {
  /** Those that their receipts bear out; what does not hold is named by its index and not shown. */
  records: { record: AnatomyRecord; receipt: Row }[]
  signatures: Signature[]
  errors: ChainError[]
}

export function checkPage(page: StoredPage): CheckedPage {
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
