/** Whether a capsule is one of ours: digests that match show that it is consistent, the receipt that it was made here. */

import { sees, type Viewer } from '../../domain/visibility.ts'
import type { ReplayCapsule } from './schemas.ts'
import type { RecordSource } from './stored-records.ts'

export async function capsuleIsOurs(
  { reader, verifiedBody }: RecordSource,
  viewer: Viewer,
  capsule: ReplayCapsule | null,
): Promise<boolean> {
  const row = capsule === null ? null : await reader.byDigest(capsule.receiptDigest)
  if (capsule === null || row === null || !sees(viewer, row)) return false
  const body = await verifiedBody(row)
  if (body?.digest !== capsule.receiptDigest || body.kind !== 'anatomy' || body.payload.operation !== 'analyze')
    return false
  const { inputDigest, policyDigest, resultDigest } = body.payload
  return (
    inputDigest === capsule.inputDigest &&
    policyDigest === capsule.policyDigest &&
    resultDigest === capsule.resultDigest
  )
}
