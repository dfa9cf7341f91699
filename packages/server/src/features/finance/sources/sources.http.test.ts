// The sixteen sources against a server on this machine that answers in the format of each of them, and its hostile twin.
import assert from 'node:assert/strict'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type TestContext, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { canonicalBytes, sha256Hex } from '@orch/core'
import { KEYS, localProviders, NEEDED, realAnswer, settingsAt, TOKEN } from '#testing/finance/local-providers.ts'
import { documentStore, movedClock } from '#testing/readings/reader.ts'
import { openOutbound } from '../../../adapters/outbound/outbound.ts'
import { Observation, SOURCE_IDS, type SourceId } from '../../../domain/observation.ts'
import { ServiceError } from '../../../errors.ts'
import { Compute } from '../../../platform/compute/compute.ts'
import { read } from '../../../platform/shape.ts'
import { FAILURE_CODES } from './failure-codes.ts'
import { openObserve } from './io/observe.ts'
import { financeProviders } from './io/providers.ts'
import { sourceTable } from './table.ts'

/** For those who never come to an end: everybody else has the limits of the service, also on a busy machine. */
const SHORT = { connectMs: 2000, firstByteMs: 300, wholeMs: 500 }

/** A clock that moves by what is waited for. */
async function setUp(t: TestContext, more: Partial<ReturnType<typeof settingsAt>> = {}, times?: typeof SHORT) {
  const [local, clock, store] = [await localProviders(), movedClock(), documentStore()]
  t.after(() => local.close())
  const providers = financeProviders({ ...settingsAt(local.origin), ...more })
  const wait = async (ms: number) => clock.forward(ms / 1000)
  const open = (enabled = true) => {
    const limits = times === undefined ? {} : { times }
    const outbound = openOutbound({ enabled, privateHosts: [] }, providers, { store, clock, wait, ...limits })
    const compute = new Compute({ threads: 1 })
    t.after(() => compute.close(AbortSignal.abort()))
    const revision = 'a'.repeat(40)
    const opened = openObserve(sourceTable('iex'), { outbound, clock, providers, revision, alpacaFeed: 'iex', compute })
    return { ...opened, compute }
  }
  const { observe, lastAttempt, compute } = open()
  const ask = async (source: SourceId, parameters = {}, options: { fresh?: boolean } = {}) => {
    const found = await observe(
      source,
      { ...NEEDED[source], ...parameters },
      { signal: new AbortController().signal, ...options },
    )
    assert.ok(read(Observation, found).ok, JSON.stringify(found))
    return found
  }
  return { local, clock, store, open, ask, observe, lastAttempt, compute }
}
type Setting = Awaited<ReturnType<typeof setUp>>
const state = ({ state, mode, label, ok }: Awaited<ReturnType<Setting['ask']>>) => [state, mode, label, ok]
const LIVE = ['SNAPSHOT', 'live', 'LIVE', true]
const CACHED = ['CACHED', 'cached', 'SAMPLE', true]
const STALE = ['STALE', 'cached', 'SAMPLE', false]
const UNREACHABLE = ['UNAVAILABLE', 'unreachable', 'UNAVAILABLE', false]

