/** One server on this machine that answers in the formats of all providers of finance. The payloads are made up; their
 *  shapes are those that the providers document. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { SourceId } from '../../src/domain/observation.ts'
import type { financeProviders } from '../../src/features/finance/sources/io/providers.ts'

export const TOKEN = '71321045679252212594626385532706912750332728571942532289631379312455583992563'
export const KEYS = { fred: 'f'.repeat(32), alpacaId: 'PLANTEDID', alpacaSecret: 'planted-alpaca-secret' }
const PROVIDER_IDS = ['GAMMA', 'CLOB', 'KALSHI', 'COINBASE', 'SEC', 'TREASURY', 'BLS', 'FRED', 'ALPACA'] as const

type Answer = (request: IncomingMessage, response: ServerResponse) => void
type Answers = (url: URL) => string | undefined

const market = (id: number) => ({
  ...{
    id: String(500_000 + id),
    question: `Will it rain on day ${id}?`,
    conditionId: `0x${'ab'.repeat(32)}`,
    slug: `rain-${id}`,
  },
  ...{ endDate: '2026-12-31T12:00:00Z', liquidity: '1234.50', volume: '99.1', active: true, closed: false },
  ...{ outcomes: '["Yes", "No"]', outcomePrices: '["0.415", "0.585"]', clobTokenIds: `["${TOKEN}", "22"]` },
  ...{ bestBid: 0.41, bestAsk: 0.42, lastTradePrice: 0.415, enableOrderBook: true, events: [{ id: '1' }] },
})
const kalshiMarket = (id: number) => ({
  ...{
    ticker: `KXRAIN-26JAN0${id}`,
    event_ticker: 'KXRAIN-26',
    market_type: 'binary',
    title: 'Rain?',
    status: 'active',
  },
  ...{ open_time: '2026-01-01T00:00:00Z', close_time: '2026-02-01T00:00:00Z', yes_bid: 41, yes_ask: 43, no_bid: 57 },
  ...{ no_ask: 59, last_price: 42, volume: 1200, open_interest: 300, yes_sub_title: 'Rain' },
})
const upTo = (url: URL, name: string, most: number) => Math.min(Number(url.searchParams.get(name)), most)
const rows = <T>(count: number, make: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at))
const daysAgo = (at: number) => new Date(Date.UTC(2025, 11, 31 - at)).toISOString().slice(0, 10)

/** The newest first and the one that still runs along, as the venue answers. */
function candles(url: URL): unknown {
  const [start, end] = ['start', 'end'].map((name) => Date.parse(url.searchParams.get(name) ?? '') / 1000)
  const step = Number(url.searchParams.get('granularity'))
  const times = rows(Math.ceil((end! + 1 - start!) / step), (at) => start! + at * step)
  return times.reverse().map((time) => [time, 99.5, 101.25, 100, 100.125, 12.5])
}

const REPORTED = {
  revenue: [
    ...[
      { start: '2023-10-01', end: '2024-09-28', val: 391035000000, accn: '0000320193-24-000123', fy: 2024, fp: 'FY' },
    ],
  ].map((row) => ({ ...row, form: '10-K', filed: '2024-11-01', frame: 'CY2024' })),
}

