/** The questions about documents and counters, as both databases read them. Only words of this file enter the text;
 *  whatever a caller says is a value. A removed document has no value and is not found, listed or counted. */
import type {
  CounterRow,
  DocumentFilter,
  DocumentId,
  DocumentQuery,
  DocumentRow,
  LedgerReader,
  StoredDocument,
} from '../contract.ts'
import type { StoredVersion } from '../side-writes.ts'
import { bytesOf, hexOf, type InBytes } from './stored-rows.ts'

export interface Dialect {
  /** What stands before the names of the tables. */
  prefix: string
  /** The place of the nth value, from 1. */
  mark(n: number): string
  /** What stands before a column so that comparing it never chooses the index. */
  aside?: string
  /** Words after the table that hold a question to an index, where the database has such. */
  along?(index: string): string
  /** Has a row where the ledger has counters at all: one that was last written before there were any is still read. */
  countersExist: string
}

/** `name` tells texts apart, for databases that keep them prepared under a name. */
export interface Question {
  name: string
  text: string
  values: (string | number | Uint8Array)[]
}

const COLUMNS = 'space, key, version, owner, state, rank, value, node_index AS "nodeIndex"'
const DOCUMENTS = ['documents', COLUMNS] as const
const COUNTERS = ['counters', 'space, key, owner, value'] as const
/** Before and after every rank there can be. */
const FIRST = { rank: -(2 ** 53), key: '' }
const LAST = { rank: 2 ** 53, key: '' }

type SideWriteReads = Pick<
  LedgerReader,
  | 'document'
  | 'documents'
  | 'countDocuments'
  | 'countByState'
  | 'documentsAfter'
  | 'counter'
  | 'counters'
  | 'countersAfter'
>

export function sideWriteReads(dialect: Dialect, all: (question: Question) => Promise<unknown[]>): SideWriteReads {
  let hasCounters = false
  const counters = async (question: Question): Promise<unknown[]> => {
    hasCounters ||= (await all({ name: 'counters exist', text: dialect.countersExist, values: [] })).length > 0
    return hasCounters ? all(question) : []
  }
  return {
    document: async (space, key) => (await all(oneOf(dialect, DOCUMENTS, space, key))).map(toDocumentRow)[0] ?? null,
    documents: async (query) => (await all(documentList(dialect, query))).map(toDocumentRow),
    countDocuments: async (filter, max = 10_001) =>
      ((await all(documentCount(dialect, filter, max)))[0] as { count: number }).count,
    async countByState(filter) {
      const rows = (await all(stateCounts(dialect, filter))) as { state: string; count: number }[]
      return Object.fromEntries(rows.map(({ state, count }) => [state, count]))
    },
    documentsAfter: async (after, limit) =>
      (await all(walkOver(dialect, DOCUMENTS, after, limit))).map(toStoredDocument),
    async counter(space, key) {
      const [row] = await counters(oneOf(dialect, COUNTERS, space, key))
      return (row as { value: number } | undefined)?.value ?? 0
    },
    async counters(space, keys) {
      const rows = (await counters(someOf(dialect, space, keys))).map(toCounterRow)
      const values = new Map(rows.map(({ key, value }) => [key, value]))
      return keys.map((key) => values.get(key) ?? 0)
    },
    countersAfter: async (after, limit) =>
      (await counters(walkOver(dialect, COUNTERS, after, limit))).map(toCounterRow),
  }
}

/** Every list and count is a walk along one of these, from where it begins to its limit. */
export const indexesOf = (table: string, ifNotExists = ''): string =>
  [
    ['documents_by_rank', 'space, rank, key'],
    ['documents_by_state', 'space, state, rank, key'],
    ['documents_by_owner', 'space, owner, rank, key'],
    ['documents_by_owner_and_state', 'space, owner, state, rank, key'],
  ]
    .map(([name, columns]) => `CREATE INDEX ${ifNotExists} ${name} ON ${table} (${columns}) WHERE value IS NOT NULL;`)
    .join('\n')

/** The one of them that has all that is asked for before the rank: along any other the rest would have to be passed over,
 *  however much of it there is. */
const indexFor = ({ owner, state }: DocumentFilter): string => {
  if (owner !== undefined) return state === undefined ? 'documents_by_owner' : 'documents_by_owner_and_state'
  return state === undefined ? 'documents_by_rank' : 'documents_by_state'
}

const walked = ({ prefix, along }: Dialect, filter: DocumentFilter): string =>
  `${prefix}documents${along === undefined ? '' : ` ${along(indexFor(filter))}`}`