for (const source of SOURCE_IDS) {
  const { ttlSeconds } = sourceTable('iex').get(source)!
  test(`${source}: live, then cached with its age, then stale, then unreachable after seven days`, async (t) => {
    const { ask, clock, local } = await setUp(t)
    const fixed = source === 'coinbase-candles' || source === 'alpaca-bars' ? { end: '2026-01-01' } : {}
    const first = await ask(source, fixed)
    assert.deepEqual(state(first), LIVE, JSON.stringify(first.error))
    assert.deepEqual([first.age_seconds, first.cache_ttl_seconds, first.fetched_at], [0, ttlSeconds, first.served_at])
    clock.forward(ttlSeconds - 1)
    const second = await ask(source, fixed)
    assert.deepEqual(state(second), CACHED)
    assert.deepEqual([second.age_seconds, second.fetched_at], [ttlSeconds - 1, first.fetched_at])
    assert.deepEqual(second.data, first.data)
    assert.deepEqual(second.provenance, first.provenance)
    clock.forward(1)
    assert.deepEqual(state(await ask(source, fixed)), CACHED, 'through its last second')
    assert.equal(local.seen.length, 1)
    clock.forward(1)
    local.answer = (_, response) => response.writeHead(500).end()
    const stale = await ask(source, fixed)
    assert.deepEqual(state(stale), STALE)
    assert.deepEqual(stale.error, { code: 'UPSTREAM_HTTP_500', retryable: true })
    assert.deepEqual([stale.data, stale.fetched_at, stale.retry_after_seconds], [first.data, first.fetched_at, 15])
    // A day of FRED's vintage is another reading: by then it was never read.
    clock.forward(7 * 86_400)
    const gone = await ask(source, fixed)
    assert.deepEqual(state(gone), UNREACHABLE)
    assert.deepEqual([gone.data, gone.provenance, gone.fetched_at, gone.age_seconds], [null, null, null, null])
  })

  test(`${source}: where it comes from, digests that anybody recomputes, and no key`, async (t) => {
    const { ask, local, store } = await setUp(t)
    const found = await ask(source)
    const { observation_id, ...rest } = found.provenance!
    assert.equal(observation_id, sha256Hex(canonicalBytes(rest)))
    assert.equal(rest.normalized_data_sha256, sha256Hex(canonicalBytes(found.data!)))
    const url = new URL(local.seen[0]!.path, local.origin)
    const bytes = Buffer.from(realAnswer(url)!)
    assert.deepEqual([rest.source_bytes_sha256, rest.source_bytes], [sha256Hex(bytes), bytes.length])
    assert.deepEqual([rest.upstream_origin, rest.upstream_overridden, rest.path], [local.origin, true, url.pathname])
    url.searchParams.delete('api_key')
    assert.deepEqual(rest.query, Object.fromEntries(url.searchParams))
    const again = await ask(source, {}, { fresh: true })
    const { observation_id: other, fetched_at, ...same } = again.provenance!
    assert.deepEqual({ ...same, fetched_at: rest.fetched_at }, rest)
    assert.equal(other === observation_id, fetched_at === rest.fetched_at)
    const said = JSON.stringify([found, ...store.rows.values()])
    for (const secret of [KEYS.fred, KEYS.alpacaSecret, KEYS.alpacaId]) assert.ok(!said.includes(secret))
  })

  test(`${source}: a hundred calls on a cold key are one request, and all of them are live`, async (t) => {
    const { ask, local } = await setUp(t)
    const found = await Promise.all(Array.from({ length: 100 }, () => ask(source)))
    assert.equal(local.seen.length, 1)
    for (const one of found) assert.deepEqual(state(one), LIVE)
  })

  test(`${source}: with the switch off nothing is sent and nothing is invented`, async (t) => {
    const { open, local } = await setUp(t)
    const found = await open(false).observe(source, NEEDED[source] ?? {}, { signal: new AbortController().signal })
    assert.deepEqual([...state(found), found.error], [...UNREACHABLE, { code: 'TRANSPORT_DISABLED', retryable: false }])
    assert.equal(local.seen.length, 0)
  })
}

type Reply = (request: IncomingMessage, response: ServerResponse) => void
const JSON_HEAD = { 'content-type': 'application/json' }
const body =
  (text: string | Uint8Array, headers: Record<string, string> = {}): Reply =>
  (_, response) =>
    response.writeHead(200, { ...JSON_HEAD, ...headers }).end(text)
const redirect =
  (location: string): Reply =>
  (_, response) =>
    response.writeHead(302, { location }).end()