const REPLIES: readonly (readonly [path: RegExp, reply: (url: URL, path: string[]) => unknown])[] = [
  [/^\/markets$/, (url) => rows(upTo(url, 'limit', 3), market)],
  [
    /^\/book$/,
    (url) => ({
      ...{ market: `0x${'cd'.repeat(32)}`, asset_id: url.searchParams.get('token_id'), timestamp: '1767326400123' },
      ...{ hash: 'x', tick_size: '0.01', min_order_size: '5', neg_risk: false },
      bids: [
        { price: '0.01', size: '1000' },
        { price: '.41', size: '30.5' },
      ],
      asks: [
        { price: '0.99', size: '10' },
        { price: '0.42', size: '7' },
      ],
    }),
  ],
  [/^\/prices-history$/, () => ({ history: [1, 0].map((at) => ({ t: 1_767_322_800 + at * 3600, p: 0.4 + at / 10 })) })],
  [/^\/trade-api\/v2\/markets$/, (url) => ({ markets: rows(upTo(url, 'limit', 2), kalshiMarket), cursor: 'CgsI' })],
  [
    /^\/trade-api\/v2\/markets\/[^/]+\/orderbook$/,
    () => ({
      orderbook: {
        yes: [
          [1, 200],
          [41, 25],
        ],
        no: [
          [3, 9],
          [57, 13],
        ],
      },
    }),
  ],
  [
    /^\/products$/,
    () =>
      ['BTC-USD', 'ETH-USD'].map((id) => ({
        ...{ id, base_currency: id.slice(0, 3), quote_currency: 'USD', quote_increment: '0.01', status: 'online' },
        ...{ base_increment: '0.00000001', display_name: id, trading_disabled: false, min_market_funds: '1' },
      })),
  ],
  [
    /^\/products\/[^/]+\/ticker$/,
    () => ({
      ...{ ask: '67901.26', bid: '67901.25', volume: '8123.50000000', trade_id: 881_234_567, price: '67901.25' },
      ...{ size: '0.00120000', time: '2026-01-02T03:59:59.123456Z', rfq_volume: '1.2' },
    }),
  ],
  [/^\/products\/[^/]+\/candles$/, candles],
  [
    /^\/submissions\/CIK(\d{10})\.json$/,
    (_, [cik]) => ({
      ...{ cik, entityType: 'operating', name: 'Example Inc.', tickers: ['EX'], exchanges: ['Nasdaq'] },
      filings: {
        recent: {
          accessionNumber: ['0000320193-25-000079', '0000320193-25-000073'],
          filingDate: ['2025-10-31', '2025-08-01'],
          reportDate: ['2025-09-27', ''],
          acceptanceDateTime: ['2025-10-31T10:01:26.000Z', '2025-08-01T10:01:00.000Z'],
          act: ['34', '34'],
          form: ['10-K', '8-K'],
          primaryDocument: ['ex-20250927.htm', 'ex.htm'],
        },
        files: [],
      },
    }),
  ],
  [
    /^\/api\/xbrl\/companyfacts\/CIK(\d{10})\.json$/,
    (_, [cik]) => ({
      ...{ cik: Number(cik), entityName: 'Example Inc.' },
      facts: {
        dei: {},
        'us-gaap': { Revenues: { label: 'Revenues', description: null, units: { USD: REPORTED.revenue } } },
      },
    }),
  ],
  [
    /\/od\/avg_interest_rates$/,
    (url) => ({
      data: rows(upTo(url, 'page[size]', 100), (at) => ({
        ...{ record_date: daysAgo(at), security_type_desc: 'Marketable', security_desc: 'Treasury Bills' },
        ...{ avg_interest_rate_amt: at === 1 ? 'null' : '3.970', src_line_nbr: '1' },
      })),
      meta: { count: 12, 'total-count': 4000 },
      links: { next: '&page%5Bnumber%5D=2&page%5Bsize%5D=12' },
    }),
  ],
  [
    /\/od\/debt_to_penny$/,
    (url) => ({
      data: rows(upTo(url, 'page[size]', 100), (at) => ({
        ...{
          record_date: daysAgo(at),
          debt_held_public_amt: '30000000000000.10',
          intragov_hold_amt: '7000000000000.20',
        },
        tot_pub_debt_out_amt: '37000000000000.30',
      })),
    }),
  ],
  [
    /^\/publicAPI\/v2\/timeseries\/data\/(.+)$/,
    (_, [id]) => ({
      ...{ status: 'REQUEST_SUCCEEDED', responseTime: 120, message: [] },
      Results: {
        series: [
          {
            seriesID: decodeURIComponent(id ?? ''),
            data: [
              { year: '2025', period: 'M13', periodName: 'Annual', value: '321.5', footnotes: [{}] },
              {
                ...{ year: '2025', period: 'M10', periodName: 'October', value: '-' },
                footnotes: [{ code: 'X', text: 'Data unavailable due to the 2025 lapse in appropriations.' }],
              },
              {
                year: '2025',
                period: 'M09',
                periodName: 'September',
                latest: 'true',
                value: '324.800',
                footnotes: [{}],
              },
            ],
          },
        ],
      },
    }),
  ],
  [
    /^\/fred\/series\/observations$/,
    (url) => ({
      ...{ realtime_start: url.searchParams.get('realtime_start'), realtime_end: url.searchParams.get('realtime_end') },
      ...{ observation_start: '1600-01-01', observation_end: '9999-12-31', units: 'lin', output_type: 1 },
      ...{ file_type: 'json', order_by: 'observation_date', sort_order: 'desc', count: 318, offset: 0, limit: 24 },
      observations: [
        { realtime_start: '2025-12-31', realtime_end: '2025-12-31', date: '2025-10-01', value: '.' },
        { realtime_start: '2025-12-31', realtime_end: '2025-12-31', date: '2025-07-01', value: '31095.089' },
      ],
    }),
  ],
  [
    /^\/v2\/stocks\/([^/]+)\/quotes\/latest$/,
    (_, [symbol]) => ({
      symbol,
      quote: { t: '2026-01-02T03:59:58.123456789Z', ax: 'V', ap: 601.12, as: 2, bx: 'V', bp: 601.1, bs: 1, c: ['R'] },
    }),
  ],
  [
    /^\/v2\/stocks\/([^/]+)\/bars$/,
    (_, [symbol]) => ({
      bars: [
        { t: '2025-12-31T05:00:00Z', o: 600, h: 602.5, l: 599.25, c: 601, v: 60_937, n: 1727, vw: 600.954 },
        { t: '2025-12-30T05:00:00Z', o: 598, h: 600.5, l: 597.25, c: 600, v: 50_937, n: 1527, vw: 599.1 },
      ],
      ...{ symbol, next_page_token: 'U1BZfERheXwx' },
    }),
  ],
]

