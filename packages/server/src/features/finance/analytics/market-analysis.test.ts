import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sha256Hex } from '@orch/core'
import { type CandlesData, flags, type Observation } from '../../../domain/observation.ts'
import { InputError } from '../../../errors.ts'
import { read } from '../../../platform/shape.ts'
import type { Observe } from '../contract.ts'
import { sourceRevision } from './component.ts'
import { computeQuote, computeSignals, type MarketRequest } from './market-analysis.ts'
import { QuoteReply, SignalsReply } from './schemas.ts'
import { walkPrices } from './walk.ts'

const NOW = Date.parse('2026-03-05T13:45:00.000Z')
const DAY = 86_400_000
const REVISION = 'a'.repeat(40)
const signal = new AbortController().signal
const asked = (over: Partial<MarketRequest> = {}): MarketRequest => ({
  ...{ symbol: 'BTC-USD', origin: 'coinbase', now: NOW, revision: REVISION },
  ...over,
})

/** Candles of the days before the last midnight, as the reader of sources hands them over. */
function candles(closes: readonly string[], without: readonly number[] = []): CandlesData {
  const end = NOW - (NOW % DAY)
  const items = closes
    .map((close, at) => ({ at, time: new Date(end - (closes.length - at) * DAY).toISOString(), close }))
    .filter(({ at }) => !without.includes(at))
    .map(({ time, close }) => ({ time, open: close, high: close, low: close, close, volume: '1' }))
  return {
    ...{ items, count: items.length, data_state: 'AVAILABLE', scope: 'test', pagination: { next: null } },
    ...{ product: 'BTC-USD', granularity_seconds: 86_400, start: '', end: '', requested_intervals: 260 },
    ...{ dropped: { outside_window: 0, not_closed: 0 }, missing_intervals: [], window_complete: true },
    interpolation: 'NONE',
  }
}

const observation = (data: CandlesData | null, over: Partial<Observation> = {}): Observation => ({
  ...{ schema: 'orch.finance.observation/v1', source: 'coinbase-candles', ok: true, state: 'SNAPSHOT', mode: 'live' },
  ...{ label: 'LIVE', data: data as Observation['data'], provenance: null, fetched_at: '2026-03-05T13:45:00.000Z' },
  ...{ served_at: '2026-03-05T13:45:00.000Z', age_seconds: 0, cache_ttl_seconds: 300, freshness_note: 'test' },
  ...{ error: null, retry_after_seconds: null, ...flags },
  ...over,
})
const UNREACHABLE = observation(null, {
  ...{
    ok: false,
    state: 'UNAVAILABLE',
    mode: 'unreachable',
    label: 'UNAVAILABLE',
    fetched_at: null,
    age_seconds: null,
  },
  ...{ error: { code: 'TRANSPORT_UNAVAILABLE', retryable: true }, retry_after_seconds: 15 },
})
const CLOSES = walkPrices('BTC-USD')
const source =
  (answers: Record<string, Observation> | Observation): Observe =>
  async (_, { product = '' }) =>
    'schema' in answers ? (answers as Observation) : (answers as Record<string, Observation>)[product]!

const fits = (schema: typeof SignalsReply | typeof QuoteReply, reply: unknown) => {
  const shaped = read(schema, JSON.parse(JSON.stringify(reply)))
  assert.ok(shaped.ok, JSON.stringify(shaped))
}

test('a history is asked for as 260 whole days that end at the last UTC midnight', async () => {
  const calls: unknown[] = []
  const observe: Observe = async (...call) => {
    calls.push(call.slice(0, 2))
    return UNREACHABLE
  }
  await computeSignals(observe, asked(), signal)
  assert.deepEqual(calls, [
    ['coinbase-candles', { product: 'BTC-USD', granularity: '86400', end: '2026-03-05', count: '260' }],
  ])
})

test('what was fetched now is LIVE as an input, and what is computed of it is MODELED', async () => {
  const live = await computeSignals(source(observation(candles(CLOSES))), asked(), signal)
  fits(SignalsReply, live)
  assert.deepEqual([live.ok, live.state, live.label], [true, 'COMPUTED', 'MODELED'])
  assert.deepEqual([live.inputs.label, live.inputs.mode, live.inputs.periods_per_year], ['LIVE', 'live', 365])
  assert.equal(live.inputs.values_sha256, sha256Hex(CLOSES.join(',')))
  assert.equal(live.result!.last_close_at, '2026-03-05T00:00:00.000Z')
  const stored = observation(candles(CLOSES), { state: 'CACHED', mode: 'cached', label: 'SAMPLE', age_seconds: 42 })
  const cached = await computeSignals(source(stored), asked(), signal)
  assert.deepEqual(
    [cached.ok, cached.label, cached.inputs.label, cached.inputs.mode, cached.inputs.age_seconds],
    [true, 'MODELED', 'SAMPLE', 'cached', 42],
  )
  assert.deepEqual(cached.result, live.result)
})

test('an expired reading computes, is not ok and says why', async () => {
  const error = { code: 'UPSTREAM_HTTP_503', retryable: true }
  const stale = observation(candles(CLOSES), { ok: false, state: 'STALE', mode: 'cached', label: 'SAMPLE', error })
  const reply = await computeQuote(source(stale), asked(), signal)
  fits(QuoteReply, reply)
  assert.deepEqual(
    [reply.ok, reply.state, reply.error?.code, reply.error?.cause],
    [false, 'COMPUTED', 'HISTORY_STALE', 'UPSTREAM_HTTP_503'],
  )
  assert.notEqual(reply.result, null)
})

