// Try policies and tools before a service takes them over.
import { existsSync } from 'node:fs'
import { type Command, command, type Invocation } from '../command.ts'
import { EXIT, usage } from '../exit.ts'
import { resultText, runServerTool } from '../server-process.ts'

const FLAGS = {
  policies: { type: 'string', value: 'FOLDER', help: 'folder of the policies; the shipped ones without it' },
  tools: { type: 'string', value: 'FILE', help: 'tools file; tools.json of that folder without it' },
} as const

export const lint = policyCommand({
  job: 'lint',
  summary: 'Check policies and tools as the service would before it takes them over',
  usage: '[--policies FOLDER] [--tools FILE]',
  example: 'orch policy lint --tools tools.json',
})

export const test = policyCommand({
  job: 'test',
  summary: 'Ask the policies about the cases of a file and compare; 0 only when all agree',
  usage: 'CASES [--policies FOLDER] [--tools FILE]',
  maxArguments: 1,
  example: 'orch policy test cases.json --tools tools.json',
  argsOf({ args }) {
    const [file] = args
    if (file === undefined)
      throw usage('name one file of CASES such as [{"tool": "deploy", "effect": "write", "expect": "review"}]')
    if (!existsSync(file))
      throw usage(`CASES ${file} does not exist: name a file such as [{"tool": "deploy", "expect": "review"}]`)
    return [file]
  },
})

type Spec = Pick<Command, 'summary' | 'usage' | 'maxArguments' | 'example'> & {
  job: 'lint' | 'test'
  argsOf?(call: Invocation<typeof FLAGS>): string[]
}

function policyCommand({ job, argsOf = () => [], ...words }: Spec): Command {
  return command({
    name: `policy ${job}`,
    ...words,
    flags: FLAGS,
    async run(call) {
      const { policies, tools } = call.flags
      const places = [...(policies ? ['--policies', policies] : []), ...(tools ? ['--tools', tools] : [])]
      const result = await runServerTool('policy', job, [...places, ...argsOf(call)], call)
      await call.terminal.out(call.flags.json ? `${JSON.stringify(result)}\n` : resultText(result))
      return result.failed === 0 || result.failed === undefined ? EXIT.done : EXIT.failed
    },
  })
}
