// The forms in which a receipt arrives, read into one. What stands beside the envelope is covered by no signature:
// whatever restates the signed bytes must agree with them, the rest is listed as words, and nothing else may be there.
import { RECEIPT_PAYLOAD_TYPE } from '../doctrine.ts'
import { pae, paeSha256Hex, parseEnvelope } from '../dsse.ts'
import { base64Decode, base64Encode } from '../encoding.ts'
import { BODY_FIELDS, RECEIPT_SCHEMA, type ReceiptBody } from '../receipt.ts'
import { readBody } from './body.ts'
import { readInclusion } from './inclusion.ts'
import { areOfflineSteps, offlineCommands } from './offline-steps.ts'
import { canonicalOrNull, type Fields, fieldsOf, isRecord, sameValue } from './shape.ts'
import { KEY_HONESTY } from './trust.ts'

export const EXPORT_SCHEMA = 'orch.receipt-export/v1'
/** What our envelopes call their own format. */
export const DSSE_VERSION = 'DSSEv1'

export type Form = 'envelope' | 'record' | 'export' | 'body'

export type Presented = {
  form: Form
  /** Undefined for a bare body, which nobody signed. */
  envelope: unknown
  /** The bytes to judge; null when they cannot be read. */
  bytes: Uint8Array | null
  body: ReceiptBody | null
  digest: string | null
  /** Why the structure is wrong, first fault first. */
  faults: string[]
  /** What claims to be the digest of the bytes, by the name of the field. */
  claimedDigests: [string, unknown][]
  /** What the signed payload and the sender's words call the key. */
  claimedKinds: unknown[]
  inclusion: unknown
  checkpoint: unknown
  /** Fields that nothing covers: the sender's words. */
  words: string[]
  /** Of an export: the commands that follow from its bytes, and whether it says others. */
  offline?: { commands: readonly [string, string]; differs: boolean }
}

/** Null when the value is none of the four forms. */
export function present(value: unknown): Presented | null {
  if (!isRecord(value)) return null
  if (value.schema === RECEIPT_SCHEMA) return presentBody(value)
  if (value.schema === EXPORT_SCHEMA) return presentWrapped('export', value)
  if (Object.hasOwn(value, 'payloadType')) return presentEnvelope('envelope', value, {})
  return Object.hasOwn(value, 'dsse') ? presentWrapped('record', value) : null
}

function presentBody(value: Fields): Presented {
  const text = canonicalOrNull(value)
  const opened = text === null ? null : new TextEncoder().encode(text)
  const claims = { claimedDigests: [], claimedKinds: [], inclusion: null, checkpoint: null, words: [] }
  return { form: 'body', envelope: undefined, ...claims, ...readBytes(opened, 'the body has no canonical form') }
}

function presentWrapped(form: 'record' | 'export', value: Fields): Presented {
  const presented = presentEnvelope(form, value.dsse, value)
  for (const [name, claim] of Object.entries(value)) {
    const agrees = restatementAgrees(name, claim, value, presented)
    if (agrees === null) presented.faults.push(`${JSON.stringify(name.slice(0, 80))} is not a field of this format`)
    else if (agrees === false) presented.faults.push(`${name} contradicts the signed bytes`)
    if (WORDS[form].has(name)) presented.words.push(name)
  }
  if (form === 'export') presented.offline = offlineOf(value, presented)
  if (form === 'export' && !isProofOfWhole(value, presented)) presented.words.push('ledger_size', 'khipu_root')
  return presented
}

function presentEnvelope(form: Form, envelope: unknown, siblings: Fields): Presented {
  const parsed = parseEnvelope(envelope)
  const claims = {
    form,
    envelope,
    claimedDigests: digestsIn(siblings),
    claimedKinds: [siblings.key_kind, fieldsOf(envelope).key_kind, kindInWords(fieldsOf(envelope).honesty)],
    inclusion: siblings.inclusion ?? null,
    checkpoint: siblings.checkpoint ?? null,
    words: [],
  }
  if (!parsed.ok) {
    const where = parsed.path.join('.') || 'envelope'
    return { ...claims, ...readBytes(null, `the envelope is malformed: ${parsed.reason} (${where.slice(0, 80)})`) }
  }
  const read = readBytes(parsed.payload, '')
  claims.claimedKinds.push(read.body?.payload.key_kind)
  const reworded = annotationFault(envelope as Fields)
  if (reworded) read.faults.push(reworded)
  // Bytes of another type are some other statement, however much they look like a receipt.
  if (parsed.envelope.payloadType !== RECEIPT_PAYLOAD_TYPE)
    read.faults.unshift(`the payload type is not ${RECEIPT_PAYLOAD_TYPE}`)
  return { ...claims, ...read }
}

