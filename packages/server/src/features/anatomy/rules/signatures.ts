/** Which signatures of an envelope count. The ring is ours: nothing in the envelope adds a key to it. */
import {
  JsonError,
  type PublicKey,
  pae,
  paeSha256Hex,
  parseEnvelope,
  parseStrictJson,
  STATEMENT_PAYLOAD_TYPE,
  verifyP256Sync,
} from '@orch/core'
import type { Verification } from '../schemas.ts'

const decoder = new TextDecoder()

export type RingKey = { key: PublicKey; kind: 'production' | 'demo' }
type SignatureVerdict = { keyid: string; verified: boolean; reason: string }

/** An envelope taken apart once: the statement is the one in the very bytes the signatures were checked over. */
export interface OpenedEvidence {
  statement: unknown
  /** SHA-256 of what the signatures cover; null for a bare statement. */
  envelopeDigest: string | null
  faults: string[]
  signatures: SignatureVerdict[]
}

export const bareStatement = (statement: unknown): OpenedEvidence => ({
  statement,
  envelopeDigest: null,
  faults: [],
  signatures: [],
})

export function openEnvelope(value: unknown, ring: readonly RingKey[]): OpenedEvidence {
  const parsed = parseEnvelope(value)
  if (!parsed.ok) return { ...bareStatement(null), faults: ['ENVELOPE_MALFORMED'] }
  const { payloadType } = parsed.envelope
  const envelopeDigest = paeSha256Hex(payloadType, parsed.payload)
  const inexact = hasInexactNumber(decoder.decode(parsed.payload))
  const statement = inexact ? undefined : strictValue(parsed.payload)
  const faults = inexact ? ['PAYLOAD_NUMBER_INEXACT'] : statement === undefined ? ['PAYLOAD_NOT_JSON'] : []
  // Bytes signed as another kind of statement prove nothing about this one, so their signatures are not even tried.
  if (payloadType !== STATEMENT_PAYLOAD_TYPE)
    return { statement, envelopeDigest, faults: [...faults, 'PAYLOAD_TYPE_WRONG'], signatures: [] }
  const message = pae(payloadType, parsed.payload)
  const signatures = parsed.signatures.map(({ sig, keyid }) => verdictOn(message, sig, keyid, ring))
  if (signatures.some(({ reason }) => reason === CONTRADICTED)) faults.push('SIGNATURE_INVALID')
  return { statement, envelopeDigest, faults, signatures }
}

const CONTRADICTED = 'does not verify under the ring key it names'

function verdictOn(message: Uint8Array, sig: Uint8Array, keyid: string, ring: readonly RingKey[]): SignatureVerdict {
  const pinned = ring.find(({ key }) => key.keyid === keyid)
  if (!pinned) return { keyid, verified: false, reason: 'names no key of the ring' }
  return verifyP256Sync(pinned.key, message, sig)
    ? { keyid, verified: true, reason: `verifies under a ${pinned.kind} key of the ring` }
    : { keyid, verified: false, reason: CONTRADICTED }
}

function strictValue(bytes: Uint8Array): unknown {
  try {
    return parseStrictJson(bytes)
  } catch (error) {
    if (error instanceof JsonError) return undefined
    throw error
  }
}

/** `threshold` distinct ring keys. Where production keys alone do not reach it, the kind is demo. */
export function verificationOf(
  signatures: readonly SignatureVerdict[],
  ring: readonly RingKey[],
  threshold: number,
): Verification {
  const keyids = [...new Set(signatures.filter(({ verified }) => verified).map(({ keyid }) => keyid))].sort()
  const reached = (ids: readonly string[]): boolean => threshold >= 1 && ids.length >= threshold
  const production = keyids.filter((id) => ring.every(({ key, kind }) => key.keyid !== id || kind === 'production'))
  const verified = reached(keyids)
  return { verified, keyids, keyKind: verified ? (reached(production) ? 'production' : 'demo') : null }
}

/** Strings are passed over, so that digits inside them are none. */
const STRING_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g

/** Whether a number of a JSON text is not the one a double stores. 9007199254740993 and 9007199254740992 are one double: two
 *  payloads that differ in such a field would be one statement with one digest. */
export function hasInexactNumber(json: string): boolean {
  for (const [literal] of json.matchAll(STRING_OR_NUMBER))
    if (!literal.startsWith('"') && normalForm(literal) !== normalForm(String(Number(literal)))) return true
  return false
}

/** One text for one value: sign, digits without zeros around them, and the power of ten behind the last. */
function normalForm(literal: string): string {
  const [, sign, whole, places = '', power = '0'] = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(literal) ?? []
  const digits = `${whole ?? ''}${places}`
  let [from, to] = [0, digits.length]
  while (from < to && digits[from] === '0') from++
  while (to > from && digits[to - 1] === '0') to--
  if (from === to) return '0'
  return `${sign}${digits.slice(from, to)}e${Number(power) - places.length + digits.length - to}`
}
