// The run behind `verify` and `pack verify`: paths and trust in, reports and one exit code out.
import { statSync } from 'node:fs'
import type { Trust, VerificationReport } from '@orch/core'
import type { Invocation } from './command.ts'
import { type ExitCode, usage } from './exit.ts'
import { readKey, readLogKey, readRing, trustFrom } from './key-ring.ts'
import { createProgress } from './progress.ts'
import { caveatsText, reportText } from './report-text.ts'
import { createSignaturePool } from './signature-pool.ts'
import { type Demands, exitOfReport, worstExit } from './verdict-exit.ts'
import { expandPaths, STDIN, verifyPath } from './verify.ts'

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
  demands: Demands,
  accept: (report: VerificationReport) => void = () => undefined,
): Promise<ExitCode> {
  const { flags, args, terminal } = call
  if (args.length === 0) throw usage('name a file, or - for stdin')
  const trust = trustOf(call)
  const results: VerifiedFile[] = []
  for (const file of expandPaths(args)) {
    const report = await verifyOne(file, trust, call)
    accept(report)
    results.push({ file, report, exit: exitOfReport(report, demands) })
    if (!flags.json) await terminal.out(reportText(file, report, terminal))
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

async function verifyOne(file: string, trust: Trust, call: Invocation): Promise<VerificationReport> {
  const progress = createProgress(call.terminal, call.settings.progress, 'verify')
  const isLarge = file === STDIN || statSync(file).size >= LARGE_BYTES
  const pool = isLarge && trust.keys.length > 0 ? createSignaturePool(trust.keys.map(({ key }) => key)) : null
  try {
    return await verifyPath(file, trust, {
      ...(pool && { verifySignatures: pool.verifySignatures }),
      onProgress: progress.update,
      signal: call.interrupted,
    })
  } finally {
    progress.end()
    await pool?.close()
  }
}
