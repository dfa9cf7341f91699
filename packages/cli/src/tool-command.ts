// Commands that are one job of the ledger tool and its result.
import type { Command, Flags, Invocation } from './command.ts'
import { command } from './command.ts'
import { EXIT } from './exit.ts'
import { DATA_FLAG, dataOf, runLedgerTool, type ToolResult } from './ledger-tool.ts'

type Spec = {
  job: string
  summary: string
  usage: string
  example: string
  flags?: Flags
  /** Further arguments of the job; throws on a misuse. */
  argsOf?(call: Invocation): string[]
}

export const toolCommand = ({ job, summary, usage, example, flags = {}, argsOf = () => [] }: Spec): Command =>
  command({
    name: `ledger ${job}`,
    summary,
    usage,
    example,
    flags: { ...DATA_FLAG, ...flags } as Flags,
    async run(call) {
      const result = await runLedgerTool(job, ['--data', dataOf(call.settings), ...argsOf(call)], call)
      await call.terminal.out(call.flags.json ? `${JSON.stringify(result)}\n` : text(result))
      return EXIT.done
    },
  })

export const text = (result: ToolResult): string =>
  `${Object.entries(result)
    .filter(([name]) => name !== 'ok')
    .map(([name, value]) => `${name} ${typeof value === 'object' ? JSON.stringify(value) : value}`)
    .join('\n')}\n`
