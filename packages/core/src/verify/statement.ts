// The chain-of-title statement: an in-toto Statement, alone, in a DSSE envelope, or in the record that serves both.
import { sha256Hex } from '../digest.ts'
import { parseEnvelope } from '../dsse.ts'
import { utf8Decode, utf8Encode } from '../encoding.ts'
import { strictJsonOrNull } from '../json.ts'
import { CHAIN_OF_TITLE_PIN, type ChainOfTitlePin, chainOfTitlePolicy, type PolicyResult } from './policy.ts'
import { type Check, check, makeReport, unreadable, type VerificationReport } from './report.ts'
import { canonicalOrNull, type Fields, fieldFault, isRecord } from './shape.ts'
import { checkClaims, checkKeyTrust, checkSignature } from './signature.ts'
import type { Trust } from './trust.ts'

export const STATEMENT_TYPE = 'https://in-toto.io/Statement/v1'
export const STATEMENT_PAYLOAD_TYPE = 'application/vnd.in-toto+json'
export const CHAIN_OF_TITLE_SCHEMA = 'orch.attest.chain-of-title/v1'

export const STATEMENT_SIGNATURE_STATUSES = Object.freeze([
  'VERIFIED',
  'SIGNATURE-INVALID',
  'UNSIGNED-READ-ONLY',
  'NO-ENVELOPE-SUPPLIED',
  'SIGNER-UNKNOWN',
] as const)
export type StatementSignatureStatus = (typeof STATEMENT_SIGNATURE_STATUSES)[number]

export async function verifyStatement(
  input: unknown,
  trust: Trust,
  pin: ChainOfTitlePin = CHAIN_OF_TITLE_PIN,
): Promise<VerificationReport> {
  const read = readStatement(input)
  if (!read) return unreadable('statement', 'this is no statement and no envelope of one', trust.checkedAt)
  const policy = chainOfTitlePolicy(read.statement, pin)
  const signature = await checkSignature(read.envelope, STATEMENT_PAYLOAD_TYPE, trust)
  const checks = [
    checkStructure(read, policy),
    signature,
    checkDigest(read, signature, trust.expectedDigest),
    check('hash_chain', 'UNAVAILABLE', 'a statement is not part of a chain'),
    check('inclusion', 'UNAVAILABLE', 'no inclusion in a transparency log is checked for statements'),
    checkKeyTrust(signature, trust, claimedKinds(read)),
  ]
  const { digest } = read
  const subject = digest === null ? null : { digest, policy, signature_status: signatureStatus(signature, read) }
  return makeReport('statement', checks, subject, trust.checkedAt)
}

/** The word beside the signed bytes, which anybody can take off, and the one inside them. */
const claimedKinds = ({ envelope, statement }: ReadStatement): unknown[] => [
  isRecord(envelope) ? envelope.key_kind : null,
  isRecord(statement) && isRecord(statement.predicate) ? statement.predicate.key_kind : null,
]

/** The statement that a verdict on this input is about; null where there is none. */
export const statementIn = (input: unknown): unknown => readStatement(input)?.statement ?? null

/** By either of two marks, so that one altered field does not make something else of it. */
export const isStatement = (value: unknown): boolean =>
  isRecord(value) &&
  Object.hasOwn(value, '_type') &&
  (String(value._type).startsWith('https://in-toto.io/') || Object.hasOwn(value, 'predicateType'))

type ReadStatement = {
  /** The parsed statement that the verdict is about; in an envelope, the one inside. */
  statement: unknown
  envelope: unknown
  digest: string | null
  faults: string[]
  claims: [string, unknown][]
}

const RECORD_FIELDS = [
  ...['ok', 'schema', 'label', 'statement', 'statement_digest_sha256', 'envelope', 'rekor', 'verdict', 'verdict_scope'],
  ...['verification', 'policy_source', 'cites', 'honest_note', 'built_at', 'lake'],
]

