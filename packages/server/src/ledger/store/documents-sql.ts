/** The questions about documents, as both databases read them. Only words of this file enter the text; whatever a caller
 *  says is a value. A removed document has no value and is not found, listed or counted. */
import type {
  DocumentFilter,
  DocumentId,
  DocumentQuery,
  DocumentRow,
  LedgerReader,
  StoredDocument,
} from '../contract.ts'
import type { Stand } from '../documents.ts'
import { bytesOf, hexOf } from './stored-rows.ts'

export interface Dialect {
  table: string
  /** The place of the nth value, from 1. */
  mark(n: number): string
  /** Words after the table that hold a question to an index, where the database has such. */
  along?(index: string): string
}

/** `name` tells texts apart, for databases that keep them prepared under a name. */
export interface Question {
  name: string
  text: string
  values: (string | number | Uint8Array)[]
}

const COLUMNS = 'space, key, version, owner, state, rank, value, node_index'
/** Before and after every rank there can be. */
const FIRST = { rank: -(2 ** 53), key: '' }
const LAST = { rank: 2 ** 53, key: '' }

type DocumentReads = Pick<LedgerReader, 'document' | 'documents' | 'countDocuments' | 'documentsAfter'>

export const documentReads = (dialect: Dialect, all: (question: Question) => Promise<unknown[]>): DocumentReads => ({
  document: async (space, key) => (await all(oneOf(dialect, space, key))).map(rowOf)[0] ?? null,
  documents: async (query) => (await all(listOf(dialect, query))).map(rowOf),
  countDocuments: async (filter, atMost = 10_001) =>
    ((await all(countOf(dialect, filter, atMost)))[0] as { count: number }).count,
  documentsAfter: async (after, limit) => (await all(walkOf(dialect, after, limit))).map(documentOf),
})

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

const walked = ({ table, along }: Dialect, filter: DocumentFilter): string =>
  `${table}${along === undefined ? '' : ` ${along(indexFor(filter))}`}`

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

function listOf(dialect: Dialect, query: DocumentQuery): Question {
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

function countOf(dialect: Dialect, filter: DocumentFilter, atMost: number): Question {
  const { name, text, values } = matching(dialect, filter)
  return {
    name: `count ${name}`,
    text: `SELECT count(*) AS count FROM
      (SELECT 1 FROM ${walked(dialect, filter)} WHERE ${text} LIMIT ${dialect.mark(values.length + 1)}) AS found`,
    values: [...values, atMost],
  }
}

const oneOf = ({ table, mark }: Dialect, space: string, key: string): Question => ({
  name: 'document',
  text: `SELECT ${COLUMNS} FROM ${table} WHERE space = ${mark(1)} AND key = ${mark(2)} AND value IS NOT NULL`,
  values: [space, bytesOf(key)],
})

/** All of them in the order of their keys, the places of removed ones included. */
const walkOf = ({ table, mark }: Dialect, after: DocumentId | null, limit: number): Question => ({
  name: 'documents after',
  text: `SELECT ${COLUMNS} FROM ${table} WHERE (space, key) > (${mark(1)}, ${mark(2)})
    ORDER BY space, key LIMIT ${mark(3)}`,
  values: [after?.space ?? '', bytesOf(after?.key ?? ''), limit],
})

function documentOf(raw: unknown): StoredDocument {
  const { node_index, key, ...rest } = raw as Omit<StoredDocument, 'key' | 'nodeIndex'> & {
    key: Uint8Array
    node_index: number | null
  }
  return { ...rest, key: hexOf(key), nodeIndex: node_index }
}

/** Of a question that leaves removed ones out. */
const rowOf = (raw: unknown): DocumentRow => documentOf(raw) as DocumentRow

export function standOf(raw: unknown): Stand | null {
  if (raw === undefined) return null
  const { version, present, node_index: nodeIndex } = raw as Omit<Stand, 'nodeIndex'> & { node_index: number | null }
  return { version, present: Boolean(present), nodeIndex }
}
