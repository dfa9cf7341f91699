/** How rows of a database become the ledger's words, whichever database they come from. */
import type { AnswerRow, ChainHead, Row, StoredAnswer } from '../contract.ts'
import { signatureState } from '../types.ts'

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
  if (row == null) throw new StoreDamaged(HEAD_ROW, 'is missing')
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

/** A row whose columns of these names hold bytes that the contract has in hex. */
export type InBytes<T, Name extends keyof T> = Omit<T, Name> & Record<Name, Uint8Array>

export function chainOf(row: unknown): ChainHead | null {
  if (row == null) return null
  const { head, lake, ...rest } = row as InBytes<ChainHead, 'head' | 'lake'>
  return { ...rest, head: hexOf(head), lake: hexOf(lake) }
}

export function rowOf(raw: unknown): Row {
  const { prev, digest, lake, keyid, keyKind, ...rest } = raw as InBytes<Row, 'prev' | 'digest' | 'lake'>
  const isSigned = rest.signature !== null
  return {
    ...rest,
    prev: hexOf(prev),
    digest: hexOf(digest),
    lake: hexOf(lake),
    keyid: isSigned ? keyid : null,
    keyKind: isSigned ? keyKind : null,
    signatureState: signatureState(isSigned, keyid !== null),
  }
}

export function answerOf(row: unknown): StoredAnswer | null {
  if (row == null) return null
  const { request, nodeIndex, treeSize, answer } = row as StoredAnswer
  return { request, nodeIndex, treeSize, answer }
}

export const answerRowOf = (row: unknown): AnswerRow => ({ ...(row as AnswerRow) })
