// Company, debt, series and their summary over a server on this machine that answers in the formats of the sources.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, type TestContext, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { startApp } from '#testing/layer.ts'
import { send } from '#testing/raw-http.ts'
import { documentStore, movedClock } from '#testing/readings/reader.ts'
import { openOutbound } from '../../adapters/outbound/outbound.ts'
import { provider } from '../../adapters/outbound/providers.ts'
import type { Observation } from '../../domain/observation.ts'
import { Compute } from '../../platform/compute/compute.ts'
import { openMarkets } from './open.ts'

const P = '/api/orch/v1/markets'
const SAMPLE = new URL('../../../../../../shared/corpora/sec/companyfacts_sample.json', import.meta.url)
const absent = existsSync(SAMPLE) ? false : 'SKIPPED: ../shared absent'
const JSON_HEAD = { 'content-type': 'application/json' }
const CSV_HEAD = { 'content-type': 'text/csv; charset=utf-8' }
type Answer = (request: IncomingMessage, response: ServerResponse) => void
const sent =
  (body: unknown, status = 200, headers: Record<string, string> = JSON_HEAD): Answer =>
  (_, response) =>
    response
      .writeHead(status, headers)
      .end(typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body))

const fact = (
  start: string | null,
  end: string,
  val: number,
  filed: string,
  form = '10-K',
  fy = Number(filed.slice(0, 4)),
) => ({
  ...(start === null ? {} : { start }),
  ...{
    end,
    val,
    accn: `0000320193-${filed.slice(2, 4)}-000${filed.slice(5, 7)}${filed.slice(8)}`,
    fy,
    fp: 'FY',
    form,
    filed,
  },
})
const concept = (...rows: object[]) => ({ label: 'text', description: 'text', units: { USD: rows } })
/** In the shape of the SEC: quarters inside annual reports, a concept that was given up, figures that were restated. */
const COMPANY = {
  cik: 320193,
  entityName: 'Example Inc.',
  facts: {
    dei: { EntityCommonStockSharesOutstanding: { units: { shares: [fact(null, '2025-10-17', 9, '2025-10-31')] } } },
    'us-gaap': {
      SalesRevenueNet: concept(fact('2016-09-25', '2017-09-30', 700, '2017-11-03')),
      Revenues: concept(fact('2023-10-01', '2024-09-28', 1100, '2024-11-01')),
      RevenueFromContractWithCustomerExcludingAssessedTax: concept(
        fact('2022-10-01', '2023-09-30', 1000, '2023-11-03'),
        fact('2023-07-02', '2023-09-30', 240, '2023-11-03'),
        fact('2023-10-01', '2024-09-28', 1105, '2025-10-31'),
        fact('2024-09-29', '2025-06-28', 900, '2025-08-01', '10-Q'),
      ),
      NetIncomeLoss: concept(fact('2023-10-01', '2024-09-28', -12, '2024-11-01')),
      Assets: concept(
        fact(null, '2024-09-28', 5000, '2024-11-01'),
        fact(null, '2025-06-28', 5100, '2025-08-01', '10-Q'),
      ),
      StockholdersEquity: concept(fact(null, '2023-09-30', 2000, '2023-11-03')),
    },
  },
}
const DEBT = {
  data: [
    {
      ...{ record_date: '2025-12-30', debt_held_public_amt: '30123456789012.34' },
      ...{ intragov_hold_amt: '7000000000000.07', tot_pub_debt_out_amt: '37123456789012.41' },
    },
  ],
  meta: { count: 1 },
}
const CSV = 'observation_date,GDP\n2025-01-01,30000.1\n2025-04-01,30353.902\n2025-07-01,.\n'

const GOOD: Record<string, Answer> = {
  '/api/xbrl/companyfacts/CIK0000320193.json': sent(COMPANY),
  ...(absent ? {} : { '/api/xbrl/companyfacts/CIK0001997711.json': sent(readFileSync(SAMPLE)) }),
  '/services/api/fiscal_service/v2/accounting/od/debt_to_penny': sent(DEBT),
  '/graph/fredgraph.csv': (request, response) =>
    request.url?.endsWith('id=GDP')
      ? sent(CSV, 200, CSV_HEAD)(request, response)
      : sent('<html>', 404)(request, response),
}

