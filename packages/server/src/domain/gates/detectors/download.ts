/** Programs that are fetched and run in one go, so that nobody reads them in between. */
import { firstPlace } from '../../text/mapped-text.ts'
import { around, type Command, markOf, PARTS, plain, SEPARATES } from './command-line.ts'
import { DESTROYS, DESTROYS_PART, isLetterCode, type Match, runEnd } from './scanner.ts'
import wordLists from './word-lists.json' with { type: 'json' }

const MAX_COMMAND = 200

const SHELLS = new Set(wordLists.download.shells)
export const DOWNLOADERS = wordLists.download.downloaders
const DOWNLOADS = new Set(DOWNLOADERS)

/** Under the same rule as what destroys: what was never read may do anything. */
export function executedDownloads(lower: string, commands: readonly Command[]): Match[] {
  const script = new Script(lower)
  return commands.flatMap((command): Match[] => {
    if (DECODES.has(command.name)) return executedDecoding(script, command)
    if (!DOWNLOADS.has(command.name)) return []
    const { from, name } = command
    const piped = pipeIntoShell(script, from + name.length)
    if (piped >= 0 && namesHost(lower, from)) return [{ from, to: piped, ...DESTROYS }]
    const begin = substitutedInto(lower, from)
    if (begin >= 0) return [{ from: begin, to: from + name.length, ...DESTROYS }]
    if (isCradle(lower, command)) return [{ from, to: command.to, ...DESTROYS }]
    return runsDownload(script, command) ? [{ from, to: command.to, ...DESTROYS_PART }] : []
  })
}

/** What commands stand behind in the text, worked out once for all that are asked about what stands behind them. */
class Script {
  readonly lower: string
  private ownPipes: Pipe[] | undefined
  private ownRuns: Run[] | undefined

  constructor(lower: string) {
    this.lower = lower
  }

  get pipes(): readonly Pipe[] {
    this.ownPipes ??= pipesOf(this.lower)
    return this.ownPipes
  }

  get runs(): readonly Run[] {
    this.ownRuns ??= runsOf(this.lower)
    return this.ownRuns
  }
}

/** Programs that turn an encoded text back into what it was. */
export const DECODERS = ['base64', 'base32', 'openssl', 'xxd']
const DECODES = new Set(DECODERS)

/** `base64 -d | sh`, `eval "$(echo ... | base64 -d)"`: a program that nobody could read before it runs. */
function executedDecoding(script: Script, command: Command): Match[] {
  const { lower } = script
  const { name, from, args } = command
  const decodes =
    name === 'xxd'
      ? args.some((arg) => /^-[a-z]{0,4}r/.test(arg))
      : args.some((arg) => /^(?:-d|-di|--decode)[)\\]{0,2}$/.test(arg))
  if (!decodes) return []
  const piped = pipeIntoShell(script, from + name.length)
  if (piped >= 0) return [{ from, to: piped, ...DESTROYS_PART }]
  const lead = around(lower, from, MAX_COMMAND, 0)
  const opened = Math.max(lead.lastIndexOf('$('), lead.lastIndexOf('<('))
  const begin = opened < 0 ? -1 : substitutedInto(lower, from - lead.length + opened + 2)
  return begin >= 0 ? [{ from: begin, to: from + name.length, ...DESTROYS_PART }] : []
}

