/** Whether a capsule is one of ours: digests that match show that it is consistent, the receipt that it was made here. */
import { sha256Hex } from '@orch/core'
import type { ReplayCapsule } from '../../domain/policy/anatomy/analyze.ts'
import { bodyOf, type ReceiptReader } from '../../domain/stored-receipt.ts'
import { sees, type Viewer } from '../../domain/visibility.ts'

export async function capsuleIsOurs(
  reader: Pick<ReceiptReader, 'byDigest'>,
  viewer: Viewer,
  capsule: ReplayCapsule | null,
): Promise<boolean> {
  const row = capsule === null ? null : await reader.byDigest(capsule.receiptDigest)
  if (capsule === null || row === null || !sees(viewer, row)) return false
  const body = sha256Hex(row.body) === capsule.receiptDigest ? bodyOf(row) : null
  if (body?.kind !== 'anatomy' || body.payload.operation !== 'analyze') return false
  const { inputDigest, policyDigest, resultDigest } = body.payload
  return (
    inputDigest === capsule.inputDigest &&
    policyDigest === capsule.policyDigest &&
    resultDigest === capsule.resultDigest
  )
}
