/** Whether a page of the chain holds: every hash, every link and every receipt recomputed from what is stored now. */
import { GENESIS_PREV, type PublicKey, verifyP256 } from '@orch/core'
import type { Partition } from '../../domain/partition.ts'
import { receiptPae } from '../../domain/receipt-view.ts'
import type { Row } from '../../ledger-contract.ts'
import type { AnatomyRecord } from './records.ts'
import type { BoundRow, StoredPage } from './stored-page.ts'
import { headHolds, recordHolds, recordIn } from './stored-records.ts'

export interface ChainError {
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

export async function checkPage(page: StoredPage, ring: readonly PublicKey[]): Promise<CheckedPage> {
  const checked = await Promise.all(page.rows.map((bound) => checkRow(page.partition, bound, ring)))
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

async function checkRow(partition: Partition, { row, receipt }: BoundRow, ring: readonly PublicKey[]) {
  const record = recordIn(row)
  const fault = (code: ChainError['code'], detail: string) => ({
    ...{ shown: null, signature: null, errors: [{ index: row.rank, code, detail }] },
  })
  if (record === null) return fault('RECORD_HASH_MISMATCH', 'the record is not the one its hash was taken of')
  if (record.index !== row.rank) return fault('INDEX_MISMATCH', `the record says that its index is ${record.index}`)
  if (receipt === null || !recordHolds(partition, record, receipt))
    return fault('RECEIPT_MISMATCH', 'no receipt of this ledger bears the record out')
  const signature = await signatureOf(receipt, ring)
  const errors: ChainError[] =
    signature === 'invalid'
      ? [{ index: row.rank, code: 'SIGNATURE_INVALID', detail: 'the signature of its receipt does not verify' }]
      : []
  return { shown: { record, receipt }, signature, errors }
}

async function signatureOf(receipt: Row, ring: readonly PublicKey[]): Promise<Signature> {
  if (receipt.signature === null) return 'unsigned'
  const key = ring.find(({ keyid }) => keyid === receipt.keyid)
  const verified = key !== undefined && (await verifyP256(key, receiptPae(receipt), receipt.signature))
  return verified ? (receipt.keyKind ?? 'invalid') : 'invalid'
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
  const { value, receipt } = head
  if (value === null) return fault('what says where the chain ends cannot be read')
  if (!headHolds(partition, value, receipt)) return fault('no receipt bears out where the chain ends')
  if (newestKnown >= value.recordCount) return fault(`there is a record ${newestKnown}, and the chain ends before it`)
  const newest = rows[0]?.row
  const named = newest?.rank === value.recordCount - 1 ? recordIn(newest) : null
  return before === value.recordCount && named !== null && named.recordHash !== value.chainRoot
    ? fault('the newest record is not the one the chain ends with')
    : []
}
