/** Counters in PostgreSQL. Read and written under the lock of the head, so what one node finds no other node moves. */
import type { DocumentId } from '../../contract.ts'
import type { CounterChange } from '../../counters.ts'
import { counterReads } from '../counters-sql.ts'
import type { Question } from '../documents-sql.ts'
import { bytesOf, hexOf } from '../stored-rows.ts'

export const COUNTERS_SCHEMA = `
CREATE TABLE orch.counters (
  space text COLLATE "C" NOT NULL, key bytea NOT NULL CHECK (octet_length(key) = 32), owner text COLLATE "C" NOT NULL,
  value bigint NOT NULL CHECK (value >= 0), PRIMARY KEY (space, key)
);
`

export const COUNTER_SQL = {
  counters: `SELECT space, key, value FROM orch.counters
    WHERE (space, key) IN (SELECT * FROM unnest($1::text[], $2::bytea[]))`,
  /** One statement for many: a counter at another value than it should be at is missing from the count. */
  writeCounters: `WITH new AS (
      SELECT * FROM unnest($1::text[], $2::bytea[], $3::text[], $4::bigint[], $5::bigint[])
        AS n (space, key, owner, value, replaces)
    ), inserted AS (
      INSERT INTO orch.counters (space, key, owner, value)
      SELECT space, key, owner, value FROM new WHERE replaces IS NULL RETURNING 1
    ), updated AS (
      UPDATE orch.counters c SET value = new.value
      FROM new WHERE c.space = new.space AND c.key = new.key AND c.value = new.replaces RETURNING 1
    )
    SELECT (SELECT count(*) FROM inserted) + (SELECT count(*) FROM updated) AS count`,
} as const

type Ask = (name: keyof typeof COUNTER_SQL, ...values: unknown[]) => Promise<Record<string, unknown>[]>

/** The writing side, on the store’s own session. */
export const postgresCounters = (ask: Ask) => ({
  async values(ids: readonly DocumentId[]): Promise<(number | null)[]> {
    const spaces = ids.map(({ space }) => space)
    const keys = ids.map(({ key }) => bytesOf(key))
    const rows = await ask('counters', spaces, keys)
    const found = new Map(rows.map((row) => [`${row.space}:${hexOf(row.key)}`, row.value as number]))
    return ids.map(({ space, key }) => found.get(`${space}:${key}`) ?? null)
  },
  async write(changes: readonly CounterChange[]): Promise<void> {
    if (changes.length === 0) return
    const [row] = await ask(
      'writeCounters',
      changes.map(({ space }) => space),
      changes.map(({ key }) => bytesOf(key)),
      changes.map(({ owner }) => owner),
      changes.map(({ value }) => value),
      changes.map(({ from }) => from),
    )
    if (row?.count !== changes.length) throw new Error('a counter is not at the value the batch found it at')
  },
})

const THERE: Question = { name: 'counters there', text: `SELECT to_regclass('orch.counters') AS there`, values: [] }

export const postgresCounterReads = (all: (question: Question) => Promise<unknown[]>) =>
  counterReads({ table: 'orch.counters', mark: (n) => `$${n}` }, all, async () => {
    const [row] = (await all(THERE)) as { there: string | null }[]
    return row !== undefined && row.there !== null
  })