function readStatement(input: unknown): ReadStatement | null {
  if (!isRecord(input)) return null
  if (Object.hasOwn(input, '_type')) return fromParts(input, undefined, {})
  if (Object.hasOwn(input, 'payloadType')) return fromParts(undefined, input, {})
  if (!isRecord(input.statement) && !isRecord(input.envelope)) return null
  const read = fromParts(input.statement, input.envelope, input)
  const foreign = fieldFault(input, [], RECORD_FIELDS)
  if (foreign) read.faults.push(foreign)
  return read
}

function fromParts(statement: unknown, envelope: unknown, siblings: Fields): ReadStatement {
  const claims: [string, unknown][] = []
  if (siblings.statement_digest_sha256 !== undefined)
    claims.push(['statement_digest_sha256', siblings.statement_digest_sha256])
  if (isRecord(envelope) && envelope._statement_digest_sha256 !== undefined)
    claims.push(['_statement_digest_sha256', envelope._statement_digest_sha256])
  if (envelope === undefined || envelope === null) return { envelope: undefined, claims, ...fromValue(statement) }
  const opened = fromEnvelope(envelope)
  if (statement !== undefined && canonicalOrNull(statement) !== canonicalOrNull(opened.statement))
    opened.faults.push('the statement beside the envelope is not the one inside')
  return { envelope, claims, ...opened }
}

type Opened = Pick<ReadStatement, 'statement' | 'digest' | 'faults'>

function fromValue(statement: unknown): Opened {
  const text = canonicalOrNull(statement)
  if (text === null) return { statement, digest: null, faults: ['the statement has no canonical form'] }
  return { statement, digest: sha256Hex(utf8Encode(text)), faults: [] }
}

function fromEnvelope(envelope: unknown): Opened {
  const parsed = parseEnvelope(envelope)
  if (!parsed.ok) return { statement: null, digest: null, faults: [`the envelope is malformed: ${parsed.reason}`] }
  const digest = sha256Hex(parsed.payload)
  const faults: string[] = []
  if (parsed.envelope.payloadType !== STATEMENT_PAYLOAD_TYPE)
    faults.push(`the payload type is not ${STATEMENT_PAYLOAD_TYPE}`)
  const statement = strictJsonOrNull(parsed.payload)
  if (canonicalOrNull(statement) !== utf8Decode(parsed.payload)) faults.push('the payload is not canonical JSON')
  return { statement, digest, faults }
}

function checkStructure({ statement, faults }: ReadStatement, policy: PolicyResult): Check {
  const [fault = statementFault(statement)] = faults
  if (fault) return check('structure', 'MISMATCH', fault)
  if (policy.failed.length > 0)
    return check('structure', 'MISMATCH', `the chain-of-title policy fails: ${policy.failed.join(', ')}`, policy)
  return check('structure', 'VERIFIED', 'an in-toto statement that meets all six rules of the policy', policy)
}

function statementFault(statement: unknown): string | null {
  if (!isRecord(statement)) return 'the statement is not an object'
  const fault = fieldFault(statement, ['_type', 'subject', 'predicateType', 'predicate'])
  if (fault) return fault
  return statement._type === STATEMENT_TYPE ? null : `_type is not ${STATEMENT_TYPE}`
}

/** As for receipts: a digest is verified where a field, the reader or a verified signature claims it. */
function checkDigest({ digest, claims }: ReadStatement, signature: Check, expected: string | undefined): Check {
  if (digest === null) return check('payload_digest', 'UNAVAILABLE', 'there are no readable bytes to hash')
  const all = expected === undefined ? claims : [...claims, ['the digest asked for', expected] as const]
  const details = { computed: digest, claimed_by: all.map(([name]) => name) }
  const wrong = all.find(([, claim]) => claim !== digest)
  if (wrong) return check('payload_digest', 'MISMATCH', `${wrong[0]} is not the SHA-256 of the statement`, details)
  return checkClaims('the statement', details, signature)
}

function signatureStatus(signature: Check, { envelope }: ReadStatement): StatementSignatureStatus {
  if (envelope === undefined) return 'NO-ENVELOPE-SUPPLIED'
  if (signature.status === 'VERIFIED') return 'VERIFIED'
  if (signature.status === 'UNSIGNED') return 'UNSIGNED-READ-ONLY'
  return signature.status === 'MISMATCH' ? 'SIGNATURE-INVALID' : 'SIGNER-UNKNOWN'
}
