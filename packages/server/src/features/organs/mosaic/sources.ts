/** The sources as tables: rows as they were sent or as a seed draws them, and how they meet on their keys. */
import { type Random, randomStream, type StreamName } from '../random.ts'
import type { Built, Cell, GENERATORS, Source } from './shapes.ts'

export interface SourceTable {
  name: string
  columns: string[]
  rows: Cell[][]
}

const MAX_CONFLICTS = 20
const SHOWN_LETTERS = 100

const pick = <T>(random: Random, list: readonly T[]): T => list[random.integer(0, list.length - 1)]!
const day = (random: Random, year: number, years = 1): string => {
  const two = (value: number) => String(value).padStart(2, '0')
  return `${year + random.integer(0, years - 1)}-${two(random.integer(1, 12))}-${two(random.integer(1, 28))}`
}
const cents = (random: Random, max: number): number => random.integer(100, max * 100) / 100
const GIVEN = ['Ada', 'Ben', 'Chen', 'Dana', 'Emeka', 'Fatima', 'Goran', 'Hana', 'Ines', 'Jonas']
const FAMILY = ['Adler', 'Brandt', 'Costa', 'Dubois', 'Eze', 'Fischer', 'Garcia', 'Haddad', 'Ito', 'Jensen']

/** One row in fifty lacks a value, so that checks have something to find. */
const lacking = <T>(random: Random, value: T): T | null => (random.uniform() < 0.02 ? null : value)

type MakeRow = (random: Random, at: number) => Record<string, Cell>
const GENERATED: Readonly<Record<(typeof GENERATORS)[number], MakeRow>> = {
  orders: (random, at) => ({
    order_id: at + 1,
    customer_id: random.integer(1, 50),
    amount: lacking(random, cents(random, 500)),
    status: pick(random, ['open', 'paid', 'shipped', 'returned']),
    ordered_on: day(random, 2025),
  }),
  sensors: (random, at) => ({
    reading_id: at + 1,
    sensor_id: `s${random.integer(1, 20)}`,
    temperature: lacking(random, Math.round((20 + 5 * random.normal()) * 100) / 100),
    humidity: random.integer(20, 90),
    read_on: day(random, 2025),
  }),
  people: (random, at) => ({
    person_id: at + 1,
    name: `${pick(random, GIVEN)} ${pick(random, FAMILY)}`,
    email: lacking(random, `person${at + 1}@example.com`),
    city: pick(random, ['Lagos', 'Lima', 'Oslo', 'Porto', 'Seoul', 'Vienna']),
    born_on: day(random, 1950, 55),
  }),
}

/** Columns of rows by name: the order in which an object names its fields is no part of the request. */
export function toTable({ name, rows, generator }: Source, stream: StreamName, at: number): SourceTable {
  const random = randomStream(stream, at)
  const records: Record<string, unknown>[] =
    rows ?? Array.from({ length: generator!.rows }, (_, row) => GENERATED[generator!.kind](random, row))
  const named = [...new Set(records.flatMap((record) => Object.keys(record)))]
  const columns = rows === undefined ? named : named.sort()
  const cells = records.map((record) =>
    columns.map((column) => (Object.hasOwn(record, column) ? toCell(record[column]) : null)),
  )
  return { name, columns, rows: cells }
}

const toCell = (value: unknown): Cell => (typeof value === 'boolean' ? Number(value) : (value as Cell))

/** Equal where SQLite calls two values equal: a number is written with all its digits. */
export const keyOf = (value: Cell | bigint): string => {
  if (typeof value === 'string') return `t${value}`
  return `n${typeof value === 'number' && Number.isInteger(value) ? BigInt(value) : value}`
}

/** Enough of a text to know it by. */
export const shortened = (value: Cell): Cell =>
  typeof value === 'string' && value.length > SHOWN_LETTERS
    ? `${value.slice(0, SHOWN_LETTERS).toWellFormed()}...`
    : value

const quoted = (name: string): string => `"${name}"`