/** One-line downloaders of Windows that run what they fetch. */
function isCradle(lower: string, { name, from, args }: Command): boolean {
  if (name === 'downloadstring') {
    const lead = around(lower, from, 120, 0)
    return lead.includes('iex') || lead.includes('invoke-expression') || around(lower, from, 0, 160).includes('iex')
  }
  if (name === 'mshta') return args.some((arg) => arg.includes('://') || arg.includes('script:'))
  if (name === 'regsvr32') return args.some((arg) => arg.startsWith('/i:http'))
  if (name !== 'iwr' && name !== 'irm' && !name.startsWith('invoke-')) return false
  return /(?:^|[^a-z])(?:iex|invoke-expression)[ (&]{0,3}\(?$/.test(around(lower, from, 120, 0).trimEnd())
}

const RUN_REACH = 240

/** `wget URL -O f; chmod +x f; ./f`: the file that was written is run by a command behind. */
function runsDownload({ lower, runs }: Script, { to, args }: Command): boolean {
  if (!args.some((arg) => arg.includes('://') || /^[a-z0-9-]{1,63}\.[a-z0-9.-]{2,63}\//.test(arg))) return false
  const file = baseOf(writtenFile(args))
  if (file === '') return false
  const end = Math.min(to + RUN_REACH, lower.length)
  if (isRun(lower, runAt(lower, to, end), end, file)) return true
  for (let at = firstPlace(runs.length, (n) => runs[n]!.from > to); at < runs.length && runs[at]!.from < end; at++) {
    const run = runs[at] as Run
    if (isRun(lower, run.behind <= end ? run : runAt(lower, run.from, end), end, file)) return true
  }
  return false
}

const PREFIXES = new Set(['sudo', 'nohup', 'exec', 'time', 'start', 'then'])
const INTERPRETERS = new Set([...SHELLS, 'source', '.', 'java', 'rundll32'])

function baseOf(path: string): string {
  const name = plain(path)
  return name.slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1)
}

/** What stands between two separators, by the file of the program it begins with. */
interface Run {
  from: number
  program: string
  /** One past the word that is the program. */
  behind: number
}

const isRun = (lower: string, { program, behind }: Run, end: number, file: string): boolean =>
  program === file || (INTERPRETERS.has(program) && isArgument(lower, behind, end, file))

function isArgument(lower: string, from: number, end: number, file: string): boolean {
  if (!lower.slice(from, end).includes(file)) return false
  for (let at = wordStart(lower, from, end); at >= 0; ) {
    const to = wordEnd(lower, at, end)
    const word = lower.slice(at, to)
    if (word.includes(file) && baseOf(word) === file && !PREFIXES.has(word)) return true
    at = wordStart(lower, to, end)
  }
  return false
}

function runsOf(lower: string): Run[] {
  const runs: Run[] = []
  const { length } = lower
  for (let at = 0; at < length; at++) {
    const run = runAt(lower, at, length)
    if (run.program !== '') runs.push(run)
    at = run.behind
    while (at < length && markOf(lower.charCodeAt(at)) !== SEPARATES) at++
  }
  return runs
}

/** Without a program where a separator or the end comes first. */
function runAt(lower: string, from: number, end: number): Run {
  let behind = from
  for (let at = wordStart(lower, from, end); at >= 0; at = wordStart(lower, behind, end)) {
    behind = wordEnd(lower, at, end)
    const word = lower.slice(at, behind)
    if (!PREFIXES.has(word)) return { from, program: baseOf(word), behind }
  }
  return { from, program: '', behind }
}

/** Where the next word of the same command begins, or -1. */
function wordStart(lower: string, from: number, end: number): number {
  for (let at = from; at < end; at++) {
    const mark = markOf(lower.charCodeAt(at))
    if (mark !== PARTS) return mark === 0 ? at : -1
  }
  return -1
}

function wordEnd(lower: string, from: number, end: number): number {
  let at = from
  while (at < end && markOf(lower.charCodeAt(at)) === 0) at++
  return at
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
  const isParting = (at: number): boolean => near.charAt(at) === '\\' || markOf(near.charCodeAt(at)) !== 0
  let to = near.length - (near.endsWith('(') ? 2 : 1)
  while (to > 0 && isParting(to - 1)) to--
  let at = to
  while (at > 0 && !isParting(at - 1)) at--
  const last = near.slice(at, to)
  return RUNNERS.has(last.slice(last.lastIndexOf('/') + 1)) ? begin + at : -1
}

const lineFrom = (lower: string, from: number): string => lower.slice(from, from + MAX_COMMAND).split('\n', 1)[0] ?? ''

const namesHost = (lower: string, from: number): boolean => lineFrom(lower, from).includes('.')

const MAX_PIPES = 4

interface Pipe {
  at: number
  /** Where its line begins. */
  line: number
  /** Up to where what it feeds is read, and where a shell ends that stands there, or -1. */
  to: number
  shell: number
}

function pipesOf(lower: string): Pipe[] {
  const pipes: Pipe[] = []
  let [line, lineEnd] = [0, -1]
  for (let at = lower.indexOf('|'); at >= 0; at = lower.indexOf('|', at + 1)) {
    while (lineEnd < at) {
      line = lineEnd + 1
      const next = lower.indexOf('\n', line)
      lineEnd = next < 0 ? lower.length : next
    }
    const to = Math.min(at + 1 + SHELL_REACH, lineEnd)
    pipes.push({ at, line, to, shell: shellEnd(lower, at + 1, to) })
  }
  return pipes
}

/** Any pipe of the line may be the one: `curl x | base64 -d | sh`, `echo "curl x | sh" | crontab -`. */
function pipeIntoShell({ lower, pipes }: Script, from: number): number {
  const reach = from + MAX_COMMAND
  const first = firstPlace(pipes.length, (at) => pipes[at]!.at >= from)
  for (let read = first; read < Math.min(first + MAX_PIPES, pipes.length); read++) {
    const { at, line, to, shell } = pipes[read] as Pipe
    if (at >= reach || line > from) return -1
    const end = to <= reach ? shell : shellEnd(lower, at + 1, reach)
    if (end >= 0) return end
  }
  return -1
}

const SHELL_REACH = 48
const isShellCode = (code: number): boolean => isLetterCode(code) || code === 51 || code === 45

/** Where the shell behind a pipe ends, or -1: `sudo -E bash -`, `/bin/sh`, `env X=1 python3`. */
function shellEnd(lower: string, from: number, end: number): number {
  for (let at = from; at < end; at++) {
    if (lower.charCodeAt(at) === 32) continue
    const begin = at
    while (at < end && lower.charCodeAt(at) !== 32) at++
    const word = lower.slice(begin, at)
    if (word === 'sudo' || word === 'env' || word.startsWith('-') || word.includes('=')) continue
    const shell = !word.startsWith('/') ? word : word.replace(/^\/(?:usr\/)?bin\//, '')
    const size = runEnd(shell, 0, isShellCode, shell.length)
    return SHELLS.has(shell.slice(0, size)) ? lower.indexOf(shell, from) + size : -1
  }
  return -1
}
