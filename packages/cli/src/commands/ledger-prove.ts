import { verifyReceipt } from '@orch/core'
import { command, type Invocation, SERVICE_FLAGS } from '../command.ts'
import { proveContinuation } from '../continuation.ts'
import { EXIT, type ExitCode } from '../exit.ts'
import { readRing, trustFrom } from '../key-ring.ts'
import { DATA_FLAG, dataOf, runLedgerTool } from '../ledger-tool.ts'
import { reportText } from '../report-text.ts'
import { connect } from '../service.ts'
import { text } from '../tool-command.ts'
import { digestOf } from './ledger-show.ts'

export default command({
  name: 'ledger prove',
  summary: 'Prove that a receipt is in the log, that the log only grew, or that a data folder holds from genesis',
  usage: 'DIGEST | --since CHECKPOINT | --data FOLDER',
  flags: {
    ...DATA_FLAG,
    since: { type: 'string', value: 'FILE', help: 'a checkpoint kept from before: the log must be its continuation' },
    ...SERVICE_FLAGS,
  },
  example: 'orch ledger prove --data data',
  run(call) {
    if (call.flags.since !== undefined) return proveGrowth(call, call.flags.since)
    return call.args.length > 0 ? proveReceipt(call) : proveLedger(call)
  },
})

async function proveLedger(call: Invocation): Promise<ExitCode> {
  const result = await runLedgerTool('prove', ['--data', dataOf(call.settings)], call)
  await call.terminal.out(call.flags.json ? `${JSON.stringify(result)}\n` : text(result))
  return EXIT.done
}

/** The service hands over record and proof; what they are worth is judged here, by the keys pinned here. */
async function proveReceipt({ args, flags, settings, terminal, signal }: Invocation): Promise<ExitCode> {
  const digest = digestOf(args)
  const record = await connect(settings).call('receipts.get', { params: { digest } }, { signal })
  const trust = trustFrom(readRing(settings.configFolder), [], [])
  const report = await verifyReceipt(record, { ...trust, expectedDigest: digest, checkedAt: new Date().toISOString() })
  await terminal.out(flags.json ? `${JSON.stringify(report)}\n` : reportText(digest, report, terminal))
  if (trust.logKeys?.length === 0) terminal.say('no log key is pinned: save /log/key and pin it with orch keys pin')
  if (report.verdict === 'FAIL') return EXIT.failed
  const needed = ['structure', 'payload_digest', 'inclusion']
  const proven = report.checks
    .filter(({ check }) => needed.includes(check))
    .every(({ status }) => status === 'VERIFIED')
  return proven ? EXIT.done : EXIT.insufficient
}

async function proveGrowth({ flags, settings, terminal, signal }: Invocation, file: string): Promise<ExitCode> {
  const { logKeys } = readRing(settings.configFolder)
  const report = await proveContinuation(connect(settings), file, logKeys, signal)
  await terminal.out(flags.json ? `${JSON.stringify(report)}\n` : `${report.status}: ${report.reason}\n`)
  if (report.status === 'MISMATCH') return EXIT.failed
  return report.status === 'VERIFIED' ? EXIT.done : EXIT.insufficient
}
