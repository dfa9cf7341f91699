// What the sources make of well-formed replies, and the bounds of every parameter.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import fc from 'fast-check'
import { NEEDED, realAnswer } from '#testing/finance/local-providers.ts'
import { parseReply } from '../../../adapters/outbound/json-reply.ts'
import { type CandlesData, type FactsData, SOURCE_IDS, type SourceId } from '../../../domain/observation.ts'
import { InputError } from '../../../errors.ts'
import { shareLevel, toBook, topOfBook } from './book.ts'
import { decimalIn, isDay, SourceFault } from './fields.ts'
import { type Parameter, readParameters } from './parameters.ts'
import { ObservationQuery } from './schemas.ts'
import { sourceTable } from './table.ts'

const NOW = Date.parse('2026-01-02T04:30:00.000Z')
const table = sourceTable('iex')

/** As the one way out parses and hands it over. */
const parsed = (text: string) => parseReply(Buffer.from(text), true)

function planOf(id: SourceId, texts: Record<string, string> = {}, now = NOW) {
  const source = table.get(id)!
  return source.plan(readParameters(source.parameters, { ...NEEDED[id], ...texts }), now)
}
// biome-ignore lint/suspicious/noExplicitAny: each source has its own shape, which the assertions spell out
function dataOf(id: SourceId, reply?: unknown, texts: Record<string, string> = {}): any {
  const plan = planOf(id, texts)
  const url = new URL(`http://local${plan.path}?${new URLSearchParams(plan.query as Record<string, string>)}`)
  const data = plan.normalise(parsed(reply === undefined ? realAnswer(url)! : JSON.stringify(reply)))
  return plan.select?.(data) ?? data
}
const refusedAt = (id: SourceId, texts: Record<string, string>, now = NOW): string | null => {
  try {
    planOf(id, texts, now)
    return null
  } catch (error) {
    assert.ok(error instanceof InputError, String(error))
    return error.detail.map(({ loc }) => loc.join('.')).join(' ')
  }
}

test('books are sorted, complements exact, and cents become dollars', () => {
  const book = dataOf('kalshi-book')
  assert.deepEqual(book.bids, [
    { price: '0.41', size: '25' },
    { price: '0.01', size: '200' },
  ])
  assert.deepEqual(book.asks, [
    { price: '0.43', size: '13' },
    { price: '0.97', size: '9' },
  ])
  assert.deepEqual(
    [book.best_bid, book.best_ask, book.spread, book.mid, book.quality, book.asks_kind],
    ['0.41', '0.43', '0.02', '0.42', 'TWO_SIDED', 'DERIVED_COMPLEMENT_OF_NO_BIDS'],
  )
  const venue = dataOf('polymarket-book')
  assert.deepEqual([venue.best_bid, venue.best_ask, venue.mid, venue.asks_kind], ['0.41', '0.42', '0.415', 'REPORTED'])
})

test('a Kalshi book in dollars says the same as one in cents, and null is a side without a bid', () => {
  const cents = { orderbook: { yes: [[41, 25]], no: [[57, 13]] } }
  const both = { orderbook: { ...cents.orderbook, yes_dollars: [['0.4100', 25]], no_dollars: [['0.5700', 13]] } }
  const dollars = { orderbook_fp: { yes_dollars: [['0.4100', '25.00']], no_dollars: [['0.5700', '13.00']] } }
  assert.deepEqual(dataOf('kalshi-book', both), dataOf('kalshi-book', cents))
  assert.deepEqual(dataOf('kalshi-book', dollars), dataOf('kalshi-book', cents))
  const one = dataOf('kalshi-book', { orderbook: { yes: [[41, 25]], no: null } })
  assert.deepEqual([one.quality, one.best_ask, one.mid, one.spread], ['INCOMPLETE', null, null, null])
})

test('a crossed book has no middle, a locked one has a spread of zero', () => {
  const crossed = topOfBook('0.6', '0.5')
  assert.deepEqual(
    [crossed.quality, crossed.crossed, crossed.mid, crossed.spread],
    ['INVALID_CROSSED', true, null, null],
  )
  const locked = topOfBook('0.5', '0.50')
  assert.deepEqual([locked.quality, locked.spread, locked.mid], ['TWO_SIDED', '0', '0.5'])
})

