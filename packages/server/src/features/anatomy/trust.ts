/** Whom the operator trusts to vouch for evidence. Nothing of it can come with a request. */
import type { TrustedKey } from '@orch/core'
import { trustedKeys } from '../../domain/keys.ts'
import type { KeyRow } from '../../ledger/contract.ts'
import type { EvidenceTrust } from './rules/evidence.ts'
import type { RingKey } from './rules/signatures.ts'

/** Distinct keys of the ring that must have signed. */
export const THRESHOLD = 1

/** A key of ours that was rotated out vouches for nothing new: whoever got hold of it could sign what we would admit. */
export function evidenceTrust(
  own: readonly KeyRow[],
  pinned: readonly TrustedKey[],
  builders: readonly string[] | null,
): EvidenceTrust {
  const inUse = own.filter(({ toIndex }) => toIndex === null)
  return { ring: [...pinned, ...trustedKeys(inUse)].map(ringKey), threshold: THRESHOLD, builders }
}

const ringKey = ({ key, kind }: TrustedKey): RingKey => ({ key, kind: kind === 'production' ? 'production' : 'demo' })
