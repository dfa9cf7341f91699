import { statSync } from 'node:fs'
import type { Check, CheckName, Trust, VerificationReport } from '@orch/core'
import { command, type Invocation } from '../command.ts'
import { EXIT, type ExitCode, usage } from '../exit.ts'
import { readText } from '../json-input.ts'
import { readKey, readLogKey, readRing, trustFrom } from '../key-ring.ts'
import { createProgress } from '../progress.ts'
import { caveatsText, reportText } from '../report-text.ts'
import { createSignaturePool } from '../signature-pool.ts'
import { printable } from '../terminal.ts'
import { expandPaths, STDIN, verifyPath } from '../verify.ts'

// The run behind `verify` and `pack verify`: paths and trust in, reports and one exit code out.
export const TRUST_FLAGS = {
  key: { type: 'string', multiple: true, value: 'PEM', help: 'trust this public key instead of the pinned ring' },
  'log-key': { type: 'string', multiple: true, value: 'FILE', help: 'trust this log key instead of the pinned ones' },
  strict: { type: 'boolean', help: 'anything but PASS is not enough' },
  'allow-unsigned': { type: 'boolean', help: 'unsigned evidence is enough when its bytes and digests hold' },
  'require-production': { type: 'boolean', help: 'a demo key or one of no known kind is not enough' },
} as const

/** From this size on it pays to start threads. */
const LARGE_BYTES = 4 * 1024 * 1024

type VerifiedFile = { file: string; report: VerificationReport; exit: ExitCode }

export async function verifyFiles(
  call: Invocation<typeof TRUST_FLAGS>,
  { chain, checkpoint }: { chain?: boolean | undefined; checkpoint?: string | undefined } = {},
  accept: (report: VerificationReport) => void = () => undefined,
): Promise<ExitCode> {
  const { flags, args, terminal } = call
  if (args.length === 0) throw usage('no FILE is named: give one, or - for stdin, as in orch verify receipt.json')
  const trust = trustOf(call)
  const checkpointText = checkpoint === undefined ? undefined : readText(checkpoint)
  const { strict, 'require-production': requireProduction, 'allow-unsigned': allowUnsigned } = flags
  const results: VerifiedFile[] = []
  for (const file of expandPaths(args)) {
    const report = await verifyOne(file, trust, checkpointText, call)
    accept(report)
    const demands = { strict, chain, checkpoint: checkpointText !== undefined, requireProduction, allowUnsigned }
    results.push({ file, report, exit: exitOfReport(report, demands) })
    if (!flags.json) await terminal.out(reportText(file, report, terminal))
    for (const demand of unmetDemands(report, demands)) terminal.say(`${printable(file)}: not enough for ${demand}`)
  }
  if (results.length === 0) terminal.say('nothing matches: there is nothing to verify')
  else if (!flags.json) await terminal.out(caveatsText())
  if (trust.keys.length === 0) terminal.say('no key is trusted: give --key PEM or pin one with orch keys pin')
  const exit = worstExit(results.map((one) => one.exit))
  if (flags.json) await terminal.out(`${JSON.stringify(document(results, exit))}\n`)
  return exit
}

/** One file: its report as every verifier gives it. Several: the reports beside their files. */
function document(results: readonly VerifiedFile[], exit: ExitCode): object {
  const [only] = results
  if (only && results.length === 1) return only.report
  return {
    schema: 'orch.verification-reports/v1',
    exit_code: exit,
    reports: results.map(({ file, report }) => ({ file, ...report })),
  }
}

function trustOf({ flags, settings }: Invocation<typeof TRUST_FLAGS>): Trust {
  const given = (flags.key ?? []).map(readKey)
  const logKeys = (flags['log-key'] ?? []).map(readLogKey)
  return {
    ...trustFrom(readRing(settings.configFolder), given, logKeys),
    requireProduction: flags['require-production'] === true,
    checkedAt: new Date().toISOString(),
  }
}