test('in any book bids fall, asks rise, and the middle lies exactly between the best of them', () => {
  const level = fc
    .tuple(fc.integer({ min: 0, max: 1000 }), fc.integer({ min: 0, max: 9 }))
    .map(([price, size]) => shareLevel(String(price / 1000), String(size)))
  fc.assert(
    fc.property(fc.array(level, { maxLength: 20 }), fc.array(level, { maxLength: 20 }), (bids, asks) => {
      const book = toBook({ bids, asks }, 'unit', 'REPORTED')
      const prices = (side: { price: string }[]) => side.map(({ price }) => Number(price))
      assert.deepEqual(
        prices(book.bids),
        prices(book.bids).toSorted((a, b) => b - a),
      )
      assert.deepEqual(
        prices(book.asks),
        prices(book.asks).toSorted((a, b) => a - b),
      )
      assert.equal(book.bids.length + book.asks.length + book.empty_levels_dropped, bids.length + asks.length)
      if (book.mid === null) return
      const twice = Math.round(Number(book.best_bid) * 1000) + Math.round(Number(book.best_ask) * 1000)
      assert.equal(Math.round(Number(book.mid) * 2000), twice)
    }),
    { seed: 17, numRuns: 300 },
  )
})

test('a decimal keeps every digit and loses nothing but zeros that say nothing', () => {
  const same: [string, string][] = [
    ['67901.25', '67901.25'],
    ['0.10', '0.1'],
    ['.48', '0.48'],
    ['-.5', '-0.5'],
    ['5.', '5'],
    ['1e3', '1000'],
    ['1.5E-7', '0.00000015'],
    ['-0', '0'],
    ['-0.00', '0'],
    ['1000000000000000000000000000000', '1000000000000000000000000000000'],
    [`0.${'1'.repeat(30)}`, `0.${'1'.repeat(30)}`],
  ]
  for (const [lexeme, plain] of same) assert.equal(decimalIn(lexeme), plain)
  const refused = [
    '1e31',
    `0.${'1'.repeat(31)}`,
    '1e999',
    'NaN',
    'Infinity',
    '0x10',
    '1,000',
    ' 1',
    '+1',
    '٣',
    '',
    '--1',
  ]
  for (const lexeme of refused) assert.throws(() => decimalIn(lexeme), SourceFault, lexeme)
})

test('what is written in digits comes back in the same digits', () => {
  const digits = fc.tuple(fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }), fc.integer({ min: 1, max: 9 }))
  fc.assert(
    fc.property(digits, ([whole, place]) => assert.equal(decimalIn(`${whole}.${place}00`), `${whole}.${place}`)),
    { seed: 17, numRuns: 300 },
  )
})

test('candles: closed intervals of the window alone, the oldest first, gaps named and none filled', () => {
  const at = Date.parse('2026-01-02T04:00:00Z') / 1000
  const row = (hours: number) => [at - hours * 3600, 99.5, 101.25, 100, 100.125, 12.5]
  // The one that runs, the two asked for with a gap before them, and one from before the window.
  const found: CandlesData = dataOf('coinbase-candles', [row(0), row(1), row(2), row(4)], { count: '3' })
  assert.deepEqual(
    found.items.map(({ time }) => time),
    ['2026-01-02T02:00:00.000Z', '2026-01-02T03:00:00.000Z'],
  )
  assert.deepEqual(found.missing_intervals, ['2026-01-02T01:00:00.000Z'])
  assert.deepEqual([found.window_complete, found.interpolation], [false, 'NONE'])
  assert.deepEqual(found.dropped, { outside_window: 1, not_closed: 1 })
  assert.deepEqual([found.start, found.end], ['2026-01-02T01:00:00.000Z', '2026-01-02T04:00:00.000Z'])
  const first = { open: '100', high: '101.25', low: '99.5', close: '100.125', volume: '12.5' }
  assert.deepEqual(found.items[0], { time: '2026-01-02T02:00:00.000Z', ...first })
})

test('candles: the window that is asked for holds as many intervals as it should, for every granularity', () => {
  for (const granularity of ['60', '300', '900', '3600', '21600', '86400'])
    for (const count of ['1', '2', '299', '300']) {
      const found: CandlesData = dataOf('coinbase-candles', undefined, { granularity, count })
      assert.deepEqual([found.count, found.window_complete], [Number(count), true], `${granularity} ${count}`)
      assert.deepEqual(found.dropped, { outside_window: 0, not_closed: 0 })
    }
})

