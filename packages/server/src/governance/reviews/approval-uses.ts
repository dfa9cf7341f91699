/** Whether an approval was used before. The item of the review says so as well, and whoever holds the store can put it back
 *  to what it was; the receipt of the decision that used it stays, or is missed. It lies behind the verdict, and an approval
 *  is good for fifteen minutes, so what is looked through has an end: in slices, by the reading thread, and no receipt
 *  twice. */
import type { NamedApproval } from '@orch/core'
import { isInTree, treeHolding } from '../../domain/ledger-tree.ts'
import { bodyOf, isRecord, type StoredReceipt } from '../../domain/stored-receipt.ts'
import type { Ledger } from '../../ports.ts'

const MAX_REMEMBERED = 1_000

export type IsUsed = (approval: NamedApproval) => Promise<boolean>

export function approvalUses(ledger: Pick<Ledger, 'reader' | 'queries' | 'state' | 'reportBreak'>): IsUsed {
  const { reader, queries } = ledger
  /** By the newest verdict: where to go on. */
  const unusedTo = new Map<string, number>()
  return async ({ review_id, receipts }) => {
    const newest = receipts.at(-1) ?? ''
    const verdict = await reader.byDigest(newest)
    // Nothing in its bytes says where a receipt lies: one that was moved behind the decision that used it would hide it.
    if (verdict === null) return true
    const tree = await treeHolding(ledger.state(), reader, verdict.nodeIndex)
    if (!(await isInTree(reader, tree, verdict))) return true
    const text = `"receipts":${JSON.stringify(receipts)}`
    let from = unusedTo.get(newest) ?? verdict.nodeIndex + 1
    for (;;) {
      const { found, to, damagedAt } = await queries.searchText(text, from, ledger.state())
      if (damagedAt !== null) {
        ledger.reportBreak(`receipts from index ${damagedAt} on are missing or are not those of the tree`)
        return true
      }
      if (found === null) {
        if (unusedTo.size >= MAX_REMEMBERED) unusedTo.clear()
        unusedTo.set(newest, to)
        return false
      }
      if (isUse(found, review_id)) return true
      from = to
    }
  }
}

/** A caller may mint an object that holds the same text: only what the service says of its own decision counts. */
function isUse(receipt: StoredReceipt, reviewId: string): boolean {
  const approval = bodyOf(receipt)?.payload.approval
  return isRecord(approval) && approval.review_id === reviewId && approval.used !== false
}
