// Commands of a shell that destroy or run what was never read. Only the form of a command counts: the name alone is prose.
import {
  argumentsAt,
  around,
  type Command,
  type CommandRule,
  commandMatches,
  hasFlag,
  hasLetter,
  literalMatches,
  operands,
  plain,
  type Shown,
} from './command-line.ts'
import { isInsideWord, isLetterCode, type Match, places, startsWord } from './scanner.ts'

const LONGEST_COMMAND = 200
const DESTROYS: Shown = { effect: 'destructive' }
const DESTROYS_PART: Shown = { effect: 'destructive', severity: 'hold' }
const CLEANS: Shown = { severity: 'note' }

export function destructiveShell(lower: string, commands: readonly Command[]): Match[] {
  return [
    ...commandMatches(lower, commands, SHELL_COMMANDS),
    ...makeFilesystem(lower),
    ...literalMatches(lower, WHOLE_COMMANDS, DESTROYS),
    ...diskWrites(lower),
    ...forkBomb(lower),
    ...pipedDownload(lower, commands),
  ]
}

const ROOTS = new Set([
  '/',
  '/*',
  '~',
  '~/',
  '~/*',
  '*',
  './*',
  '..',
  '../*',
  '$home',
  '$home/',
  '$home/*',
  '--no-preserve-root',
  'c:',
  'c:/',
  'c:\\',
])
const SYSTEM = [
  '/bin',
  '/boot',
  '/dev',
  '/etc',
  '/home',
  '/lib',
  '/lib64',
  '/proc',
  '/root',
  '/sbin',
  '/srv',
  '/sys',
  '/usr',
  '/var',
  '/opt',
  '/mnt',
  '/data',
]
const isRoot = (arg: string): boolean => ROOTS.has(arg) || ROOTS.has(plain(arg))
const isSystemFolder = (arg: string): boolean =>
  SYSTEM.some((folder) => [folder, `${folder}/`, `${folder}/*`].includes(plain(arg)))

/** Below these lies what cannot be built again; of one's own folders and temporary ones it can. */
const PRECIOUS = [
  '/etc/',
  '/boot/',
  '/usr/',
  '/root/',
  '/var/lib/',
  '/var/log',
  '/var/backup',
  '/srv/',
  '/data/',
  '/backup',
  '/mnt/',
  '/opt/',
]
const isPrecious = (arg: string): boolean =>
  PRECIOUS.some((folder) => arg.startsWith(folder)) || /^(?:\/home\/|~\/|\/)[a-z0-9_-]{1,32}\/?\*?$/.test(arg)
const isTemporary = (arg: string): boolean =>
  /^(?:\/tmp|\/var\/tmp|\/var\/cache|\/workspace|\/build|\/app|~\/\.cache)/.test(arg)

function ofTargets(targets: readonly string[]): Shown {
  if (targets.some((arg) => isRoot(arg) || isSystemFolder(arg))) return DESTROYS
  return targets.some((arg) => isPrecious(plain(arg)) && !isTemporary(arg)) ? DESTROYS_PART : null
}

const isRecursive = (command: Command): boolean => hasFlag(command, '--recursive') || hasLetter(command, 'r')
const remove: CommandRule = (command) => (isRecursive(command) ? ofTargets(command.args) : null)

/** Everywhere a finding, but for what cleans one's own folder by a name. */
const find: CommandRule = ({ args }) => {
  const executes = args.findIndex((arg) => arg === '-exec' || arg === '-execdir' || arg === '-ok')
  const deletes = args.includes('-delete') || ['rm', 'shred', '/bin/rm'].includes(args[executes + 1] ?? '')
  if (!deletes) return null
  const path = args[0] ?? ''
  if (isRoot(path) || isSystemFolder(path)) return path === '.' ? DESTROYS_PART : DESTROYS
  const named = args.some((arg) => ['-name', '-iname', '-path', '-regex'].includes(arg))
  return named && !path.startsWith('/') && !path.startsWith('~') && !path.startsWith('$') ? CLEANS : DESTROYS_PART
}

/** Rights of a whole machine: nothing runs as it should afterwards. */
const reown: CommandRule = (command) => {
  if (!isRecursive(command)) return null
  const targets = operands(command)
  if (targets.some(isRoot)) return DESTROYS
  return targets.some(isSystemFolder) ? DESTROYS_PART : null
}

const isDevice = (arg: string): boolean => /^\/dev\/(?:sd|hd|nvme|vd|xvd|mmcblk|disk|mapper|md)/.test(arg)
const overDevice: CommandRule = ({ args }) => (args.some(isDevice) ? DESTROYS : null)
const dump: CommandRule = ({ args }) =>
  args.some((arg) => arg.startsWith('of=/dev/') && !['of=/dev/null', 'of=/dev/stdout'].includes(plain(arg)))
    ? DESTROYS
    : null
const verb =
  (verbs: readonly string[], shown: Shown): CommandRule =>
  ({ args }) =>
    verbs.includes(plain(args[0] ?? '')) && args.length > 1 ? shown : null

const windowsDelete: CommandRule = ({ args }) =>
  args.some((arg) => arg === '/s') && args.some((arg) => /^(?:[a-z]:|\*|%)/.test(arg)) ? DESTROYS : null

