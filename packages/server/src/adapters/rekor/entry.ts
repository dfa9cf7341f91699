/** Entries of the Rekor v1 log: what is proposed, and whether what the log holds is a record of that kind. The log's
 *  operator controls everything in a reply except what the pinned key signed and what our own bytes hash to. */
import {
  base64Decode,
  base64Encode,
  type Envelope,
  importPublicKey,
  JsonError,
  type PublicKey,
  parseStrictJson,
  utf8Decode,
  utf8Encode,
} from '@orch/core'

export const ENTRY_KIND = 'dsse'
export const ENTRY_VERSION = '0.0.1'

/** The log checks the signature of such an entry itself and keeps the hashes. */
export const proposedEntry = (envelope: Envelope, publicKeyPem: string) => ({
  apiVersion: ENTRY_VERSION,
  kind: ENTRY_KIND,
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

/** Why an entry's body is not a record under this key, or null. That it records our payload and our signature is for
 *  the library to say; it does not look at the key, and it takes the shape for granted. */
export function recordFault(body: Uint8Array, key: PublicKey): string | null {
  const entry = fieldsOf(strictValue(body))
  if (entry.kind !== ENTRY_KIND || entry.apiVersion !== ENTRY_VERSION) return 'the entry is of another type'
  const spec = fieldsOf(entry.spec)
  const hash = fieldsOf(spec.payloadHash)
  if (hash.algorithm !== 'sha256' || typeof hash.value !== 'string') return 'the entry records another payload'
  const signatures = Array.isArray(spec.signatures) ? spec.signatures.map(fieldsOf) : []
  if (signatures.length !== 1) return 'the entry does not record exactly one signature'
  const { signature, verifier } = signatures[0]!
  if (typeof signature !== 'string') return 'the recorded signature does not verify'
  return isKey(verifier, key) ? null : 'the entry records another key'
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
