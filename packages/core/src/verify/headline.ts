// The one sentence that says what a report comes to. The command line and the page print it as it stands.
import type { Check, CheckName, EvidenceKind, Verdict, VerificationReport } from './report.ts'

const NAMES: Record<EvidenceKind, string> = {
  receipt: 'the receipt',
  envelope: 'the envelope',
  export: 'the receipt export',
  'ledger-export': 'the ledger',
  pack: 'the evidence pack',
  statement: 'the statement',
  report: 'the report',
  reply: 'the reply',
  unknown: 'the file',
}

/** What PASS comes to, where it is more than the bytes of one receipt. */
const HOLDS: Partial<Record<EvidenceKind, string>> = {
  'ledger-export': 'everything holds: every receipt, link, signature and the signed root',
  pack: 'everything holds: the pack and every receipt in it',
  reply: 'everything holds: the answer, its receipt, the log that covers it and the production key',
}
const RECEIPT_HOLDS = 'everything holds: the bytes, their signature, the log that covers them and the production key'

const PARTS: Record<CheckName, string> = {
  structure: 'form',
  signature: 'signature',
  payload_digest: 'digest',
  hash_chain: 'chain',
  inclusion: 'log inclusion',
  key_trust: 'whose key it is',
  lambda: 'lambda',
}

/** An export tells of its ledger what no signature covers: that is never part of what holds. */
const BESIDE_EXPORT = 'what it says of its ledger and of its own limits is not covered'

export function headline(report: VerificationReport): string {
  const sentence = SENTENCES[report.verdict](report)
  const holds = report.verdict === 'PASS' || report.verdict === 'PARTIAL'
  return report.kind === 'export' && holds ? `${sentence}; ${BESIDE_EXPORT}` : sentence
}

const SENTENCES: Record<Verdict, (report: VerificationReport) => string> = {
  PASS: ({ kind }) => HOLDS[kind] ?? RECEIPT_HOLDS,
  PARTIAL: ({ checks }) => partial(checks),
  FAIL: ({ kind, checks }) => `${NAMES[kind]} is contradicted: ${first(checks, 'MISMATCH')?.reason ?? 'a check fails'}`,
  INCONCLUSIVE: inconclusive,
  NO_INPUT: () => 'there is nothing to verify',
}

function partial(checks: readonly Check[]): string {
  const isDemo = first(checks, 'DEMO') !== undefined
  const open = checks.filter(({ status }) => status === 'UNAVAILABLE').map(({ check }) => PARTS[check])
  const key = isDemo ? ['the key is a demo key'] : []
  if (open.length === 0) return ['everything holds', ...key].join('; ')
  return ['bytes, signature and digest hold', ...key, `not shown here: ${open.join(', ')}`].join('; ')
}

function inconclusive({ kind, checks }: VerificationReport): string {
  const [structure] = checks
  if (structure?.status === 'UNAVAILABLE')
    return kind === 'unknown' ? `this is no evidence that could be judged: ${structure.reason}` : structure.reason
  const unsigned = first(checks, 'UNSIGNED')
  if (unsigned) return `nothing speaks against ${NAMES[kind]}, but it is not wholly signed: ${unsigned.reason}`
  return `nothing speaks against ${NAMES[kind]}, but no key at hand verifies its signature: bring the signer's public key`
}

const first = (checks: readonly Check[], status: Check['status']): Check | undefined =>
  checks.find((one) => one.status === status)