function matching({ mark }: Dialect, { space, owner, state, upTo }: DocumentFilter) {
  const asked = Object.entries({ 'space =': space, 'owner =': owner, 'state =': state, 'rank <=': upTo }).filter(
    ([, value]) => value !== undefined,
  )
  return {
    name: asked.map(([condition]) => condition).join(' '),
    text: [...asked.map(([condition], at) => `${condition} ${mark(at + 1)}`), 'value IS NOT NULL'].join(' AND '),
    values: asked.map(([, value]) => value as string | number),
  }
}

/** Where a walk down begins, which is also all there is to say about ranks: told two highest ranks, SQLite begins at one
 *  of them, and on a later page it is the wrong one. */
function topOf({ after = LAST, upTo }: DocumentQuery): { rank: number; key: string } {
  return upTo === undefined || after.rank <= upTo ? after : { rank: upTo + 1, key: '' }
}

function documentList(dialect: Dialect, query: DocumentQuery): Question {
  const up = query.order === 'asc'
  const { name, text, values } = matching(dialect, up ? query : { ...query, upTo: undefined })
  const [order, beyond] = up ? ['ASC', '>'] : ['DESC', '<']
  const { rank, key } = up ? (query.after ?? FIRST) : topOf(query)
  const [rankMark, keyMark, limitMark] = [1, 2, 3].map((n) => dialect.mark(values.length + n))
  return {
    name: `documents ${name} ${order}`,
    text: `SELECT ${COLUMNS} FROM ${walked(dialect, query)} WHERE ${text} AND (rank, key) ${beyond} (${rankMark}, ${keyMark})
      ORDER BY rank ${order}, key ${order} LIMIT ${limitMark}`,
    values: [...values, rank, bytesOf(key), query.limit],
  }
}

function documentCount(dialect: Dialect, filter: DocumentFilter, max: number): Question {
  const { name, text, values } = matching(dialect, filter)
  return {
    name: `count ${name}`,
    text: `SELECT count(*) AS count FROM
      (SELECT 1 FROM ${walked(dialect, filter)} WHERE ${text} LIMIT ${dialect.mark(values.length + 1)}) AS found`,
    values: [...values, max],
  }
}

/** Along the index that has the states beside one another. */
function stateCounts(dialect: Dialect, filter: DocumentFilter): Question {
  const { name, text, values } = matching(dialect, filter)
  const source = walked(dialect, { ...filter, state: '' })
  return {
    name: `count by state ${name}`,
    text: `SELECT state, count(*) AS count FROM ${source} WHERE ${text} GROUP BY state`,
    values,
  }
}

type Selection = readonly [table: 'documents' | 'counters', selected: string]

const oneOf = ({ prefix, mark }: Dialect, [table, selected]: Selection, space: string, key: string): Question => ({
  name: `one of ${table}`,
  text: `SELECT ${selected} FROM ${prefix}${table} WHERE space = ${mark(1)} AND key = ${mark(2)} AND value IS NOT NULL`,
  values: [space, bytesOf(key)],
})

const someOf = ({ prefix, mark }: Dialect, space: string, keys: readonly string[]): Question => ({
  name: `${keys.length} of counters`,
  text: `SELECT ${COUNTERS[1]} FROM ${prefix}counters
    WHERE space = ${mark(1)} AND key IN (${keys.map((_, at) => mark(at + 2)).join(', ')})`,
  values: [space, ...keys.map(bytesOf)],
})

/** All of them in the order of their keys, the places of removed documents included. */
const walkOver = (
  { prefix, mark }: Dialect,
  [table, selected]: Selection,
  after: DocumentId | null,
  limit: number,
): Question => ({
  name: `${table} after`,
  text: `SELECT ${selected} FROM ${prefix}${table} WHERE (space, key) > (${mark(1)}, ${mark(2)})
    ORDER BY space, key LIMIT ${mark(3)}`,
  values: [after?.space ?? '', bytesOf(after?.key ?? ''), limit],
})

function toStoredDocument(raw: unknown): StoredDocument {
  const row = raw as InBytes<StoredDocument, 'key'>
  return { ...row, key: hexOf(row.key) }
}

/** For a question that leaves removed documents out. */
const toDocumentRow = (raw: unknown): DocumentRow => toStoredDocument(raw) as DocumentRow

export function toStoredVersion(raw: unknown): StoredVersion | null {
  if (raw === undefined) return null
  const { version, present, nodeIndex } = raw as StoredVersion
  return { version, present: Boolean(present), nodeIndex }
}

function toCounterRow(raw: unknown): CounterRow {
  const row = raw as InBytes<CounterRow, 'key'>
  return { ...row, key: hexOf(row.key) }
}
