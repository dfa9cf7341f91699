// Help, made from the commands themselves.
import { COMMON_FLAGS, type Command, type Flags } from './command.ts'
import { COMMAND_NAMES, loadCommand } from './commands.ts'
import { EXIT_MEANINGS } from './exit.ts'

export function commandHelp(command: Command): string {
  return [
    ...wrapped(`orch ${command.name} ${command.usage}`.trimEnd(), MAX_COLUMNS, '    '),
    '',
    ...wrapped(command.summary),
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
  const margin = ' '.repeat(width + 4)
  return rows.flatMap(([left, right]) =>
    wrapped(right, MAX_COLUMNS - margin.length).map((line, at) =>
      at === 0 ? `  ${left.padEnd(width)}  ${line}` : `${margin}${line}`,
    ),
  )
}

/** What a terminal shows without breaking words. */
const MAX_COLUMNS = 80

/** Lines of whole words; every one but the first begins with the indent. */
function wrapped(text: string, width = MAX_COLUMNS, indent = ''): string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(last === undefined ? word : `${indent}${word}`)
  }
  return lines
}

export async function overview(): Promise<string> {
  const commands = await Promise.all(COMMAND_NAMES.map(loadCommand))
  return [
    'orch COMMAND [ARGUMENTS]',
    '',
    ...columns(commands.map(({ name, summary }) => [name, summary] as const)),
    '',
    ...wrapped('orch COMMAND --help says more; orch help exit-codes, settings or trust explain what holds for all.'),
    '',
  ].join('\n')
}

// What holds for every command.
export const TOPICS: Readonly<Record<string, string>> = {
  'exit-codes': [
    'Exit codes:',
    ...columns(EXIT_MEANINGS.map(([code, meaning]) => [String(code).padStart(3), meaning] as const)),
    '',
    'Several files: the worst result wins, 3 over 5 over 0.',
    '',
  ].join('\n'),
  settings: [
    ...wrapped(
      'A setting comes from the first of: flag, environment, ./orch.yaml, config.yaml in the user config folder.',
    ),
    '',
    ...columns([
      ['base_url  --url         ORCH_BASE_URL', 'where the service answers'],
      ['token     --token-file  ORCH_TOKEN', 'the credential (ORCH_TOKEN_FILE names a file)'],
      ['data      --data        ORCH_DATA', 'the data folder of a ledger on this machine'],
      ['progress                ORCH_PROGRESS', 'auto, always or never'],
    ]),
    '',
    ...wrapped(
      'The files hold lines such as `base_url: "https://orch.example"`. orch doctor shows each value and its origin.',
    ),
    '',
  ].join('\n'),
  trust: [
    ...wrapped(
      'verify trusts the keys given by --key, or else those pinned in the user config folder under keys/. A key that lies in the file being verified is never used.',
    ),
    '',
    '  orch keys pin cosign.pub --kind production',
    '',
    ...wrapped(
      'Compare the fingerprint over another channel before pinning: whoever gives you both file and key can forge both.',
    ),
    '',
  ].join('\n'),
}
