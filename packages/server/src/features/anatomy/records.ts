/** The chain of evidence records: how one is made, and what is written with its receipt. A chain belongs to one owner,
 *  so that nobody learns from `duplicate` what another owner holds. */
import { canonicalize, GENESIS_PREV, sha256Hex, utf8Encode } from '@orch/core'
import { documentKey } from '../../domain/document-key.ts'
import { type Partition, partitionName } from '../../domain/partition.ts'
import { InputError } from '../../errors.ts'
import type { DocumentId, DocumentWrite } from '../../ledger/contract.ts'
import { type EvidenceResult, evidenceIdentity, recordFields } from './rules/evidence.ts'
import type { Outcome } from './schemas.ts'

export const RECORD_SPACE = 'anatomy.record'
export const HEAD_SPACE = 'anatomy.head'

/** A document holds 1 MiB. A number such as 1e20 is written out, so a body within its limit can still exceed that. */
const MAX_RECORD_BYTES = 1_000_000

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

export const headId = ({ namespace, owner }: Partition): DocumentId => ({
  space: HEAD_SPACE,
  key: documentKey(namespace, owner),
})
export const recordId = ({ namespace, owner }: Partition, result: EvidenceResult): DocumentId => ({
  space: RECORD_SPACE,
  key: documentKey(namespace, owner, evidenceIdentity(result) ?? ''),
})

export const headDigest = (head: Head): string => sha256Hex(canonicalize(head))

export function nextRecord(result: EvidenceResult, head: Head | null): { record: AnatomyRecord; head: Head } {
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
export function recordWrites(
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
