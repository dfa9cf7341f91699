/** How rows of a database become the ledger's words, whichever database they come from. */
import type { AnswerRow, ChainHead, KeyRow, StoredAnswer } from '../contract.ts'

const HASH = 32
export const bytesOf = (hex: string): Buffer => Buffer.from(hex, 'hex')
export const hexOf = (bytes: unknown): string => Buffer.from(bytes as Uint8Array).toString('hex')

export const packHashes = (hashes: readonly Uint8Array[]): Uint8Array => Buffer.concat(hashes)
export function unpackHashes(packed: Uint8Array): Uint8Array[] {
  const hashes: Uint8Array[] = []
  for (let at = 0; at < packed.length; at += HASH) hashes.push(new Uint8Array(packed.subarray(at, at + HASH)))
  return hashes
}

/** A row that the ledger cannot do without is not what it must be. Whoever can edit the store can bring this about: it is
 *  told in one sentence that names the row, and nothing is guessed in its place. */
export class StoreDamaged extends Error {
  constructor(row: string, fault: string) {
    super(`${row} in the store ${fault}; restore the store from a copy`)
  }
}

const HEAD_ROW = 'the row of table head'

interface HeadRow {
  size: number
  hashes: Uint8Array[]
  chains: number
}

/** The head as it is stored, whatever it says: an audit compares it with the receipts. */
export function storedHeadOf(row: unknown): HeadRow {
  if (row === undefined) throw new StoreDamaged(HEAD_ROW, 'is missing')
  const { size, frontier, chains } = row as { size: number; frontier: Uint8Array; chains: number }
  return { size, hashes: unpackHashes(frontier), chains }
}

/** The head that the next batch continues, held to what its own size says of the rest. */
export function headRowOf(row: unknown): HeadRow {
  const head = storedHeadOf(row)
  const { size, chains } = head
  if (!isCount(size)) throw new StoreDamaged(HEAD_ROW, 'has a size that is no count of receipts')
  if (!isCount(chains)) throw new StoreDamaged(HEAD_ROW, 'has a number of chains that is no count')
  const due = setBits(size)
  if (head.hashes.length !== due || head.hashes.some((hash) => hash.length !== HASH))
    throw new StoreDamaged(HEAD_ROW, `has no whole hashes, or not the ${due} that the tree of ${size} receipts has`)
  return head
}

const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0

/** The tree of so many leaves is made of one whole tree for every bit of the number. */
const setBits = (size: number): number => [...size.toString(2)].filter((bit) => bit === '1').length

export function edgesOf(rows: readonly unknown[]): { index: number; hashes: Uint8Array[] }[] {
  return rows.map((row, level) => {
    const { idx, data } = row as { idx: number; data: Uint8Array }
    if (isCount(idx) && data.length % HASH === 0) return { index: idx, hashes: unpackHashes(data) }
    throw new StoreDamaged(`the row of table edges for level ${level}`, 'is no row of whole hashes')
  })
}

export function chainOf(row: unknown): ChainHead | null {
  if (row === undefined) return null
  const found = row as {
    id: number
    ns: string
    chain: string
    depth: number
    head: Uint8Array
    head_index: number
    lake: Uint8Array
  }
  const { id, ns, chain, depth, head, head_index: headIndex, lake } = found
  return { id, ns, chain, depth, head: hexOf(head), headIndex, lake: hexOf(lake) }
}

export function answerOf(row: unknown): StoredAnswer | null {
  if (row === undefined) return null
  const found = row as { request: Uint8Array; node_index: number; tree_size: number; answer: string }
  return { request: found.request, nodeIndex: found.node_index, treeSize: found.tree_size, answer: found.answer }
}

export function keyOf(row: unknown): KeyRow {
  const found = row as {
    keyid: string
    spki: Uint8Array
    kind: KeyRow['kind']
    from_index: number
    to_index: number | null
    from_ts: string
    to_ts: string | null
  }
  return {
    keyid: found.keyid,
    spki: found.spki,
    kind: found.kind,
    fromIndex: found.from_index,
    toIndex: found.to_index,
    from: found.from_ts,
    to: found.to_ts,
  }
}

export function answerRowOf(row: unknown): AnswerRow {
  const { key, at_ms: atMs } = row as { key: Uint8Array; at_ms: number }
  return { ...answerOf(row)!, key, atMs }
}