const drip: Reply = (_, response) => {
  response.writeHead(200, JSON_HEAD)
  const timer = setInterval(() => response.write(' '), 20)
  response.on('close', () => clearInterval(timer))
}
const endless: Reply = (_, response) => {
  response.writeHead(200, JSON_HEAD)
  const part = Buffer.alloc(2 ** 20, 0x20)
  const push = () => {
    while (!response.destroyed && response.write(part));
    if (!response.destroyed) response.once('drain', push)
  }
  push()
}
const silence: Reply = () => undefined
const ENDLESS: readonly Reply[] = [drip, silence, endless]
const HOSTILE: readonly (readonly [what: string, code: string | RegExp, answer: Reply])[] = [
  ['a slow drip', 'RESPONSE_DEADLINE', drip],
  ['silence', 'RESPONSE_DEADLINE', silence],
  ['an endless body', /^RESPONSE_(?:TOO_LARGE|DEADLINE)$/, endless],
  ['a declared length over all bounds', 'RESPONSE_TOO_LARGE', body('{}', { 'content-length': String(5 * 2 ** 30) })],
  [
    'a compressed body',
    'ENCODED_RESPONSE_DENIED',
    body(gzipSync(Buffer.alloc(2 ** 20)), { 'content-encoding': 'gzip' }),
  ],
  ['a page', 'NON_JSON_RESPONSE', body('<html>', { 'content-type': 'text/html' })],
  ['NaN', 'NONFINITE_JSON', body('{"a":NaN}')],
  ['1e400', 'NONFINITE_JSON', body('{"a":1e400}')],
  ['a key twice', 'DUPLICATE_JSON_KEY', body('{"a":1,"a":2}')],
  ['cut JSON', 'INVALID_JSON', body('{"a":')],
  ['invalid UTF-8', 'INVALID_JSON', body(Uint8Array.of(0x22, 0xff, 0x22))],
  ['a number alone', /^INVALID_SOURCE_(?:SCHEMA|COLLECTION)$/, body('7')],
  ['null', /^INVALID_SOURCE_(?:SCHEMA|COLLECTION)$/, body('null')],
  ['an empty object', /^(?:MISSING_SOURCE_FIELD|INVALID_SOURCE_COLLECTION)$/, body('{}')],
  ['a list of null', /^INVALID_SOURCE_(?:SCHEMA|COLLECTION)$/, body('[null]')],
  ['its own complaint', /^(?:MISSING_SOURCE_FIELD|INVALID_SOURCE_COLLECTION)$/, body('{"message":"nope"}')],
  ['429 with a time', 'UPSTREAM_HTTP_429', (_, response) => response.writeHead(429, { 'retry-after': '77' }).end()],
  ['429 without one', 'UPSTREAM_HTTP_429', (_, response) => response.writeHead(429).end()],
  ['404', 'UPSTREAM_HTTP_404', (_, response) => response.writeHead(404, JSON_HEAD).end('{}')],
  ['a redirect to this machine', 'REDIRECT_DENIED', redirect('http://127.0.0.1:9/')],
  ['a redirect to a private network', 'REDIRECT_DENIED', redirect('http://169.254.169.254/latest')],
  ['a redirect to another host', 'REDIRECT_DENIED', redirect('https://elsewhere.example/')],
  ['a closed connection', 'TRANSPORT_UNAVAILABLE', (request) => request.socket.destroy()],
]
const isListed = (code: string) =>
  (FAILURE_CODES as readonly string[]).includes(code.replace(/^UPSTREAM_HTTP_\d{3}$/, 'UPSTREAM_HTTP_<nnn>'))

for (const [what, code, answer] of HOSTILE)
  test(`no source makes a reading of ${what}`, async (t) => {
    const { open, local } = await setUp(t, {}, ENDLESS.includes(answer) ? SHORT : undefined)
    local.answer = answer
    // Each on its own, so that no failure of one keeps another from being asked.
    const asked = SOURCE_IDS.map((source) =>
      open().observe(source, NEEDED[source] ?? {}, { signal: new AbortController().signal }),
    )
    for (const found of await Promise.all(asked)) {
      const { source } = found
      assert.deepEqual(state(found), UNREACHABLE, source)
      assert.match(found.error!.code, typeof code === 'string' ? new RegExp(`^${code}$`) : code, source)
      assert.ok(isListed(found.error!.code))
      assert.equal(found.data, null)
      if (what.startsWith('429')) assert.equal(found.retry_after_seconds, what.endsWith('time') ? 77 : 15, source)
    }
  })

