/** Commands of a shell that destroy. Only the form of a command counts: the name alone is prose. */
import {
  argumentsAt,
  type Command,
  type CommandRule,
  commandMatches,
  hasFlag,
  hasLetter,
  literalMatches,
  operands,
  plain,
  type Shown,
  sharedRule,
} from './command-line.ts'
import { DESTROYS, DESTROYS_PART, isInsideWord, type Match, places, startsWord } from './scanner.ts'
import wordLists from './word-lists.json' with { type: 'json' }

const CLEANS: Shown = { severity: 'note' }

export function destructiveShell(lower: string, commands: readonly Command[]): Match[] {
  return [
    ...commandMatches(lower, commands, SHELL_COMMANDS),
    ...makeFilesystem(lower),
    ...literalMatches(lower, WHOLE_COMMANDS, DESTROYS),
    ...diskWrites(lower),
    ...forkBomb(lower),
    ...removalCalls(lower),
    ...unnamedRemovals(lower),
  ]
}

const ROOTS = new Set(wordLists.shell.roots)
const SYSTEM = new Set(wordLists.shell.system.flatMap((folder) => [folder, `${folder}/`, `${folder}/*`]))
/** `../../..`: nobody knows how far up it leads. */
const CLIMB = /^(?:\.\.\/){1,32}(?:\.\.|\*)?$/
const isRoot = (arg: string): boolean => ROOTS.has(arg) || ROOTS.has(plain(arg)) || CLIMB.test(arg)
const isSystemFolder = (arg: string): boolean => SYSTEM.has(plain(arg))

/** `/tmp/../etc` is what it leads to and not what it begins with. */
const climbsOut = (arg: string): boolean => /^[~/]/.test(arg) && /\/\.\.(?:\/|$)/.test(arg)

/** Below these lies what cannot be built again; of one's own folders and temporary ones it can. */
const PRECIOUS = wordLists.shell.precious
const isPrecious = (arg: string): boolean =>
  climbsOut(arg) ||
  PRECIOUS.some((folder) => arg.startsWith(folder)) ||
  /^(?:\/home\/|~\/|\/)[a-z0-9_-]{1,32}\/?\*?$/.test(arg)
const isTemporary = (arg: string): boolean =>
  !climbsOut(arg) &&
  /^(?:\/tmp|\/var\/tmp|\/var\/cache|\/var\/lib\/apt\/lists|\/workspace|\/build|\/app|(?:~|\/root)\/\.(?:cache|npm))/.test(
    arg,
  )

function ofTargets(targets: readonly string[]): Shown {
  if (targets.some((arg) => isRoot(arg) || isSystemFolder(arg))) return DESTROYS
  return targets.some((arg) => isPrecious(plain(arg)) && !isTemporary(arg)) ? DESTROYS_PART : null
}

const isRecursive = (command: Command): boolean => hasFlag(command, '--recursive') || hasLetter(command, 'r')
const remove: CommandRule = (command) => (isRecursive(command) ? ofTargets(command.args) : null)

const PIPELINE_REACH = 160

/** `find / | xargs rm`: the paths are those of the commands before it on its line. */
const piped: CommandRule = ({ args, from }, lower) => {
  if (!args.some((arg) => ['rm', '/bin/rm', 'shred', 'unlink'].includes(arg))) return null
  const pipeline =
    lower
      .slice(Math.max(0, from - PIPELINE_REACH), from)
      .split(/[;\n]/)
      .at(-1) ?? ''
  return ofTargets([...pipeline.split(/[\s"'`]/), ...args].filter((word) => /^[/~$]/.test(word)))
}

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
  xargs: piped,
  ...sharedRule('chmod chown chgrp', reown),
  ...sharedRule('shred wipefs blkdiscard badblocks', overDevice),
  ...sharedRule('del erase rd rmdir', windowsDelete),
  ...sharedRule('lvremove vgremove', ({ args }) => (args.length > 0 ? DESTROYS_PART : null)),
  dd: dump,
  hdparm: ({ args }) => (args.some((arg) => arg.startsWith('--security-erase')) ? DESTROYS : null),
  sgdisk: ({ args }) => (args.includes('--zap-all') || args.includes('-z') ? DESTROYS : null),
  mv: ({ args }) => (args.at(-1) === '/dev/null' || isRoot(args[0] ?? '') ? DESTROYS_PART : null),
  zfs: verb(['destroy'], DESTROYS_PART),
  zpool: verb(['destroy', 'labelclear'], DESTROYS_PART),
  crontab: ({ args }) => (args[0] === '-r' ? DESTROYS_PART : null),
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
      ? [{ from: from - 1, to: from + 7, ...DESTROYS }]
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

/** Calls of programming languages that remove a folder with everything in it. */
const REMOVAL_CALLS = wordLists.shell.removalCalls
const MAX_PATH = 96

function removalCalls(lower: string): Match[] {
  return REMOVAL_CALLS.flatMap((call) =>
    places(lower, call).flatMap((from): Match[] => {
      const at = from + call.length
      const [, path = ''] = /^\s{0,4}\\?["'`]([^"'`\\]{1,96})\\?["'`]/.exec(lower.slice(at, at + MAX_PATH + 8)) ?? []
      const shown = path === '' ? null : ofTargets([path])
      return shown ? [{ from, to: at, ...shown }] : []
    }),
  )
}

/** `$X -rf /`: whatever the variable holds, it is told to take everything, all the way down. */
function unnamedRemovals(lower: string): Match[] {
  return places(lower, '$').flatMap((from): Match[] => {
    const [name = ''] = /^\$\{?[a-z_][a-z0-9_]{0,31}\}?\\?["']? {1,4}-/.exec(lower.slice(from, from + 44)) ?? []
    if (name === '') return []
    const command = { name: '$', from, ...argumentsAt(lower, from + name.length - 1, '$') }
    const forced = hasLetter(command, 'f') || hasFlag(command, '--force')
    return forced && remove(command, lower) === DESTROYS ? [{ from, to: command.to, ...DESTROYS_PART }] : []
  })
}
