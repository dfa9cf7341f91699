// Words to a command, its result to an exit code.

import { parseArgs } from 'node:util'
import { nearest } from '@orch/core'
import { type Command, type Invocation, parseOptions } from './command.ts'
import { COMMAND_NAMES, findCommand, GROUPS, loadCommand } from './commands.ts'
import { CliError, EXIT, type ExitCode, usage } from './exit.ts'
import { readSettings, type SettingFlags } from './settings.ts'
import { surplusFault } from './surplus.ts'
import { createTerminal, ReaderGone } from './terminal.ts'

/** How long a command may take to tidy up after Ctrl-C. */
const TIDY_MS = 2_000
/** A service finishes what it has begun, for which it has a time limit of its own. */
const isPatient = (words: readonly string[]): boolean => words[0] === 'up' || words[0] === 'witness'

export async function main(words: readonly string[]): Promise<void> {
  const interrupt = new AbortController()
  process.on('SIGINT', () => {
    // The first asks the command to tidy up; whoever presses again does not want to wait.
    if (interrupt.signal.aborted) process.exit(EXIT.interrupted)
    interrupt.abort(new CliError(EXIT.interrupted, 'interrupted'))
    if (!isPatient(words)) setTimeout(() => process.exit(EXIT.interrupted), TIDY_MS)
  })
  try {
    process.exitCode = await runWords(words, interrupt.signal)
  } catch (error) {
    process.exitCode = interrupt.signal.aborted ? EXIT.interrupted : await explain(error)
  }
  // Handles that nobody needs any more (a waiting retry, an idle connection) must not keep the shell waiting.
  await flushed()
  process.exit()
}

async function runWords(words: readonly string[], interrupted: AbortSignal): Promise<ExitCode> {
  const [first] = words
  if (first === undefined || first === '--help' || first === '-h') return run('help', [], interrupted)
  if (first === '--version') return run('version', words.slice(1), interrupted)
  const found = findCommand(words)
  if (!found) throw unknownCommand(words)
  return run(found.name, found.rest, interrupted)
}

async function run(name: string, rest: readonly string[], interrupted: AbortSignal): Promise<ExitCode> {
  const command = await loadCommand(name)
  const { values, positionals } = parsed(command, rest)
  const settings = readSettings(values as SettingFlags)
  const terminal = createTerminal(settings.noColour || values['no-color'] === true)
  if (values.help) {
    const { commandHelp } = await import('./help-text.ts')
    await terminal.out(commandHelp(command))
    return EXIT.done
  }
  const surplus = surplusFault(command, positionals)
  if (surplus) throw surplus
  const signal = AbortSignal.any([interrupted, terminal.closed])
  return command.run({ flags: values, args: positionals, settings, terminal, interrupted, signal } as Invocation)
}

function parsed(command: Command, rest: readonly string[]) {
  try {
    return parseArgs({ args: [...rest], options: parseOptions(command.flags), allowPositionals: true })
  } catch (error) {
    throw flagError(error as NodeJS.ErrnoException, command)
  }
}

/** The parser's own sentences name the flag in quotes; what was probably meant is found among the command's flags. */
function flagError({ code, message }: NodeJS.ErrnoException, command: Command): CliError {
  const sentence = message.split('. ')[0]
  const typed = /'(-[^' ]*)/.exec(message)?.[1] ?? ''
  const known = Object.keys(parseOptions(command.flags)).map((name) => `--${name}`)
  const meant = code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION' ? nearest(typed, known) : null
  return usage(`${sentence}; ${meant ? `did you mean ${meant}?` : `see orch ${command.name} --help`}`)
}

function unknownCommand(words: readonly string[]): CliError {
  const [first = '', second = ''] = words
  const isGroup = GROUPS.includes(first)
  if (isGroup && (second === '' || second.startsWith('-'))) {
    const members = COMMAND_NAMES.filter((name) => name.startsWith(`${first} `)).map((name) => name.split(' ')[1])
    return usage(`COMMAND orch ${first} needs one of: ${members.join(', ')}`)
  }
  const typed = isGroup ? `${first} ${second}` : first
  const meant = nearest(typed, [...COMMAND_NAMES, ...GROUPS])
  return usage(
    `COMMAND ${typed}: there is no such command; ${meant ? `did you mean orch ${meant}?` : 'orch help lists them'}`,
  )
}

async function explain(error: unknown): Promise<ExitCode> {
  // Loaded here: the reader of a good result does not pay for the words of a bad one.
  const { refusalOf } = await import('./refusal.ts')
  if (error instanceof ReaderGone) return EXIT.done
  const { exit, lines } = refusalOf(error)
  for (const line of lines) process.stderr.write(`orch: ${line}\n`)
  return exit
}

/** Data that is still on its way to a pipe must arrive before the process ends. */
function flushed(): Promise<void> {
  return new Promise((resolve) => {
    if (process.stdout.writableLength === 0 || process.stdout.destroyed) return resolve()
    process.stdout.write('', () => resolve())
    process.stdout.once('error', () => resolve())
  })
}