export const SHELL_COMMANDS: Readonly<Record<string, CommandRule>> = {
  rm: remove,
  find,
  chmod: reown,
  chown: reown,
  chgrp: reown,
  dd: dump,
  shred: overDevice,
  wipefs: overDevice,
  blkdiscard: overDevice,
  badblocks: overDevice,
  hdparm: ({ args }) => (args.some((arg) => arg.startsWith('--security-erase')) ? DESTROYS : null),
  sgdisk: ({ args }) => (args.includes('--zap-all') || args.includes('-z') ? DESTROYS : null),
  mv: ({ args }) => (args.at(-1) === '/dev/null' || isRoot(args[0] ?? '') ? DESTROYS_PART : null),
  zfs: verb(['destroy'], DESTROYS_PART),
  zpool: verb(['destroy', 'labelclear'], DESTROYS_PART),
  lvremove: ({ args }) => (args.length > 0 ? DESTROYS_PART : null),
  vgremove: ({ args }) => (args.length > 0 ? DESTROYS_PART : null),
  crontab: ({ args }) => (args[0] === '-r' ? DESTROYS_PART : null),
  del: windowsDelete,
  erase: windowsDelete,
  rd: windowsDelete,
  rmdir: windowsDelete,
  format: ({ args }) => (/^[a-z]:$/.test(args[0] ?? '') ? DESTROYS : null),
  'remove-item': ({ args }) =>
    args.some((arg) => arg.startsWith('-rec')) && args.some((arg) => /^(?:[a-z]:|[~*/]|\$env)/.test(arg))
      ? DESTROYS
      : null,
  vssadmin: verb(['delete', 'resize'], DESTROYS),
  wbadmin: verb(['delete'], DESTROYS),
  bcdedit: ({ args }) =>
    args.some((arg) => arg === 'recoveryenabled' || arg === 'bootstatuspolicy') ? DESTROYS_PART : null,
  cipher: ({ args }) => (args.some((arg) => arg.startsWith('/w')) ? DESTROYS_PART : null),
  wmic: ({ args }) => (args.includes('shadowcopy') && args.includes('delete') ? DESTROYS : null),
}

const WHOLE_COMMANDS = ['clear-disk -number', 'format-volume -driveletter']

function makeFilesystem(lower: string): Match[] {
  const found: Match[] = []
  for (const from of places(lower, 'mkfs')) {
    let at = from + 4
    while (at < from + 12 && (lower.charAt(at) === '.' || startsWord(lower, at))) at++
    const { args, to } = argumentsAt(lower, at, 'mkfs')
    if (!isInsideWord(lower, from) && args.some((arg) => arg.startsWith('/dev/'))) found.push({ from, to, ...DESTROYS })
  }
  return found
}

const diskWrites = (lower: string): Match[] =>
  places(lower, '/dev/').flatMap((from) => {
    const lead = lower.slice(Math.max(0, from - 2), from).trimEnd()
    return lead.endsWith('>') && isDevice(lower.slice(from, from + 12))
      ? [{ from: from - 1, to: from + 8, ...DESTROYS }]
      : []
  })

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
      found.push({ from, to: from + near.length, ...DESTROYS })
  }
  return found
}

const SHELLS = new Set([
  'sh',
  'bash',
  'zsh',
  'dash',
  'ksh',
  'fish',
  'python',
  'python3',
  'perl',
  'ruby',
  'node',
  'iex',
  'invoke-expression',
  'php',
])
export const DOWNLOADERS = [
  'curl',
  'wget',
  'iwr',
  'irm',
  'fetch',
  'invoke-webrequest',
  'invoke-restmethod',
  'certutil',
  'bitsadmin',
  'downloadstring',
  'downloadfile',
  'mshta',
  'regsvr32',
]

function pipedDownload(lower: string, commands: readonly Command[]): Match[] {
  return commands.flatMap((command): Match[] => {
    if (!DOWNLOADERS.includes(command.name)) return []
    const { from, name } = command
    const piped = pipeIntoShell(lower, from + name.length)
    if (piped >= 0) return [{ from, to: piped, ...DESTROYS }]
    const begin = substitutedInto(lower, from)
    if (begin >= 0) return [{ from: begin, to: from + name.length, ...DESTROYS }]
    if (isCradle(lower, command)) return [{ from, to: command.to, ...DESTROYS }]
    return runsDownload(lower, command) ? [{ from, to: command.to, ...DESTROYS_PART }] : []
  })
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

const MOST_PIPES = 4

/** Any pipe of the line may be the one: `curl x | base64 -d | sh`, `echo "curl x | sh" | crontab -`. */
function pipeIntoShell(lower: string, from: number): number {
  const [line = ''] = lower.slice(from, from + LONGEST_COMMAND).split('\n', 1)
  if (!line.includes('://') && !line.includes('.')) return -1
  let pipe = line.indexOf('|')
  for (let read = 0; read < MOST_PIPES && pipe >= 0; read++) {
    const end = shellEnd(line, pipe + 1)
    if (end >= 0) return from + end
    pipe = line.indexOf('|', pipe + 1)
  }
  return -1
}

/** Where the shell behind a pipe ends, or -1: `sudo -E bash -`, `/bin/sh`, `env X=1 python3`. */
function shellEnd(line: string, from: number): number {
  const words = line
    .slice(from, from + 48)
    .split(' ')
    .filter((word) => word !== '' && word !== 'sudo' && word !== 'env' && !word.startsWith('-') && !word.includes('='))
  const shell = (words[0] ?? '').replace(/^\/(?:usr\/)?bin\//, '')
  let size = 0
  while (size < shell.length && (isLetterCode(shell.charCodeAt(size)) || '3-'.includes(shell.charAt(size)))) size++
  return SHELLS.has(shell.slice(0, size)) ? Math.min(line.length, line.indexOf(shell, from) + size) : -1
}
