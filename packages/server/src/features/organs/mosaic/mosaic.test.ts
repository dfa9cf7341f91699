// N4: one SELECT over copies of the sources, lineage that changing the sources confirms, checks that stop bad data, and SQL
// that wants more than it may.
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { after, test } from 'node:test'
import fc from 'fast-check'
import { docQuestion } from '#testing/organs/doc-question.ts'
import { testCompute } from '#testing/organs/live-gates.ts'
import { tryOrgan } from '#testing/organs/try-organ.ts'
import { InputError } from '../../../errors.ts'
import { lineageOf } from './lineage.ts'
import { mosaic } from './organ.ts'
import samples from './samples.json' with { type: 'json' }
import { refusalOf, tokensOf } from './tokens.ts'

const organ = mosaic({ compute: testCompute(after) })
const ask = async (body: Record<string, unknown>) => (await tryOrgan(organ, body)).answer
const refused = (body: Record<string, unknown>) =>
  tryOrgan(organ, body).then(
    () => assert.fail(`the request was taken: ${JSON.stringify(body).slice(0, 300)}`),
    (error) => {
      assert.ok(error instanceof InputError, String(error))
      const { loc, msg, type } = error.detail[0]!
      return { at: loc.slice(1).join('.'), msg, type }
    },
  )
const fault = async (body: Record<string, unknown>) => (await refused(body)).at

const A = { name: 'a', rows: [1, 2, 3].map((k) => ({ k, x: 10 * k, note: `a${k}` })) }
const B = { name: 'b', rows: [2, 3, 4].map((k) => ({ k, y: 100 * k, note: k === 3 ? 'other' : `a${k}` })) }
const sources = [A, B]
const run = async (sql: string, more = {}) => (await ask({ sources, sql, ...more })).result
const lineage = async (sql: string) =>
  (await run(sql)).columns.map((column: { lineage: string[] | null }) => column.lineage)

test('the question of a data engineer has the answer that the documentation shows', async () => {
  const { request, shows } = docQuestion('n4')
  assert.partialDeepStrictEqual((await ask(request)).result, shows)
})

test('the example gives the golden result, and another seed other rows', async () => {
  const answer = await ask({})
  assert.equal(answer.result_sha256, GOLDEN)
  assert.notEqual((await ask({ ...organ.example.request, seed: 43 })).result_sha256, GOLDEN)
  assert.deepEqual([answer.status, answer.result.blocked], ['EXECUTED', false])
})

test('three keys on each side, two of them shared: four rows, a match rate of two thirds and one conflict', async () => {
  const { result } = await ask({ sources, keys: ['k'] })
  assert.deepEqual(result.rows, [
    [1, 'a1', 10, null],
    [2, 'a2', 20, 200],
    [3, 'a3', 30, 300],
    [4, 'a4', null, 400],
  ])
  assert.deepEqual([result.row_count, result.key_match_rate], [4, 0.666667])
  assert.deepEqual(result.conflicts, [
    {
      key: [3],
      column: 'note',
      values: [
        { source: 'a', value: 'a3' },
        { source: 'b', value: 'other' },
      ],
    },
  ])
  assert.deepEqual(
    result.columns.map(({ name, type, lineage: from, nulls }: Record<string, unknown>) => [name, type, from, nulls]),
    [
      ['k', 'integer', ['a.k', 'b.k'], 0],
      ['note', 'text', ['a.note', 'b.note'], 0],
      ['x', 'integer', ['a.x'], 1],
      ['y', 'integer', ['b.y'], 1],
    ],
  )
})