async function verifyOne(
  file: string,
  trust: Trust,
  checkpoint: string | undefined,
  call: Invocation,
): Promise<VerificationReport> {
  const progress = createProgress(call.terminal, call.settings.progress, 'verify')
  const isLarge = file === STDIN || statSync(file).size >= LARGE_BYTES
  const pool = isLarge && trust.keys.length > 0 ? createSignaturePool(trust.keys.map(({ key }) => key)) : null
  try {
    return await verifyPath(file, trust, {
      ...(pool && { verifySignatures: pool.verifySignatures }),
      onProgress: progress.update,
      signal: call.interrupted,
      checkpoint,
    })
  } finally {
    progress.end()
    await pool?.close()
  }
}

export default command({
  name: 'verify',
  summary: 'Verify receipts, envelopes, exports, packs and statements offline',
  usage: 'FILE|- [...]',
  maxArguments: Number.POSITIVE_INFINITY,
  flags: {
    ...TRUST_FLAGS,
    chain: { type: 'boolean', help: 'the hash chain must have been walked (ledger exports)' },
    checkpoint: {
      type: 'string',
      value: 'FILE',
      help: 'a signed checkpoint: the ledger export must hold every receipt that it covers',
    },
  },
  example: 'orch verify --key cosign.pub receipt.json',
  run: (call) => verifyFiles(call, call.flags),
})

// From a report to an exit code. What was not shown is never counted as good.
type Demands = {
  /** Every check must have been verified. */
  strict?: boolean | undefined
  /** The hash chain must have been walked. */
  chain?: boolean | undefined
  /** A ledger export holds every receipt of the checkpoint that was given. */
  checkpoint?: boolean | undefined
  requireProduction?: boolean | undefined
  allowUnsigned?: boolean | undefined
}

export function exitOfReport(report: VerificationReport, demands: Demands): ExitCode {
  const { verdict } = report
  if (verdict === 'FAIL') return EXIT.failed
  const holds =
    verdict === 'PASS' || verdict === 'PARTIAL' || (demands.allowUnsigned === true && isMerelyUnsigned(report))
  return holds && unmetDemands(report, demands).length === 0 ? EXIT.done : EXIT.insufficient
}

/** What was asked for by a flag and is not shown, as people read it. A failure speaks for itself. */
function unmetDemands(report: VerificationReport, demands: Demands): string[] {
  const { verdict, kind } = report
  if (verdict === 'FAIL') return []
  const reason = (name: CheckName) => checkOf(report, name)?.reason ?? 'nothing was checked'
  const unless = (name: CheckName) => statusOf(report, name) !== 'VERIFIED'
  const isExport = kind === 'ledger-export'
  const open = report.checks
    .filter(({ status }) => status !== 'VERIFIED')
    .map(({ check, status }) => `${check} ${status}`)
  return [
    ...(demands.strict && verdict !== 'PASS'
      ? [`--strict: the verdict is ${verdict}, not PASS (${open.join(', ')})`]
      : []),
    ...(demands.chain && unless('hash_chain') ? [`--chain: ${reason('hash_chain')}`] : []),
    ...(demands.checkpoint && !isExport ? ['--checkpoint: the file is no ledger export'] : []),
    ...(demands.checkpoint && isExport && unless('inclusion') ? [`--checkpoint: ${reason('inclusion')}`] : []),
    ...(demands.requireProduction && unless('key_trust') ? [`--require-production: ${reason('key_trust')}`] : []),
  ]
}

/** Several files: a failure outweighs missing evidence, which outweighs success. */
export const worstExit = (codes: readonly ExitCode[]): ExitCode =>
  [EXIT.failed, EXIT.insufficient].find((code) => codes.includes(code)) ??
  (codes.length === 0 ? EXIT.insufficient : EXIT.done)

const checkOf = ({ checks }: VerificationReport, name: CheckName): Check | undefined =>
  checks.find((one) => one.check === name)
const statusOf = (report: VerificationReport, name: CheckName) => checkOf(report, name)?.status

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
