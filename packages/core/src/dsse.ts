// DSSE v1 envelopes. What is signed is the PAE, which binds the payload type and both lengths to the payload bytes;
// everything else in an envelope (keyids, our annotations) is written by whoever sent it and proves nothing by itself.
import { sha256Hex } from './digest.ts'
import { base64Decode, base64Encode, utf8Encode } from './encoding.ts'
import { type PublicKey, verifyP256 } from './p256.ts'
import { type Fields, isRecord } from './verify/shape.ts'

export type EnvelopeSignature = { sig: string; keyid: string }
export type Envelope = { payloadType: string; payload: string; signatures: EnvelopeSignature[] }
export type DecodedSignature = { sig: Uint8Array; keyid: string }
export type ParsedEnvelope =
  | { ok: true; envelope: Envelope; payload: Uint8Array; signatures: DecodedSignature[] }
  | { ok: false; reason: string; path: (string | number)[] }
export type SignatureReport = {
  status: 'VERIFIED' | 'MISMATCH' | 'UNSIGNED' | 'UNAVAILABLE'
  reason: string
  /** The pinned key that verified or contradicted, null when none was involved. */
  keyid: string | null
}

/** Each signature costs a verification: the sender may not choose how many. */
const MAX_SIGNATURES = 16

/** "DSSEv1" SP LEN(type) SP type SP LEN(payload) SP payload, lengths in bytes, decimal. */
export function pae(payloadType: string, payload: Uint8Array): Uint8Array {
  const start = paeStart(payloadType)
  const size = `${payload.length} `
  const out = new Uint8Array(start.length + size.length + payload.length)
  out.set(start)
  for (let at = 0; at < size.length; at += 1) out[start.length + at] = size.charCodeAt(at)
  out.set(payload, start.length + size.length)
  return out
}

/** One log holds one payload type, so the newest is kept. */
let newestStart = { payloadType: '', bytes: utf8Encode('DSSEv1 0  ') }

function paeStart(payloadType: string): Uint8Array {
  if (newestStart.payloadType !== payloadType) {
    const { length } = utf8Encode(payloadType)
    newestStart = { payloadType, bytes: utf8Encode(`DSSEv1 ${length} ${payloadType} `) }
  }
  return newestStart.bytes
}

export const paeSha256Hex = (payloadType: string, payload: Uint8Array): string => sha256Hex(pae(payloadType, payload))

export async function signEnvelope(
  payloadType: string,
  payload: Uint8Array,
  sign: (pae: Uint8Array) => Promise<{ sig: Uint8Array; keyid: string }>,
): Promise<Envelope> {
  const { sig, keyid } = await sign(pae(payloadType, payload))
  return { payloadType, payload: base64Encode(payload), signatures: [{ sig: base64Encode(sig), keyid }] }
}

/**
 * Takes anything: a malformed envelope is a MISMATCH. The keyid of a signature only selects among the pinned keys. A
 * signature that claims a pinned key and fails condemns the envelope even when another one verifies: somebody
 * altered it. Signatures by keys nobody pinned are ignored, as DSSE asks.
 */
export async function verifyEnvelope(
  envelope: unknown,
  keys: readonly PublicKey[],
  expectedPayloadType: string,
): Promise<SignatureReport> {
  const parsed = parseEnvelope(envelope)
  if (!parsed.ok) return report('MISMATCH', `${parsed.reason} (${parsed.path.join('.') || 'envelope'})`)
  const { payloadType } = parsed.envelope
  // Before anything else: bytes signed as one kind of statement must never be read as another.
  if (payloadType !== expectedPayloadType) return report('MISMATCH', `payloadType is not ${expectedPayloadType}`)
  if (parsed.signatures.length === 0) return report('UNSIGNED', 'the envelope carries no signature')
  return judge(pae(payloadType, parsed.payload), parsed.signatures, keys)
}