test('a join on keys is the one that is made by hand, for any rows of two or three sources', async () => {
  const key = fc.option(fc.integer({ min: 0, max: 5 }), { nil: null })
  const table = fc.array(fc.record({ k: key, v: fc.integer({ min: 0, max: 3 }) }), { minLength: 1, maxLength: 6 })
  type Row = { k: number | null; v: number }
  const join = (left: (number | null)[][], right: Row[], width: number) => {
    const met = new Set<number>()
    const rows = left.flatMap(([k = null, ...values]) => {
      const mates = right.flatMap((row, at) => (k !== null && row.k === k ? [{ row, at }] : []))
      for (const { at } of mates) met.add(at)
      return mates.length === 0 ? [[k, ...values, null]] : mates.map(({ row }) => [k, ...values, row.v])
    })
    const lonely = right.filter((_, at) => !met.has(at)).map(({ k, v }) => [k, ...Array(width).fill(null), v])
    return [...rows, ...lonely]
  }
  await fc.assert(
    fc.asyncProperty(fc.array(table, { minLength: 2, maxLength: 3 }), async (tables) => {
      const given = tables.map((rows, at) => ({ name: `t${at}`, rows: rows.map(({ k, v }) => ({ k, [`v${at}`]: v })) }))
      const { result } = await ask({ sources: given, keys: ['k'] })
      let expected: (number | null)[][] = tables[0]!.map(({ k, v }) => [k, v])
      for (const [at, rows] of tables.slice(1).entries()) expected = join(expected, rows, at + 1)
      const sorted = (rows: unknown[]) => rows.map((row) => JSON.stringify(row)).sort()
      assert.deepEqual(sorted(result.rows), sorted(expected))
    }),
    { seed: 4, numRuns: 60 },
  )
})

test('each column tells what it comes from, through aliases, common tables, sub-selects and stars', async () => {
  for (const [sql, expected] of [
    ['SELECT a.x+b.y AS z FROM a JOIN b ON a.k=b.k', [['a.x', 'b.y']]],
    ['SELECT p.x + q.y z, count(*) FROM a p JOIN b AS q USING (k)', [['a.x', 'b.y'], []]],
    ['SELECT * FROM a JOIN b ON a.k = b.k', [['a.k'], ['a.note'], ['a.x'], ['b.k'], ['b.note'], ['b.y']]],
    ['SELECT * FROM a JOIN b USING (k, note)', [['a.k'], ['a.note'], ['a.x'], ['b.y']]],
    ['SELECT * FROM a NATURAL FULL JOIN b', [['a.k', 'b.k'], ['a.note', 'b.note'], ['a.x'], ['b.y']]],
    ['SELECT b.*, x FROM a, b', [['b.k'], ['b.note'], ['b.y'], ['a.x']]],
    ['SELECT t.s FROM (SELECT x * 2 AS s FROM a) t', [['a.x']]],
    [
      'WITH c AS (SELECT x AS q FROM a), d(r) AS (SELECT q FROM c) SELECT r, (SELECT max(y) FROM b) FROM d',
      [['a.x'], ['b.y']],
    ],
    ['WITH f AS (SELECT * FROM g), g AS (SELECT x FROM a) SELECT * FROM f', [['a.x']]],
    ['WITH a AS (SELECT y AS x FROM b) SELECT x FROM a', [['b.y']]],
    ['SELECT x FROM a UNION SELECT y FROM b', [['a.x', 'b.y']]],
    [
      'WITH RECURSIVE t(i, j) AS (SELECT k, x FROM a UNION SELECT j, i FROM t WHERE i < 3) SELECT i FROM t',
      [['a.k', 'a.x']],
    ],
    [
      'SELECT CASE WHEN k > 1 THEN x ELSE note END, CAST(x AS TEXT), x COLLATE NOCASE AS c FROM a',
      [['a.k', 'a.note', 'a.x'], ['a.x'], ['a.x']],
    ],
    [
      'SELECT sum(x) OVER w, total(x) FILTER (WHERE k > 1) FROM a WINDOW w AS (PARTITION BY note)',
      [
        ['a.note', 'a.x'],
        ['a.k', 'a.x'],
      ],
    ],
    ['SELECT (SELECT a.x + b.y FROM b WHERE b.k = a.k) FROM a', [['a.x', 'b.y']]],
    [
      'SELECT x IS DISTINCT FROM k, x BETWEEN 1 AND k, x IN (SELECT y FROM b) FROM a',
      [
        ['a.k', 'a.x'],
        ['a.k', 'a.x'],
        ['a.x', 'b.y'],
      ],
    ],
    ['SELECT "x" AS "Z", [k], `note`, "no column" FROM a', [['a.x'], ['a.k'], ['a.note'], []]],
    ["SELECT 'a.x' t, current_date, NULL, 1e3 FROM a", [[], [], [], []]],
    ['VALUES (1, (SELECT max(x) FROM a)), ((SELECT min(y) FROM b), 2)', [['b.y'], ['a.x']]],
    ['SELECT main.a.x FROM main.a -- , b.y\n', [['a.x']]],
    ['SELECT k FROM a JOIN (SELECT k, y FROM b) USING (k)', [['a.k']]],
    ['SELECT t.first n, t.row FROM (SELECT x AS first, k AS row FROM a) t', [['a.x'], ['a.k']]],
    [
      "SELECT x -> '$' ->> 0, ROW_NUMBER() OVER (ORDER BY k ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM a",
      [['a.x'], ['a.k']],
    ],
  ] as const)
    assert.deepEqual(await lineage(sql), expected, sql)
})

