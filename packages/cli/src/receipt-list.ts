// Receipts as a list, and what a list of them can be narrowed by.
import type { Input, ReceiptRow } from '@orch/client'
import { RECEIPT_KINDS, UNREGISTERED_TOOL } from '@orch/core'
import { usage } from './exit.ts'
import { parseInstant, parseWord } from './forgiving.ts'
import { type Column, shortTime } from './table.ts'

const filter = (value: string, help: string, words: readonly string[] = []) =>
  ({ type: 'string', value, help, words }) as const

export const FILTER_FLAGS = {
  chain: filter('CHAIN', 'of this chain'),
  kind: filter('KIND', 'of this kind', RECEIPT_KINDS),
  decision: filter('WORD', 'allow, review or deny', ['allow', 'review', 'deny']),
  owner: filter('NAME', 'by this owner of a credential'),
  agent: filter('NAME', 'by this agent, as its caller stated it'),
  tool: filter('TOOL', 'about this tool'),
  gate: filter('GATE', 'where this gate fired'),
  session: filter('ID', 'of this session'),
  signed: filter('HOW', 'yes, no, demo, production or unsigned', ['yes', 'no', 'demo', 'production', 'unsigned']),
  policy: filter('DIGEST', 'decided under these rules'),
  since: filter('TIME', 'not before: 2h, yesterday, 2026-11-15 or 2026-11-15T08:30:00Z (UTC)'),
  until: filter('TIME', 'before, written in the same ways'),
  q: filter('HEX', 'whose digest begins so'),
} as const

type Filters = { [Name in keyof typeof FILTER_FLAGS]?: string }
type Query = NonNullable<Input<'khipu.ledger'>['query']>

const DECISIONS = { allowed: 'ALLOW', denied: 'DENY', held: 'REVIEW', reviewed: 'REVIEW' }
const SIGNED = { yes: 'true', no: 'false', signed: 'true' }

/** How a value is read that people write in several ways; the service checks the others. */
const READ: { [Name in keyof Filters]?: (text: string) => string } = {
  kind: (text) => parseWord('--kind', text, RECEIPT_KINDS),
  decision: (text) => parseWord('--decision', text, ['ALLOW', 'REVIEW', 'DENY'], DECISIONS),
  signed: (text) => parseWord('--signed', text, ['true', 'false', 'demo', 'production', 'unsigned'], SIGNED),
  since: (text) => parseInstant('--since', text, Date.now()),
  until: (text) => parseInstant('--until', text, Date.now()),
  q: (text) => text.toLowerCase(),
  policy: (text) => text.toLowerCase(),
}

export function filtersOf(flags: Filters): Query {
  const query = readFilters(flags)
  const { since, until } = query
  if (since !== undefined && until !== undefined && Date.parse(since) >= Date.parse(until))
    throw usage(
      `--since ${flags.since} is not before --until ${flags.until}: nothing can lie between them, such as --since 2h --until 1h`,
    )
  return query
}

function readFilters(flags: Filters): Query {
  const names = (Object.keys(FILTER_FLAGS) as (keyof Filters)[]).filter((name) => flags[name] !== undefined)
  return Object.fromEntries(names.map((name) => [name, READ[name]?.(flags[name]!) ?? flags[name]])) as Query
}

const SHORT_DIGEST = 8

/** A tool that is not registered has no name in a receipt. */
const toolOf = ({ tool, tool_sha256 }: ReceiptRow): string => tool ?? (tool_sha256 ? `#${tool_sha256}` : '-')

export const RECEIPT_COLUMNS: readonly Column<ReceiptRow>[] = [
  { title: 'INDEX', width: 6, value: ({ node_index }) => String(node_index) },
  { title: 'TIME (UTC)', width: 19, value: ({ ts_utc }) => shortTime(ts_utc) },
  {
    title: 'DECISION',
    width: 8,
    value: ({ decision }) => decision ?? '-',
    colour: ({ decision }) => (decision === 'DENY' ? 'red' : decision === 'REVIEW' ? 'yellow' : null),
  },
  { title: 'KIND', width: 8, value: ({ kind }) => kind ?? '-' },
  { title: 'AGENT', width: 10, value: ({ agent }) => agent ?? '-' },
  { title: 'TOOL', width: 9, value: toolOf },
  {
    title: 'DIGEST',
    width: SHORT_DIGEST,
    value: ({ digest }) => digest.slice(0, SHORT_DIGEST),
    colour: ({ signed }) => (signed ? null : 'yellow'),
  },
]

/** What to say of a list of receipts that is empty. */
export const noReceipts = (query: object, ledgerSize: number): string =>
  Object.keys(query).length === 0 || ledgerSize === 0
    ? 'no receipts yet: make one with orch govern "What is the capital of France?"'
    : `none of the ${ledgerSize} receipts matches; leave a filter out, or see orch ledger ls --help${'tool' in query ? `\n${UNREGISTERED_TOOL}` : ''}`
