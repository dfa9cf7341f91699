/** Programs that are fetched and run in one go, so that nobody reads them in between. */
import { around, type Command, plain } from './command-line.ts'
import { DESTROYS, DESTROYS_PART, isLetterCode, type Match, runEnd } from './scanner.ts'
import wordLists from './word-lists.json' with { type: 'json' }

const MAX_COMMAND = 200

const SHELLS = new Set(wordLists.download.shells)
export const DOWNLOADERS = wordLists.download.downloaders

/** Under the same rule as what destroys: what was never read may do anything. */
export function executedDownloads(lower: string, commands: readonly Command[]): Match[] {
  return commands.flatMap((command): Match[] => {
    if (DECODERS.includes(command.name)) return executedDecoding(lower, command)
    if (!DOWNLOADERS.includes(command.name)) return []
    const { from, name } = command
    const piped = namesHost(lower, from) ? pipeIntoShell(lower, from + name.length) : -1
    if (piped >= 0) return [{ from, to: piped, ...DESTROYS }]
    const begin = substitutedInto(lower, from)
    if (begin >= 0) return [{ from: begin, to: from + name.length, ...DESTROYS }]
    if (isCradle(lower, command)) return [{ from, to: command.to, ...DESTROYS }]
    return runsDownload(lower, command) ? [{ from, to: command.to, ...DESTROYS_PART }] : []
  })
}

/** Programs that turn an encoded text back into what it was. */
export const DECODERS = ['base64', 'base32', 'openssl', 'xxd']

/** `base64 -d | sh`, `eval "$(echo ... | base64 -d)"`: a program that nobody could read before it runs. */
function executedDecoding(lower: string, command: Command): Match[] {
  const { name, from, args } = command
  const decodes =
    name === 'xxd'
      ? args.some((arg) => /^-[a-z]{0,4}r/.test(arg))
      : args.some((arg) => /^(?:-d|-di|--decode)[)\\]{0,2}$/.test(arg))
  if (!decodes) return []
  const piped = pipeIntoShell(lower, from + name.length)
  if (piped >= 0) return [{ from, to: piped, ...DESTROYS_PART }]
  const lead = around(lower, from, MAX_COMMAND, 0)
  const opened = Math.max(lead.lastIndexOf('$('), lead.lastIndexOf('<('))
  const begin = opened < 0 ? -1 : substitutedInto(lower, from - lead.length + opened + 2)
  return begin >= 0 ? [{ from: begin, to: from + name.length, ...DESTROYS_PART }] : []
}

/** One-line downloaders of Windows that run what they fetch. */
function isCradle(lower: string, { name, from, args }: Command): boolean {
  const lead = around(lower, from, 120, 0)
  if (name === 'downloadstring')
    return lead.includes('iex') || lead.includes('invoke-expression') || around(lower, from, 0, 160).includes('iex')
  if (name === 'mshta') return args.some((arg) => arg.includes('://') || arg.includes('script:'))
  if (name === 'regsvr32') return args.some((arg) => arg.startsWith('/i:http'))
  if (name !== 'iwr' && name !== 'irm' && !name.startsWith('invoke-')) return false
  return /(?:^|[^a-z])(?:iex|invoke-expression)[ (&]{0,3}\(?$/.test(lead.trimEnd())
}

const RUN_REACH = 240

/** `wget URL -O f; chmod +x f; ./f`: the file that was written is run by a command behind. */
function runsDownload(lower: string, { to, args }: Command): boolean {
  if (!args.some((arg) => arg.includes('://') || /^[a-z0-9-]{1,63}\.[a-z0-9.-]{2,63}\//.test(arg))) return false
  const file = baseOf(writtenFile(args))
  return (
    file !== '' &&
    lower
      .slice(to, to + RUN_REACH)
      .split(/[;&|\n]/)
      .some((command) => runs(command, file))
  )
}

const PREFIXES = new Set(['sudo', 'nohup', 'exec', 'time', 'start', 'then'])
const INTERPRETERS = new Set([...SHELLS, 'source', '.', 'java', 'rundll32'])
const baseOf = (path: string): string =>
  plain(path).slice(Math.max(plain(path).lastIndexOf('/'), plain(path).lastIndexOf('\\')) + 1)

function runs(command: string, file: string): boolean {
  const [program = '', ...args] = command.split(/[\s"'`]/).filter((word) => word !== '' && !PREFIXES.has(word))
  return baseOf(program) === file || (INTERPRETERS.has(baseOf(program)) && args.some((arg) => baseOf(arg) === file))
}

function writtenFile(args: readonly string[]): string {
  const flag = args.findIndex(
    (arg) => arg === '-o' || arg === '--output' || arg === '>' || arg === '--output-document' || arg === '-outfile',
  )
  const url = args.find((arg) => arg.includes('/')) ?? ''
  const named = flag < 0 ? '' : plain(args[flag + 1] ?? '')
  // In lower case the flag that names a file and the one that takes the name of the address are one.
  return named === '' || named.startsWith('-') || named.includes('://') ? plain(url) : named
}

const RUNNERS = new Set([...SHELLS, 'eval', 'source', '.', 'exec', '-c', '-e'])
const SUBSTITUTION_REACH = 48

/** `bash <(curl ...)`, `sh -c "$(curl ...)"`: where the runner begins, or -1. */
function substitutedInto(lower: string, from: number): number {
  const begin = Math.max(0, from - SUBSTITUTION_REACH)
  const near = lower.slice(begin, from).trimEnd()
  if (!near.endsWith('<(') && !near.endsWith('$(') && !near.endsWith('`')) return -1
  const lead = near.slice(0, near.endsWith('(') ? -2 : -1)
  const last = lead.split(/[\s"'`\\;&|]/).findLast((word) => word !== '') ?? ''
  return RUNNERS.has(last.slice(last.lastIndexOf('/') + 1)) ? begin + lead.lastIndexOf(last) : -1
}

const lineFrom = (lower: string, from: number): string => lower.slice(from, from + MAX_COMMAND).split('\n', 1)[0] ?? ''

const namesHost = (lower: string, from: number): boolean => lineFrom(lower, from).includes('.')

const MAX_PIPES = 4

/** Any pipe of the line may be the one: `curl x | base64 -d | sh`, `echo "curl x | sh" | crontab -`. */
function pipeIntoShell(lower: string, from: number): number {
  const line = lineFrom(lower, from)
  let pipe = line.indexOf('|')
  for (let read = 0; read < MAX_PIPES && pipe >= 0; read++) {
    const end = shellEnd(line, pipe + 1)
    if (end >= 0) return from + end
    pipe = line.indexOf('|', pipe + 1)
  }
  return -1
}

const isShellCode = (code: number): boolean => isLetterCode(code) || code === 51 || code === 45

/** Where the shell behind a pipe ends, or -1: `sudo -E bash -`, `/bin/sh`, `env X=1 python3`. */
function shellEnd(line: string, from: number): number {
  const words = line
    .slice(from, from + 48)
    .split(' ')
    .filter((word) => word !== '' && word !== 'sudo' && word !== 'env' && !word.startsWith('-') && !word.includes('='))
  const shell = (words[0] ?? '').replace(/^\/(?:usr\/)?bin\//, '')
  const size = runEnd(shell, 0, isShellCode, shell.length)
  return SHELLS.has(shell.slice(0, size)) ? Math.min(line.length, line.indexOf(shell, from) + size) : -1
}