test('what cannot be followed is null and said to be partial', async () => {
  const answer = await ask({ sources, sql: "SELECT value, x FROM a, json_each('[1]')" })
  assert.deepEqual(
    answer.result.columns.map((column: { lineage: unknown }) => column.lineage),
    [null, ['a.x']],
  )
  assert.deepEqual(
    answer.limits.map(({ code }: { code: string }) => code),
    ['LINEAGE_PARTIAL'],
  )
  assert.deepEqual(await lineage('SELECT rowid, a.x FROM a'), [null, ['a.x']])
  // What no engine would read, and what goes on for too long, has no lineage and an end.
  const columns = [{ name: 'a', columns: ['x'] }]
  const endless = Array.from({ length: 400 }, (_, n) => `c${n} AS (SELECT * FROM c${n + 1}, c${n + 1})`).join(', ')
  for (const sql of ['WITH', 'WITH c', 'WITH c AS', 'SELECT', '(', 'SELECT (', `WITH ${endless} SELECT * FROM c0`])
    assert.doesNotThrow(() => lineageOf(tokensOf(sql), columns), sql)
})

test('changing a source changes only the columns that name it: the lineage holds against the engine itself', async () => {
  const operand = fc.constantFrom('a.x', 'b.y', 'a.note', 'b.note', 'a.k', '7')
  const scalar = fc.oneof(
    { maxDepth: 3 },
    operand,
    fc.tuple(operand, operand).map(([one, other]) => `coalesce(${one}, ${other})`),
    fc
      .tuple(operand, operand, operand)
      .map(([one, two, three]) => `CASE WHEN ${one} > 20 THEN ${two} ELSE ${three} END`),
    fc.tuple(operand, operand).map(([one, other]) => `(${one} || '-' || ${other})`),
    operand.map((one) => `(SELECT ${one} FROM (SELECT 1))`),
    operand.map((one) => `max(${one}) OVER ()`),
  )
  const shapes = fc.constantFrom(
    (list: string) => `SELECT ${list} FROM a JOIN b ON a.k = b.k ORDER BY a.k`,
    (list: string) => `SELECT * FROM (SELECT ${list} FROM a JOIN b ON a.k = b.k ORDER BY a.k) t`,
    (list: string) => `WITH t AS (SELECT ${list} FROM a JOIN b ON a.k = b.k ORDER BY a.k) SELECT t.* FROM t`,
  )
  const marked = (table: typeof A | typeof B, column: string) => ({
    ...table,
    rows: table.rows.map((row) => ({ ...row, ...(column in row ? { [column]: `changed ${row.k}` } : {}) })),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(scalar, { minLength: 1, maxLength: 4 }), shapes, async (list, shape) => {
      const sql = shape(list.map((item, at) => `${item} AS c${at}`).join(', '))
      const before = await run(sql)
      for (const [changed, name] of [
        [[marked(A, 'x'), B], 'a.x'],
        [[A, marked(B, 'y')], 'b.y'],
        [[marked(A, 'note'), B], 'a.note'],
        [[A, marked(B, 'note')], 'b.note'],
      ] as const) {
        const { result } = await ask({ sources: changed, sql })
        for (const [at, column] of before.columns.entries()) {
          const differs = before.rows.some((row: unknown[], n: number) => row[at] !== result.rows[n][at])
          if (differs) assert.ok(column.lineage.includes(name), `${sql}: ${column.name} comes from ${name}`)
          else if (list[at] === name) assert.fail(`${sql}: ${name} was not changed`)
        }
      }
      for (const [at, column] of before.columns.entries())
        for (const name of column.lineage) assert.ok(list[at]!.includes(name), `${sql}: ${name} is not in ${list[at]}`)
    }),
    { seed: 4, numRuns: 40 },
  )
})