/** One text of the real reply replaced by another. */
const CHANGED: readonly (readonly [SourceId, what: string, from: string | RegExp, to: string, code: string])[] = [
  ['polymarket-book', 'another token', /"asset_id":"\d+"/, '"asset_id":"22"', 'IDENTITY_MISMATCH'],
  ['polymarket-book', 'a price above 1', '"0.99"', '"1.01"', 'INVALID_SOURCE_NUMBER'],
  ['polymarket-book', 'a size below 0', '"30.5"', '"-30.5"', 'INVALID_SOURCE_NUMBER'],
  ['polymarket-book', 'a price that is none', '"0.99"', '"."', 'INVALID_SOURCE_NUMBER'],
  ['polymarket-book', 'no asks', '"asks"', '"offers"', 'MISSING_SOURCE_FIELD'],
  ['polymarket-book', 'a time that is none', '1767326400123', 'now', 'INVALID_SOURCE_TIMESTAMP'],
  [
    'polymarket-markets',
    'fewer prices than outcomes',
    '\\"0.585\\"]',
    '\\"0.585\\", \\"1\\"]',
    'INVALID_SOURCE_COLLECTION',
  ],
  ['polymarket-markets', 'a day that is none', '2026-12-31T', '2026-02-30T', 'INVALID_SOURCE_TIMESTAMP'],
  ['polymarket-markets', 'a token that is a path', '\\"22\\"', '\\"../\\"', 'INVALID_SOURCE_IDENTIFIER'],
  ['polymarket-markets', 'a bid below 0', '"bestBid":0.41', '"bestBid":-3', 'INVALID_SOURCE_NUMBER'],
  ['polymarket-markets', 'an ask above 1', '"bestAsk":0.42', '"bestAsk":9', 'INVALID_SOURCE_NUMBER'],
  [
    'polymarket-markets',
    'a last trade above 1',
    '"lastTradePrice":0.415',
    '"lastTradePrice":5',
    'INVALID_SOURCE_NUMBER',
  ],
  ['polymarket-markets', 'liquidity below 0', '"1234.50"', '"-1"', 'INVALID_SOURCE_NUMBER'],
  ['polymarket-markets', 'a volume below 0', '"99.1"', '"-99.1"', 'INVALID_SOURCE_NUMBER'],
  ['polymarket-history', 'a negative price', '"p":0.4', '"p":-0.4', 'INVALID_SOURCE_NUMBER'],
  ['polymarket-history', 'half a second', '1767322800', '1767322800.5', 'INVALID_SOURCE_TIMESTAMP'],
  ['kalshi-markets', 'a bid of 101 cents', '"yes_bid":41', '"yes_bid":101', 'INVALID_SOURCE_NUMBER'],
  ['kalshi-markets', 'a volume below 0', '"volume":1200', '"volume":-5', 'INVALID_SOURCE_NUMBER'],
  ['kalshi-markets', 'an open interest below 0', '"open_interest":300', '"open_interest":-1', 'INVALID_SOURCE_NUMBER'],
  ['kalshi-markets', 'a ticker that would run', '"KXRAIN-26JAN00"', '"<script>"', 'INVALID_SOURCE_IDENTIFIER'],
  ['kalshi-book', 'a level that is no pair', '[1,200]', '{}', 'INVALID_SOURCE_COLLECTION'],
  ['kalshi-book', 'one side only', '"no"', '"maybe"', 'MISSING_SOURCE_FIELD'],
  ['coinbase-products', 'a product twice', '"id":"ETH-USD"', '"id":"BTC-USD"', 'INVALID_SOURCE_COLLECTION'],
  ['coinbase-ticker', 'another product', '"ask"', '"product_id":"ETH-USD","ask"', 'IDENTITY_MISMATCH'],
  ['coinbase-ticker', 'a price of zero', '"price":"67901.25"', '"price":"0"', 'INVALID_SOURCE_NUMBER'],
  ['coinbase-ticker', 'a volume below 0', '"8123.50000000"', '"-5"', 'INVALID_SOURCE_NUMBER'],
  ['coinbase-ticker', 'a size below 0', '"0.00120000"', '"-1"', 'INVALID_SOURCE_NUMBER'],
  ['coinbase-ticker', 'no time', '"time"', '"when"', 'MISSING_SOURCE_FIELD'],
  ['coinbase-candles', 'a low above the open', ',99.5,', ',100.5,', 'INVALID_SOURCE_NUMBER'],
  ['coinbase-candles', 'a high below the close', ',101.25,', ',100.1,', 'INVALID_SOURCE_NUMBER'],
  ['coinbase-candles', 'a low of zero', ',99.5,', ',0,', 'INVALID_SOURCE_NUMBER'],
  ['coinbase-candles', 'a time between two intervals', /\[(\d+),99/, '[1767322801,99', 'INVALID_SOURCE_TIMESTAMP'],
  ['coinbase-candles', 'an interval twice', /^\[(\[[^\]]+\])/, '[$1,$1', 'INVALID_SOURCE_TIMESTAMP'],
  ['coinbase-candles', 'a volume below zero', ',12.5]', ',-12.5]', 'INVALID_SOURCE_NUMBER'],
  ['coinbase-candles', 'a figure too few', ',12.5]', ']', 'INVALID_SOURCE_SCHEMA'],
  ['sec-submissions', 'another company', '"0000320193"', '"0000320194"', 'IDENTITY_MISMATCH'],
  ['sec-submissions', 'columns of two lengths', '["34","34"]', '["34"]', 'INVALID_SOURCE_COLLECTION'],
  ['sec-submissions', 'an accession that is none', '0000320193-25-000079', '79', 'INVALID_SOURCE_IDENTIFIER'],
  ['sec-companyfacts', 'another company', '"cik":320193', '"cik":320194', 'IDENTITY_MISMATCH'],
  ['sec-companyfacts', 'a value too great', '391035000000', '1e31', 'INVALID_SOURCE_NUMBER'],
  ['sec-companyfacts', 'a day that is none', '2024-09-28', '2024-09-31', 'INVALID_SOURCE_TIMESTAMP'],
  ['treasury-rates', 'a rate that is words', '"3.970"', '"about 4"', 'INVALID_SOURCE_NUMBER'],
  ['treasury-debt', 'no day', '"record_date"', '"date"', 'MISSING_SOURCE_FIELD'],
  ['bls-series', 'a request that failed', 'REQUEST_SUCCEEDED', 'REQUEST_NOT_PROCESSED', 'INVALID_SOURCE_SCHEMA'],
  ['bls-series', 'another series', '"CUUR0000SA0"', '"CUUR0000SA1"', 'IDENTITY_MISMATCH'],
  ['bls-series', 'a period that is none', '"M10"', '"October"', 'INVALID_SOURCE_IDENTIFIER'],
  [
    'fred-series',
    'another vintage',
    /"realtime_start":"2026[^"]+"/,
    '"realtime_start":"2020-01-01"',
    'IDENTITY_MISMATCH',
  ],
  ['fred-series', 'a day twice', '2025-07-01', '2025-10-01', 'INVALID_SOURCE_COLLECTION'],
  ['fred-series', 'a value that is words', '"31095.089"', '"1,000"', 'INVALID_SOURCE_NUMBER'],
  ['alpaca-quote', 'another symbol', '"symbol":"SPY"', '"symbol":"QQQ"', 'IDENTITY_MISMATCH'],
  ['alpaca-quote', 'a bid below zero', '"bp":601.1', '"bp":-601.1', 'INVALID_SOURCE_NUMBER'],
  ['alpaca-quote', 'a size below zero', '"as":2', '"as":-2', 'INVALID_SOURCE_NUMBER'],
  ['alpaca-bars', 'trades below zero', '"n":1727', '"n":-4', 'INVALID_SOURCE_NUMBER'],
  ['alpaca-bars', 'another symbol', '"symbol":"SPY"', '"symbol":"QQQ"', 'IDENTITY_MISMATCH'],
  ['alpaca-bars', 'a bar twice', '2025-12-30T05', '2025-12-31T05', 'INVALID_SOURCE_TIMESTAMP'],
  ['alpaca-bars', 'a close above the high', '"c":601,', '"c":603,', 'INVALID_SOURCE_NUMBER'],
]
for (const [source, what, from, to, code] of CHANGED)
  test(`${source} with ${what} is ${code}`, async (t) => {
    const { ask, local } = await setUp(t)
    local.answer = (request, response) => {
      const real = realAnswer(new URL(request.url ?? '', 'http://local'))!
      const changed = real.replace(from, to)
      assert.notEqual(changed, real, 'the change found its place')
      response.writeHead(200, JSON_HEAD).end(changed)
    }
    const found = await ask(source)
    assert.deepEqual([...state(found), found.error?.code], [...UNREACHABLE, code])
  })

