// The fixed shape of an evidence pack. The explaining texts are part of the format: they stand outside the digest, and
// a reader who follows altered instructions would verify something else.
import { parseEnvelope } from '../dsse.ts'
import { organOf } from '../lake.ts'
import { readBody } from './body.ts'
import { type Fields, fieldFault, isHex64, isRecord } from './shape.ts'

export const PACK_ENVELOPE_SCHEMA = 'orch.assurance.evidence-pack.envelope.v1'
export const PACK_SCHEMA = 'orch.assurance.evidence-pack.v1'

export const PACK_TEXT = Object.freeze({
  digest_canonicalization:
    'JSON of pack with object keys sorted, separators "," and ":" without spaces, non-ASCII characters unescaped, encoded as UTF-8, then SHA3-256 in hex',
  offline_verify: 'recompute the digest of pack by digest_canonicalization and compare it with pack_sha3_256',
  signed_note: 'DSSE over {orch_evidence_pack_sha3_256}; verify with a public key obtained from elsewhere',
  unsigned_note: 'no signing key was present; nothing was signed and no signature is made up',
} as const)

export const PACK_SIGNATURE_ALG = 'ECDSA-P256-SHA256'
/** The most receipts a pack may carry. */
export const MAX_PACK_RECEIPTS = 200

const ENVELOPE_FIELDS = [
  'schema',
  'pack',
  'pack_sha3_256',
  'digest_alg',
  'digest_canonicalization',
  'offline_verify',
  'signature',
  'generated_at',
]
const PACK_FIELDS = [
  'schema',
  'generated_at',
  'what',
  'assurance_matrix',
  'khipu_organs',
  'lake_health',
  'doctrine',
  'cosign_public_key',
  'honest_disclosure',
]
const OPTIONAL_PACK_FIELDS = ['receipts', 'public_keys', 'checkpoint']

/** Why an envelope is not one of version 1, or null. */
export function packFault(envelope: Fields): string | null {
  const { pack, signature } = envelope
  if (!isRecord(pack) || !isRecord(signature)) return 'pack and signature must be objects'
  const fields = fieldFault(envelope, ENVELOPE_FIELDS) ?? fieldFault(pack, PACK_FIELDS, OPTIONAL_PACK_FIELDS)
  if (fields) return fields
  if (envelope.schema !== PACK_ENVELOPE_SCHEMA || pack.schema !== PACK_SCHEMA) return 'the schema is another one'
  if (envelope.digest_alg !== 'sha3_256') return 'digest_alg is not sha3_256'
  if (!isHex64(envelope.pack_sha3_256)) return 'pack_sha3_256 is not a digest'
  if (envelope.generated_at !== pack.generated_at) return 'the envelope and the pack state different times'
  if (envelope.digest_canonicalization !== PACK_TEXT.digest_canonicalization) return 'the digest rule is reworded'
  if (envelope.offline_verify !== PACK_TEXT.offline_verify) return 'the instructions are reworded'
  return receiptsFault(pack) ?? signatureFault(signature)
}

function receiptsFault({ receipts }: Fields): string | null {
  if (receipts === undefined) return null
  return Array.isArray(receipts) && receipts.length <= MAX_PACK_RECEIPTS
    ? null
    : `receipts is not a list of at most ${MAX_PACK_RECEIPTS}`
}

function signatureFault(signature: Fields): string | null {
  if (signature.signed === false) {
    const fault = fieldFault(signature, ['signed', 'status', 'note'])
    if (fault) return fault
    const isPlain = signature.status === 'DSSE_PLACEHOLDER' && signature.note === PACK_TEXT.unsigned_note
    return isPlain ? null : 'an unsigned pack says DSSE_PLACEHOLDER'
  }
  const fault = fieldFault(signature, ['signed', 'status', 'note', 'alg', 'keyid', 'key_kind', 'dsse'])
  if (fault) return fault
  if (signature.signed !== true || signature.status !== 'DSSE_SIGNED') return 'a signed pack says DSSE_SIGNED'
  if (signature.note !== PACK_TEXT.signed_note) return 'the note of the signature is reworded'
  return signature.alg === PACK_SIGNATURE_ALG ? null : `alg is not ${PACK_SIGNATURE_ALG}`
}

export const readPackReceipts = ({ receipts }: Fields): unknown[] =>
  Array.isArray(receipts) ? receipts.slice(0, MAX_PACK_RECEIPTS) : []

type Place = { digest: string; prev: string }

/** Neighbours of one chain must link, and no place is taken twice: a pack that shows a fork contradicts itself. */
export function packLinkFault(records: readonly unknown[]): string | null {
  const places = new Map<string, Place>()
  for (const record of records) {
    const parsed = isRecord(record) ? parseEnvelope(record.dsse) : null
    const reading = parsed?.ok ? readBody(parsed.payload) : null
    if (!reading?.ok) continue
    const { ns, chain, seq, prev } = reading.body
    const organ = organOf(ns, chain)
    const place = { digest: reading.digest, prev }
    if (places.has(`${organ} ${seq}`)) return `place ${seq} of chain ${organ} is taken twice`
    if (!linksTo(places.get(`${organ} ${seq - 1}`), place))
      return `receipt ${seq} of chain ${organ} does not follow its neighbour`
    const next = places.get(`${organ} ${seq + 1}`)
    if (next && !linksTo(place, next)) return `receipt ${seq + 1} of chain ${organ} does not follow its neighbour`
    places.set(`${organ} ${seq}`, place)
  }
  return null
}

const linksTo = (before: Place | undefined, after: Place): boolean =>
  before === undefined || before.digest === after.prev
