import { nearest } from '@orch/core'
import { command } from '../command.ts'
import { COMMAND_NAMES, findCommand, GROUPS, loadCommand } from '../commands.ts'
import { EXIT, usage } from '../exit.ts'
import { commandHelp, overview, TOPICS } from '../help-text.ts'

export default command({
  name: 'help',
  summary: 'Explain a command or a topic',
  usage: '[COMMAND|TOPIC]',
  maxArguments: Number.POSITIVE_INFINITY,
  flags: {},
  example: 'orch help exit-codes',
  async run({ args, flags, terminal }) {
    const text = await helpOn(args)
    await terminal.out(flags.json ? `${JSON.stringify({ topic: args.join(' ') || 'overview', text })}\n` : text)
    return EXIT.done
  },
})

async function helpOn(args: readonly string[]): Promise<string> {
  const asked = args.join(' ')
  if (asked === '') return overview()
  if (Object.hasOwn(TOPICS, asked)) return TOPICS[asked]!
  const found = findCommand(args)
  if (found && found.rest.length === 0) return commandHelp(await loadCommand(found.name))
  if (GROUPS.includes(asked)) return groupHelp(asked)
  const meant = nearest(asked, [...COMMAND_NAMES, ...GROUPS, ...Object.keys(TOPICS)])
  throw usage(
    `TOPIC ${asked}: there is no help on it; ${meant ? `did you mean orch help ${meant}?` : 'orch help lists all'}`,
  )
}

async function groupHelp(group: string): Promise<string> {
  const members = await Promise.all(COMMAND_NAMES.filter((name) => name.startsWith(`${group} `)).map(loadCommand))
  return members.map(commandHelp).join('\n')
}