test('a credential that is missing or cannot be right is named, and nobody is asked', async (t) => {
  const cases: [SourceId, Partial<ReturnType<typeof settingsAt>>, string][] = [
    ['sec-submissions', { secUserAgent: null }, 'NEEDS_SEC_USER_AGENT'],
    ['sec-companyfacts', { secUserAgent: 'orch without contact' }, 'NEEDS_SEC_USER_AGENT'],
    ['fred-series', { fredApiKey: null }, 'NEEDS_FRED_KEY'],
    ['fred-series', { fredApiKey: 'f'.repeat(31) }, 'NEEDS_FRED_KEY'],
    ['fred-series', { fredApiKey: 'F'.repeat(32) }, 'NEEDS_FRED_KEY'],
    ['alpaca-quote', { alpacaKeyId: null }, 'NEEDS_ALPACA_CREDENTIALS'],
    ['alpaca-bars', { alpacaSecret: null }, 'NEEDS_ALPACA_CREDENTIALS'],
  ]
  for (const [source, settings, code] of cases) {
    const { ask, local, lastAttempt } = await setUp(t, settings)
    const found = await ask(source)
    assert.deepEqual([found.state, found.error], ['UNAVAILABLE', { code, retryable: false }])
    assert.deepEqual([local.seen.length, lastAttempt(source)], [0, null])
  }
})

