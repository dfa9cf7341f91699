/** What is signed besides receipts. The signer is not an oracle: each kind of statement has one form, held to here, in
 *  the thread that holds the key, so that whoever reaches the rest of the process still cannot choose what is signed. */

import { base64Encode, type Envelope, PACK_PAYLOAD_TYPE, pae, utf8Decode, utf8Encode } from '@orch/core'
import type { StatementSignature } from '../contract.ts'
import type { BatchSigner } from '../sequencer-deps.ts'

/** Of a signed note of our log, so that the signature of an anchor can be taken for nothing else. */
export const CHECKPOINT_PAYLOAD_TYPE = 'application/vnd.orch.checkpoint'

const PACK_STATEMENT = /^\{"orch_evidence_pack_sha3_256":"[0-9a-f]{64}"\}$/

/** Null when there is no key. Rejects for any other type or form than that of an evidence pack. */
export async function signStatement(
  signer: BatchSigner,
  payloadType: string,
  bytes: Uint8Array,
): Promise<StatementSignature | null> {
  if (payloadType !== PACK_PAYLOAD_TYPE) throw new Error('no statement of this type is signed here')
  if (!PACK_STATEMENT.test(utf8Decode(bytes) ?? '')) throw new Error('an evidence pack is signed by its digest alone')
  return signAs(signer, payloadType, bytes)
}

export async function checkpointEnvelope(signer: BatchSigner, note: string): Promise<Envelope | null> {
  const bytes = utf8Encode(note)
  const signed = await signAs(signer, CHECKPOINT_PAYLOAD_TYPE, bytes)
  if (signed === null) return null
  return {
    payloadType: CHECKPOINT_PAYLOAD_TYPE,
    payload: base64Encode(bytes),
    signatures: [{ sig: base64Encode(signed.sig), keyid: signed.keyid }],
  }
}

async function signAs(signer: BatchSigner, type: string, bytes: Uint8Array): Promise<StatementSignature | null> {
  const key = signer.key()
  const [sig] = await signer.sign([pae(type, bytes)])
  return key === null || sig == null ? null : { sig, ...key }
}
