// The reading operations of finance over HTTP: with local providers, with none, and with the outside switched off.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { environmentAt, KEYS, localProviders, NEEDED } from '#testing/finance/local-providers.ts'
import { startApp } from '#testing/layer.ts'
import { send } from '#testing/raw-http.ts'
import { SOURCE_IDS } from '../../domain/observation.ts'

const P = '/api/orch/v1/finance'
const FLAGS = {
  ...{ execution_enabled: false, trading_enabled: false, advisory_only: true, not_financial_advice: true },
}
const local = await localProviders()
after(() => local.close())
const connected = await startApp({ after }, { ORCH_STORE: 'memory', ...environmentAt(local.origin) }, [])
const alone = await startApp({ after }, { ORCH_STORE: 'memory', ORCH_OUTBOUND: 'off' }, [])

const query = (source: string, more: Record<string, string> = {}) =>
  new URLSearchParams({ ...NEEDED[source as keyof typeof NEEDED], ...more }).toString()
const flagsOf = (body: Record<string, unknown>) =>
  Object.fromEntries(Object.keys(FLAGS).map((name) => [name, body[name]]))

test('without the outside every source is 200, unreachable, null and has a reason', async () => {
  for (const source of SOURCE_IDS) {
    const { status, json: body } = await send(`${alone.url}${P}/observations/${source}?${query(source)}`)
    assert.equal(status, 200, source)
    assert.deepEqual([body.ok, body.mode, body.label, body.data], [false, 'unreachable', 'UNAVAILABLE', null])
    assert.equal(body.error.code, 'TRANSPORT_DISABLED')
    assert.deepEqual(flagsOf(body), FLAGS)
  }
  const { status, json: overview } = await send(`${alone.url}${P}/overview`)
  assert.deepEqual([status, overview.ok, overview.state, overview.mode], [200, false, 'UNAVAILABLE', 'unreachable'])
  assert.deepEqual([overview.sources_requested, overview.sources_available, overview.sources_live], [4, 0, 0])
  assert.equal(overview.failed.length, 4)
})

test('an unknown source is 404 whatever its query, also for HEAD', async () => {
  for (const source of [
    'nothing',
    'COINBASE-TICKER',
    'constructor',
    '__proto__',
    'coinbase-ticker%20',
    'x'.repeat(300),
  ]) {
    const { status, json: body } = await send(`${alone.url}${P}/observations/${source}?rank=1`)
    assert.deepEqual([status, body.error?.code], [404, 'unknown_source'], source)
    assert.equal((await send(`${alone.url}${P}/observations/${source}`, { method: 'HEAD' })).status, 404)
  }
  const near = await send(`${alone.url}${P}/observations/coinbase-tickr`)
  assert.match(near.json.error.message, /did you mean coinbase-ticker/)
})

test('parameters that are unknown, repeated, of another source or out of bounds are 422 with their name', async () => {
  const misfits: [path: string, name: string][] = [
    ['coinbase-ticker?rank=1', 'rank'],
    ['coinbase-ticker?product=BTC-USD&product=ETH-USD', 'product'],
    ['coinbase-ticker?limit=1', 'limit'],
    ['coinbase-ticker?product=btc', 'product'],
    ['coinbase-ticker?fresh=yes', 'fresh'],
    ['coinbase-products?limit=1', 'limit'],
    ['polymarket-book', 'token_id'],
    ['polymarket-markets?limit=0', 'limit'],
    ['polymarket-markets?limit=101', 'limit'],
    ['sec-companyfacts?cik=12345678901', 'cik'],
    ['fred-series?as_of=2026-02-30', 'as_of'],
  ]
  for (const [path, name] of misfits) {
    const { status, json: body } = await send(`${alone.url}${P}/observations/${path}`)
    assert.deepEqual([status, body.detail?.[0]?.loc], [422, ['query', name]], path)
  }
  for (const path of ['providers', 'overview', 'contract'])
    assert.equal((await send(`${alone.url}${P}/${path}?x=1`)).status, 422, path)
})

test('a reading is live once, then cached with its age, and live again where it is asked for afresh', async () => {
  const at = `${connected.url}${P}/observations/treasury-debt`
  const modes = [await send(at), await send(at), await send(`${at}?fresh=1`)].map(({ json }) => [json.mode, json.label])
  assert.deepEqual(modes, [
    ['live', 'LIVE'],
    ['cached', 'SAMPLE'],
    ['live', 'LIVE'],
  ])
})