test('without a history nothing is computed, and the reply says so in its own words', async () => {
  const signals = await computeSignals(source(UNREACHABLE), asked(), signal)
  fits(SignalsReply, signals)
  assert.deepEqual([signals.ok, signals.state, signals.label, signals.result], [false, 'BLOCKED', 'UNAVAILABLE', null])
  assert.deepEqual(signals.error, {
    code: 'HISTORY_UNAVAILABLE',
    symbol: 'BTC-USD',
    cause: 'TRANSPORT_UNAVAILABLE',
    retryable: true,
    retry_after_seconds: 15,
    missing_days: [],
  })
  assert.deepEqual(
    [signals.inputs.mode, signals.inputs.series_len, signals.inputs.values_sha256],
    ['unreachable', 0, null],
  )
})

test('a gap blocks the computation and its days are named, also where the source calls itself complete', async () => {
  const reply = await computeSignals(source(observation(candles(CLOSES, [0, 258]))), asked(), signal)
  fits(SignalsReply, reply)
  assert.deepEqual([reply.state, reply.error?.code], ['BLOCKED', 'INCOMPLETE_HISTORY'])
  assert.deepEqual(reply.error?.missing_days, ['2025-06-18', '2026-03-03'])
  const young = await computeSignals(source(observation(candles(CLOSES.slice(60)))), asked(), signal)
  assert.deepEqual([young.error?.code, young.error?.missing_days.length], ['INCOMPLETE_HISTORY', 60])
})

test('prices that never move, or that nobody could pay, are blocked', async () => {
  const flat = await computeSignals(source(observation(candles(CLOSES.map(() => '7')))), asked(), signal)
  assert.deepEqual([flat.state, flat.label, flat.error?.code], ['BLOCKED', 'UNAVAILABLE', 'NO_PRICE_VARIATION'])
  const wild = observation(candles(CLOSES.map((close, at) => (at === 3 ? '1000000000001' : close))))
  assert.equal((await computeQuote(source(wild), asked(), signal)).error?.code, 'PRICE_OUT_OF_RANGE')
})

test('a simulated history is SIMULATED, names its seed and asks nobody', async () => {
  const observe: Observe = () => assert.fail('a source was asked')
  const reply = await computeSignals(observe, asked({ origin: 'fixture' }), signal)
  fits(SignalsReply, reply)
  assert.deepEqual([reply.label, reply.inputs.label, reply.inputs.mode], ['SIMULATED', 'SIMULATED', null])
  assert.equal(reply.inputs.simulator?.seed, '0x2fd1a09ed73e3665')
  assert.equal(reply.inputs.values_sha256, 'f5e536c1c4ad19d25d6e36ee95c627023ab90e08b0e13f4b71bb1bfa2071c24a')
  assert.deepEqual([reply.inputs.periods_per_year, reply.inputs.series_len], [252, 260])
  const quote = await computeQuote(observe, asked({ origin: 'fixture', symbol: 'X' }), signal)
  assert.deepEqual([quote.result?.last_at, quote.result?.bars], [null, 260])
})

test('a benchmark gives a beta, of itself one, and none where its days are others', async () => {
  const other = walkPrices('ETH-USD')
  const both = { 'BTC-USD': observation(candles(CLOSES)), 'ETH-USD': observation(candles(other)) }
  const reply = await computeQuote(source(both), asked({ benchmark: 'ETH-USD' }), signal)
  fits(QuoteReply, reply)
  assert.equal(reply.result?.benchmark, 'ETH-USD')
  assert.match(reply.result?.beta ?? '', /^-?0\.\d{12}$/)
  assert.ok('benchmark' in reply.inputs)
  const itself = await computeQuote(source(both), asked({ benchmark: 'BTC-USD' }), signal)
  assert.equal(itself.result?.beta, '1.000000000000')
  const gap = { ...both, 'ETH-USD': observation(candles(other, [7])) }
  const unpaired = await computeQuote(source(gap), asked({ benchmark: 'ETH-USD' }), signal)
  fits(QuoteReply, unpaired)
  assert.deepEqual(
    [unpaired.state, unpaired.result, unpaired.error?.code, unpaired.error?.symbol, unpaired.error?.missing_days],
    ['BLOCKED', null, 'BENCHMARK_TIMESTAMPS_MISMATCH', 'ETH-USD', ['2025-06-25']],
  )
  const gone = await computeQuote(source({ ...both, 'ETH-USD': UNREACHABLE }), asked({ benchmark: 'ETH-USD' }), signal)
  assert.deepEqual([gone.state, gone.error?.code, gone.error?.symbol], ['BLOCKED', 'HISTORY_UNAVAILABLE', 'ETH-USD'])
  const none = await computeQuote(source(both), asked(), signal)
  assert.ok(!('beta' in none.result!) && !('benchmark' in none.inputs))
})

test('a revision is a commit or unbound, so that no record of ours fails its own verification', () => {
  const revisionOf = (value: string | null) =>
    sourceRevision({ gitSha: { value, source: 'none', label: 'UNAVAILABLE' } as never })
  assert.equal(revisionOf('a'.repeat(40)), 'a'.repeat(40))
  for (const value of [null, '', 'main', 'A'.repeat(40), 'a'.repeat(39)]) assert.equal(revisionOf(value), 'UNBOUND')
})

test('a symbol that the venue cannot have is refused by its place', async () => {
  const observe: Observe = () => assert.fail('a source was asked')
  const locOf = (work: Promise<unknown>) =>
    work.then(
      () => assert.fail('it was taken'),
      (error: unknown) => (error instanceof InputError ? error.detail[0]!.loc : assert.fail(String(error))),
    )
  assert.deepEqual(await locOf(computeSignals(observe, asked({ symbol: 'BTC' }), signal)), ['path', 'symbol_name'])
  assert.deepEqual(await locOf(computeQuote(observe, asked({ benchmark: 'A-B' }), signal)), ['query', 'benchmark'])
})
