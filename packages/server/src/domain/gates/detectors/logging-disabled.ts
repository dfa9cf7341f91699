/** Commands that switch off what watches a machine, or wipe what it has seen. */
import {
  around,
  type Command,
  type CommandRule,
  commandMatches,
  hasFlag,
  literalMatches,
  operands,
  plain,
  type Shown,
  sharedRule,
} from './command-line.ts'
import { type Match, places } from './scanner.ts'
import wordLists from './word-lists.json' with { type: 'json' }

const BLINDS: Shown = { effect: 'destructive' }
/** Also done for maintenance. */
const PAUSES: Shown = { effect: 'destructive', severity: 'hold' }

export function disabledLogging(lower: string, commands: readonly Command[]): Match[] {
  return [
    ...commandMatches(lower, commands, LOGGING_COMMANDS),
    ...(lower.includes('hist') ? literalMatches(lower, HISTORY, PAUSES) : []),
    ...literalMatches(lower, SWITCHES, BLINDS),
    ...emptiedLogs(lower),
    ...loweredSettings(lower),
  ]
}

const { watchers: WATCHERS, history: HISTORY, logs: LOGS } = wordLists['logging-disabled']
const isWatcher = (arg: string): boolean => WATCHERS.includes(plain(arg).replace(/\.(?:service|exe|socket)$/, ''))

const OFF = ['stop', 'disable', 'mask', 'kill', 'unload', 'bootout', 'delete', 'config']

/** `systemctl stop auditd` and `service auditd stop`. */
const service: CommandRule = (command) => {
  const words = operands(command)
  return words.some((word) => OFF.includes(word)) && words.some(isWatcher) ? PAUSES : null
}

const killsLogger: CommandRule = ({ args }) =>
  args.some((arg) => isWatcher(arg.replace(/^\$\((?:pidof|pgrep)/, '').replace(/\)$/, ''))) ? PAUSES : null

const TRAILS = new Set(wordLists['logging-disabled'].trails)

const deletesIn = (group: string, words: readonly string[]): Shown =>
  words[0] === group && words.includes('delete') ? BLINDS : null

export const LOGGING_COMMANDS: Readonly<Record<string, CommandRule>> = {
  auditctl: ({ args }) =>
    args.some((arg, at) => arg === '-e' && plain(args[at + 1] ?? '') === '0') || plain(args[0] ?? '') === '-d'
      ? BLINDS
      : null,
  ...sharedRule('systemctl service rc-service launchctl sc net', service),
  ...sharedRule('kill pkill killall taskkill', killsLogger),
  'stop-service': ({ args }) => (args.some(isWatcher) ? PAUSES : null),
  'set-service': ({ args }) => (args.some(isWatcher) && args.some((arg) => plain(arg) === 'disabled') ? PAUSES : null),
  setenforce: ({ args }) => (['0', 'permissive'].includes(plain(args[0] ?? '')) ? PAUSES : null),
  history: ({ args }) => (/^-[a-z]{0,2}c/.test(args[0] ?? '') ? PAUSES : null),
  wevtutil: ({ args }) => (['cl', 'clear-log'].includes(args[0] ?? '') && args.length > 1 ? BLINDS : null),
  'clear-eventlog': ({ args }) => (args.length > 0 ? BLINDS : null),
  'set-mppreference': ({ args }) => (args.some((arg) => arg.startsWith('-disable')) ? BLINDS : null),
  'add-mppreference': ({ args }) => (args.some((arg) => arg.startsWith('-exclusion')) ? PAUSES : null),
  auditpol: ({ args }) => (args.some((arg) => arg === '/clear' || arg.endsWith(':disable')) ? BLINDS : null),
  fltmc: ({ args }) => (args[0] === 'unload' ? BLINDS : null),
  netsh: ({ args }) => (args.includes('advfirewall') && args.includes('off') ? PAUSES : null),
  ufw: ({ args }) => (plain(args[0] ?? '') === 'disable' ? PAUSES : null),
  iptables: (command) => (hasFlag(command, '-f', '--flush') && !command.args.includes('-t') ? PAUSES : null),
  nft: ({ args }) => (args[0] === 'flush' && args[1] === 'ruleset' ? PAUSES : null),
  aws: (command) => (operands(command).some((arg) => TRAILS.has(arg)) ? BLINDS : null),
  gcloud: (command) => deletesIn('logging', operands(command)),
  az: (command) => deletesIn('monitor', operands(command)),
}

const SWITCHES = ['disableantispyware', 'set global general_log']

/** The logs of who came in, emptied or removed. */
function emptiedLogs(lower: string): Match[] {
  return places(lower, '/var/log/').flatMap((from): Match[] => {
    const name = lower.slice(from + 9, from + 32)
    if (!LOGS.some((log) => name.startsWith(log))) return []
    const lead = around(lower, from, 40, 0)
    const wipes =
      /(?:^|[^>])>\s{0,3}$|truncate [a-z0-9 -]{1,16}$|shred [a-z0-9 -]{0,16}$|rm (?:-[a-z]{1,4} )?$|\/dev\/null \S{0,2}\s?$/.test(
        lead,
      )
    return wipes ? [{ from, to: from + 9, ...PAUSES }] : []
  })
}

/** `ALTER SYSTEM SET log_statement = 'none'`: a database told to write down less, or nothing. */
const loweredSettings = (lower: string): Match[] =>
  places(lower, 'alter system').flatMap((from): Match[] => {
    const rest = lower.slice(from, from + 64)
    const [setting = ''] =
      /^alter system\s{1,8}(?:re)?set\s{1,8}(?:log_|logging_|audit_|pgaudit\.)[a-z_.]{1,32}/.exec(rest) ?? []
    return setting === '' ? [] : [{ from, to: from + setting.length, ...PAUSES }]
  })