test('the providers are listed without asking anybody, and no value of a setting is shown', async () => {
  const asked = local.seen.length
  const { status, json: body, text } = await send(`${connected.url}${P}/providers`)
  assert.deepEqual([status, body.sources.length, local.seen.length], [200, 16, asked])
  assert.deepEqual(flagsOf(body), FLAGS)
  for (const secret of [...Object.values(KEYS), 'planted.example']) assert.ok(!text.includes(secret))
  const row = (id: string) => body.sources.find((source: { id: string }) => source.id === id)
  assert.deepEqual(row('bls-series').budget, { limit: 20, used: 0 })
  assert.deepEqual(row('fred-series').required_environment, ['ORCH_FRED_API_KEY'])
  assert.deepEqual([row('fred-series').configuration, row('fred-series').upstream_overridden], ['PRESENT', true])
  assert.deepEqual([row('kalshi-book').observed_connection, row('kalshi-book').last_attempt], ['NOT_PROBED', null])
  await send(`${connected.url}${P}/observations/bls-series`)
  const later = (await send(`${connected.url}${P}/providers`)).json.sources
  const bls = later.find((source: { id: string }) => source.id === 'bls-series')
  assert.deepEqual([bls.budget.used, bls.observed_connection, bls.last_attempt.ok], [1, 'SNAPSHOT', true])
  const bare = (await send(`${alone.url}${P}/providers`)).json.sources
  const missing = bare.filter(({ configuration }: { configuration: string }) => configuration === 'MISSING')
  assert.deepEqual(
    missing.map(({ id }: { id: string }) => id),
    ['sec-submissions', 'sec-companyfacts', 'fred-series', 'alpaca-quote', 'alpaca-bars'],
  )
})

test('the overview is whole only where all four are, and one that fails is never success of the whole', async () => {
  const whole = (await send(`${connected.url}${P}/overview`)).json
  assert.deepEqual([whole.ok, whole.state, whole.sources_available], [true, 'SNAPSHOTS_AVAILABLE', 4])
  assert.deepEqual(Object.keys(whole.data).length, 4)
  assert.equal(whole.event_equivalence, 'NOT_ESTABLISHED')
  const fresh = await startApp(
    { after },
    { ORCH_STORE: 'memory', ...environmentAt(local.origin), ORCH_SOURCE_KALSHI_URL: 'http://127.0.0.1:9' },
    [],
  )
  const part = (await send(`${fresh.url}${P}/overview`)).json
  assert.deepEqual([part.ok, part.state, part.mode, part.label], [false, 'DEGRADED', 'unreachable', 'UNAVAILABLE'])
  assert.deepEqual([part.sources_available, part.sources_live], [3, 3])
  assert.deepEqual(part.failed, [{ source: 'kalshi-markets', code: 'TRANSPORT_UNAVAILABLE' }])
})

test('the contract lists the operations that are served and the bounds that are kept', async () => {
  const { json: body } = await send(`${alone.url}${P}/contract`)
  const { json: openapi } = await send(`${alone.url}/openapi.json`)
  for (const { method, path } of body.operations)
    assert.ok(openapi.paths[path]?.[method.toLowerCase()], `${method} ${path}`)
  const served = Object.keys(openapi.paths).filter((path) => /^\/api\/orch\/v1\/(?:finance|markets)\//.test(path))
  assert.deepEqual(new Set(body.operations.map(({ path }: { path: string }) => path)), new Set(served))
  assert.equal(body.sources.length, 16)
  const { query_schema } = body.sources.find(({ id }: { id: string }) => id === 'kalshi-markets')
  assert.deepEqual([query_schema.properties.limit.minimum, query_schema.properties.limit.maximum], [1, 100])
  assert.deepEqual(body.states, ['SNAPSHOT', 'CACHED', 'STALE', 'UNAVAILABLE'])
  assert.match(body.source_revision, /^(?:[0-9a-f]{40}|UNBOUND)$/)
  const bls = body.limits.providers.find(({ id }: { id: string }) => id === 'BLS')
  assert.deepEqual([bls.min_interval_ms, bls.reads_per_day], [2000, 20])
  assert.deepEqual(flagsOf(body), FLAGS)
})

test('no GET of these appends a receipt', async () => {
  const size = async () => connected.app.ports.ledger.state().size
  const before = await size()
  for (const path of ['observations/coinbase-ticker', 'providers', 'overview', 'contract'])
    await send(`${connected.url}${P}/${path}`)
  assert.equal(await size(), before)
})
