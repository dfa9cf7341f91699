/** What a result is held to, row by row as they come. A null meets every expectation but `not_null`. */

import type { Built, Cell, Expectation } from './shapes.ts'
import { keyOf, type SourceTable, shortened } from './sources.ts'

const MAX_SAMPLE = 5
const WHOLE = /^-?\d{1,20}$/
const DECIMAL = /^-?\d{1,20}(?:\.\d{1,20})?$/

export class BuildFault extends Error {
  readonly place: (string | number)[]
  readonly type: string
  constructor(place: (string | number)[], message: string, type = 'value') {
    super(message)
    this.place = place
    this.type = type
  }
}

interface Check {
  see(row: readonly (Cell | bigint)[], at: number): void
  outcome(rowCount: number): Built['expectations'][number]
}

type Fails = (value: Cell | bigint) => boolean
/** Compiled by the linear matcher alone. */
type Compile = (pattern: string) => (text: string) => boolean

export function checksOf(
  expectations: readonly Expectation[],
  columns: readonly string[],
  tables: readonly SourceTable[],
  compile: Compile,
): Check[] {
  return expectations.map((expectation, at) => {
    const { type, column = null } = expectation
    const index = column === null ? -1 : columnAt(columns, column, at)
    const fails = type === 'row_count' ? null : failing(expectation, at, tables, compile)
    let failed = 0
    const sample: Built['expectations'][number]['sample'] = []
    return {
      see(row, number) {
        if (fails === null || !fails(row[index]!)) return
        failed += 1
        if (sample.length < MAX_SAMPLE) sample.push({ row: number, value: shortened(shownCell(row[index]!)) })
      },
      outcome(rowCount) {
        const { min = -Infinity, max = Infinity } = expectation
        const off = type === 'row_count' ? Math.max(0, Math.ceil(min) - rowCount, rowCount - Math.floor(max)) : failed
        return { type, column, passed: off === 0, failing_rows: off, sample }
      },
    }
  })
}

function columnAt(columns: readonly string[], column: string, at: number): number {
  const found = columns.flatMap((name, index) => (name.toLowerCase() === column.toLowerCase() ? [index] : []))
  if (found.length === 1) return found[0]!
  const names = columns.slice(0, 20).join(', ')
  throw new BuildFault(
    ['expectations', at, 'column'],
    found.length === 0 ? `is no column of the result, which has ${names}` : 'stands for several columns of the result',
  )
}

function failing(expectation: Expectation, at: number, tables: readonly SourceTable[], compile: Compile): Fails {
  const { type, min = -Infinity, max = Infinity, pattern, references } = expectation
  if (type === 'not_null') return (value) => value === null
  if (type === 'range')
    return (value) => {
      if (value === null) return false
      // A whole number is compared with all its digits.
      const isWhole = typeof value === 'bigint' || (typeof value === 'string' && WHOLE.test(value))
      const number = isWhole
        ? BigInt(value)
        : typeof value === 'string' && !DECIMAL.test(value)
          ? Number.NaN
          : Number(value)
      return !(number >= min && number <= max)
    }
  if (type === 'regex') {
    const matches = compiled(compile, pattern!, at)
    return (value) => value !== null && !matches(String(value))
  }
  const seen = new Set<string>()
  // All rows after the first with the same value.
  if (type === 'unique') return (value) => value !== null && seen.size === seen.add(keyOf(value)).size
  const { columns, rows } = tables.find(({ name }) => name.toLowerCase() === references!.source.toLowerCase())!
  const column = columns.findIndex((name) => name.toLowerCase() === references!.column.toLowerCase())
  if (column < 0)
    throw new BuildFault(['expectations', at, 'references', 'column'], `is no column of ${references!.source}`)
  for (const row of rows) if (row[column] !== null) seen.add(keyOf(row[column]!))
  return (value) => value !== null && !seen.has(keyOf(value))
}

function compiled(compile: Compile, pattern: string, at: number) {
  try {
    return compile(pattern)
  } catch (error) {
    const message = `is not a linear-time pattern: ${(error as Error).message}`
    throw new BuildFault(['expectations', at, 'pattern'], message, 'unsupported_regex')
  }
}

/** An integer beyond 2^53 and an infinity are told as text: JSON has no number for them. */
export function shownCell(value: Cell | bigint): Cell {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value)
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value)
  return value
}