test('candles: an end in the future is refused, and an end between two intervals goes back to the last whole one', () => {
  assert.equal(refusedAt('coinbase-candles', { end: '2026-01-02T04:30:00Z' }), null)
  assert.equal(refusedAt('coinbase-candles', { end: '2026-01-02T04:30:01Z' }), 'query.end')
  assert.equal(
    planOf('coinbase-candles', { end: '2026-01-01T10:59:59Z', count: '1' }).query.end,
    '2026-01-01T09:59:59.000Z',
  )
  assert.equal(refusedAt('coinbase-candles', { end: '1970-01-02' }), 'query.end')
  assert.equal(refusedAt('coinbase-candles', { end: '2026-02-30' }), 'query.end')
  assert.equal(refusedAt('coinbase-candles', { end: '2026-01-01T25:00:00Z' }), 'query.end')
})

test('an empty list is a fact', () => {
  const empty = { items: [], count: 0, data_state: 'EMPTY' }
  const replies: [SourceId, unknown][] = [
    ['polymarket-markets', []],
    ['polymarket-history', { history: [] }],
    ['kalshi-markets', { markets: [], cursor: '' }],
    ['coinbase-products', []],
    ['treasury-rates', { data: [] }],
    ['treasury-debt', { data: [] }],
    ['alpaca-bars', { bars: null, symbol: 'SPY', next_page_token: null }],
    ['sec-companyfacts', { cik: '0000320193', entityName: 'Example', facts: {} }],
  ]
  for (const [id, reply] of replies) {
    const { items, count, data_state } = dataOf(id, reply)
    assert.deepEqual({ items, count, data_state }, empty, id)
  }
})

test('a page names the next one, in the words of the parameter that asks for it', () => {
  assert.equal(dataOf('polymarket-markets', undefined, { limit: '3' }).pagination.next, 'offset=3')
  assert.equal(dataOf('polymarket-markets', undefined, { limit: '4' }).pagination.next, null)
  assert.equal(dataOf('kalshi-markets').pagination.next, 'cursor=CgsI')
  assert.equal(dataOf('alpaca-bars').pagination.next, 'page_token=U1BZfERheXwx')
  const odd = dataOf('kalshi-markets', { markets: [], cursor: 'a+b/c==' }).pagination.next!
  assert.equal(new URLSearchParams(odd).get('cursor'), 'a+b/c==', 'it can be sent back as it is told')
  const token = dataOf('alpaca-bars', { bars: null, symbol: 'SPY', next_page_token: 'a&b' }).pagination.next!
  assert.equal(new URLSearchParams(token).get('page_token'), 'a&b')
})

test('more rows than were asked for are not passed on', () => {
  const data = Array.from({ length: 5 }, (_, at) => ({ record_date: `2025-01-0${at + 1}`, avg_interest_rate_amt: '1' }))
  const found = dataOf('treasury-rates', { data }, { limit: '2' })
  assert.deepEqual(
    found.items.map(({ record_date }: { record_date: string }) => record_date),
    ['2025-01-05', '2025-01-04'],
  )
})

test('missing figures are null and never zero', () => {
  const bls = dataOf('bls-series')
  assert.deepEqual(bls.items[1], {
    ...{ year: '2025', period: 'M10', period_name: 'October', annual_average: false, value: null },
    footnotes: [{ code: 'X', text: 'Data unavailable due to the 2025 lapse in appropriations.' }],
  })
  assert.deepEqual([bls.items[0].annual_average, bls.items[2].value], [true, '324.8'])
  assert.equal(dataOf('fred-series').items[0].value, null)
  assert.equal(dataOf('treasury-rates').items[1].average_interest_rate_percent, null)
  assert.equal(dataOf('treasury-rates').items[0].average_interest_rate_percent, '3.970', 'as given')
  assert.equal(dataOf('sec-submissions').items[1].report_date, null)
})

test('a quote without one side is incomplete', () => {
  const quote = { t: '2026-01-02T03:59:58Z', ap: 0, as: 0, bp: 601.1, bs: 1 }
  const found = dataOf('alpaca-quote', { symbol: 'SPY', quote })
  assert.deepEqual([found.best_bid, found.best_ask, found.quality, found.mid], ['601.1', null, 'INCOMPLETE', null])
})

test('facts: the newest by filing, at most as many of a unit as were asked for and never more than twenty', () => {
  const rows = Array.from({ length: 30 }, (_, at) => ({
    ...{ end: '2024-12-31', val: at, accn: '0000320193-25-000001', fy: null, fp: null, form: '10-K' },
    filed: `2025-01-${String(at + 1).padStart(2, '0')}`,
  }))
  const reply = { cik: 320193, facts: { 'us-gaap': { Assets: { units: { USD: rows, EUR: rows } }, Other: {} } } }
  for (const [limit, expected] of [
    ['1', 1],
    ['19', 19],
    ['20', 20],
    ['21', 20],
    ['100', 20],
  ] as const) {
    const found: FactsData = dataOf('sec-companyfacts', reply, { limit })
    assert.equal(found.count, 2 * expected)
    assert.deepEqual([found.items[0]!.filed, found.items[0]!.value, found.items[0]!.fy], ['2025-01-30', '29', null])
  }
})

