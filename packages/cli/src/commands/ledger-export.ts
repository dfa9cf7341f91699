import { command, type Invocation, SERVICE_FLAGS } from '../command.ts'
import { EXIT } from '../exit.ts'
import { exportLines } from '../export-lines.ts'
import { DATA_FLAG, runLedgerTool } from '../ledger-tool.ts'
import { writeOutputFile } from '../output-file.ts'
import { createProgress } from '../progress.ts'
import { connect } from '../service.ts'

type TakeLine = (line: string) => Promise<void>

export default command({
  name: 'ledger export',
  summary: 'Write the whole ledger as JSON lines that orch verify reads',
  usage: '[--out FILE] [--data FOLDER]',
  flags: {
    ...DATA_FLAG,
    ...SERVICE_FLAGS,
    out: { type: 'string', value: 'FILE', help: 'file to write (default stdout)' },
  },
  example: 'orch ledger export --out copy.jsonl',
  async run(call) {
    const { flags, terminal } = call
    let lines = 0
    if (flags.out === undefined) await produce(call, (line) => terminal.out(`${line}\n`))
    else
      await writeOutputFile(flags.out, (file) =>
        produce(call, async (line) => {
          lines += 1
          file.write(`${line}\n`)
        }),
      )
    if (flags.out !== undefined) {
      const result = { file: flags.out, receipts: Math.max(0, lines - 2) }
      await terminal.out(flags.json ? `${JSON.stringify(result)}\n` : `${result.receipts} receipts in ${result.file}\n`)
    }
    return EXIT.done
  },
})

/** From a data folder at rest, or from the service. */
async function produce(call: Invocation<{ data: (typeof DATA_FLAG)['data'] }>, take: TakeLine): Promise<void> {
  if (call.flags.data !== undefined) {
    await runLedgerTool('export', ['--data', call.flags.data], call, take)
    return
  }
  const progress = createProgress(call.terminal, call.settings.progress, 'export')
  try {
    for await (const line of exportLines(connect(call.settings), progress.update, call.signal)) await take(line)
  } finally {
    progress.end()
  }
}