test('anything but one SELECT is refused, and the host is not touched', async () => {
  const file = '/tmp/orch-mosaic-escape'
  for (const sql of [
    `ATTACH '${file}' AS f`,
    `/* SELECT */ ATTACH '/etc/passwd' AS f`,
    'PRAGMA query_only = 0',
    'SELECT * FROM pragma_table_list',
    "SELECT * FROM 'pragma_database_list'",
    "SELECT * FROM a, 'sqlite_master'",
    "SELECT * FROM a JOIN ('sqlite_schema')",
    "SELECT * FROM 'main'.'sqlite_master'",
    "SELECT * FROM a JOIN b ON a.k = b.k, 'sqlite_master'",
    "SELECT * FROM a JOIN b USING (k), 'sqlite_master'",
    "SELECT 'x' IN 'pragma_compile_options'",
    'SELECT 1 IN main.pragma_compile_options',
    'SELECT * FROM "main" . sqlite_master',
    'SELECT sqlite_version()',
    'SELECT "sqlite_source_id"()',
    "SELECT (SELECT count(*) FROM (a, 'pragma_compile_options')) FROM a WHERE 1",
    'SELECT * FROM "PRAGMA_table_list"',
    'SELECT * FROM sqlite_schema',
    'INSERT INTO a VALUES (1, 2, 3)',
    'WITH q AS (SELECT 1) INSERT INTO a SELECT 1, 2, 3',
    'WITH q AS (SELECT 1) DELETE FROM a',
    'WITH q AS (SELECT 1) UPDATE a SET x = 0',
    'CREATE TEMP TABLE t(x)',
    'DROP TABLE a',
    `VACUUM INTO '${file}'`,
    'EXPLAIN SELECT 1',
    'BEGIN',
    'SELECT 1; SELECT 2',
    `SELECT 1; ATTACH '${file}' AS f`,
    `SELECT 1 /* ; */ ; /* */ VACUUM INTO '${file}'`,
    "SELECT load_extension('/tmp/x.so')",
    `SELECT writefile('${file}', 'x')`,
    "SELECT readfile('/etc/passwd')",
    "SELECT * FROM fsdir('/')",
    "SELECT edit('x')",
    'SELECT ?1',
    'SELECT :name',
    'SELECT @x',
    'SELECT random()',
    'SELECT hex(randomblob(8))',
    'SELECT x FROM a ORDER BY RANDOM()',
    'SELECT 1\0; DROP TABLE a',
    '-- nothing',
    ';',
    '(SELECT 1)',
    'SELECT',
    'SELECT * FROM nothing',
    'SELECT x FROM a WHERE',
    "SELECT 'unterminated",
    `SELECT ${Array.from({ length: 101 }, (_, n) => n).join(', ')}`,
    `SELECT ${'- '.repeat(1500)}1`,
  ])
    assert.equal(await fault({ sources, sql }), 'sql', sql)
  assert.equal(existsSync(file), false)
  assert.deepEqual(await refused({ sources, sql: 'SELECT nope FROM a' }), {
    at: 'sql',
    msg: 'no such column: nope',
    type: 'sql',
  })
  // What only looks like a second statement, or like a word that is refused.
  for (const sql of [
    'SELECT 1;',
    "SELECT ';'",
    'SELECT 1 -- ; x',
    'SELECT "a;b" FROM a',
    "SELECT 'pragma_x', 'ATTACH'",
    "SELECT 'x' FROM a WHERE 'sqlite_x' IN ('sqlite_y', 'pragma_z') ORDER BY 'sqlite_x', 'sqlite_y'",
    'SELECT x AS sqlite_y FROM a ORDER BY sqlite_y',
    'SELECT t.sqlite_y, "pragma_z" FROM (SELECT x AS sqlite_y, k pragma_z FROM a) AS t',
    "SELECT x IS DISTINCT FROM 'sqlite_x', 'sqlite_y' FROM a sqlite_t JOIN b ON sqlite_t.k IN ('sqlite_x', 2)",
  ])
    assert.equal((await ask({ sources, sql })).status, 'EXECUTED', sql)
  assert.equal(refusalOf(tokensOf("SELECT 'it''s; fine' /* ; */")), null)
})