test('each provider gets its own credential and no other', async (t) => {
  const { ask, local } = await setUp(t)
  for (const source of SOURCE_IDS) await ask(source)
  for (const { path, headers } of local.seen) {
    const isAlpaca = path.startsWith('/v2/stocks/')
    assert.equal(headers['apca-api-secret-key'], isAlpaca ? KEYS.alpacaSecret : undefined, path)
    assert.equal(path.includes(KEYS.fred), path.startsWith('/fred/'), path)
    const isSec = /^\/(?:submissions|api\/xbrl)\//.test(path)
    assert.match(String(headers['user-agent']), isSec ? /^orch ops@planted\.example$/ : /^orch\/\d/, path)
    assert.equal(headers.cookie, undefined)
  }
})

test('the newest attempt is remembered, and what was not sent is none', async (t) => {
  const { ask, local, lastAttempt, clock } = await setUp(t)
  assert.equal(lastAttempt('coinbase-ticker'), null)
  const { served_at: at } = await ask('coinbase-ticker')
  assert.deepEqual(lastAttempt('coinbase-ticker'), { state: 'SNAPSHOT', ok: true, at, error: null })
  clock.forward(5)
  await ask('coinbase-ticker')
  assert.equal(lastAttempt('coinbase-ticker')!.at, at, 'a cached reading is no attempt')
  clock.forward(6)
  local.answer = (_, response) => response.writeHead(503).end()
  const failed = await ask('coinbase-ticker')
  const end = { state: 'STALE', ok: false, at: failed.served_at, error: 'UPSTREAM_HTTP_503' }
  assert.deepEqual(lastAttempt('coinbase-ticker'), end)
  clock.forward(1)
  const cooling = await ask('coinbase-ticker', {}, { fresh: true })
  assert.deepEqual([cooling.state, cooling.error?.code], ['STALE', 'PROVIDER_COOLDOWN'])
  assert.deepEqual(lastAttempt('coinbase-ticker'), end, 'a cooldown is no attempt')
})

test('the readings survive a restart', async (t) => {
  const { ask, open, local, clock } = await setUp(t)
  const first = await ask('treasury-debt')
  clock.forward(30)
  const { observe } = open()
  const again = await observe('treasury-debt', {}, { signal: new AbortController().signal })
  assert.deepEqual([again.state, again.age_seconds, again.data], ['CACHED', 30, first.data])
  assert.equal(local.seen.length, 1)
})