const kindInWords = (honesty: unknown): string | null =>
  honesty === KEY_HONESTY.demo ? 'demo' : honesty === KEY_HONESTY.production ? 'production' : null

const ANNOTATIONS = ['_dsse', '_pae_sha256']

/** What stands in our envelopes for people to read has one wording: another one is an edit. */
function annotationFault(envelope: Fields): string | null {
  const foreign = Object.keys(envelope).find((name) => name.startsWith('_') && !ANNOTATIONS.includes(name))
  if (foreign !== undefined) return `${JSON.stringify(foreign.slice(0, 80))} is not a field of an envelope`
  if (envelope._dsse !== undefined && envelope._dsse !== DSSE_VERSION) return `_dsse is not ${DSSE_VERSION}`
  const known: readonly unknown[] = isSigned(envelope)
    ? [KEY_HONESTY.demo, KEY_HONESTY.production]
    : [KEY_HONESTY.unsigned]
  return envelope.honesty === undefined || known.includes(envelope.honesty) ? null : 'honesty is reworded'
}

function readBytes(bytes: Uint8Array | null, why: string): Pick<Presented, 'bytes' | 'body' | 'digest' | 'faults'> {
  if (bytes === null) return { bytes, body: null, digest: null, faults: [why] }
  const reading = readBody(bytes)
  if (reading.ok) return { bytes, body: reading.body, digest: reading.digest, faults: [] }
  return { bytes, body: null, digest: reading.digest, faults: [reading.detail] }
}

function offlineOf(value: Fields, { bytes, digest, envelope }: Presented): Presented['offline'] {
  const parsed = parseEnvelope(envelope)
  if (bytes === null || digest === null || !parsed.ok) return undefined
  const signature = parsed.envelope.signatures[0]
  const raw = signature === undefined ? null : base64Decode(signature.sig)
  const commands = offlineCommands(bytes, raw, digest)
  return { commands, differs: !areOfflineSteps(value.verify_offline, value.public_key_url, commands, raw !== null) }
}

const DIGEST_NAMES = ['digest', 'receipt_id', 'node_digest']

const digestsIn = (fields: Fields): [string, unknown][] =>
  DIGEST_NAMES.flatMap((name): [string, unknown][] => (Object.hasOwn(fields, name) ? [[name, fields[name]]] : []))

/** Names whose content nobody vouches for, by form. */
const WORDS: Record<'record' | 'export', ReadonlySet<string>> = {
  record: new Set(['honesty', 'verify_offline']),
  export: new Set([
    'ok',
    'generated_at',
    'public_key_url',
    'ledger',
    'ledger_durability',
    'verification',
    'verify_offline',
    'limits',
    'honesty',
  ]),
}

/** Fields that have a check of their own, and those that restate the signature. */
const JUDGED_ELSEWHERE = ['dsse', 'key_kind', 'inclusion', 'checkpoint']
const OF_SIGNATURE = ['signed', 'keyid', 'pae_b64', '_pae_sha256']

/** Whether a field beside the envelope agrees with it; null for a name that the form does not have. */
function restatementAgrees(name: string, claim: unknown, value: Fields, presented: Presented): boolean | null {
  const form = presented.form as 'record' | 'export'
  if (DIGEST_NAMES.includes(name) || JUDGED_ELSEWHERE.includes(name)) return true
  if (OF_SIGNATURE.includes(name)) return signatureFieldAgrees(name, claim, presented)
  if (name === 'node_index') return positionAgrees(claim, presented)
  if (name === 'receipt') return form === 'record' && summaryAgrees(claim, value, presented)
  const agrees =
    form === 'export' ? exportFieldAgrees(name, claim, value, presented) : recordFieldAgrees(name, claim, presented)
  return agrees ?? (WORDS[form].has(name) ? true : null)
}

