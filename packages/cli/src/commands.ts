// The table of contents. Commands are loaded when they are called: starting costs what the one command needs.
import type { Command } from './command.ts'

type Load = () => Promise<{ default: Command }>

export const COMMANDS: Readonly<Record<string, Load>> = {
  up: () => import('./commands/up.ts'),
  doctor: () => import('./commands/doctor.ts'),
  version: () => import('./commands/version.ts'),
  help: () => import('./commands/help.ts'),
  completion: () => import('./commands/completion.ts'),
  govern: () => import('./commands/govern.ts'),
  'review ls': () => import('./commands/review-ls.ts'),
  'review show': () => import('./commands/review-show.ts'),
  'review approve': () => import('./commands/review-approve.ts'),
  'review deny': () => import('./commands/review-deny.ts'),
  verify: () => import('./commands/verify.ts'),
  'ledger tail': () => import('./commands/ledger-tail.ts'),
  'ledger ls': () => import('./commands/ledger-ls.ts'),
  'ledger show': () => import('./commands/ledger-show.ts'),
  'ledger export': () => import('./commands/ledger-export.ts'),
  'ledger import': () => import('./commands/ledger-import.ts'),
  'ledger prove': () => import('./commands/ledger-prove.ts'),
  'ledger migrate': () => import('./commands/ledger-migrate.ts'),
  'ledger snapshot': () => import('./commands/ledger-snapshot.ts'),
  'ledger restore': () => import('./commands/ledger-restore.ts'),
  'policy lint': () => import('./commands/policy-lint.ts'),
  'policy test': () => import('./commands/policy-test.ts'),
  'ledger accept-restore': () => import('./commands/ledger-accept-restore.ts'),
  witness: () => import('./commands/witness.ts'),
  'pack create': () => import('./commands/pack-create.ts'),
  'pack verify': () => import('./commands/pack-verify.ts'),
  'keys show': () => import('./commands/keys-show.ts'),
  'keys gen': () => import('./commands/keys-gen.ts'),
  'keys pin': () => import('./commands/keys-pin.ts'),
  'keys rotate': () => import('./commands/keys-rotate.ts'),
  call: () => import('./commands/call.ts'),
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

export const loadCommand = async (name: string): Promise<Command> => (await COMMANDS[name]!()).default
