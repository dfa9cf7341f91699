/** Verification as the service offers it: the core verifier, given what this ledger knows. Nothing is appended. */
import {
  base64Encode,
  canonicalBytesPortable,
  check,
  type EvidenceKind,
  importPublicKey,
  makeReport,
  organOf,
  RECEIPT_PAYLOAD_TYPE,
  type Trust,
  type VerificationReport,
  verifyAny,
  verifyReceipt,
} from '@orch/core'
import { InputError } from '../errors.ts'
import { chainContext, type Evidence, type LogProof, logProofOrFault, NO_PROOF, receiptRecord } from './evidence.ts'
import { trustedKeys } from './keys.ts'
import { isRecord, type StoredReceipt } from './stored-receipt.ts'

/** What the caller brings besides the receipt. */
export interface Expectation {
  publicKeyPem?: string | undefined
  receiptId?: string | undefined
  organ?: string | undefined
}

export async function verifyStored(
  evidence: Evidence,
  row: StoredReceipt,
  checkedAt: string,
  wanted: Expectation = {},
): Promise<VerificationReport> {
  const trust = await trustOf(evidence, checkedAt, { ...wanted, receiptId: row.digest })
  const { proof, fault } = await logProofOrFault(evidence, row)
  const chain = await chainContext(evidence, row)
  const report = await verifyReceipt(receiptRecord(row, proof ?? NO_PROOF), { ...trust, chain })
  tellBreak(evidence, row, report)
  return expecting(wanted, withLogFault(report, fault))
}

/** A receipt of our own that does not verify is a broken ledger, whoever asked for it. What the caller expects of it
 *  beside that, such as its chain, is judged later and says nothing about the ledger. */
function tellBreak(evidence: Evidence, row: StoredReceipt, { verdict, checks }: VerificationReport): void {
  if (verdict !== 'FAIL') return
  const wrong = checks.find(({ status }) => status === 'MISMATCH')
  evidence.reportBreak(`receipt ${row.nodeIndex} is broken: ${wrong?.reason ?? 'it does not verify'}`, row)
}

/** What was sent is judged as it came; only what the ledger holds itself is added to it: the chain, and a proof where
 *  the sender brought none that counts. */
export async function verifyPresented(
  evidence: Evidence,
  value: unknown,
  checkedAt: string,
  wanted: Expectation,
): Promise<VerificationReport> {
  const trust = await trustOf(evidence, checkedAt, wanted)
  const alone = await verifyAny(value, trust)
  const row = alone.subject === null ? null : await evidence.reader.byDigest(alone.subject.digest)
  // A receipt of another ledger: its chain cannot be judged here, its signature was.
  if (row === null || !isRecord(value) || !ALONE.includes(alone.kind)) return expecting(wanted, alone)
  const { proof, fault } = provesItself(alone) ? NOT_NEEDED : await logProofOrFault(evidence, row)
  const proven = proof === null ? value : withProof(value, proof)
  const report = await verifyReceipt(proven, { ...trust, chain: await chainContext(evidence, row) })
  return expecting(wanted, withLogFault({ ...report, kind: alone.kind }, fault))
}

/** Files of one receipt, which this ledger may know more about. */
const ALONE: readonly EvidenceKind[] = ['receipt', 'envelope', 'export']
const NOT_NEEDED = { proof: null, fault: null }

/** The receipt is judged all the same; that this ledger's own log cannot vouch for it is part of the report. */
function withLogFault(report: VerificationReport, fault: string | null): VerificationReport {
  if (fault === null) return report
  const open = check('inclusion', 'UNAVAILABLE', `the log of this ledger is damaged and proves nothing: ${fault}`)
  return withCheck(report, open)
}

function withCheck(report: VerificationReport, changed: VerificationReport['checks'][number]): VerificationReport {
  const checks = report.checks.map((one) => (one.check === changed.check ? changed : one))
  return makeReport(report.kind, checks, report.subject, report.checked_at ?? undefined)
}

async function trustOf(evidence: Evidence, checkedAt: string, wanted: Expectation): Promise<Trust> {
  const ring = [...trustedKeys(await evidence.reader.keys()), ...evidence.trusted]
  const supplied = suppliedKey(wanted.publicKeyPem)
  // The ring comes first: a key that is known here does not become a stranger's because somebody sends it along.
  return {
    keys: supplied === null ? ring : [...ring, { key: supplied, kind: 'caller-supplied' }],
    logKeys: [evidence.vkey],
    checkedAt,
    ...(wanted.receiptId === undefined ? {} : { expectedDigest: wanted.receiptId }),
  }
}

function suppliedKey(pem: string | undefined) {
  if (pem === undefined) return null
  const key = importPublicKey(pem)
  if (key !== null) return key
  throw new InputError([
    { loc: ['body', 'public_key_pem'], msg: 'must be the PEM of an ECDSA P-256 public key', type: 'public_key' },
  ])
}

const provesItself = ({ checks }: VerificationReport): boolean =>
  checks.some(({ check, status }) => check === 'inclusion' && status !== 'UNAVAILABLE')

function withProof(value: Record<string, unknown>, proof: LogProof): Record<string, unknown> {
  if (Object.hasOwn(value, 'payloadType')) return { dsse: value, ...proof }
  if (isRecord(value.dsse)) return { ...value, ...proof }
  // A bare body: nobody signed it as it came, and it stays unsigned.
  const payload = base64Encode(canonicalBytesPortable(value))
  return { dsse: { payloadType: RECEIPT_PAYLOAD_TYPE, payload, signatures: [] }, ...proof }
}

/** A receipt that is good but of another chain than the one the caller named is not what was asked for. */
function expecting({ organ }: Expectation, report: VerificationReport): VerificationReport {
  const { ns, chain } = report.subject ?? { ns: null, chain: null }
  if (organ === undefined || typeof ns !== 'string' || typeof chain !== 'string') return report
  const found = organOf(ns, chain)
  if (found === organ) return report
  const sentence = `the receipt is of the chain ${found}, not of ${organ}`
  return withCheck(report, check('hash_chain', 'MISMATCH', sentence, { found, organ }))
}
