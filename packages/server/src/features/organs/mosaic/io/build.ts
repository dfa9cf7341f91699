/** The job of N4: loads the sources, runs the one query, follows its columns and holds the rows to what is expected. */
import { canonicalBytes, sha256Hex } from '@orch/core'
import { RE2JS } from 're2js'
import type { StreamName } from '../../random.ts'
import { BuildFault, checksOf, shownCell } from '../checks.ts'
import { lineageOf } from '../lineage.ts'
import type { BuildRequest, Built, Cell } from '../shapes.ts'
import { joinSql, keyOf, meetingOf, type SourceTable, toTable } from '../sources.ts'
import { tokensOf } from '../tokens.ts'
import { OutOfMemory, openDatabase, rowsOf, SqlFault } from './database.ts'

const MAX_SHOWN = 200
const MAX_COLUMNS = 100
const MAX_ROWS_BYTES = 128 * 1024
const MAX_COLUMNS_BYTES = 64 * 1024

export type BuildAnswer =
  | { result: Built }
  | { fault: { place: (string | number)[]; message: string; type: string } }
  | { limit: 'memory' }

export async function build({ request, stream }: { request: BuildRequest; stream: StreamName }): Promise<BuildAnswer> {
  try {
    return { result: await built(request, stream) }
  } catch (error) {
    if (error instanceof OutOfMemory) return { limit: 'memory' }
    if (error instanceof SqlFault) return { fault: { place: ['sql'], message: error.message, type: 'sql' } }
    if (!(error instanceof BuildFault)) throw error
    const { place, message, type } = error
    return { fault: { place, message, type } }
  }
}

const compile = (pattern: string) => {
  const compiled = RE2JS.compile(pattern)
  return (text: string) => compiled.matcher(text).find()
}

async function built({ sources, sql, keys, expectations = [] }: BuildRequest, stream: StreamName): Promise<Built> {
  const tables = sources.map((source, at) => toTable(source, stream, at))
  for (const [at, key] of (keys ?? []).entries()) {
    const lacking = tables.find(({ columns }) => !columns.some((column) => column.toLowerCase() === key.toLowerCase()))
    if (lacking !== undefined) throw new BuildFault(['keys', at], `is no column of ${lacking.name}`)
  }
  const query = sql ?? joinSql(tables, keys!)
  const database = await openDatabase(tables, sql === undefined ? keys : [])
  try {
    const rows = rowsOf(database, query, MAX_SHOWN)
    const names = rows.next().value as readonly string[]
    if (names.length > MAX_COLUMNS)
      throw new SqlFault(`the result has ${names.length} columns; ${MAX_COLUMNS} are told at most`)
    const checks = checksOf(expectations, names, tables, compile)
    const seen = readRows(rows as Iterable<RowValue[]>, names.length, (row, at) => {
      for (const check of checks) check.see(row, at)
    })
    const outcomes = checks.map((check) => check.outcome(seen.count))
    return {
      columns: columnsOf(query, names, tables, seen),
      rows: seen.shown,
      row_count: seen.count,
      rows_truncated_from: seen.shown.length < seen.count ? seen.count : null,
      duplicate_rows: seen.duplicates,
      ...meetingOf(tables, keys),
      expectations: outcomes,
      blocked: outcomes.some(({ passed }) => !passed),
      source_sha256: tables.map(({ columns, rows: cells }) => sha256Hex(canonicalBytes({ columns, rows: cells }))),
    }
  } finally {
    database.close()
  }
}

type RowValue = number | string | bigint | Uint8Array | null

/** A blob as the literal that SQL writes it with. */
const toValue = (value: RowValue): Cell | bigint => {
  if (value instanceof Uint8Array) return `x'${Buffer.from(value).toString('hex')}'`
  return typeof value === 'string' ? value.toWellFormed() : value
}

const typeOf = (value: RowValue): string => {
  if (value instanceof Uint8Array) return 'blob'
  if (typeof value === 'bigint') return 'integer'
  return typeof value === 'number' ? 'real' : value === null ? 'null' : 'text'
}

function readRows(rows: Iterable<RowValue[]>, width: number, see: (row: (Cell | bigint)[], at: number) => void) {
  const [shown, nulls, types] = [
    [] as Cell[][],
    Array<number>(width).fill(0),
    Array.from({ length: width }, () => new Set<string>()),
  ]
  const seen = new Set<string>()
  let [count, bytes, isFull] = [0, 0, false]
  for (const values of rows) {
    const row = values.map(toValue)
    for (const [at, value] of values.entries()) {
      if (value === null) nulls[at] = nulls[at]! + 1
      else if (count < MAX_SHOWN) types[at]!.add(typeOf(value))
    }
    see(row, count)
    seen.add(JSON.stringify(row.map(keyOf)))
    if (!isFull) {
      const cells = row.map(shownCell)
      bytes += JSON.stringify(cells).length
      isFull = count >= MAX_SHOWN || bytes > MAX_ROWS_BYTES
      if (!isFull) shown.push(cells)
    }
    count += 1
  }
  return { shown, nulls, types, count, duplicates: count - seen.size }
}

function columnsOf(
  sql: string,
  names: readonly string[],
  tables: readonly SourceTable[],
  { nulls, types }: Pick<ReturnType<typeof readRows>, 'nulls' | 'types'>,
): Built['columns'] {
  const traced = lineageOf(tokensOf(sql), tables)
  // A list of another length was not read as SQLite reads it, and nothing of it is told.
  const lineage = traced?.length === names.length ? traced : names.map(() => null)
  const columns = names.map((name, at) => {
    const found = types[at]!
    // Whole numbers among fractions are fractions that happen to be whole.
    if (found.has('real')) found.delete('integer')
    const [type = 'null', ...more] = found
    return {
      name: name.toWellFormed(),
      type: more.length > 0 ? 'mixed' : type,
      lineage: lineage[at]!,
      nulls: nulls[at]!,
    }
  }) as Built['columns']
  const isShort = JSON.stringify(columns).length <= MAX_COLUMNS_BYTES
  return isShort ? columns : columns.map((column) => ({ ...column, lineage: null }))
}