test('an endless query and one that wants too much memory are stopped, and the next one runs', async () => {
  const hasty = mosaic({ compute: testCompute(after, { isPatient: false }) })
  const asked = async (sql: string) => (await tryOrgan(hasty, { sources, sql })).answer
  const endless = await asked('WITH RECURSIVE t(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM t) SELECT count(*) FROM t')
  assert.deepEqual([endless.status, endless.ok, endless.result], ['LIMIT_EXCEEDED', false, null])
  for (const sql of [
    'SELECT length(hex(zeroblob(60000000)))',
    'SELECT group_concat(hex(zeroblob(1000000))) FROM (WITH RECURSIVE t(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM t LIMIT 90) SELECT i FROM t)',
  ]) {
    const greedy = await asked(sql)
    assert.deepEqual([greedy.status, greedy.result], ['LIMIT_EXCEEDED', null])
  }
  assert.equal((await asked('SELECT count(*) FROM a')).result.rows[0][0], 3)
})

test('the clock of the engine stands still, in no zone: the same query gives the same rows', async () => {
  const sql = "SELECT datetime('now'), CURRENT_DATE, date(), datetime('2026-07-01 12:00', 'localtime'), unixepoch()"
  assert.deepEqual((await run(sql)).rows, [
    ['2026-01-01 00:00:00', '2026-01-01', '2026-01-01', '2026-07-01 12:00:00', 1_767_225_600],
  ])
})

test('values come back as they were sent: whole numbers of 53 bits, texts, truths, nulls; what JSON lacks comes as text', async () => {
  const rows = [{ n: 9_007_199_254_740_991, s: 'naïve \u{1F600} \' "', t: true, f: 0.5, z: null, i: -3_000_000_000 }]
  const { result } = await ask({
    sources: [{ name: 'v', rows }],
    sql: "SELECT n, s, t, f, z, i, typeof(i), n + n, x'00ff', 9e999, 1.0 FROM v",
  })
  const [{ n, s, f, i }] = rows as [(typeof rows)[0]]
  assert.deepEqual(result.rows, [[n, s, 1, f, null, i, 'integer', '18014398509481982', "x'00ff'", 'Infinity', 1]])
  assert.deepEqual(
    result.columns.map(({ type }: { type: string }) => type),
    ['integer', 'text', 'integer', 'real', 'null', 'integer', 'text', 'integer', 'blob', 'real', 'real'],
  )
})

