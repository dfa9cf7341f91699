// A million documents: what the databases do for a list or a count, by their own account of it.

import assert from 'node:assert/strict'
import { type OpenLedger, type StoreKind, storeSuite } from '#testing/ledger-stores.ts'
import type { DocumentFilter } from '../contract.ts'
import { readerSession, writerSession } from './postgres/session.ts'
import { POSTGRES, SIDE_WRITE_SQL } from './postgres/side-writes.ts'
import { type Dialect, indexesOf, type Question, sideWriteReads } from './side-writes-sql.ts'
import { SQLITE } from './sqlite/side-writes.ts'

/** PostgreSQL plans by what it believes to be in a table. SQLite has nothing to go by unless somebody runs ANALYZE, which
 *  the test rules out: a plan for some thousands is its plan for a million. */
const COUNT = { sqlite: 20_000, postgres: 1_000_000 }
const LIMIT = 50
const DIALECTS: Record<'sqlite' | 'postgres', Dialect> = { sqlite: SQLITE, postgres: POSTGRES }

/** One large space and a small one, a thousand owners, nearly all done, each eighth removed, ranks in no order of time. */
const COLUMNS = `CASE WHEN n % 10 = 0 THEN 'test.small' ELSE 'test.large' END, KEY, 1, 'public/' || (n * 7919 % 1000),
  CASE WHEN n % 50 = 0 THEN 'OPEN' ELSE 'DONE' END, n * 104729 % 1000000, CASE WHEN n % 8 = 3 THEN NULL ELSE '{}' END, n`
const INTO = 'INSERT INTO {documents} (space, key, version, owner, state, rank, value, node_index) SELECT'
const FILL = {
  sqlite: `WITH RECURSIVE c (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < ${COUNT.sqlite})
    ${INTO} ${COLUMNS.replace('KEY', `unhex(printf('%064x', n))`)} FROM c`,
  postgres: `${INTO} ${COLUMNS.replace('KEY', `decode(lpad(to_hex(n), 64, '0'), 'hex')`)}
    FROM generate_series(1::bigint, ${COUNT.postgres}) AS n`,
}

/** Nothing here is to survive anything. */
const QUICKLY = ['ALTER TABLE {documents} SET UNLOGGED', `SET maintenance_work_mem = '512MB'`]

/** Indexes over what is there are made in a fraction of the time that a million insertions into them take. */
async function fill(ledger: OpenLedger, name: 'sqlite' | 'postgres'): Promise<void> {
  const table = `${DIALECTS[name].prefix}documents`
  const indexes = indexesOf(table).split('\n')
  const speed = name === 'sqlite' ? ['PRAGMA synchronous = OFF'] : QUICKLY
  const drop = indexes.map(
    (text) => `DROP INDEX ${name === 'sqlite' ? '' : 'orch.'}${/documents_by_\w+/.exec(text)![0]}`,
  )
  for (const text of [...speed, ...drop, FILL[name], ...indexes]) await ledger.sql(text)
}

const FILTERS: [DocumentFilter, RegExp][] = [
  [{ space: 'test.large' }, /documents_by_rank/],
  [{ space: 'test.none' }, /documents_by_rank/],
  [{ space: 'test.large', state: 'OPEN' }, /documents_by_state/],
  // Nearly all are done: a database may as well walk all of them and pass over the rest.
  [{ space: 'test.large', state: 'DONE' }, /documents_by_(state|rank)/],
  [{ space: 'test.small', state: 'NONE' }, /documents_by_state/],
  [{ space: 'test.large', state: 'OPEN', upTo: 10_000 }, /documents_by_state/],
  [{ space: 'test.large', upTo: 10_000 }, /documents_by_rank/],
  [{ space: 'test.large', owner: 'public/7' }, /documents_by_owner/],
  [{ space: 'test.large', owner: 'public/7', state: 'DONE' }, /documents_by_owner/],
  [{ space: 'test.small', owner: 'public/nobody', state: 'OPEN' }, /documents_by_owner_and_state/],
]

/** What the reader asks for each filter: lists from both ends and from the middle, and the count. */
async function questionsOf(dialect: Dialect, filter: DocumentFilter): Promise<{ lists: Question[]; count: Question }> {
  const asked: Question[] = []
  const reads = sideWriteReads(dialect, async (question) => {
    asked.push(question)
    return [{ count: 0, key: new Uint8Array(32) }]
  })
  const middle = { rank: 500_000, key: 'ff'.repeat(32) }
  for (const order of ['asc', 'desc'] as const)
    for (const after of [undefined, middle]) await reads.documents({ ...filter, order, after, limit: LIMIT })
  await reads.countDocuments(filter)
  return { lists: asked.slice(0, -1), count: asked.at(-1)! }
}

