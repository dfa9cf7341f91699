// Help, made from the commands themselves.
import { COMMON_FLAGS, type Command, type Flags } from './command.ts'
import { COMMAND_NAMES, loadCommand } from './commands.ts'

export function commandHelp(command: Command): string {
  return [
    `orch ${command.name} ${command.usage}`.trimEnd(),
    '',
    command.summary,
    '',
    'Flags:',
    ...flagLines({ ...command.flags, ...COMMON_FLAGS }),
    '',
    'Example:',
    `  ${command.example}`,
    '',
  ].join('\n')
}

function flagLines(flags: Flags): string[] {
  const rows = Object.entries(flags).map(([name, { short, value, help }]) => [
    `${short ? `-${short}, ` : '    '}--${name}${value ? ` ${value}` : ''}`,
    help,
  ])
  return columns(rows as [string, string][])
}

export function columns(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...rows.map(([left]) => left.length))
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`)
}

export async function overview(): Promise<string> {
  const commands = await Promise.all(COMMAND_NAMES.map(loadCommand))
  return [
    'orch COMMAND [ARGUMENTS]',
    '',
    ...columns(commands.map(({ name, summary }) => [name, summary] as const)),
    '',
    'orch COMMAND --help says more; orch help exit-codes, settings or trust explain what holds for all of them.',
    '',
  ].join('\n')
}