/** The reply of the provider as JSON text; undefined for a path that none of them has. */
export const realAnswer: Answers = (url) => {
  for (const [path, reply] of REPLIES) {
    const found = path.exec(url.pathname)
    if (found !== null) return JSON.stringify(reply(url, found.slice(1)))
  }
  return undefined
}

interface LocalProviders {
  origin: string
  seen: { path: string; headers: IncomingMessage['headers'] }[]
  /** Answers in place of the real one. */
  answer: Answer | null
  close(): Promise<void>
}

export async function localProviders(): Promise<LocalProviders> {
  const local: LocalProviders = { origin: '', seen: [], answer: null, close: async () => undefined }
  const server = createServer((request, response) => {
    local.seen.push({ path: request.url ?? '', headers: request.headers })
    if (local.answer !== null) return local.answer(request, response)
    const text = realAnswer(new URL(request.url ?? '', 'http://local'))
    response.writeHead(text === undefined ? 404 : 200, { 'content-type': 'application/json; charset=utf-8' })
    response.end(text ?? '{"message":"NotFound"}')
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  local.origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  local.close = () =>
    new Promise((resolve) => {
      server.closeAllConnections()
      server.close(() => resolve())
    })
  return local
}

/** All providers at one origin, with every credential. */
export const settingsAt = (origin: string): Parameters<typeof financeProviders>[0] => ({
  origins: Object.fromEntries(PROVIDER_IDS.map((id) => [id, origin])),
  secUserAgent: 'orch ops@planted.example',
  fredApiKey: KEYS.fred,
  alpacaKeyId: KEYS.alpacaId,
  alpacaSecret: KEYS.alpacaSecret,
  alpacaFeed: 'iex',
})

/** The same as settings of the whole service. */
export const environmentAt = (origin: string): Record<string, string> => ({
  ...Object.fromEntries(PROVIDER_IDS.map((id) => [`ORCH_SOURCE_${id}_URL`, origin])),
  ORCH_SEC_USER_AGENT: 'orch ops@planted.example',
  ORCH_FRED_API_KEY: KEYS.fred,
  ORCH_ALPACA_KEY_ID: KEYS.alpacaId,
  ORCH_ALPACA_SECRET: KEYS.alpacaSecret,
})

/** What each source cannot do without. */
export const NEEDED: Readonly<Partial<Record<SourceId, Record<string, string>>>> = {
  'polymarket-book': { token_id: TOKEN },
  'polymarket-history': { token_id: TOKEN },
  'kalshi-book': { ticker: 'KXRAIN-26JAN01' },
}