const only = (name: string) => (kind: StoreKind) => kind.name === name
const everyStore = storeSuite()

everyStore(
  'lists and counts walk an index and sort nothing, however many documents there are',
  async (ledger) => {
    await fill(ledger, 'sqlite')
    const plan = async ({ text, values }: Question): Promise<string> => {
      const said = values.map((value) =>
        typeof value === 'object'
          ? `{x:${Buffer.from(value).toString('hex')}}`
          : typeof value === 'number'
            ? value
            : `'${value}'`,
      )
      const rows = await ledger.sql(`EXPLAIN QUERY PLAN ${text.replace(/\?(\d)/g, (_, n) => String(said[n - 1]))}`)
      return (rows as { detail: string }[]).map(({ detail }) => detail).join('; ')
    }
    for (const [filter, index] of FILTERS) {
      const { lists, count } = await questionsOf(DIALECTS.sqlite, filter)
      for (const question of lists) {
        const found = await plan(question)
        assert.match(
          found,
          /^SEARCH documents USING INDEX \w+ \(space=\?.* AND \(rank,key\)[<>]\(\?,\?\)( AND rank<\?)?\)$/,
        )
        assert.match(found, index)
      }
      assert.match(
        await plan(count),
        /^CO-ROUTINE found; SEARCH documents USING (COVERING )?INDEX documents_by_\w+ \(space=\?/,
      )
    }
    assert.deepEqual(await ledger.sql(`SELECT name FROM sqlite_schema WHERE name LIKE 'sqlite_stat%'`), [])
    const { space } = FILTERS[0]![0]
    assert.equal((await ledger.reader.documents({ space, order: 'desc', limit: LIMIT })).length, LIMIT)
    assert.equal(await ledger.reader.countDocuments({ space }), 10_001)
  },
  only('SQLite'),
)

interface Plan {
  'Node Type': string
  'Relation Name'?: string
  'Index Name'?: string
  'Actual Rows': number
  'Rows Removed by Filter'?: number
  Plans?: Plan[]
}

const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)]

everyStore(
  'lists and counts of a million documents walk an index no further than they must, with and without statistics',
  async (ledger) => {
    await fill(ledger, 'postgres')
    const address = { url: ledger.url! }
    const [reader, writer] = [await readerSession(address), await writerSession(address)]
    const run = async (client: typeof reader, text: string, values: unknown[]): Promise<Plan[]> => {
      const { rows } = await client.query(`EXPLAIN (ANALYZE, FORMAT JSON) ${text}`, values)
      return nodesOf(rows[0]['QUERY PLAN'][0].Plan).filter(
        (node) => node['Relation Name'] === 'documents' || node['Node Type'].includes('Sort'),
      )
    }
    const check = async (question: Question, most: number, index: RegExp): Promise<void> => {
      const found = await run(reader, question.text, question.values)
      assert.deepEqual(
        found.map((node) => node['Node Type'].replace(' Only', '')),
        ['Index Scan'],
      )
      assert.match(found[0]!['Index Name']!, index)
      const touched = found[0]!['Actual Rows'] + (found[0]!['Rows Removed by Filter'] ?? 0)
      assert.ok(touched <= most, `${touched} rows for ${question.name}`)
    }
    try {
      for (const statistics of ['none', 'fresh']) {
        if (statistics === 'fresh') await ledger.sql('ANALYZE {documents}')
        for (const [filter, index] of FILTERS) {
          const { lists, count } = await questionsOf(DIALECTS.postgres, filter)
          for (const question of lists) await check(question, 2 * LIMIT, index)
          await check(count, 2 * 10_001, /^documents_by_/)
        }
        const keys = Array.from({ length: 256 }, (_, n) => Buffer.from((n * 997).toString(16).padStart(64, '0'), 'hex'))
        const versions = await run(writer, SIDE_WRITE_SQL.documentVersions, [keys.map(() => 'test.large'), keys])
        assert.deepEqual([...new Set(versions.map((node) => node['Index Name']))], ['documents_pkey'])
      }
    } finally {
      await Promise.all([reader.end(), writer.end()])
    }
  },
  only('PostgreSQL'),
)
