/** Entries of the Rekor v1 log: what is proposed, and whether what the log holds is that. The log’s operator controls
 *  everything in a reply except what the pinned key signed and what our own bytes hash to. */
import {
  base64Decode,
  base64Encode,
  type Envelope,
  importPublicKey,
  JsonError,
  type PublicKey,
  pae,
  parseEnvelope,
  parseStrictJson,
  sha256Hex,
  utf8Decode,
  utf8Encode,
  verifyP256,
} from '@orch/core'

/** The `dsse` type, version 0.0.1: the log checks the signature itself and keeps the hashes. */
export const proposedEntry = (envelope: Envelope, publicKeyPem: string) => ({
  apiVersion: '0.0.1',
  kind: 'dsse',
  spec: {
    proposedContent: {
      envelope: JSON.stringify(envelope),
      verifiers: [base64Encode(utf8Encode(publicKeyPem))],
    },
  },
})

type Fields = Record<string, unknown>
const fieldsOf = (value: unknown): Fields =>
  value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as Fields) : {}

/** Why an entry’s body is not the record of this envelope, or null. */
export async function bodyFault(body: Uint8Array, envelope: Envelope, key: PublicKey): Promise<string | null> {
  const entry = fieldsOf(strictValue(body))
  if (entry.kind !== 'dsse' || entry.apiVersion !== '0.0.1') return 'the entry is of another type'
  const spec = fieldsOf(entry.spec)
  const parsed = parseEnvelope(envelope)
  if (!parsed.ok) return 'the anchored envelope cannot be read'
  const hash = fieldsOf(spec.payloadHash)
  if (hash.algorithm !== 'sha256' || hash.value !== sha256Hex(parsed.payload))
    return 'the entry records another payload'
  const signatures = Array.isArray(spec.signatures) ? spec.signatures.map(fieldsOf) : []
  if (signatures.length !== 1) return 'the entry does not record exactly one signature'
  const { signature, verifier } = signatures[0]!
  const sig = typeof signature === 'string' ? base64Decode(signature) : null
  if (!isKey(verifier, key)) return 'the entry records another key'
  const message = pae(parsed.envelope.payloadType, parsed.payload)
  return sig !== null && (await verifyP256(key, message, sig)) ? null : 'the recorded signature does not verify'
}

function isKey(verifier: unknown, key: PublicKey): boolean {
  const pem = typeof verifier === 'string' ? base64Decode(verifier) : null
  return importPublicKey(utf8Decode(pem ?? new Uint8Array(0)) ?? '')?.keyid === key.keyid
}

function strictValue(bytes: Uint8Array): unknown {
  try {
    return parseStrictJson(bytes)
  } catch (error) {
    if (error instanceof JsonError) return null
    throw error
  }
}
