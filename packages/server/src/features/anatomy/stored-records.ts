/** Records as the store hands them out. Whoever writes to the store can have put anything there: nothing is taken for a
 *  record before it was checked. */

import { canonicalize, GENESIS_PREV, sha256Hex, utf8Encode } from '@orch/core'
import { documentKey } from '../../domain/document-key.ts'
import { type Partition, partitionName } from '../../domain/partition.ts'
import { isRecord, parseJson, type VerifiedBody } from '../../domain/stored-receipt.ts'
import { InputError, ServiceError } from '../../errors.ts'
import type { DocumentId, DocumentRow, DocumentWrite, LedgerReader, Row } from '../../ledger/contract.ts'
import { type EvidenceResult, evidenceIdentity, recordFields } from './rules/evidence.ts'
import { digestOf } from './rules/json-shape.ts'
import type { Outcome } from './schemas.ts'

export interface StoredRecord {
  record: AnatomyRecord
  duplicate: boolean
  documents: DocumentWrite[]
  /** Of the head as this record leaves it; null where nothing is written. */
  headDigest: string | null
}

/** Where records are read, and how the receipts that bind them are verified. */
export interface RecordSource {
  reader: LedgerReader
  verifiedBody(receipt: Row | null): Promise<VerifiedBody | null>
}

/** The record of this evidence: the one that is there already, or the next of the chain. */
export async function keepRecord(
  source: RecordSource,
  partition: Partition,
  result: EvidenceResult,
): Promise<StoredRecord> {
  const id = recordId(partition, result)
  const known = await source.reader.document(id.space, id.key)
  if (known !== null) return knownRecord(source, partition, known)
  const end = await readEnd(source, partition)
  const made = nextRecord(result, end.head)
  const documents = recordWrites(partition, id, made, end.version)
  return { record: made.record, duplicate: false, documents, headDigest: headDigest(made.head) }
}

async function knownRecord(source: RecordSource, partition: Partition, row: DocumentRow): Promise<StoredRecord> {
  const record = recordIn(row)
  const { body } = await boundRow(source, row)
  if (record === null || !recordHolds(partition, record, body)) throw damaged()
  return { record, duplicate: true, documents: [], headDigest: null }
}

export interface BoundRow {
  row: DocumentRow
  /** The receipt that the document was written with, and what it says where it verifies. */
  receipt: Row | null
  body: VerifiedBody | null
}

export async function boundRow({ reader, verifiedBody }: RecordSource, row: DocumentRow): Promise<BoundRow> {
  const receipt = row.nodeIndex === null ? null : await reader.byIndex(row.nodeIndex)
  return { row, receipt, body: await verifiedBody(receipt) }
}

export const readHead = (reader: LedgerReader, partition: Partition): Promise<DocumentRow | null> => {
  const { space, key } = headId(partition)
  return reader.document(space, key)
}

/** Where the next record goes. An end that no receipt bears out, or that was put back, would fork the chain or give a
 *  forged count the word of the next receipt. What is newest is read first, so that an append meanwhile is no fault. */
async function readEnd(source: RecordSource, partition: Partition): Promise<{ head: Head | null; version: number }> {
  const { reader } = source
  const newest = await newestStored(reader, partition)
  const row = await readHead(reader, partition)
  if (row === null && newest >= 0) throw damaged()
  if (row === null) return { head: null, version: 0 }
  const head = headIn(row)
  const { body } = await boundRow(source, row)
  if (head === null || newest >= head.recordCount || !headHolds(partition, head, body)) throw damaged()
  return { head, version: row.version }
}

/** Index of the newest record that is stored; -1 for none. */
export async function newestStored(reader: LedgerReader, partition: Partition): Promise<number> {
  const owner = partitionName(partition)
  const [row] = await reader.documents({ space: RECORD_SPACE, owner, order: 'desc', limit: 1 })
  return row?.rank ?? -1
}

/** Nothing is borne out by the receipt of somebody else. */
const payloadFor = ({ namespace, owner }: Partition, body: VerifiedBody | null) =>
  body?.kind === 'anatomy' && body.ns === namespace && body.actor.owner === owner ? body.payload : null

