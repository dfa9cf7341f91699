// Signals and quote over candles of a server on this machine that speaks the format of the Coinbase Exchange interface.
import assert from 'node:assert/strict'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { settingsAt } from '#testing/finance/local-providers.ts'
import { startApp } from '#testing/layer.ts'
import { send } from '#testing/raw-http.ts'
import { documentStore, movedClock } from '#testing/readings/reader.ts'
import { openOutbound } from '../../../adapters/outbound/outbound.ts'
import { Compute } from '../../../platform/compute/compute.ts'
import { openObserve } from '../sources/io/observe.ts'
import { financeProviders } from '../sources/io/providers.ts'
import { sourceTable } from '../sources/table.ts'
import { indicatorsOf } from './indicators.ts'
import { computeQuote, computeSignals } from './market-analysis.ts'
import { toText } from './statistics.ts'
import { walkPrices } from './walk.ts'

const A = '/api/orch/v1/finance/analytics/v2'
const DAY = 86_400
const CLOSES = walkPrices('LOCAL')

type Answer = (request: IncomingMessage, response: ServerResponse) => void

/** Rows `[time, low, high, open, close, volume]`, the newest first, as the venue sends them. */
function rowsOf(request: IncomingMessage, closes: readonly string[] = CLOSES): string[] {
  const query = new URL(request.url ?? '', 'http://local').searchParams
  const first = Date.parse(query.get('start')!) / 1000
  return closes.map((close, at) => `[${first + at * DAY},${close},${close},${close},${close},1.5]`).reverse()
}
const reply =
  (rows: (request: IncomingMessage) => string[]): Answer =>
  (request, response) => {
    response.writeHead(200, { 'content-type': 'application/json; charset=utf-8' })
    response.end(`[${rows(request).join(',')}]`)
  }