test('a fraction with more than six places is said to be rounded, and checked with all of them', async () => {
  const body = { sources, sql: 'SELECT 0.1234567 AS f', expectations: [{ type: 'range', column: 'f', max: 0.1234568 }] }
  const answer = await ask(body)
  assert.deepEqual([answer.result.rows, answer.result.blocked], [[[0.123457]], false])
  assert.deepEqual(
    answer.limits.map(({ code }: { code: string }) => code),
    ['ROUNDED'],
  )
  assert.deepEqual((await ask({ sources, sql: 'SELECT 0.123456' })).limits, [])
})

test('keys beside a query tell how the sources meet, and the rows are those of the query', async () => {
  const { result } = await ask({ sources, sql: 'SELECT 1 AS one', keys: ['K'] })
  assert.deepEqual([result.rows, result.key_match_rate, result.conflicts.length], [[[1]], 0.666667, 1])
})

test('a failed expectation blocks, and each tells its rows', async () => {
  const rows = [
    { id: 1, email: 'a@x.org', age: 30, team: 'red' },
    { id: 2, email: 'not an address', age: 17, team: 'red' },
    { id: 2, email: null, age: '44.5', team: 'blue' },
    { id: 4, email: 'd@x.org', age: 'old', team: null },
  ]
  const teams = { name: 'teams', rows: [{ team: 'red' }, { team: null }] }
  const expectations = [
    { type: 'not_null', column: 'email' },
    { type: 'unique', column: 'ID' },
    { type: 'range', column: 'age', min: 18, max: 120 },
    { type: 'regex', column: 'email', pattern: '^[^@ ]+@[^@ ]+$' },
    { type: 'row_count', min: 5 },
    { type: 'foreign_key', column: 'team', references: { source: 'teams', column: 'team' } },
    { type: 'not_null', column: 'id' },
    { type: 'row_count', min: 4, max: 4 },
  ]
  const answer = await ask({ sources: [{ name: 'p', rows }, teams], sql: 'SELECT * FROM p', expectations })
  assert.deepEqual([answer.status, answer.result.blocked], ['DENIED', true])
  assert.deepEqual(
    answer.result.expectations.map(({ passed, failing_rows: failing, sample }: Record<string, unknown>) => [
      passed,
      failing,
      sample,
    ]),
    [
      [false, 1, [{ row: 2, value: null }]],
      [false, 1, [{ row: 2, value: 2 }]],
      [
        false,
        2,
        [
          { row: 1, value: 17 },
          { row: 3, value: 'old' },
        ],
      ],
      [false, 1, [{ row: 1, value: 'not an address' }]],
      [false, 1, []],
      [false, 1, [{ row: 2, value: 'blue' }]],
      [true, 0, []],
      [true, 0, []],
    ],
  )
})

test('rows beyond what is shown are counted and checked', async () => {
  const series = (n: number) =>
    `WITH RECURSIVE t(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM t WHERE i < ${n}) SELECT i % 150 AS i FROM t`
  for (const [n, shown, from] of [
    [199, 199, null],
    [200, 200, null],
    [201, 200, 201],
  ] as const) {
    const result = await run(series(n))
    assert.deepEqual([result.rows.length, result.row_count, result.rows_truncated_from], [shown, n, from])
  }
  const answer = await ask({ sources, sql: series(400), expectations: [{ type: 'unique', column: 'i' }] })
  assert.deepEqual([answer.result.duplicate_rows, answer.result.expectations[0].failing_rows], [250, 250])
  // Whole numbers that no fraction of 64 bits holds are told apart in every row.
  const big = `WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 300)
    SELECT 9007199254740992 + n AS x, 4611686018427387904 AS y, CAST(4611686018427387904 AS REAL) AS z FROM c`
  const long = await ask({
    sources,
    sql: `SELECT x FROM (${big}) UNION ALL SELECT CAST(x AS TEXT) FROM (${big})`,
    expectations: [
      { type: 'unique', column: 'x' },
      { type: 'range', column: 'x', max: 9007199254740992 },
      { type: 'range', column: 'x', min: 9007199254740992, max: 9007199254741292 },
    ],
  })
  assert.deepEqual(
    [long.result.duplicate_rows, long.result.expectations.map((one: { failing_rows: number }) => one.failing_rows)],
    [0, [0, 600, 0]],
  )
  const same = await run(`SELECT y FROM (${big}) UNION ALL SELECT z FROM (${big})`)
  assert.equal(same.duplicate_rows, 599)
  const wide = await run("SELECT printf('%.*c', 70000, 'x') AS t FROM a")
  assert.deepEqual([wide.rows.length, wide.row_count], [1, 3])
  assert.equal(
    (await ask({ sources, sql: "SELECT printf('%.*c', 70000, 'x') AS t FROM a" })).limits[0].code,
    'ROWS_TRUNCATED',
  )
})