export const headHolds = (partition: Partition, head: Head, body: VerifiedBody | null): boolean =>
  digestOf(head) === payloadFor(partition, body)?.headDigest

/** By the receipt it was appended with. One that merely met it again does not count, or an edited record could be shown
 *  to us once more and come away with our word. */
export const recordHolds = (partition: Partition, record: AnatomyRecord, body: VerifiedBody | null): boolean => {
  const { recordHash, recordIndex, duplicate } = payloadFor(partition, body) ?? {}
  return recordHash === record.recordHash && recordIndex === record.index && duplicate === false
}

const damaged = () =>
  new ServiceError('ledger_unavailable', 'the anatomy ledger is damaged; its ledger operation says where')

/** Null for anything but a record whose hash is its own. */
export function recordIn({ value }: Pick<DocumentRow, 'value'>): AnatomyRecord | null {
  const parsed = parseJson(value)
  if (!isRecord(parsed) || typeof parsed.recordHash !== 'string') return null
  const { recordHash, ...rest } = parsed
  return digestOf(rest) === recordHash ? (parsed as unknown as AnatomyRecord) : null
}

export function headIn({ value }: Pick<DocumentRow, 'value'>): Head | null {
  const parsed = parseJson(value)
  const isHead = isRecord(parsed) && Number.isSafeInteger(parsed.recordCount) && isRecord(parsed.outcomes)
  return isHead ? (parsed as unknown as Head) : null
}

export const RECORD_SPACE = 'anatomy.record'
export const HEAD_SPACE = 'anatomy.head'

/** A document holds 1 MiB. A number such as 1e20 is written out, so a body within its limit can still exceed that. */
const MAX_RECORD_BYTES = 1_000_000

/** A chain of records belongs to one owner, so that nobody learns from `duplicate` what another owner has sent. */
export type AnatomyRecord = ReturnType<typeof recordFields> & {
  index: number
  previousHash: string
  recordHash: string
}

/** Where a chain stands. The receipt of the newest record binds this too, so the counts cannot be edited unseen. */
export interface Head {
  recordCount: number
  chainRoot: string
  outcomes: Record<Outcome, number>
}

export const EMPTY_OUTCOMES: Readonly<Head['outcomes']> = Object.freeze({ ALLOW: 0, REVIEW: 0, BLOCK: 0 })

const headId = ({ namespace, owner }: Partition): DocumentId => ({
  space: HEAD_SPACE,
  key: documentKey(namespace, owner),
})
const recordId = ({ namespace, owner }: Partition, result: EvidenceResult): DocumentId => ({
  space: RECORD_SPACE,
  key: documentKey(namespace, owner, evidenceIdentity(result) ?? ''),
})

const headDigest = (head: Head): string => sha256Hex(canonicalize(head))

function nextRecord(result: EvidenceResult, head: Head | null): { record: AnatomyRecord; head: Head } {
  const rest = {
    index: head?.recordCount ?? 0,
    ...recordFields(result),
    previousHash: head?.chainRoot ?? GENESIS_PREV,
  }
  const record = { ...rest, recordHash: sha256Hex(canonicalize(rest)) }
  const outcomes = { ...(head?.outcomes ?? EMPTY_OUTCOMES) }
  outcomes[result.outcome] += 1
  return { record, head: { recordCount: record.index + 1, chainRoot: record.recordHash, outcomes } }
}

/** The head first: it is what appends of one owner compete for. */
function recordWrites(
  partition: Partition,
  id: DocumentId,
  made: { record: AnatomyRecord; head: Head },
  headVersion: number,
): DocumentWrite[] {
  const value = canonicalize(made.record)
  if (utf8Encode(value).length > MAX_RECORD_BYTES)
    throw new InputError([{ loc: ['body'], msg: `its record exceeds ${MAX_RECORD_BYTES} bytes`, type: 'too_long' }])
  const owner = partitionName(partition)
  const { index, policy } = made.record
  return [
    {
      ...{ ...headId(partition), expect: headVersion, owner, state: 'head', rank: made.head.recordCount },
      value: canonicalize(made.head),
    },
    { ...id, expect: 0, owner, state: policy.outcome, rank: index, value },
  ]
}
