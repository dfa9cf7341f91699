// The commands that try policies and tools before a service takes them over.
import { type Command, command, type Invocation } from './command.ts'
import { EXIT } from './exit.ts'
import { runServerTool } from './ledger-tool.ts'
import { text } from './tool-command.ts'

const FLAGS = {
  policies: { type: 'string', value: 'FOLDER', help: 'folder of the policies; the shipped ones without it' },
  tools: { type: 'string', value: 'FILE', help: 'tools file; tools.json of that folder without it' },
} as const

type Spec = {
  job: 'lint' | 'test'
  summary: string
  usage: string
  example: string
  argsOf?(call: Invocation<typeof FLAGS>): string[]
}

export const policyCommand = ({ job, argsOf = () => [], ...words }: Spec): Command =>
  command({
    name: `policy ${job}`,
    ...words,
    flags: FLAGS,
    async run(call) {
      const { policies, tools } = call.flags
      const places = [...(policies ? ['--policies', policies] : []), ...(tools ? ['--tools', tools] : [])]
      const result = await runServerTool('policy', job, [...places, ...argsOf(call)], call)
      await call.terminal.out(call.flags.json ? `${JSON.stringify(result)}\n` : text(result))
      return result.failed === 0 || result.failed === undefined ? EXIT.done : EXIT.failed
    },
  })
