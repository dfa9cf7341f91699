/** The verification key as a record. It is the one that receipts recorded now are signed with. */
import { type ClockNow, measured, reading, sha256Hex, unavailable } from '@orch/core'
import { pemOf, type RingKey } from '../../domain/keys.ts'

const VERIFY_URL = '/api/orch/v1/verify/receipt'

export function keyRecord(key: RingKey | null, now: ClockNow) {
  if (key === null) {
    const { label, reason } = unavailable('signing is off: no key signs receipts here')
    return { ...NO_KEY, verify_url: VERIFY_URL, label, read_at: null, reason }
  }
  const { label, value, read_at } = measured(reading('the key ring of this ledger', now, () => key))
  return {
    pem: pemOf(value),
    keyid: value.keyid,
    key_kind: value.kind,
    algorithm: 'ECDSA-P256-SHA256',
    // Of the bytes themselves: whoever compares it compares the key and not our word for it.
    spki_sha256: sha256Hex(new Uint8Array(value.spki)),
    verify_url: VERIFY_URL,
    label,
    read_at,
    reason: null,
  }
}

const NO_KEY = { pem: null, keyid: null, key_kind: null, algorithm: null, spki_sha256: null }