async function listening(t: TestContext, first: Answer) {
  const state = { answer: first, asked: [] as string[] }
  const server = createServer((request, response) => {
    state.asked.push(request.url ?? '')
    state.answer(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return { state, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

async function venue(t: TestContext, first: Answer) {
  const { state, origin } = await listening(t, first)
  const service = await startApp(t, { ORCH_STORE: 'memory', ORCH_SOURCE_COINBASE_URL: origin }, [])
  return { state, get: (path: string) => send(`${service.url}${A}${path}`) }
}

test('candles of the venue are read live, then from the cache, and computed to the same figures', async (t) => {
  const { state, get } = await venue(
    t,
    reply((request) => rowsOf(request)),
  )
  const live = (await get('/signals/BTC-USD')).json
  assert.deepEqual([live.ok, live.state, live.label], [true, 'COMPUTED', 'MODELED'])
  assert.deepEqual([live.inputs.label, live.inputs.mode, live.inputs.series_len], ['LIVE', 'live', 260])
  assert.match(live.inputs.observation_id, /^[0-9a-f]{64}$/)
  const wanted = indicatorsOf(CLOSES.map(Number))
  assert.equal(live.result.indicators.ema_26, toText(wanted.ema_26))
  assert.equal(live.result.indicators.macd.histogram, toText(wanted.macd.histogram))
  assert.match(live.result.last_close_at, /T00:00:00\.000Z$/)
  const cached = (await get('/quote/BTC-USD')).json
  assert.deepEqual([cached.ok, cached.inputs.label, cached.inputs.mode], [true, 'SAMPLE', 'cached'])
  assert.equal(cached.result.last, String(Number(CLOSES.at(-1))))
  assert.equal(state.asked.length, 1)
  const paired = (await get('/quote/ETH-USD?benchmark=BTC-USD')).json
  assert.deepEqual([paired.inputs.mode, paired.inputs.benchmark.mode], ['live', 'cached'])
  assert.equal(paired.result.beta, '1.000000000000')
})

test('a hundred requests at once make one request of the venue', async (t) => {
  const { state, get } = await venue(
    t,
    reply((request) => rowsOf(request)),
  )
  const replies = await Promise.all(Array.from({ length: 100 }, () => get('/signals/ETH-USD')))
  assert.ok(replies.every(({ status, json }) => status === 200 && json.state === 'COMPUTED'))
  assert.equal(state.asked.length, 1)
})

test('a day that the venue does not have blocks the figures and is named', async (t) => {
  const { get } = await venue(
    t,
    reply((request) => rowsOf(request).toSpliced(1, 1)),
  )
  const { status, json } = await get('/signals/BTC-USD')
  assert.deepEqual([status, json.state, json.result, json.error.code], [200, 'BLOCKED', null, 'INCOMPLETE_HISTORY'])
  assert.equal(json.error.missing_days.length, 1)
})

test('what a hostile venue sends is never LIVE and never computed', async (t) => {
  const plain = (body: string, headers: Record<string, string> = {}): Answer => {
    return (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json', ...headers })
      response.end(body)
    }
  }
  const cases: [Answer, string][] = [
    [plain('<html>', { 'content-type': 'text/html' }), 'NON_JSON_RESPONSE'],
    [plain('[[1,NaN]]'), 'NONFINITE_JSON'],
    [reply((request) => rowsOf(request).toSpliced(0, 1, '[1,2,3]')), 'INVALID_SOURCE_SCHEMA'],
  ]
  for (const [answer, code] of cases) {
    const { get } = await venue(t, answer)
    const { status, json } = await get('/quote/BTC-USD')
    assert.deepEqual(
      [status, json.ok, json.state, json.label, json.result],
      [200, false, 'BLOCKED', 'UNAVAILABLE', null],
    )
    assert.deepEqual([json.inputs.label, json.inputs.mode], ['UNAVAILABLE', 'unreachable'])
    assert.deepEqual([json.error.code, json.error.cause], ['HISTORY_UNAVAILABLE', code])
  }
})

test('a history is live, then cached with its age, then stale and said to be, then unavailable for a new day', async (t) => {
  const { state, origin } = await listening(
    t,
    reply((request) => rowsOf(request)),
  )
  const [clock, compute] = [movedClock(), new Compute({ threads: 1 })]
  t.after(() => compute.close(AbortSignal.abort()))
  const providers = financeProviders(settingsAt(origin))
  const wait = async (ms: number) => clock.forward(ms / 1000)
  const outbound = openOutbound({ enabled: true, privateHosts: [] }, providers, { store: documentStore(), clock, wait })
  const revision = 'a'.repeat(40)
  const needs = { outbound, clock, providers, revision, alpacaFeed: 'iex', compute }
  const { observe } = openObserve(sourceTable('iex'), needs)
  const observed = async () => {
    const request = { symbol: 'BTC-USD', origin: 'coinbase' as const, now: clock.now(), revision }
    const { signal } = new AbortController()
    const replies = [await computeSignals(observe, request, signal), await computeQuote(observe, request, signal)]
    const [signals, quote] = replies.map(({ ok, state, label, inputs, result, error }) => [
      ...[ok, state, label, inputs.mode, inputs.label, inputs.age_seconds, result === null],
      ...[error?.code ?? null, error?.cause ?? null],
    ])
    return { signals, quote }
  }
  const cached = (age: number) => [true, 'COMPUTED', 'MODELED', 'cached', 'SAMPLE', age, false, null, null]
  const live = [true, 'COMPUTED', 'MODELED', 'live', 'LIVE', 0, false, null, null]
  assert.deepEqual(await observed(), { signals: live, quote: cached(0) })
  clock.forward(300)
  assert.deepEqual(await observed(), { signals: cached(300), quote: cached(300) })
  state.answer = (_, response) => response.writeHead(500).end()
  clock.forward(1)
  const stale = (age: number, cause: string) => [
    ...[false, 'COMPUTED', 'MODELED', 'cached', 'SAMPLE', age, false, 'HISTORY_STALE', cause],
  ]
  assert.deepEqual(await observed(), {
    signals: stale(301, 'UPSTREAM_HTTP_500'),
    quote: stale(301, 'PROVIDER_COOLDOWN'),
  })
  clock.forward(DAY)
  const gone = (cause: string) => [
    ...[false, 'BLOCKED', 'UNAVAILABLE', 'unreachable', 'UNAVAILABLE', null, true, 'HISTORY_UNAVAILABLE', cause],
  ]
  assert.deepEqual(await observed(), { signals: gone('UPSTREAM_HTTP_500'), quote: gone('PROVIDER_COOLDOWN') })
})