/** The summary a mint answers with beside the envelope: it repeats the record and may say nothing else. */
function summaryAgrees(claim: unknown, value: Fields, presented: Presented): boolean {
  if (!isRecord(claim) || Object.hasOwn(claim, 'receipt')) return false
  return Object.entries(claim).every(([name, said]) => {
    if (DIGEST_NAMES.includes(name)) return said === presented.digest
    if (Object.hasOwn(value, name)) return sameValue(said, value[name])
    return restatementAgrees(name, said, value, presented) === true
  })
}

function signatureFieldAgrees(name: string, claim: unknown, { envelope, bytes }: Presented): boolean {
  const list = isRecord(envelope) && Array.isArray(envelope.signatures) ? envelope.signatures : []
  if (name === 'signed') return claim === list.length > 0
  if (name === 'keyid') {
    if (list.length === 0) return claim === null || claim === ''
    return list.some((entry) => isRecord(entry) && entry.keyid === claim)
  }
  if (bytes === null) return false
  if (name === 'pae_b64') return claim === base64Encode(pae(RECEIPT_PAYLOAD_TYPE, bytes))
  return claim === paeSha256Hex(RECEIPT_PAYLOAD_TYPE, bytes)
}

function positionAgrees(claim: unknown, { inclusion }: Presented): boolean {
  if (inclusion === null) return Number.isSafeInteger(claim)
  return readInclusion(inclusion)?.leaf_index === claim
}

const VERIFY_PATH = '/api/orch/v1/verify/receipt/'

const isSigned = (envelope: unknown): boolean =>
  isRecord(envelope) && Array.isArray(envelope.signatures) && envelope.signatures.length > 0

function recordFieldAgrees(
  name: string,
  claim: unknown,
  { body, digest, envelope, claimedDigests }: Presented,
): boolean | null {
  const field = BODY_FIELDS.find((one) => one === name && one !== 'schema')
  if (field !== undefined) return body !== null && sameValue(claim, body[field])
  if (name === 'body') return body !== null && sameValue(claim, body)
  if (name === 'label') return claim === 'STRUCTURAL-ONLY'
  // Which of the digests is wrong is said by the check of the digest.
  if (name === 'verify_url')
    return [digest, ...claimedDigests.map(([, claimed]) => claimed)].some(
      (one) => claim === `${VERIFY_PATH}${String(one)}`,
    )
  if (name === 'signature_state')
    return isSigned(envelope) ? claim === 'SIGNED' : claim === 'UNSIGNED' || claim === 'SIGNER_UNAVAILABLE'
  if (name === 'decision') return body !== null && sameValue(claim, body.payload.decision ?? null)
  return null
}

function exportFieldAgrees(name: string, claim: unknown, value: Fields, presented: Presented): boolean | null {
  const { envelope, body, bytes } = presented
  if (name === 'schema') return true
  if (name === 'doctrine') return claim === body?.doctrine
  if (name === 'receipt_available') return claim === true
  if (name === 'payload_b64') return isRecord(envelope) && claim === envelope.payload
  if (name === 'export_state')
    return claim === 'SIGNED_VERIFIED' ? value.signed === true : claim === 'UNSIGNED' || claim === 'SIGNATURE_INVALID'
  if (name === 'verification')
    return (
      isRecord(claim) && bytes !== null && paeStated(claim.pae_sha256, value.signed, bytes) && isOneState(claim, value)
    )
  if (name === 'ledger_size') return Number.isSafeInteger(claim) && (claim as number) > (value.node_index as number)
  return name === 'khipu_root' ? rootAgrees(claim, value, presented) : null
}

const paeStated = (claim: unknown, signed: unknown, bytes: Uint8Array): boolean =>
  claim === paeSha256Hex(RECEIPT_PAYLOAD_TYPE, bytes) || (claim === null && signed === false)

/** What the sender found of the signature is said three times, and differently by nobody but an editor. */
function isOneState({ state, verified }: Fields, { export_state: said }: Fields): boolean {
  const isVerified = state === 'VERIFIED'
  return verified === isVerified && (said === 'SIGNED_VERIFIED') === isVerified
}

/** The proof may be of an older checkpoint than the ledger's newest root: then nothing covers the newest one. */
const isProofOfWhole = (value: Fields, { inclusion }: Presented): boolean =>
  readInclusion(inclusion)?.tree_size === value.ledger_size

const rootAgrees = (claim: unknown, value: Fields, presented: Presented): boolean =>
  !isProofOfWhole(value, presented) || readInclusion(presented.inclusion)?.root === claim
