/** Whether an approval was used before. The item of the review says so as well, and whoever holds the store can put it back
 *  to what it was; the receipt of the decision that used it stays. It lies behind the verdict, and an approval is good for
 *  fifteen minutes, so what is looked through has an end: in slices, by the store, and no receipt twice. */
import { hexEncode, leafHash, type NamedApproval, TILE_WIDTH } from '@orch/core'
import { bodyOf, isRecord } from '../domain/stored-receipt.ts'
import type { LedgerReader, Row } from '../ledger-contract.ts'

/** Others who read wait for at most one of these. */
const SLICE = 2_000
const MAX_REMEMBERED = 1_000
const HASH_BYTES = 32

export type IsUsed = (approval: NamedApproval) => Promise<boolean>

export function approvalUses(reader: LedgerReader): IsUsed {
  /** By the newest verdict: where to go on. */
  const unusedTo = new Map<string, number>()
  return async ({ review_id, receipts }) => {
    const newest = receipts.at(-1) ?? ''
    const verdict = await reader.byDigest(newest)
    if (verdict === null || !(await isInPlace(reader, verdict))) return true
    const text = `"receipts":${JSON.stringify(receipts)}`
    const { size } = await reader.head()
    let from = unusedTo.get(newest) ?? verdict.nodeIndex + 1
    while (from < size) {
      const to = Math.min(size, from + SLICE)
      const found = await reader.indexHolding(text, from, to)
      if (found !== null && (await isUse(reader, found, review_id))) return true
      from = found === null ? to : found + 1
    }
    if (unusedTo.size >= MAX_REMEMBERED) unusedTo.clear()
    unusedTo.set(newest, from)
    return false
  }
}

/** Nothing in its bytes says where a receipt lies. A verdict that was moved behind the decision that used it would hide that
 *  decision, so the tree has to have it there. */
async function isInPlace(reader: LedgerReader, { nodeIndex, body }: Row): Promise<boolean> {
  const tile = await reader.tile(0, Math.floor(nodeIndex / TILE_WIDTH))
  const at = (nodeIndex % TILE_WIDTH) * HASH_BYTES
  return tile !== null && hexEncode(tile.subarray(at, at + HASH_BYTES)) === hexEncode(leafHash(body))
}

/** A caller may mint an object that holds the same text: only what the service says of its own decision counts. */
async function isUse(reader: LedgerReader, index: number, reviewId: string): Promise<boolean> {
  const row = await reader.byIndex(index)
  const approval = row && bodyOf(row)?.payload.approval
  return isRecord(approval) && approval.review_id === reviewId && approval.used !== false
}
