/** Verifies what a caller presents: by itself, and against what this ledger holds and what its keys signed. */
import type { VerificationReport } from '@orch/core'
import type { Evidence } from '../../../../domain/evidence.ts'
import { receiptSummary } from '../../../../domain/receipt-view.ts'
import { bodyOf, isRecord, type StoredReceipt } from '../../../../domain/stored-receipt.ts'
import { verifyPresented, verifyStored } from '../../../../domain/verification.ts'
import { sees, type Viewer } from '../../../../domain/visibility.ts'
import { COMPONENT } from '../component.ts'
import { buildOf, type Checks, checkComputation, checkLedgerReply, NO_CHECKS, verdictOf } from './integrity.ts'
import type { Verification } from './schemas.ts'

export interface Verifier {
  ledger: Evidence
  caller: Viewer
  checkedAt: string
  revision: string
}

type Signature = Verification['signature']
const NO_SIGNATURE: Signature = { verdict: 'UNSIGNED', keyid: null, key_kind: null }
const NOTHING_SIGNED: Signature = { ...NO_SIGNATURE, verdict: 'NOT_APPLICABLE' }

/** A whole reply, with the record of its computation or with a receipt. */
export async function verifyEnvelope(envelope: Record<string, unknown>, verifier: Verifier): Promise<Verification> {
  const build = buildOf(envelope, { version: COMPONENT.version, revision: verifier.revision })
  if (!isRecord(envelope.receipt))
    return toVerification(checkComputation(envelope), NO_SIGNATURE, 'NOT_FOUND', build, [CALLER_HELD])
  const checks = checkLedgerReply(envelope)
  const row = await findReceipt(verifier, envelope.receipt.receipt_id)
  if (row === null) return toVerification(checks, NO_SIGNATURE, 'NOT_FOUND', build, [NOT_HERE])
  // The signature of a receipt that is about something else says nothing of this reply.
  if (!isSameReceipt(envelope, row))
    return toVerification({ ...checks, record_digest_matches: false }, NOTHING_SIGNED, 'MISMATCH', build, [
      OTHER_RECEIPT,
    ])
  const report = await verifyStored(verifier.ledger, row, verifier.checkedAt)
  const allChecks = { ...checks, record_digest_matches: holds(report) }
  // What was signed is the digest of another result than the one that was presented.
  if (checks.payload_digest_matches === false)
    return toVerification(allChecks, NOTHING_SIGNED, 'FOUND', build, [...faultsIn(report), NOT_COVERED])
  return toVerification(allChecks, signatureIn(report), 'FOUND', build, faultsIn(report))
}

export async function verifyReceiptId(receiptId: string, verifier: Verifier): Promise<Verification> {
  const row = await findReceipt(verifier, receiptId)
  if (row === null) return toVerification(NO_CHECKS, NOTHING_SIGNED, 'NOT_FOUND', 'UNKNOWN', [NOT_HERE])
  const report = await verifyStored(verifier.ledger, row, verifier.checkedAt)
  return toVerification(recordChecks(report), signatureIn(report), 'FOUND', 'UNKNOWN', faultsIn(report))
}

export async function verifyDsse(dsse: Record<string, unknown>, verifier: Verifier): Promise<Verification> {
  const report = await verifyPresented(verifier.ledger, dsse, verifier.checkedAt, {})
  const row = report.subject === null ? null : await findReceipt(verifier, report.subject.digest)
  const reasons = [...faultsIn(report), ...(row === null ? [NOT_HERE] : [])]
  return toVerification(
    recordChecks(report),
    signatureIn(report),
    row === null ? 'NOT_FOUND' : 'FOUND',
    'UNKNOWN',
    reasons,
  )
}

const CALLER_HELD = 'the record is held by its caller alone: no key signed it, and no ledger holds it'
const NOT_HERE = 'no receipt of this digest that the caller may see is in this ledger'
const DEMO_KEY = 'the key is a demo key: it proves integrity and no origin'
const NOT_COVERED = 'the signature of its receipt does not cover this result'
const OTHER_RECEIPT = 'the receipt it names is in this ledger and is about another result'

async function findReceipt({ ledger, caller }: Verifier, digest: unknown): Promise<StoredReceipt | null> {
  const row = typeof digest === 'string' ? await ledger.reader.byDigest(digest) : null
  return row !== null && sees(caller, row) ? row : null
}

/** The receipt holds the digest of the reply, and the reply shows the receipt as it is. */
function isSameReceipt({ payload_sha256, receipt }: Record<string, unknown>, row: StoredReceipt): boolean {
  const payload = bodyOf(row)?.payload
  const stated = isRecord(payload?.value) ? payload.value : payload
  const shown: Record<string, unknown> = receiptSummary(row)
  const claimed = receipt as Record<string, unknown>
  const isShown = Object.keys(claimed).every((name) => !Object.hasOwn(shown, name) || claimed[name] === shown[name])
  return stated?.payload_sha256 === payload_sha256 && isShown
}

const statusIn = ({ checks }: VerificationReport, name: VerificationReport['checks'][number]['check']) =>
  checks.find(({ check }) => check === name)?.status

/** The receipt as it is stored: its form, its bytes and its chain. */
const holds = (report: VerificationReport): boolean =>
  statusIn(report, 'structure') === 'VERIFIED' &&
  statusIn(report, 'payload_digest') === 'VERIFIED' &&
  statusIn(report, 'hash_chain') !== 'MISMATCH'

function recordChecks(report: VerificationReport): Checks {
  // A signature that fails says that these are not the bytes that were signed. Without one nothing claims the digest of a
  // bare envelope, and it stays open.
  const isAltered = statusIn(report, 'signature') === 'MISMATCH'
  const isOpen = statusIn(report, 'payload_digest') === 'UNAVAILABLE'
  return {
    ...NO_CHECKS,
    schema_known: statusIn(report, 'structure') === 'VERIFIED',
    record_digest_matches: isAltered ? false : isOpen ? null : holds(report),
  }
}

const SIGNATURES = {
  VERIFIED: 'VERIFIED',
  DEMO: 'VERIFIED',
  MISMATCH: 'INVALID',
  UNSIGNED: 'UNSIGNED',
  UNAVAILABLE: 'UNKNOWN_KEY',
} as const

function signatureIn(report: VerificationReport): Signature {
  const found = report.checks.find(({ check }) => check === 'signature')
  if (found === undefined || report.subject === null) return NOTHING_SIGNED
  const kind = report.checks.find(({ check }) => check === 'key_trust')?.details.kind
  const verdict = SIGNATURES[found.status]
  if (verdict !== 'VERIFIED') return { ...NO_SIGNATURE, verdict }
  return { verdict, keyid: textOrNull(found.details.keyid), key_kind: textOrNull(kind) }
}

const textOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null)

const faultsIn = ({ checks }: VerificationReport): string[] =>
  checks.filter(({ status }) => status === 'MISMATCH').map(({ check, reason }) => `${check}: ${reason}`)

function toVerification(
  checks: Checks,
  signature: Signature,
  ledger: Verification['ledger']['verdict'],
  build: Verification['build'],
  reasons: readonly string[],
): Verification {
  const failed = Object.entries(checks).flatMap(([name, found]) => (found === false ? [`${name} does not hold`] : []))
  return {
    integrity: { verdict: verdictOf(checks), checks },
    signature,
    ledger: { verdict: ledger },
    build,
    reasons: [...failed, ...reasons, ...(signature.key_kind === 'demo' ? [DEMO_KEY] : [])],
  }
}