test('a prompt is a query over the samples or words to find in their join, with the digests of its written-out form', async () => {
  const given = Object.entries(samples).map(([name, rows]) => ({ name, rows }))
  const sql = 'SELECT city FROM customers ORDER BY city LIMIT 2'
  const [prompt, written] = [await ask({ prompt: sql }), await ask({ sources: given, sql })]
  assert.deepEqual([prompt.input_sha256, prompt.result_sha256], [written.input_sha256, written.result_sha256])
  assert.deepEqual(prompt.result.rows, [['Lagos'], ['Lima']])
  const ids = async (text: string) => (await ask({ prompt: text })).result.rows.map(([id]: [number]) => id)
  assert.deepEqual(await ids('Desk'), [1, 4, 6])
  assert.deepEqual(await ids('vienna DESK'), [1])
  assert.deepEqual(await ids("hello'); DROP TABLE orders; --"), [])
  assert.deepEqual(await ids('%'), [])
  for (const text of [
    'select the best wine',
    'SELECT * FROM elsewhere',
    'select 1; select 2',
    `SELECT '${'x'.repeat(4090)}'`,
  ]) {
    const answer = await ask({ prompt: text }).catch((error) => error)
    assert.equal(answer.status, 'NEEDS_INPUT', text.slice(0, 40))
    assert.equal(answer.result.missing[0].field, 'sql')
  }
})

