// The shape of every command: its words, its flags, one example that a test runs, and what it does.
import type { ParseArgsOptionsConfig } from 'node:util'
import { EXIT, type ExitCode } from './exit.ts'
import type { Settings } from './settings.ts'
import { type Column, tableHeader, tableNote, tableRow } from './table.ts'
import type { Terminal } from './terminal.ts'

export type Flag = {
  type: 'string' | 'boolean'
  short?: string
  multiple?: boolean
  /** What stands for the value in the help text. */
  value?: string
  /** The words it takes, where there are few. */
  words?: readonly string[]
  help: string
}
export type Flags = Readonly<Record<string, Flag>>

type FlagValues<F extends Flags> = {
  [Name in keyof F]?: F[Name] extends { type: 'boolean' }
    ? boolean
    : F[Name] extends { multiple: true }
      ? string[]
      : string
}

export type Invocation<F extends Flags = Flags> = {
  flags: FlagValues<F> & FlagValues<typeof COMMON_FLAGS>
  args: string[]
  settings: Settings
  terminal: Terminal
  /** Aborted by Ctrl-C. Work whose result matters without a reader goes by this one. */
  interrupted: AbortSignal
  /** Aborted by Ctrl-C and when nobody reads stdout any more: for work that only feeds stdout. */
  signal: AbortSignal
}

export type Command = {
  /** As typed: `ledger tail`. */
  name: string
  summary: string
  /** What follows the name on the command line. */
  usage: string
  /** How many arguments it takes besides its flags; none where this is left out. */
  maxArguments?: number
  flags: Flags
  /** One line that works as it stands: beside a running service, or beside its data folder `data` once it has stopped,
   *  with the files `receipt.json`, `pack.json`, `ledger.jsonl` and `cosign.pub` at hand. DIGEST names a receipt,
   *  REVIEW a pending review, GUARD_HEAD and STORE_HEAD what a refused start printed. */
  example: string
  run(call: Invocation): Promise<ExitCode>
}

export const COMMON_FLAGS = {
  help: { type: 'boolean', short: 'h', help: 'this text' },
  json: { type: 'boolean', help: 'one JSON object on stdout' },
  'no-color': { type: 'boolean', help: 'no colours' },
} as const satisfies Flags

/** Of the commands that talk to a service. */
export const SERVICE_FLAGS = {
  url: { type: 'string', value: 'URL', help: 'address of the service' },
  'token-file': { type: 'string', value: 'FILE', help: 'file that holds the credential' },
} as const satisfies Flags

/** Keeps the types of a command's own flags inside its `run`. */
export const command = <const F extends Flags>(
  spec: Omit<Command, 'flags' | 'run'> & { flags: F; run(call: Invocation<F>): Promise<ExitCode> },
): Command => spec as unknown as Command

/** How a list is shown to people, and the sentence that stands for one with nothing in it. */
type ListText<T> = { columns: readonly Column<T>[]; notes?(item: T): readonly string[]; empty: string }

/** A list: whole with --json, else line by line. That it is empty is said on stderr, where no program reads it. */
export async function showList<T>(
  whole: object,
  items: readonly T[],
  flags: { json?: boolean; jsonl?: boolean },
  terminal: Terminal,
  { columns, notes, empty }: ListText<T>,
): Promise<ExitCode> {
  if (items.length === 0) terminal.say(empty)
  if (flags.json) await terminal.out(`${JSON.stringify(whole)}\n`)
  else if (flags.jsonl) for (const item of items) await terminal.out(`${JSON.stringify(item)}\n`)
  else if (items.length > 0) {
    await terminal.out(tableHeader(columns, terminal))
    for (const item of items) {
      const below = notes?.(item) ?? []
      await terminal.out([tableRow(columns, item, terminal), ...below.map(tableNote)].join(''))
    }
  }
  return EXIT.done
}

/** One page of a longer list, and how to go on. */
export async function showPage<T>(
  page: { next_cursor: string | null },
  items: readonly T[],
  flags: { json?: boolean; jsonl?: boolean },
  terminal: Terminal,
  text: ListText<T>,
): Promise<ExitCode> {
  const exit = await showList(page, items, flags, terminal, text)
  if (!flags.json && page.next_cursor !== null) terminal.say(`more: --cursor ${page.next_cursor}`)
  return exit
}

export const parseOptions = (flags: Flags): ParseArgsOptionsConfig =>
  Object.fromEntries(
    Object.entries({ ...COMMON_FLAGS, ...flags } as Flags).map(([name, { type, short, multiple }]) => [
      name,
      { type, ...(short && { short }), ...(multiple && { multiple }) },
    ]),
  )
