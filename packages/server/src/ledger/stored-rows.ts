/** How rows of a database become the ledger’s words, whichever database they come from. */
import type { AnswerRow, ChainHead, KeyRow, StoredAnswer } from '../ledger-contract.ts'

const HASH = 32
export const bytesOf = (hex: string): Buffer => Buffer.from(hex, 'hex')
export const hexOf = (bytes: unknown): string => Buffer.from(bytes as Uint8Array).toString('hex')

export const packHashes = (hashes: readonly Uint8Array[]): Uint8Array => Buffer.concat(hashes)
export function unpackHashes(packed: Uint8Array): Uint8Array[] {
  const hashes: Uint8Array[] = []
  for (let at = 0; at < packed.length; at += HASH) hashes.push(new Uint8Array(packed.subarray(at, at + HASH)))
  return hashes
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
