/** What a Rekor v1 log answers, as far as it has the right shape. The log's operator controls every field: each one is
 *  bounded and typed here, so that what verifies it later meets nothing else. */
import {
  base64Decode,
  base64Encode,
  type Envelope,
  importPublicKey,
  type PublicKey,
  utf8Decode,
  utf8Encode,
} from '@orch/core'
import Type from 'typebox'
import { parseStrictly, read } from '../../platform/shape.ts'

export interface LogEntry {
  uuid: string
  body: Uint8Array
  integratedTime: number
  logID: string
  logIndex: number
  signedEntryTimestamp: Uint8Array | null
  proof: InclusionProof
}

export interface InclusionProof {
  leaf_index: number
  tree_size: number
  root_hash: string
  hashes: string[]
  checkpoint: string
}

const MAX_PATH = 64
/** The last 64 digits are the leaf hash; a sharded log puts the number of its tree before them. */
const UUID = /^(?:[0-9a-f]{16})?[0-9a-f]{64}$/
const Hex64 = Type.String({ pattern: '^[0-9a-f]{64}$' })
const Position = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })
const Entry = Type.Object({
  body: Type.String(),
  integratedTime: Position,
  logID: Hex64,
  logIndex: Position,
  verification: Type.Object({
    inclusionProof: Type.Object({
      logIndex: Position,
      treeSize: Position,
      rootHash: Hex64,
      hashes: Type.Array(Hex64, { maxItems: MAX_PATH }),
      checkpoint: Type.String(),
    }),
    signedEntryTimestamp: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  }),
})
const Reply = Type.Record(Type.String(), Entry, { minProperties: 1, maxProperties: 1 })

/** Exactly one entry under its uuid; null for any other shape. */
export function readEntry(value: unknown): LogEntry | null {
  const reply = read(Reply, value)
  const [uuid, entry] = (reply.ok && Object.entries(reply.value)[0]) || []
  if (uuid === undefined || entry === undefined || !UUID.test(uuid)) return null
  const { integratedTime, logID, logIndex, verification } = entry
  const { inclusionProof: proof, signedEntryTimestamp: promise = null } = verification
  const body = base64Decode(entry.body)
  const signedEntryTimestamp = promise === null ? null : base64Decode(promise)
  if (body === null || (promise !== null && signedEntryTimestamp === null)) return null
  const { logIndex: leaf_index, treeSize: tree_size, rootHash: root_hash, hashes, checkpoint } = proof
  const inclusion = { leaf_index, tree_size, root_hash, hashes, checkpoint }
  return { uuid, body, integratedTime, logID, logIndex, signedEntryTimestamp, proof: inclusion }
}

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
  const entry = fieldsOf(parseStrictly(body))
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