/** The full outer join of all sources: keys once, a column of several sources from the first that has a value. */
export function joinSql(tables: readonly SourceTable[], keys: readonly string[]): string {
  const isKey = (column: string) => keys.some((key) => key.toLowerCase() === column.toLowerCase())
  const of = (table: SourceTable, column: string) => `${quoted(table.name)}.${quoted(column)}`
  const firstOf = (column: string, among: readonly SourceTable[]) => {
    const having = among.filter(({ columns }) => columns.some((one) => one.toLowerCase() === column.toLowerCase()))
    const all = having.map((table) => of(table, column))
    return all.length === 1 ? all[0]! : `coalesce(${all.join(', ')})`
  }
  const others = [...new Map(tables.flatMap(({ columns }) => columns.map((one) => [one.toLowerCase(), one]))).values()]
  const columns = [...keys, ...others.filter((column) => !isKey(column))]
  const joins = tables.slice(1).map((table, at) => {
    const on = keys.map((key) => `${firstOf(key, tables.slice(0, at + 1))} = ${of(table, key)}`)
    return ` FULL JOIN ${quoted(table.name)} ON ${on.join(' AND ')}`
  })
  const list = columns.map((column) => `${firstOf(column, tables)} AS ${quoted(column)}`)
  return `SELECT ${list.join(', ')} FROM ${quoted(tables[0]!.name)}${joins.join('')}`
}

type Meeting = Pick<Built, 'key_match_rate' | 'conflicts' | 'conflicts_truncated_from'>

/** How many keys of the first source every other one has, and where sources say different things of the same key. */
export function meetingOf(tables: readonly SourceTable[], keys: readonly string[] | undefined): Meeting {
  if (keys === undefined) return { key_match_rate: null, conflicts: [], conflicts_truncated_from: null }
  const indexed = tables.map((table) => indexOf(table, keys))
  const [first, ...others] = indexed
  const matched = [...first!.byKey.keys()].filter((key) => others.every(({ byKey }) => byKey.has(key))).length
  const conflicts = conflictsOf(indexed)
  return {
    key_match_rate: first!.byKey.size === 0 ? null : matched / first!.byKey.size,
    conflicts: conflicts.slice(0, MAX_CONFLICTS),
    conflicts_truncated_from: conflicts.length > MAX_CONFLICTS ? conflicts.length : null,
  }
}

interface Indexed extends SourceTable {
  at: number[]
  byKey: Map<string, Cell[][]>
}

/** Rows by key; a key with a null in it meets nothing. */
function indexOf(table: SourceTable, keys: readonly string[]): Indexed {
  const at = keys.map((key) => table.columns.findIndex((column) => column.toLowerCase() === key.toLowerCase()))
  const byKey = new Map<string, Cell[][]>()
  for (const row of table.rows) {
    const key = at.map((column) => row[column] as Cell)
    if (key.includes(null)) continue
    const name = JSON.stringify(key.map(keyOf))
    const rows = byKey.get(name)
    if (rows === undefined) byKey.set(name, [row])
    else rows.push(row)
  }
  return { ...table, at, byKey }
}

function conflictsOf(tables: readonly Indexed[]): Built['conflicts'] {
  const conflicts: Built['conflicts'] = []
  const names = new Map<string, string>()
  for (const { columns, at } of tables)
    for (const [index, column] of columns.entries())
      if (!at.includes(index) && !names.has(column.toLowerCase())) names.set(column.toLowerCase(), column)
  for (const [lower, column] of names) {
    const having = tables.flatMap((table) => {
      const index = table.columns.findIndex((one) => one.toLowerCase() === lower)
      return index < 0 ? [] : [{ table, index }]
    })
    if (having.length < 2) continue
    for (const key of new Set(having.flatMap(({ table }) => [...table.byKey.keys()]))) {
      const values = having.flatMap(({ table, index }) => {
        const rows = table.byKey.get(key) ?? []
        const own = new Map(
          rows.flatMap((row) => (row[index] === null ? [] : [[keyOf(row[index]!), row[index]!] as const])),
        )
        return [...own.values()].slice(0, 4).map((value) => ({ source: table.name, value }))
      })
      const isTold = new Set(values.map(({ source }) => source)).size > 1
      if (!isTold || new Set(values.map(({ value }) => keyOf(value))).size < 2) continue
      const { table } = having.find(({ table }) => table.byKey.has(key))!
      const [row] = table.byKey.get(key)!
      const shown = values.slice(0, 8).map(({ source, value }) => ({ source, value: shortened(value) }))
      conflicts.push({ key: table.at.map((index) => shortened(row![index]!)), column, values: shown })
    }
  }
  return conflicts
}