test('what is no mosaic is refused at its place, and the last values of the bounds are taken', async () => {
  const many = (n: number) => Array.from({ length: n }, (_, k) => ({ k }))
  const table = (name: string, rows: object[] = [{ k: 1 }]) => ({ name, rows })
  const wide = (n: number) => [Object.fromEntries(Array.from({ length: n }, (_, at) => [`c${at}`, at]))]
  const base = { sources: [table('a')], sql: 'SELECT 1' }
  const expecting = (expectation: object) => ({ ...base, expectations: [expectation] })
  for (const [at, body] of [
    ['sources', { ...base, sources: [] }],
    ['sources', { ...base, sources: Array.from({ length: 9 }, (_, n) => table(`t${n}`)) }],
    ['sources.0.rows', { ...base, sources: [table('a', many(2001))] }],
    ['sources.0.rows', { ...base, sources: [table('a', [])] }],
    ['sources.0.rows', { ...base, sources: [table('a', [{}])] }],
    ['sources.0.rows.0.k', { ...base, sources: [table('a', [{ k: { deep: 1 } }])] }],
    ['sources.0.rows', { ...base, sources: [table('a', [{ k: 1 }, { K: 2 }])] }],
    ['sources.0.rows.1.k', { ...base, sources: [table('a', [{ k: 1 }, { k: 2 ** 53 }])] }],
    ['sources.0.rows', { ...base, sources: [table('a', [...wide(100), { k: 1 }])] }],
    ['sources.0.rows', { ...base, sources: [{ name: 'a' }] }],
    ['sources.0.rows', { ...base, sources: [{ ...table('a'), generator: { kind: 'orders', rows: 1 } }] }],
    ['sources.0.generator.rows', { ...base, sources: [{ name: 'a', generator: { kind: 'orders', rows: 5001 } }] }],
    ['sources.0.name', { ...base, sources: [table('a b')] }],
    ['sources.0.name', { ...base, sources: [table('sqlite_x')] }],
    ['sources.1.name', { ...base, sources: [table('a'), table('A')] }],
    ['sql', { sources: [table('a')] }],
    ['sql', { ...base, sql: `SELECT '${'x'.repeat(4096)}'` }],
    ['keys.0', { sources: [table('a')], keys: ['x'] }],
    ['keys.0', { sources: [table('a'), { name: 'b', generator: { kind: 'orders', rows: 3 } }], keys: ['k'] }],
    ['keys.1', { sources: [table('a')], keys: ['k', 'K'] }],
    ['keys', { sources: [table('a', wide(5))], keys: ['c0', 'c1', 'c2', 'c3', 'c4'] }],
    ['expectations', { ...base, expectations: Array(33).fill({ type: 'row_count', min: 1 }) }],
    ['expectations.0.column', expecting({ type: 'not_null' })],
    ['expectations.0.column', expecting({ type: 'not_null', column: 'nope' })],
    ['expectations.0.column', { ...expecting({ type: 'unique', column: 'x' }), sql: 'SELECT 1 AS x, 2 AS x' }],
    ['expectations.0.min', expecting({ type: 'row_count' })],
    ['expectations.0.min', expecting({ type: 'not_null', column: '1', min: 1 })],
    ['expectations.0.max', expecting({ type: 'range', column: '1', min: 2, max: 1 })],
    ['expectations.0.pattern', expecting({ type: 'regex', column: '1' })],
    ['expectations.0.pattern', expecting({ type: 'regex', column: '1', pattern: '(a)\\1' })],
    ['expectations.0.pattern', expecting({ type: 'regex', column: '1', pattern: '(?=a)' })],
    [
      'expectations.0.references.source',
      expecting({ type: 'foreign_key', column: '1', references: { source: 'z', column: 'k' } }),
    ],
    [
      'expectations.0.references.column',
      expecting({ type: 'foreign_key', column: '1', references: { source: 'a', column: 'z' } }),
    ],
  ] as const)
    assert.ok((await fault(body)).startsWith(at), `${at} of ${JSON.stringify(body).slice(0, 200)}`)
  assert.equal((await refused(expecting({ type: 'regex', column: '1', pattern: '(?=a)' }))).type, 'unsupported_regex')
  for (const body of [
    { ...base, sources: Array.from({ length: 8 }, (_, n) => table(`t${n}`)) },
    { ...base, sources: [table('a', many(2000))] },
    { ...base, sources: [table('a', wide(100))] },
    { ...base, sources: [{ name: 'a', generator: { kind: 'sensors', rows: 5000 } }] },
    { ...base, sql: `SELECT '${'x'.repeat(4087)}'` },
    { sources: [table('a', wide(5)), table('b', wide(4))], keys: ['c0', 'c1', 'c2', 'C3'] },
    { ...base, expectations: Array(32).fill({ type: 'row_count', min: 1 }) },
    {
      ...base,
      sources: [table('constructor', [{ constructor: 1, toString: 'x' }])],
      sql: 'SELECT "constructor", "toString" FROM "constructor"',
    },
  ])
    assert.equal((await ask(body)).status, 'EXECUTED', JSON.stringify(body).slice(0, 200))
})

test('three sources of 5,000 generated rows are joined within the deadline', async () => {
  const generated = ['a', 'b', 'c'].map((name) => ({ name, generator: { kind: 'orders', rows: 5000 } }))
  const { status, result } = await ask({ sources: generated, keys: ['order_id'] })
  assert.deepEqual([status, result.row_count, result.key_match_rate, result.rows.length], ['EXECUTED', 5000, 1, 200])
  assert.ok(result.conflicts_truncated_from > 20)
})

const GOLDEN = '41128d08474fadcb79661c78231a6a18f1b6aff036be92a44ce00a88c29b4e52'
