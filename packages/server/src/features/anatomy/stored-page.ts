/** One page of an owner's chain of records, newest first, with the receipts that bind it. Costs what the page costs,
 *  however long the chain is. */
import { type Partition, partitionName } from '../../domain/partition.ts'
import { bodyOf } from '../../domain/stored-receipt.ts'
import type { DocumentRow, LedgerReader } from '../../ledger/contract.ts'
import type { PageWanted } from './schemas.ts'
import {
  type BoundRow,
  boundRow,
  type Head,
  headIn,
  newestStored,
  RECORD_SPACE,
  type RecordSource,
  readHead,
} from './stored-records.ts'

/** A page ends where it has this much text: two thousand records of the largest kind would fill the memory. */
const MAX_PAGE_BYTES = 8 * 1024 * 1024
const CHUNK = 32
/** How far back the newest receipt of this owner is looked for. */
const MAX_TAIL = 64

export interface StoredPage {
  partition: Partition
  /** Null before the first record. */
  head: (BoundRow & { value: Head | null }) | null
  /** The page begins below this index. */
  before: number
  rows: BoundRow[]
  /** The record before the oldest of the page; null where there is none. */
  older: DocumentRow | null
  /** The newest record that is stored or that one of the last receipts of this owner names; -1 for none. */
  newestKnown: number
}

/** What is newest is read before the head: a record that is appended meanwhile must not pass for a missing one. */
export async function readPage(source: RecordSource, partition: Partition, wanted: PageWanted): Promise<StoredPage> {
  const { reader } = source
  const newestKnown = Math.max(await newestNamed(reader, partition), await newestStored(reader, partition))
  const headRow = await readHead(reader, partition)
  const value = headRow === null ? null : headIn(headRow)
  const end = value?.recordCount ?? Number.MAX_SAFE_INTEGER
  const before = Math.min(end, wanted.cursor === undefined ? end : Number(wanted.cursor))
  const read = await readRows(reader, partitionName(partition), before, wanted.limit)
  const rows = await Promise.all(read.rows.map((row) => boundRow(source, row)))
  const head = headRow === null ? null : { ...(await boundRow(source, headRow)), value }
  return { partition, head, before, rows, older: read.older, newestKnown }
}

async function readRows(reader: LedgerReader, owner: string, before: number, limit: number) {
  const rows: DocumentRow[] = []
  let after = { rank: before, key: '' }
  let [bytes, last] = [0, false]
  while (!last && rows.length <= limit && bytes < MAX_PAGE_BYTES) {
    const wanted = Math.min(CHUNK, limit + 1 - rows.length)
    const chunk = await reader.documents({ space: RECORD_SPACE, owner, order: 'desc', after, limit: wanted })
    rows.push(...chunk)
    bytes += chunk.reduce((sum, { value }) => sum + value.length, 0)
    last = chunk.length < wanted
    after = chunk.at(-1) ?? after
  }
  // Where more is to come, the last one read is there for its hash alone.
  if (last) return { rows, older: null }
  return { rows: rows.slice(0, -1), older: rows.at(-1) ?? null }
}

async function newestNamed(reader: LedgerReader, { namespace, owner }: Partition): Promise<number> {
  const chain = (await reader.chains()).find((one) => one.ns === namespace && one.chain === 'anatomy')
  if (chain === undefined) return -1
  const tail = await reader.chainRange(namespace, 'anatomy', Math.max(0, chain.depth - MAX_TAIL), MAX_TAIL)
  const named = tail
    .map((row) => bodyOf(row))
    .filter((body) => body?.actor.owner === owner)
    .map((body) => body?.payload.recordIndex)
  return Math.max(-1, ...named.filter((index) => typeof index === 'number'))
}