test('a series that BLS does not know is empty, with what the source says of it', () => {
  const series = [{ seriesID: 'CUUR0000SA0', data: [] }]
  const message = ['Series does not exist for Series CUUR0000SA0']
  const found = dataOf('bls-series', { status: 'REQUEST_SUCCEEDED', message, Results: { series } })
  assert.deepEqual([found.data_state, found.messages], ['EMPTY', message])
})

const sample = new URL('../../../../../../../shared/corpora/sec/companyfacts_sample.json', import.meta.url)
test('the facts of a real file, filed under IFRS by a company whose number is a padded text', {
  skip: !existsSync(sample) && 'SKIPPED: the shared files are not here',
}, () => {
  const plan = planOf('sec-companyfacts', { cik: '1997711', limit: '1' })
  const found = plan.select!(plan.normalise(parsed(readFileSync(sample, 'utf8')))) as FactsData
  assert.deepEqual([found.cik, found.entity], ['0001997711', 'Logistic Properties of the Americas'])
  const newest = found.items.find(({ concept, unit }) => concept === 'Assets' && unit === 'USD')!
  assert.deepEqual([newest.taxonomy, newest.end >= '2024-12-31', newest.start], ['ifrs-full', true, null])
  assert.throws(() => planOf('sec-companyfacts').normalise(parsed(readFileSync(sample, 'utf8'))), /IDENTITY_MISMATCH/)
})

test('the vintage of FRED is the day where it stands, which begins after that of UTC', () => {
  const day = (now: string) => planOf('fred-series', {}, Date.parse(now)).query.realtime_start
  assert.deepEqual([day('2026-01-02T05:59:59Z'), day('2026-01-02T06:00:00Z')], ['2026-01-01', '2026-01-02'])
  assert.equal(refusedAt('fred-series', { as_of: '1776-07-03' }), 'query.as_of')
  assert.equal(refusedAt('fred-series', { as_of: '1776-07-04' }), null)
  assert.equal(refusedAt('fred-series', { as_of: '2026-01-02' }), null)
  assert.equal(refusedAt('fred-series', { as_of: '2026-01-03' }), 'query.as_of')
})

test('bars: a span of 31 days is the longest, and it does not end in the future', () => {
  const span = (start: string, end: string) => refusedAt('alpaca-bars', { start, end })
  assert.equal(span('2025-12-01', '2025-12-31T23:59:59Z'), null)
  assert.equal(span('2025-12-01', '2026-01-01'), null)
  assert.equal(span('2025-12-01', '2026-01-01T00:00:01Z'), 'query.start')
  assert.equal(span('2025-12-31', '2025-12-31'), 'query.start')
  assert.equal(span('2026-01-01', '2026-01-02T04:30:01Z'), 'query.end')
  assert.equal(refusedAt('alpaca-bars', { start: '2025-01-01' }), 'query.start')
  const { start, end } = planOf('alpaca-bars').query
  assert.deepEqual([start, end], ['2025-12-26T00:00:00.000Z', '2026-01-02T00:00:00.000Z'])
})

test('every whole number of every source is refused below and above its bounds and taken at them', () => {
  for (const [id, { parameters }] of table)
    for (const [name, parameter] of Object.entries<Parameter>(parameters)) {
      if (parameter.type !== 'integer') continue
      const { minimum, maximum } = parameter
      for (const value of [minimum, minimum + 1, maximum - 1, maximum])
        assert.equal(refusedAt(id, { [name]: String(value) }), null, `${id} ${name} ${value}`)
      for (const value of [String(minimum - 1), String(maximum + 1), 'abc', '', '1.5', '1e1', '١', ' 1', '99999999999'])
        assert.equal(refusedAt(id, { [name]: value }), `query.${name}`, `${id} ${name} ${value}`)
    }
})