async function judge(
  message: Uint8Array,
  signatures: readonly DecodedSignature[],
  keys: readonly PublicKey[],
): Promise<SignatureReport> {
  let verified: string | null = null
  for (const { sig, keyid } of signatures) {
    const key = keys.find((pinned) => pinned.keyid === keyid)
    if (!key) continue
    if (!(await verifyP256(key, message, sig))) {
      return report('MISMATCH', 'a signature does not verify under the trusted key it names', keyid)
    }
    verified ??= keyid
  }
  if (verified === null) return report('UNAVAILABLE', 'no signature names a trusted key')
  return report('VERIFIED', 'ECDSA P-256 over the PAE verifies under a trusted key', verified)
}

const report = (status: SignatureReport['status'], reason: string, keyid: string | null = null): SignatureReport => ({
  status,
  reason,
  keyid,
})

type Fault = { ok: false; reason: string; path: (string | number)[] }
const fault = (reason: string, ...path: (string | number)[]): Fault => ({ ok: false, reason, path })

/** Takes anything and never throws. It only decodes the payload: whether it is signed is `verifyEnvelope`'s word. */
export function parseEnvelope(value: unknown): ParsedEnvelope {
  if (!isRecord(value)) return fault('an envelope is an object')
  const { payloadType, payload: text, signatures: list } = value
  if (typeof payloadType !== 'string' || !payloadType.isWellFormed()) return fault('not a text', 'payloadType')
  const payload = typeof text === 'string' ? base64Decode(text) : null
  if (typeof text !== 'string' || payload === null) return fault('not strict base64', 'payload')
  if (!Array.isArray(list) || list.length > MAX_SIGNATURES) {
    return fault(`not a list of at most ${MAX_SIGNATURES}`, 'signatures')
  }
  const signatures: DecodedSignature[] = []
  for (const [index, entry] of list.entries()) {
    const signature = parseSignature(entry, index)
    if ('ok' in signature) return signature
    signatures.push(signature)
  }
  const envelope = { payloadType, payload: text, signatures: list.map(({ sig, keyid }) => ({ sig, keyid })) }
  return annotationFault(value, payloadType, payload, signatures) ?? { ok: true, envelope, payload, signatures }
}

function parseSignature(entry: unknown, index: number): DecodedSignature | Fault {
  if (!isRecord(entry)) return fault('not an object', 'signatures', index)
  const foreign = Object.keys(entry).find((name) => name !== 'sig' && name !== 'keyid')
  if (foreign !== undefined) return fault('not a field of a signature', 'signatures', index, foreign)
  if (typeof entry.keyid !== 'string') return fault('not a text', 'signatures', index, 'keyid')
  const sig = typeof entry.sig === 'string' ? base64Decode(entry.sig) : null
  return sig ? { sig, keyid: entry.keyid } : fault('not strict base64', 'signatures', index, 'sig')
}

/**
 * Our exports add annotations for human readers. No signature covers them, so those that restate the envelope must
 * agree with it, the others are words that nothing may rely on, and any further field is refused.
 */
function annotationFault(
  fields: Fields,
  payloadType: string,
  payload: Uint8Array,
  signatures: readonly DecodedSignature[],
): Fault | null {
  const signed = signatures.length > 0
  // Null for a name that is no annotation. A switch, because the name is the sender's and may be `constructor`.
  const agrees = (name: string, value: unknown): boolean | null => {
    switch (name) {
      case 'signed':
        return value === signed
      case 'keyid':
        return signed ? signatures.some(({ keyid }) => keyid === value) : value === null || value === ''
      case '_pae_sha256':
        return value === paeSha256Hex(payloadType, payload) || (value === null && !signed)
      case 'pae_b64':
        return value === base64Encode(pae(payloadType, payload))
      default:
        return name.startsWith('_') && name !== '__proto__' ? true : null
    }
  }
  for (const [name, value] of Object.entries(fields)) {
    if (ENVELOPE_FIELDS.has(name)) continue
    const verdict = agrees(name, value)
    if (verdict === null) return fault('not a field of an envelope', name)
    if (!verdict) return fault('contradicts the envelope', name)
  }
  return null
}

const ENVELOPE_FIELDS = new Set(['payloadType', 'payload', 'signatures', 'honesty', 'key_kind', 'read_only'])
