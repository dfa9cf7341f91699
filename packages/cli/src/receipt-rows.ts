// Receipts as lines of a list, and what a list can be narrowed by.
import type { Input, ReceiptRow } from '@orch/client'
import { printable, type Terminal } from './terminal.ts'

const filter = (value: string, help: string) => ({ type: 'string', value, help }) as const

export const FILTER_FLAGS = {
  chain: filter('CHAIN', 'of this chain'),
  kind: filter('KIND', 'of this kind'),
  decision: filter('WORD', 'ALLOW, REVIEW or DENY'),
  owner: filter('NAME', 'by this owner of a credential'),
  agent: filter('NAME', 'by this agent, as its caller stated it'),
  tool: filter('TOOL', 'about this tool'),
  gate: filter('GATE', 'where this gate fired'),
  session: filter('ID', 'of this session'),
  signed: filter('HOW', 'true, false, demo, production or unsigned'),
  policy: filter('DIGEST', 'decided under these rules'),
  since: filter('TIME', 'not before, as 2026-01-02T03:04:05.000Z'),
  until: filter('TIME', 'before'),
  q: filter('HEX', 'whose digest begins so'),
} as const

export type Filters = { [Name in keyof typeof FILTER_FLAGS]?: string }

/** The service checks the words: a mistyped one is refused there, never ignored. */
export function filtersOf(flags: Filters): NonNullable<Input<'khipu.ledger'>['query']> {
  const names = (Object.keys(FILTER_FLAGS) as (keyof Filters)[]).filter((name) => flags[name] !== undefined)
  return Object.fromEntries(names.map((name) => [name, flags[name]])) as NonNullable<Input<'khipu.ledger'>['query']>
}

export function rowText(row: ReceiptRow, { paint }: Pick<Terminal, 'paint'>): string {
  const signed = row.signed ? String(row.key_kind) : paint('yellow', 'unsigned')
  const decision = row.decision === 'DENY' ? paint('red', row.decision) : (row.decision ?? '-')
  const fields = [row.node_index, row.ts_utc, row.kind, decision, `${row.chain}#${row.seq}`, signed, row.digest]
  return `${fields.map((field) => (typeof field === 'string' ? safe(field) : field)).join('  ')}\n`
}

/** Colours are ours, every other control character is somebody else's. */
const safe = (text: string): string => (text.startsWith('\u001b[') ? text : printable(text))
