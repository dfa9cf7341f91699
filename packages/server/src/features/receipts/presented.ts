/** What a request to verify or to mint holds. Everything in it is the sender's. */
import {
  base64urlDecode,
  CanonicalError,
  CHECK_NAMES,
  CHECK_STATUSES,
  canonicalBytesPortable,
  DOES_NOT_PROVE,
  RECEIPT_PAYLOAD_TYPE,
  REPORT_SCHEMA,
  sha256Hex,
  utf8Decode,
  VERDICTS,
} from '@orch/core'
import type { Inclusion } from '../../domain/evidence.ts'
import { receiptEnvelope, receiptSummary, type ShownReceipt } from '../../domain/receipt-view.ts'
import { isRecord } from '../../domain/stored-receipt.ts'
import { InputError } from '../../errors.ts'
import { parseStrictly } from '../../platform/shape.ts'

const FORMS = ['envelope', 'receipt', 'export'] as const

/** The one thing to verify, or undefined when none was sent. */
export function presentedIn(body: Partial<Record<(typeof FORMS)[number], unknown>>): unknown {
  const given = FORMS.filter((name) => Object.hasOwn(body, name))
  const [name, second] = given
  if (second !== undefined)
    throw new InputError([
      { loc: ['body', second], msg: `send either ${name} or ${second}, not both`, type: 'conflict' },
    ])
  if (name === undefined) return undefined
  const value = body[name]
  return typeof value === 'string' ? opened(value) : value
}

/** A JSON text, or one in base64url as it travels in links. What cannot be read is handed on as it is: the report then
 *  says that it is no receipt. */
function opened(text: string): unknown {
  const json = text.trimStart().startsWith('{') ? text : decoded(text)
  if (json === null) return text
  const value = parseStrictly(json)
  return value === undefined ? text : value
}

function decoded(text: string): string | null {
  const bytes = base64urlDecode(text)
  return bytes === null ? null : utf8Decode(bytes)
}

/** What the verification operations take and answer, for whoever finds them without a manual. */
export const verifyManifest = (logVkey: string, activeKeyid: string | null) => ({
  what: 'verifies a receipt against this ledger’s keys, chains and log; appends nothing',
  report_schema: REPORT_SCHEMA,
  payload_type: RECEIPT_PAYLOAD_TYPE,
  signature_scheme: 'ECDSA-P256-SHA256 over the DSSE pre-authentication encoding, strict DER, strict base64',
  accepts: {
    envelope: 'a DSSE envelope as an object, as JSON text, or as JSON in base64url',
    receipt_id: 'a digest this ledger holds; beside another input, the digest it must have',
    receipt: 'a receipt record or a bare receipt body',
    export: 'a receipt export',
    public_key_pem: 'a P-256 key to verify with besides the ring of this ledger; reported as caller-supplied',
    organ: 'the chain the receipt must be of',
  },
  checks: CHECK_NAMES,
  statuses: CHECK_STATUSES,
  verdicts: VERDICTS,
  key_trust: ['production', 'demo', 'caller-supplied', 'unknown'],
  verdict_rule: 'FAIL on any MISMATCH; PASS when all are VERIFIED; PARTIAL when structure, signature and digest hold',
  header: 'X-Orch-Verify-Verdict',
  does_not_prove: DOES_NOT_PROVE,
  active_keyid: activeKeyid,
  log_vkey: logVkey,
})

const MAX_STATEMENT_BYTES = 16 * 1024

/** Minting: a caller's object, or the one under `receipt`, becomes the statement of our receipt. What is signed is the
 *  receipt body with the object and its digest inside it, so a caller never chooses the bytes or the type that is signed. */
export function mintPayload(body: Record<string, unknown>) {
  const wrapped = isRecord(body.receipt) && Object.keys(body).length === 1
  const statement = wrapped ? (body.receipt as Record<string, unknown>) : body
  const loc = wrapped ? ['body', 'receipt'] : ['body']
  if (Object.keys(statement).length === 0)
    throw new InputError([{ loc, msg: 'there is nothing to sign in an empty object', type: 'empty' }])
  const bytes = canonicalBytesOf(statement, loc)
  if (bytes.length > MAX_STATEMENT_BYTES)
    throw new InputError([
      { loc, msg: `the canonical form has ${bytes.length} bytes, at most ${MAX_STATEMENT_BYTES}`, type: 'too_long' },
    ])
  return { statement, statement_sha256: sha256Hex(bytes), statement_bytes: bytes.length }
}

/** What other languages would write differently cannot be signed: two readers would see two statements. */
function canonicalBytesOf(statement: Record<string, unknown>, loc: string[]): Uint8Array {
  try {
    return canonicalBytesPortable(statement)
  } catch (error) {
    if (!(error instanceof CanonicalError)) throw error
    throw new InputError([
      { loc: [...loc, ...error.path], msg: `cannot be signed: ${error.reason}`, type: 'canonical' },
    ])
  }
}

type Proof = { inclusion: Inclusion | null; checkpoint?: string | null }

export function minted(receipt: ShownReceipt, proof: Proof) {
  const summary = receiptSummary(receipt)
  const { receipt_id: _, signature_state: __, label: ___, ...facts } = summary
  return { ...facts, dsse: receiptEnvelope(receipt), ...proof, receipt: summary }
}