async function sources(scope: { after(clean: () => void): void }, answers: Record<string, Answer> = {}) {
  const asked: IncomingMessage[] = []
  const current = { ...GOOD, ...answers }
  const server = createServer((request, response) => {
    asked.push(request)
    const answer = current[new URL(request.url ?? '', 'http://x').pathname]
    if (answer === undefined) sent({}, 404)(request, response)
    else answer(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  scope.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return { asked, current, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}
const settings = (origin: string) => ({
  ...{ ORCH_STORE: 'memory', ORCH_SEC_USER_AGENT: 'orch test@example.org' },
  ...Object.fromEntries(['SEC', 'TREASURY', 'FRED', 'FREDGRAPH'].map((id) => [`ORCH_SOURCE_${id}_URL`, origin])),
})
const shared = await sources({ after: (clean) => after(clean) })
const { url } = await startApp({ after }, settings(shared.origin), [])
const offline = await startApp({ after }, { ORCH_STORE: 'memory', ORCH_OUTBOUND: 'off' }, [])

test('a company: the restated year, what it replaced, and what is not reported', async () => {
  const { status, json } = await send(`${url}${P}/company`)
  assert.deepEqual([status, json.ok, json.state, json.mode, json.label], [200, true, 'SNAPSHOT', 'live', 'LIVE'])
  assert.deepEqual([json.cik, json.entity, json.source_label], ['0000320193', 'Example Inc.', 'LIVE'])
  const { revenue, net_income, assets, liabilities, stockholders_equity: equity } = json.metrics
  assert.deepEqual(
    [revenue.value, revenue.filed, revenue.fiscal_year, revenue.currency],
    ['1105', '2025-10-31', 2024, 'USD'],
  )
  assert.deepEqual(
    revenue.alternatives.map(({ value, concept: name }: Record<string, string>) => [value, name]),
    [['1100', 'Revenues']],
  )
  assert.deepEqual([net_income.value, assets.value, assets.period_end], ['-12', '5000', '2024-09-28'])
  assert.deepEqual(liabilities, { value: null, reason: 'CONCEPT_NOT_REPORTED' })
  assert.deepEqual([equity.value, json.periods_aligned], ['2000', false])
  assert.equal(json.source_url, `${shared.origin}/api/xbrl/companyfacts/CIK0000320193.json`)
  assert.deepEqual([json.provenance.upstream_overridden, json.provenance.provider], [true, 'SEC'])
  assert.deepEqual(
    [json.execution_enabled, json.trading_enabled, json.advisory_only, json.not_financial_advice],
    [...[false, false, true, true]],
  )
  const again = await send(`${url}/v1/markets/company?cik=320193`)
  assert.deepEqual([again.json.mode, again.json.label, again.json.state], ['cached', 'SAMPLE', 'CACHED'])
  assert.deepEqual([again.json.metrics, again.json.fetched_at], [json.metrics, json.fetched_at])
})

test('the real file over HTTP: five figures of one year', { skip: absent }, async () => {
  for (const cik of ['1997711', '0001997711']) {
    const { json } = await send(`${url}${P}/company?cik=${cik}`)
    const values = Object.values(json.metrics as Record<string, { value: string }>).map(({ value }) => value)
    assert.deepEqual(values, ['43862372', '-19426051', '607019578', '336218160', '270801418'])
    assert.deepEqual([json.periods_aligned, json.entity], [true, 'Logistic Properties of the Americas'])
  }
})

test('the debt adds up to the cent', async () => {
  const { json } = await send(`${url}${P}/debt`)
  assert.deepEqual(
    [json.ok, json.record_date, json.total_public_debt_outstanding_usd, json.components_sum_matches],
    [true, '2025-12-30', '37123456789012.41', true],
  )
  assert.equal(json.total_public_debt_outstanding_raw, '37123456789012.41')
})

test('a series without a key: the public download, newest first, and the newest value that there is', async () => {
  const { json } = await send(`${url}${P}/macro`)
  assert.deepEqual([json.ok, json.variant, json.vintage, json.units], [true, 'keyless-csv', null, null])
  assert.deepEqual(json.observations, [
    { date: '2025-07-01', value: null },
    { date: '2025-04-01', value: '30353.902' },
    { date: '2025-01-01', value: '30000.1' },
  ])
  assert.deepEqual(json.latest, { date: '2025-04-01', value: '30353.902' })
  assert.equal(json.source_url, `${shared.origin}/graph/fredgraph.csv?id=GDP`)
})

test('one that does not exist is 200 and unavailable, and a summary with it is not a success', async (t) => {
  const { origin } = await sources(t)
  const running = await startApp(t, settings(origin), [])
  const { status, json } = await send(`${running.url}${P}/macro?series_id=NOSUCH`)
  assert.deepEqual([status, json.ok, json.error.code, json.latest], [200, false, 'UPSTREAM_HTTP_404', null])
  const summary = (await send(`${running.url}${P}/summary?series_id=NOSUCH`)).json
  assert.deepEqual([summary.ok, summary.state, summary.parts_ok, summary.failed], [false, 'DEGRADED', 2, ['macro']])
  assert.deepEqual([summary.mode, summary.label], ['unreachable', 'UNAVAILABLE'])
  assert.deepEqual([summary.company.mode, summary.national_debt.mode], ['live', 'live'])
})

test('all three live are a summary that is live', async (t) => {
  const { origin } = await sources(t)
  const running = await startApp(t, settings(origin), [])
  const { json } = await send(`${running.url}/v1/markets/summary`)
  assert.deepEqual([json.ok, json.state, json.mode, json.label], [true, 'SNAPSHOTS_AVAILABLE', 'live', 'LIVE'])
  assert.deepEqual([json.parts_ok, json.parts_total, json.failed, json.error], [3, 3, [], null])
  const again = await send(`${running.url}${P}/summary`)
  assert.deepEqual([again.json.ok, again.json.mode, again.json.label], [true, 'cached', 'SAMPLE'])
})

test('without a network every operation is 200 and unreachable, and no summary of nothing is a success', async () => {
  for (const name of ['company', 'debt', 'macro']) {
    const { status, json } = await send(`${offline.url}${P}/${name}`)
    assert.deepEqual([status, json.ok, json.state, json.mode], [200, false, 'UNAVAILABLE', 'unreachable'])
    assert.deepEqual([json.label, json.provenance, json.fetched_at], ['UNAVAILABLE', null, null])
    assert.match(json.error.code, /^TRANSPORT_DISABLED$/)
  }
  const { json } = await send(`${offline.url}${P}/summary`)
  assert.deepEqual([json.ok, json.state, json.parts_ok, json.failed.length], [false, 'UNAVAILABLE', 0, 3])
  assert.equal(json.company.metrics, null)
})

test('a contact is needed for the SEC, and a key for the interface where the download is switched off', async (t) => {
  const env = { ORCH_STORE: 'memory', ORCH_FRED_KEYLESS: 'off', ORCH_SOURCE_SEC_URL: shared.origin }
  const running = await startApp(t, env, [])
  assert.equal((await send(`${running.url}${P}/company`)).json.error.code, 'NEEDS_SEC_USER_AGENT')
  const { json } = await send(`${running.url}${P}/macro`)
  assert.deepEqual([json.error.code, json.variant], ['NEEDS_FRED_KEY', 'api'])
})

test('with a key the interface is asked, and the key is in no reply', async (t) => {
  const key = 'k3y'.padEnd(32, '0')
  const rows = [{ realtime_start: '2026-01-02', realtime_end: '2026-01-02', date: '2025-07-01', value: '30485.729' }]
  const { origin, asked } = await sources(t, {
    '/fred/series/observations'(request, response) {
      const as_of = new URL(request.url ?? '', 'http://x').searchParams.get('realtime_start')
      const observations = rows.map((row) => ({ ...row, realtime_start: as_of, realtime_end: as_of }))
      sent({ realtime_start: as_of, realtime_end: as_of, units: 'lin', count: 1, offset: 0, limit: 24, observations })(
        request,
        response,
      )
    },
  })
  const running = await startApp(t, { ...settings(origin), ORCH_FRED_API_KEY: key }, [])
  const { json, text } = await send(`${running.url}${P}/macro`)
  assert.ok(asked[0]!.url!.includes(key))
  assert.deepEqual([json.ok, json.variant, json.latest], [true, 'api', { date: '2025-07-01', value: '30485.729' }])
  assert.match(json.vintage, /^\d{4}-\d\d-\d\d$/)
  assert.ok(!text.includes(key))
})

test('a hundred readers of a company that nobody has asked for make one request', async (t) => {
  const { origin, asked } = await sources(t)
  const running = await startApp(t, settings(origin), [])
  const replies = await Promise.all(Array.from({ length: 100 }, () => send(`${running.url}${P}/company`)))
  assert.ok(replies.every(({ json }) => json.ok && json.metrics.revenue.value === '1105'))
  assert.equal(asked.length, 1)
})

test('every bound is 422 with its name, and nothing is stripped or replaced', async () => {
  const misfits: [path: string, name: string][] = [
    ...['', '0', '0000000000', '12345678901', ' 320193', '+320193', '32O193', '-1', '1.0', '٣'].map(
      (cik): [string, string] => [`company?cik=${encodeURIComponent(cik)}`, 'cik'],
    ),
    ['company?cik=1&cik=2', 'cik'],
    ['company?series_id=GDP', 'series_id'],
    ...['', 'gdp', 'A'.repeat(65), 'GDP;', 'A-B'].map((id): [string, string] => [
      `macro?series_id=${encodeURIComponent(id)}`,
      'series_id',
    ]),
    ['debt?limit=1', 'limit'],
    ['summary?cik=0', 'cik'],
    ['summary?series_id=x', 'series_id'],
  ]
  for (const prefix of [P, '/v1/markets'])
    for (const [path, name] of misfits) {
      const { status, json } = await send(`${offline.url}${prefix}/${path}`)
      assert.deepEqual([status, json.detail?.[0]?.loc.at(-1)], [422, name], path)
    }
  for (const path of [
    'company?cik=1',
    'company?cik=9999999999',
    `macro?series_id=${'A'.repeat(64)}`,
    'macro?series_id=_',
  ])
    assert.equal((await send(`${offline.url}${P}/${path}`)).status, 200)
})

/** The markets over an outbound whose clock the test moves. */
async function moved(t: TestContext, answers: Record<string, Answer> = {}, wholeMs = 1500) {
  const local = await sources(t, answers)
  const clock = movedClock()
  const rows = ['SEC', 'FREDGRAPH', 'TREASURY'].map((id) =>
    provider({ id, origins: [local.origin], maxBytes: 2 ** 20 }),
  )
  const times = { connectMs: 3000, firstByteMs: 6000, wholeMs }
  const outbound = openOutbound({ enabled: true, privateHosts: [] }, rows, { store: documentStore(), clock, times })
  const observe = async () => ({ source: 'treasury-debt', ok: true, data: { items: [] } }) as unknown as Observation
  const build = { gitSha: { value: null } } as never
  const compute = new Compute({ threads: 1 })
  t.after(() => compute.close(AbortSignal.abort()))
  const { markets } = openMarkets({ hasKey: false, keyless: true }, { outbound, clock, observe, build, compute })
  return { ...local, clock, markets, compute, signal: new AbortController().signal }
}

test('the file of a large company is read in a thread, to the same figures', async (t) => {
  const { markets, signal, compute, current } = await moved(t, {}, 60_000)
  const small = await markets.company('320193', signal)
  assert.equal(compute.stats().completed, 0)
  const other = { ...concept(fact(null, '2025-09-27', 7, '2025-10-31')), description: 'x'.repeat(2 ** 19) }
  const facts = { ...COMPANY.facts, 'us-gaap': { ...COMPANY.facts['us-gaap'], Other: other } }
  current['/api/xbrl/companyfacts/CIK0000320194.json'] = sent({ ...COMPANY, cik: 320194, facts })
  const large = await markets.company('320194', signal)
  assert.deepEqual([large.state, large.label, compute.stats().completed], ['SNAPSHOT', 'LIVE', 1])
  assert.deepEqual(large.metrics, small.metrics)
  current['/api/xbrl/companyfacts/CIK0000320195.json'] = sent({ ...COMPANY, facts })
  assert.equal((await markets.company('320195', signal)).error!.code, 'IDENTITY_MISMATCH')
})

test('live, then cached with its age, then stale with the times of the old reading, then unreachable', async (t) => {
  const { clock, markets, signal, current } = await moved(t)
  const read = async () => {
    const { state, mode, label, ok, age_seconds, fetched_at, error } = await markets.company('320193', signal)
    return [state, mode, label, ok, age_seconds, fetched_at, error?.code ?? null]
  }
  const first = '2026-01-02T04:00:00.000Z'
  assert.deepEqual(await read(), ['SNAPSHOT', 'live', 'LIVE', true, 0, first, null])
  clock.forward(900)
  assert.deepEqual(await read(), ['CACHED', 'cached', 'SAMPLE', true, 900, first, null])
  clock.forward(1)
  current['/api/xbrl/companyfacts/CIK0000320193.json'] = sent({}, 500)
  assert.deepEqual(await read(), ['STALE', 'cached', 'SAMPLE', false, 901, first, 'UPSTREAM_HTTP_500'])
  clock.forward(7 * 86_400)
  assert.deepEqual(await read(), ['UNAVAILABLE', 'unreachable', 'UNAVAILABLE', false, null, null, 'UPSTREAM_HTTP_500'])
})

test('a source without the row that was asked for is no success', async (t) => {
  const { markets, signal } = await moved(t)
  const { ok, state, label, error, record_date } = await markets.debt(signal)
  assert.deepEqual(
    [ok, state, label, error!.code, record_date],
    [false, 'UNAVAILABLE', 'UNAVAILABLE', 'MISSING_SOURCE_FIELD', null],
  )
})

const endless: Answer = (_, response) => {
  response.writeHead(200, JSON_HEAD)
  const more = () => {
    while (response.write('x'.repeat(65_536)));
  }
  response.on('drain', more)
  more()
}
const dripping: Answer = (_, response) => {
  response.writeHead(200, JSON_HEAD)
  const timer = setInterval(() => response.write(' '), 50)
  response.on('close', () => clearInterval(timer))
}
const HOSTILE: readonly [what: string, code: string, answer: Answer][] = [
  ['a slow drip', 'RESPONSE_DEADLINE', dripping],
  ['a body without an end', 'RESPONSE_TOO_LARGE', endless],
  [
    'a compressed body',
    'ENCODED_RESPONSE_DENIED',
    sent(gzipSync('{}'), 200, { ...JSON_HEAD, 'content-encoding': 'gzip' }),
  ],
  ['a page', 'NON_JSON_RESPONSE', sent('<html>', 200, { 'content-type': 'text/html' })],
  ['NaN', 'NONFINITE_JSON', sent('{"cik":NaN}')],
  ['a key twice', 'DUPLICATE_JSON_KEY', sent('{"cik":1,"cik":2}')],
  ['another company', 'IDENTITY_MISMATCH', sent({ ...COMPANY, cik: '0000320194' })],
  ['a company without a number', 'INVALID_SOURCE_SCHEMA', sent({ ...COMPANY, cik: null })],
  ['a limit', 'UPSTREAM_HTTP_429', sent({}, 429, { ...JSON_HEAD, 'retry-after': '9' })],
  ['a redirect to this machine', 'REDIRECT_DENIED', sent('', 302, { location: 'http://127.0.0.1:1/' })],
  ['a table', 'NON_JSON_RESPONSE', sent(CSV, 200, CSV_HEAD)],
]
for (const [what, code, answer] of HOSTILE)
  test(`a source that answers with ${what} is unreachable: ${code}`, async (t) => {
    const { markets, signal } = await moved(t, { '/api/xbrl/companyfacts/CIK0000320193.json': answer })
    const { ok, mode, label, metrics, error, retry_after_seconds } = await markets.company('320193', signal)
    assert.deepEqual([ok, mode, label, metrics, error!.code], [false, 'unreachable', 'UNAVAILABLE', null, code])
    if (what === 'a limit') assert.equal(retry_after_seconds, 9)
  })

const HOSTILE_TABLES: readonly [what: string, code: string, answer: Answer][] = [
  ['JSON', 'NON_JSON_RESPONSE', sent({})],
  ['another series', 'IDENTITY_MISMATCH', sent(CSV.replace('GDP', 'CPI'), 200, CSV_HEAD)],
  ['three columns', 'INVALID_SOURCE_SCHEMA', sent('DATE,GDP,X\n', 200, CSV_HEAD)],
  ['no number', 'INVALID_SOURCE_NUMBER', sent('DATE,GDP\n2025-01-01,NaN\n', 200, CSV_HEAD)],
  ['invalid UTF-8', 'INVALID_SOURCE_TEXT', sent(Uint8Array.of(0xff, 0xfe), 200, CSV_HEAD)],
  [
    'a compressed table',
    'ENCODED_RESPONSE_DENIED',
    sent(gzipSync(CSV), 200, { ...CSV_HEAD, 'content-encoding': 'gzip' }),
  ],
]
for (const [what, code, answer] of HOSTILE_TABLES)
  test(`a download that answers with ${what} is unreachable: ${code}`, async (t) => {
    const { markets, signal } = await moved(t, { '/graph/fredgraph.csv': answer })
    const { ok, mode, latest, observations, error } = await markets.macro('GDP', signal)
    assert.deepEqual([ok, mode, latest, observations, error!.code], [false, 'unreachable', null, [], code])
  })