test('texts are refused beyond their bounds and taken at them', () => {
  const cases: [SourceId, name: string, taken: string[], refused: string[]][] = [
    ['polymarket-book', 'token_id', ['1', '1'.repeat(80)], ['', '1'.repeat(81), '1a', '-1', '１']],
    ['polymarket-history', 'interval', ['1h', '6h', '1d', '1w', '1m'], ['max', '1D', '']],
    ['kalshi-markets', 'cursor', ['a', 'a'.repeat(2048)], ['', 'a'.repeat(2049), 'a b', 'ä']],
    ['kalshi-markets', 'series_ticker', ['A', 'A'.repeat(64)], ['', 'A'.repeat(65), 'a', 'A/B']],
    ['kalshi-book', 'ticker', ['A', 'A.B-1', 'A'.repeat(96)], ['', 'A'.repeat(97), 'a', '../A', 'A B', '.', '..']],
    [
      'coinbase-ticker',
      'product',
      ['AB-CD', `${'A'.repeat(12)}-${'B'.repeat(12)}`],
      ['A-USD', `${'A'.repeat(13)}-USD`],
    ],
    ['coinbase-ticker', 'product', ['1INCH-USD'], ['btc-usd', 'BTCUSD', 'BTC-USD-', 'BTC-USD\n', 'BTC-..']],
    ['coinbase-candles', 'granularity', ['60', '86400'], ['61', '0', '3600.0', '']],
    ['sec-submissions', 'cik', ['1', '1234567890', '0000320193'], ['', '12345678901', '0', '0000000000', 'CIK1', '-1']],
    ['bls-series', 'series_id', ['AAAA', 'A'.repeat(32), 'LNS14000000#'], ['AAA', 'A'.repeat(33), 'cuur', 'A/BC']],
    ['fred-series', 'series_id', ['A', 'A'.repeat(64)], ['', 'A'.repeat(65), 'gdp', 'A-B']],
    ['alpaca-quote', 'symbol', ['A', 'BRK.B', 'A'.repeat(12)], ['', 'A'.repeat(13), 'spy', '1A', '.A']],
    ['alpaca-bars', 'timeframe', ['1Min', '15Min', '1Hour', '1Day'], ['1Week', '1min']],
    ['alpaca-bars', 'page_token', ['a', 'a'.repeat(2048)], ['', 'a'.repeat(2049)]],
  ]
  for (const [id, name, taken, refused] of cases) {
    for (const value of taken) assert.equal(refusedAt(id, { [name]: value }), null, `${id} ${name} ${value}`)
    for (const value of refused)
      assert.equal(refusedAt(id, { [name]: value }), `query.${name}`, `${id} ${name} ${value}`)
  }
})

test('what a source needs it demands, and what is not its own it refuses', () => {
  for (const [id, { parameters }] of table) {
    for (const [name, { required }] of Object.entries(parameters))
      if (required)
        assert.throws(
          () => readParameters(parameters, {}),
          (error: InputError) => error.detail[0]!.loc[1] === name,
        )
    assert.equal(refusedAt(id, { rank: '1' }), 'query.rank')
  }
})

test('the query of the operation names every parameter of every source and no other', () => {
  const { fresh: _, ...declared } = ObservationQuery.properties
  const taken = new Set([...table.values()].flatMap(({ parameters }) => Object.keys(parameters)))
  assert.deepEqual(new Set(Object.keys(declared)), taken)
  assert.equal(table.size, SOURCE_IDS.length)
})

test('a day is one of the calendar', () => {
  for (const day of ['2024-02-29', '2026-12-31', '1776-07-04']) assert.ok(isDay(day), day)
  for (const day of ['2025-02-29', '2026-13-01', '2026-00-10', '2026-1-1', '٢٠٢٦-٠١-٠١', '', '2026-01-32'])
    assert.ok(!isDay(day), day)
})

test('what anybody answers makes a reading or a closed code, and nothing else', () => {
  const lexemes = fc.constantFrom('1', '"1"', '"."', 'null', '[]', '{}', '"a"', '1e29', '-1', 'true', '"2025-01-01"')
  fc.assert(
    fc.property(fc.constantFrom(...SOURCE_IDS), fc.nat(400), lexemes, (id, at, lexeme) => {
      const plan = planOf(id, id === 'coinbase-candles' ? { count: '3' } : {})
      const url = new URL(`http://local${plan.path}?${new URLSearchParams(plan.query as Record<string, string>)}`)
      const places = [
        ...realAnswer(url)!.matchAll(/(?<=[:,[])(?:"(?:[^"\\]|\\.)*"|-?[\d.]+|true|false|null)(?=[,\]}])/g),
      ]
      const place = places[at % places.length]!
      const text = realAnswer(url)!
      const changed = text.slice(0, place.index) + lexeme + text.slice(place.index + place[0].length)
      try {
        assert.equal(typeof plan.normalise(parsed(changed)), 'object')
      } catch (error) {
        assert.ok(error instanceof SourceFault, `${id} ${lexeme} ${String(error)}`)
      }
    }),
    { seed: 17, numRuns: 2000 },
  )
})
