// Commands that destroy or run what was never read. Only the form of a command counts: the name alone is prose.
import { isBlankCode, isInsideWord, isLetterCode, type Match, places, skipBlanks, startsWord } from './scanner.ts'

const MOST_ARGUMENTS = 8
const LONGEST_COMMAND = 200

export function destructiveShell(lower: string): Match[] {
  return [
    ...recursiveDelete(lower),
    ...makeFilesystem(lower),
    ...diskDump(lower),
    ...forkBomb(lower),
    ...pipedDownload(lower),
    ...windowsDelete(lower),
  ]
}

function* commands(lower: string, name: string): Generator<{ from: number; args: string[]; to: number }> {
  for (const from of places(lower, name)) {
    const after = from + name.length
    if (isInsideWord(lower, from) || !isBlankCode(lower.charCodeAt(after))) continue
    yield { from, ...argumentsAt(lower, after, name) }
  }
}

/** Up to the end of the command: a quotation mark that closes what it stands in ends it as well. */
function argumentsAt(lower: string, from: number, name: string): { args: string[]; to: number } {
  const args: string[] = []
  let at = from
  while (args.length < MOST_ARGUMENTS && at - from < LONGEST_COMMAND) {
    const begin = skipBlanks(lower, at)
    const quoted = QUOTES.includes(lower.charAt(begin) || ' ')
    const end = argumentEnd(lower, quoted ? begin + 1 : begin)
    if (end === begin) break
    const argument = lower.slice(quoted ? begin + 1 : begin, end)
    // The next command of the same name has its own arguments.
    if (argument === name) break
    args.push(argument)
    at = end
    if (QUOTES.includes(lower.charAt(end) || ' ') && !quoted) break
    if (quoted) at++
  }
  return { args, to: at }
}

const QUOTES = '"\'`'
const ENDS = ';&|'

function argumentEnd(lower: string, from: number): number {
  let at = from
  while (at < lower.length && at - from < 64 && !isBlankCode(lower.charCodeAt(at))) {
    if (ENDS.includes(lower.charAt(at)) || QUOTES.includes(lower.charAt(at))) break
    at++
  }
  return at
}

const ROOTS = new Set(['/', '/*', '~', '~/', '~/*', '*', './*', '$home', '$home/', '$home/*', '--no-preserve-root'])

function recursiveDelete(lower: string): Match[] {
  const found: Match[] = []
  for (const { from, args, to } of commands(lower, 'rm')) {
    const recursive = args.some((arg) => arg === '--recursive' || (/^-[a-z]{1,6}$/.test(arg) && arg.includes('r')))
    const target = args.some((arg) => ROOTS.has(arg) || ROOTS.has(arg.replace(/[.,?!)]$/, '')) || isSystemFolder(arg))
    if (recursive && target) found.push({ from, to })
  }
  return found
}

const SYSTEM_FOLDERS = [
  '/bin',
  '/boot',
  '/dev',
  '/etc',
  '/home',
  '/lib',
  '/root',
  '/sbin',
  '/srv',
  '/usr',
  '/var',
  '/opt',
]
const isSystemFolder = (arg: string): boolean =>
  SYSTEM_FOLDERS.some((folder) => arg === folder || arg === `${folder}/` || arg === `${folder}/*`)

function makeFilesystem(lower: string): Match[] {
  const found: Match[] = []
  for (const from of places(lower, 'mkfs')) {
    let at = from + 4
    while (at < from + 12 && (lower.charAt(at) === '.' || startsWord(lower, at))) at++
    const { args, to } = argumentsAt(lower, at, 'mkfs')
    if (!isInsideWord(lower, from) && args.some((arg) => arg.startsWith('/dev/'))) found.push({ from, to })
  }
  return found
}

function diskDump(lower: string): Match[] {
  const found: Match[] = []
  for (const { from, args, to } of commands(lower, 'dd'))
    if (args.some((arg) => arg.startsWith('of=/dev/') && arg !== 'of=/dev/null')) found.push({ from, to })
  for (const from of places(lower, '> /dev/sd')) found.push({ from, to: from + 9 })
  return found
}

/** `:(){ :|:& };:` however it is spaced. */
function forkBomb(lower: string): Match[] {
  const found: Match[] = []
  for (const from of places(lower, ':(')) {
    const near = lower.slice(from, from + 32)
    if (
      [...near]
        .filter((letter) => letter.trim() !== '')
        .join('')
        .startsWith(':(){:|:&};:')
    )
      found.push({ from, to: from + near.length })
  }
  return found
}

const SHELLS = new Set(['sh', 'bash', 'zsh', 'dash', 'ksh', 'fish', 'python', 'python3', 'perl', 'ruby', 'node', 'iex'])
const DOWNLOADERS = ['curl', 'wget', 'iwr', 'fetch']

function pipedDownload(lower: string): Match[] {
  const found: Match[] = []
  for (const name of DOWNLOADERS)
    for (const from of places(lower, name)) {
      if (isInsideWord(lower, from)) continue
      const piped = pipeIntoShell(lower, from + name.length)
      const begin = substitutedInto(lower, from)
      if (piped >= 0) found.push({ from, to: piped })
      else if (begin >= 0) found.push({ from: begin, to: from + name.length })
    }
  return found
}

const RUNNERS = new Set([...SHELLS, 'eval', 'source', '.', 'exec', '-c', '-e'])
const SUBSTITUTION_REACH = 48

/** `bash <(curl ...)`, `sh -c "$(curl ...)"`: where the runner begins, or -1. */
function substitutedInto(lower: string, from: number): number {
  const near = lower.slice(Math.max(0, from - SUBSTITUTION_REACH), from).trimEnd()
  if (!near.endsWith('<(') && !near.endsWith('$(') && !near.endsWith('`')) return -1
  const lead = near.slice(0, near.endsWith('(') ? -2 : -1)
  const last = lead.split(/[\s"';&|]/).findLast((word) => word !== '') ?? ''
  return RUNNERS.has(last.slice(last.lastIndexOf('/') + 1)) ? from - near.length : -1
}

function pipeIntoShell(lower: string, from: number): number {
  const line = lower.slice(from, from + LONGEST_COMMAND)
  const pipe = line.indexOf('|')
  if (pipe < 0 || !(line.includes('://') || line.includes('.'))) return -1
  const words = line
    .slice(pipe + 1, pipe + 48)
    .split(' ')
    .filter((word) => word !== '' && word !== 'sudo' && !word.startsWith('-'))
  const shell = words[0] ?? ''
  let size = 0
  while (size < shell.length && (isLetterCode(shell.charCodeAt(size)) || shell.charAt(size) === '3')) size++
  return SHELLS.has(shell.slice(0, size)) ? from + pipe + 1 + shell.length + 1 : -1
}

function windowsDelete(lower: string): Match[] {
  const found: Match[] = []
  for (const { from, args, to } of commands(lower, 'del'))
    if (args.includes('/s') && args.some((arg) => arg.startsWith('c:') || arg.startsWith('*'))) found.push({ from, to })
  for (const { from, args, to } of commands(lower, 'format')) if (args[0] === 'c:') found.push({ from, to })
  for (const { from, args, to } of commands(lower, 'remove-item'))
    if (args.some((arg) => arg.startsWith('-rec')) && args.some((arg) => /^(?:[a-z]:|[~*/])/.test(arg)))
      found.push({ from, to })
  return found
}