test('what two limits have in common is asked for once where the other side is not told the limit', async (t) => {
  const { ask, local } = await setUp(t)
  const all = await ask('sec-submissions', { limit: '100' })
  const one = await ask('sec-submissions', { limit: '1', cik: '0000320193' })
  assert.deepEqual([(all.data as { count: number }).count, (one.data as { count: number }).count], [2, 1])
  assert.deepEqual([one.state, local.seen.length], ['CACHED', 1])
  assert.notEqual(one.provenance!.normalized_data_sha256, all.provenance!.normalized_data_sha256)
})

/** The real reply among concepts that nobody reads. */
const largeFacts = (url: URL, change: (text: string) => string = (text) => text): string => {
  const real = JSON.parse(realAnswer(url)!)
  const row = { end: '2024-09-28', val: 1, accn: '0000320193-24-000123', fy: 2024, form: '10-K', filed: '2024-11-01' }
  real.facts['us-gaap'].Other = { label: 'x'.repeat(2 ** 19), units: { USD: [row] } }
  return change(JSON.stringify(real))
}

test('a large reply is read in a thread, to the same data as a small one', async (t) => {
  const { ask, local, compute } = await setUp(t)
  const small = await ask('sec-companyfacts')
  assert.equal(compute.stats().completed, 0)
  local.answer = (request, response) =>
    response.writeHead(200, JSON_HEAD).end(largeFacts(new URL(request.url ?? '', 'http://local')))
  const large = await ask('sec-companyfacts', {}, { fresh: true })
  assert.deepEqual(state(large), LIVE)
  assert.deepEqual(large.data, small.data)
  assert.notEqual(large.provenance!.source_bytes_sha256, small.provenance!.source_bytes_sha256)
  assert.equal(compute.stats().completed, 1)
})

test('a large reply that is not what it claims keeps its code', async (t) => {
  const { ask, local } = await setUp(t)
  for (const [from, to, code] of [
    ['"cik":320193', '"cik":320194', 'IDENTITY_MISMATCH'],
    ['"val":1,', '"val":1,"val":2,', 'DUPLICATE_JSON_KEY'],
    ['"val":1,', '"val":1e400,', 'NONFINITE_JSON'],
  ] as const) {
    local.answer = (request, response) => {
      const text = largeFacts(new URL(request.url ?? '', 'http://local'), (one) => one.replace(from, to))
      response.writeHead(200, JSON_HEAD).end(text)
    }
    const found = await ask('sec-companyfacts', {}, { fresh: true })
    assert.deepEqual([...state(found), found.error?.code], [...UNREACHABLE, code])
  }
})

test('BLS is asked twenty times a day of UTC; then the seconds to midnight are named and nobody is asked', async (t) => {
  const { ask, local, clock, store } = await setUp(t)
  let used = 0
  const writeDocuments = store.writeDocuments
  store.writeDocuments = async (writes, moves = []) => {
    for (const { add, limit } of moves) {
      if (used + add > limit!) throw new ServiceError('quota_exceeded', 'spent')
      used += add
    }
    await writeDocuments(writes)
  }
  for (let at = 0; at < 20; at++) {
    assert.deepEqual(state(await ask('bls-series', { series_id: `SERIES${at}` })), LIVE, `${at}`)
    clock.forward(2)
  }
  const spent = await ask('bls-series', { series_id: 'SERIES20' })
  assert.deepEqual(spent.error, { code: 'PROVIDER_BUDGET_SPENT', retryable: true })
  assert.equal(spent.retry_after_seconds, (Date.parse('2026-01-03T00:00:00Z') - clock.now()) / 1000)
  assert.equal(local.seen.length, 20)
  clock.forward(spent.retry_after_seconds!)
  used = 0
  assert.deepEqual(state(await ask('bls-series', { series_id: 'SERIES20' })), LIVE)
})

test('a token of eighty digits reaches the venue as it is', async (t) => {
  const { ask, local } = await setUp(t)
  await ask('polymarket-book', { token_id: TOKEN })
  assert.equal(local.seen[0]!.path, `/book?token_id=${TOKEN}`)
})
