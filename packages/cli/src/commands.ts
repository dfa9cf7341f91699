// The table of contents. Commands are loaded when they are called: starting costs what the one command needs.
import type { Command } from './command.ts'

type Load = () => Promise<Command>

const foreground = () => import('./commands/foreground.ts')
const review = () => import('./commands/review.ts')
const ledger = () => import('./commands/ledger.ts')
const ledgerAtRest = () => import('./commands/ledger-at-rest.ts')
const policy = () => import('./commands/policy.ts')
const pack = () => import('./commands/pack.ts')
const organ = () => import('./commands/organ.ts')
const credentials = () => import('./commands/credentials.ts')
const keys = () => import('./commands/keys.ts')

export const COMMANDS: Readonly<Record<string, Load>> = {
  up: async () => (await foreground()).up,
  doctor: async () => (await import('./commands/doctor.ts')).default,
  version: async () => (await import('./commands/version.ts')).default,
  help: async () => (await import('./commands/help.ts')).default,
  completion: async () => (await import('./commands/completion.ts')).default,
  govern: async () => (await import('./commands/govern.ts')).default,
  'review ls': async () => (await review()).ls,
  'review show': async () => (await review()).show,
  'review approve': async () => (await review()).approve,
  'review deny': async () => (await review()).deny,
  verify: async () => (await import('./commands/verify.ts')).default,
  'ledger tail': async () => (await ledger()).tail,
  'ledger ls': async () => (await ledger()).ls,
  'ledger show': async () => (await import('./commands/ledger-show.ts')).show,
  'ledger export': async () => (await ledger()).exportLedger,
  'ledger import': async () => (await ledgerAtRest()).importLedger,
  'ledger prove': async () => (await ledger()).prove,
  'ledger migrate': async () => (await ledgerAtRest()).migrate,
  'ledger snapshot': async () => (await ledgerAtRest()).snapshot,
  'ledger restore': async () => (await ledgerAtRest()).restore,
  'ledger accept-restore': async () => (await ledgerAtRest()).acceptRestore,
  'policy lint': async () => (await policy()).lint,
  'policy test': async () => (await policy()).test,
  witness: async () => (await foreground()).witness,
  'pack create': async () => (await pack()).create,
  'pack verify': async () => (await pack()).verify,
  'keys show': async () => (await keys()).show,
  'keys gen': async () => (await keys()).gen,
  'keys pin': async () => (await keys()).pin,
  'keys unpin': async () => (await keys()).unpin,
  'keys rotate': async () => (await keys()).rotate,
  'organ ls': async () => (await organ()).ls,
  'organ run': async () => (await organ()).run,
  'organ replay': async () => (await import('./commands/organ-replay.ts')).replay,
  'credentials add': async () => (await credentials()).add,
  'credentials revoke': async () => (await credentials()).revoke,
  'credentials ls': async () => (await credentials()).ls,
  bench: async () => (await foreground()).bench,
  call: async () => (await import('./commands/call.ts')).default,
  mcp: async () => (await import('./commands/mcp.ts')).default,
}

export const COMMAND_NAMES = Object.keys(COMMANDS)

/** Groups such as `ledger`, which are no command by themselves. */
export const GROUPS = [
  ...new Set(COMMAND_NAMES.filter((name) => name.includes(' ')).map((name) => name.split(' ')[0]!)),
]

/** The command a line begins with and the words after it; null when none is meant. */
export function findCommand(words: readonly string[]): { name: string; rest: string[] } | null {
  const [first = '', second = ''] = words
  const pair = `${first} ${second}`
  if (Object.hasOwn(COMMANDS, pair)) return { name: pair, rest: words.slice(2) }
  return Object.hasOwn(COMMANDS, first) ? { name: first, rest: words.slice(1) } : null
}

export const loadCommand = (name: string): Promise<Command> => COMMANDS[name]!()
