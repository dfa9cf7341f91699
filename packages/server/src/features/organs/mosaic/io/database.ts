/** SQLite in WebAssembly, in a worker thread that can be ended: it sees no file, no network and no clock. */
import { createRequire } from 'node:module'
import type { Cell } from '../shapes.ts'
import type { SourceTable } from '../sources.ts'

type Value = number | string | bigint | Uint8Array | null
interface Statement {
  step(): boolean
  run(values: readonly Cell[]): void
  get(params: null, config: { useBigInt: boolean }): Value[]
  getColumnNames(): string[]
  free(): boolean
}
interface Database {
  run(sql: string): Database
  prepare(sql: string): Statement
  create_function(name: string, body: (...values: Value[]) => Value): Database
  close(): void
}
interface Engine {
  Database: new () => Database
}

const require = createRequire(import.meta.url)
const HEAP_BYTES = 64 * 1024 * 1024
const FROZEN = Date.parse('2026-01-01T00:00:00Z')

/** The SQL is not a query that can be run; the message is that of SQLite. */
export class SqlFault extends Error {}
/** The engine met its memory limit. */
export class OutOfMemory extends Error {}

function unsteady(name: string): never {
  throw new Error(`${name}() gives another answer every time and is not part of this engine`)
}

let engine: Promise<Engine> | null = null
function loadEngine(): Promise<Engine> {
  engine ??= (require('sql.js') as () => Promise<Engine>)()
  return engine
}
// Loaded with the module, which is no part of the time of a query.
await loadEngine()

/** `keys` are indexed: SQLite makes no index by itself for a full join. */
export async function openDatabase(tables: readonly SourceTable[], keys: readonly string[] = []) {
  const { Database } = await loadEngine()
  const database = new Database()
  database.run(`PRAGMA hard_heap_limit = ${HEAP_BYTES}; PRAGMA temp_store = MEMORY; PRAGMA trusted_schema = OFF`)
  // The engine counts the arguments of what it is given.
  database.create_function('random', () => unsteady('random'))
  database.create_function('randomblob', (_length) => unsteady('randomblob'))
  return guarded(() => {
    for (const [at, table] of tables.entries()) {
      load(database, table)
      if (keys.length > 0)
        database.run(`CREATE INDEX "sources ${at}" ON "${table.name}" (${keys.map((key) => `"${key}"`).join(', ')})`)
    }
    database.run('PRAGMA query_only = ON')
    return database
  })
}

/** Whole numbers beyond 32 bits are bound as text and cast: the binding would make fractions of them. */
function load(database: Database, { name, columns, rows }: SourceTable): void {
  database.run(`CREATE TABLE "${name}" (${columns.map((column) => `"${column}"`).join(', ')})`)
  const isLong = (cell: Cell | undefined) =>
    Number.isSafeInteger(cell) && (cell as number | 0) !== ((cell as number) | 0)
  const statements = new Map<string, Statement>()
  database.run('BEGIN')
  for (const row of rows) {
    const slots = row.map((cell) => (isLong(cell) ? 'CAST(? AS INTEGER)' : '?')).join(', ')
    const statement = statements.get(slots) ?? database.prepare(`INSERT INTO "${name}" VALUES (${slots})`)
    statements.set(slots, statement)
    statement.run(row.map((cell) => (isLong(cell) ? String(cell) : cell)))
  }
  database.run('COMMIT')
  for (const statement of statements.values()) statement.free()
}

const isRounded = (value: Value): boolean => Number.isInteger(value) && !Number.isSafeInteger(value)

/** Rows one by one, whole numbers as bigint for the first `exact` of them, which tells them from fractions, and after
 *  that, where it is slow, for those with one that a number does not hold. */
export function* rowsOf(database: Database, sql: string, exact: number) {
  const statement = guarded(() => database.prepare(sql))
  try {
    yield guarded(() => statement.getColumnNames()) as readonly string[]
    for (let at = 0; guarded(() => statement.step()); at += 1) {
      const row = guarded(() => statement.get(null, { useBigInt: at < exact }))
      yield row.some(isRounded) ? guarded(() => statement.get(null, { useBigInt: true })) : row
    }
  } finally {
    guarded(() => statement.free())
  }
}

/** While SQLite runs, the clock of this thread stands still and its zone is UTC: the same query gives the same rows. */
class StillDate extends Date {
  static override now = (): number => FROZEN
  override getTimezoneOffset = (): number => 0
  override getFullYear = (): number => this.getUTCFullYear()
  override getMonth = (): number => this.getUTCMonth()
  override getDate = (): number => this.getUTCDate()
  override getDay = (): number => this.getUTCDay()
  override getHours = (): number => this.getUTCHours()
  override getMinutes = (): number => this.getUTCMinutes()
  override getSeconds = (): number => this.getUTCSeconds()
}

function guarded<T>(work: () => T): T {
  const real = globalThis.Date
  globalThis.Date = StillDate as DateConstructor
  try {
    return work()
  } catch (error) {
    if (error instanceof WebAssembly.RuntimeError) {
      // What is left of the engine cannot be trusted.
      engine = null
      delete require.cache[require.resolve('sql.js')]
      throw new OutOfMemory('the engine stopped')
    }
    const message = error instanceof Error ? error.message : String(error)
    if (/^out of memory$/i.test(message)) throw new OutOfMemory(message)
    throw new SqlFault(message)
  } finally {
    globalThis.Date = real
  }
}
