/** The trust ring: every key that ever signed here, with the part of the ledger it was used for. */
import { importPublicKey, pemEncode, type TrustedKey } from '@orch/core'
import type { KeyRow } from '../ledger/contract.ts'

export type RingKey = KeyRow

export const ringRecord = (key: RingKey, activeKeyid: string | null) => ({
  keyid: key.keyid,
  kind: key.kind,
  alg: 'ECDSA-P256-SHA256',
  fingerprint: `sha256:${key.keyid}`,
  from: key.from,
  to: key.to,
  from_index: key.fromIndex,
  to_index: key.toIndex,
  active: key.keyid === activeKeyid,
  public_key_pem: pemOf(key),
})

/** Where a key is published: the one in use, or one of the ring. */
export const keyPath = (keyid: string | null): string => (keyid === null ? '/cosign.pub' : `/cosign.pub?keyid=${keyid}`)

export const pemOf = ({ spki }: Pick<RingKey, 'spki'>): string => pemEncode(new Uint8Array(spki), 'PUBLIC KEY')

/** A row whose bytes are not the key its id says is left out: trust goes by the bytes. */
export const trustedKeys = (ring: readonly RingKey[]): TrustedKey[] =>
  ring.flatMap(({ spki, keyid, kind, from, to }) => {
    const key = importPublicKey(new Uint8Array(spki))
    return key === null || key.keyid !== keyid ? [] : [{ key, kind, from, to }]
  })

export const rotationPayload = (turn: { old: string; next: string; nextPem: string }) => ({
  old_keyid: turn.old,
  new_keyid: turn.next,
  new_public_key_pem: turn.nextPem,
  key_kind: 'demo',
})
