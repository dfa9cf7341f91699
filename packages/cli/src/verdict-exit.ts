// From a report to an exit code. What was not shown is never counted as good.
import type { Check, CheckName, VerificationReport } from '@orch/core'
import { EXIT, type ExitCode } from './exit.ts'

export type Demands = {
  /** Every check must have been verified. */
  strict?: boolean | undefined
  /** The hash chain must have been walked. */
  chain?: boolean | undefined
  requireProduction?: boolean | undefined
  allowUnsigned?: boolean | undefined
}

export function exitOfReport(report: VerificationReport, demands: Demands): ExitCode {
  const { verdict } = report
  if (verdict === 'FAIL') return EXIT.failed
  const holds =
    verdict === 'PASS' || verdict === 'PARTIAL' || (demands.allowUnsigned === true && isMerelyUnsigned(report))
  const met =
    (!demands.strict || verdict === 'PASS') &&
    (!demands.chain || statusOf(report, 'hash_chain') === 'VERIFIED') &&
    (!demands.requireProduction || isProduction(report))
  return holds && met ? EXIT.done : EXIT.insufficient
}

/** Several files: a failure outweighs missing evidence, which outweighs success. */
export const worstExit = (codes: readonly ExitCode[]): ExitCode =>
  [EXIT.failed, EXIT.insufficient].find((code) => codes.includes(code)) ??
  (codes.length === 0 ? EXIT.insufficient : EXIT.done)

const checkOf = ({ checks }: VerificationReport, name: CheckName): Check | undefined =>
  checks.find((one) => one.check === name)
const statusOf = (report: VerificationReport, name: CheckName) => checkOf(report, name)?.status

function isProduction(report: VerificationReport): boolean {
  const trust = checkOf(report, 'key_trust')
  return trust?.status === 'VERIFIED'
}

/** Bytes and digests hold and nothing is signed. A signature that is there and could not be judged is another matter. */
function isMerelyUnsigned(report: VerificationReport): boolean {
  const signature = checkOf(report, 'signature')
  if (report.verdict !== 'INCONCLUSIVE' || signature?.status !== 'UNSIGNED') return false
  if (statusOf(report, 'structure') !== 'VERIFIED' || statusOf(report, 'payload_digest') !== 'VERIFIED') return false
  const unjudged = typeof signature.details.unknown === 'number' && signature.details.unknown > 0
  return !unjudged && !hasOpenReceipts(report)
}

/** The receipts of a pack are judged one by one: an unsigned pack does not excuse what is inside. */
function hasOpenReceipts({ kind, subject }: VerificationReport): boolean {
  const inner = kind === 'pack' && Array.isArray(subject?.receipts) ? (subject.receipts as { verdict: string }[]) : []
  return inner.some(({ verdict }) => verdict !== 'PASS' && verdict !== 'PARTIAL')
}
