/** Whether a stored receipt is signed as it should be. Taking a signature off, or putting one of a key of one's own in its
 *  place, is the cheapest thing to do for whoever can edit the store: neither the signature nor the ring it is looked up
 *  in count unless the ledger's own record bears them out. */
import {
  importPublicKey,
  isUnsignedAt,
  type LedgerRecord,
  type PublicKey,
  pae,
  RECEIPT_PAYLOAD_TYPE,
  type RecordedKey,
  verifyP256Sync,
} from '@orch/core'
import type { KeyRow, Row } from '../contract.ts'

/** `unchecked`: there is one, of a key that was in use there, and nobody verified it. */
export type SignatureFinding = 'valid' | 'invalid' | 'missing' | 'declared' | 'unchecked'

export class Signatures {
  private readonly record: LedgerRecord
  private readonly keys: Map<string, { key: PublicKey; recorded: RecordedKey }>

  constructor(record: LedgerRecord, ring: readonly KeyRow[]) {
    this.record = record
    const recorded = new Map(record.keys.map((key) => [key.keyid, key]))
    this.keys = new Map(
      ring.flatMap(({ spki }) => {
        // By the id the key has by its own bytes: a row whose id was edited finds no key, and that is a failure.
        const key = importPublicKey(new Uint8Array(spki))
        const known = key === null ? undefined : recorded.get(key.keyid)
        return key === null || known === undefined ? [] : [[key.keyid, { key, recorded: known }] as const]
      }),
    )
  }

  /** `missing` and `declared` are both unsigned; the second one the ledger itself recorded so. */
  of({ signature, keyid, body, nodeIndex }: Row, verify = true): SignatureFinding {
    if (signature === null) return isUnsignedAt(this.record, nodeIndex) ? 'declared' : 'missing'
    const found = keyid === null ? undefined : this.keys.get(keyid)
    if (found === undefined || !isInUse(found.recorded, nodeIndex)) return 'invalid'
    if (!verify) return 'unchecked'
    return verifyP256Sync(found.key, pae(RECEIPT_PAYLOAD_TYPE, body), signature) ? 'valid' : 'invalid'
  }
}

const isInUse = ({ from_index, to_index }: RecordedKey, index: number): boolean =>
  from_index <= index && (to_index === null || index < to_index)
