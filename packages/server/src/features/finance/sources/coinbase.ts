/** Products, tickers and candles in the format of the Coinbase Exchange interface. */
import Big from 'big.js'
import type { Candle, CandlesData } from '../../../domain/observation.ts'
import { sidePrice, topOfBook } from './book.ts'
import {
  decimalIn,
  decimalOf,
  given,
  identifierOf,
  instantOf,
  integerIn,
  isoSeconds,
  listIn,
  objectIn,
  optionalAmount,
  optionalDecimal,
  optionalFlag,
  optionalText,
  requireSame,
  SourceFault,
  unixSeconds,
} from './fields.ts'
import { listData } from './lists.ts'
import { choice, givenMoment, integer, moment, refuseParameter, text } from './parameters.ts'
import type { Source } from './source.ts'

const PRODUCT = text(
  {
    ...{ pattern: '[A-Z0-9]{2,12}-[A-Z0-9]{2,12}', example: 'BTC-USD' },
    description: 'base and quote, each of 2 to 12 capitals or digits',
  },
  'BTC-USD',
)
const GRANULARITIES = ['60', '300', '900', '3600', '21600', '86400']

const products: Source = {
  id: 'coinbase-products',
  provider: 'COINBASE',
  ttlSeconds: 3600,
  maxBytes: 8 * 2 ** 20,
  parameters: {},
  plan: () => ({
    path: '/products',
    query: {},
    normalise(reply) {
      const rows = listIn(reply).map(toProduct)
      if (new Set(rows.map(({ id }) => id)).size !== rows.length) throw new SourceFault('INVALID_SOURCE_COLLECTION')
      return listData(rows, 'all products that the venue lists, in its order')
    },
  }),
}

function toProduct(value: unknown) {
  const fields = objectIn(value)
  return {
    id: identifierOf(fields, 'id', /^[A-Za-z0-9._-]{3,64}$/),
    base: optionalText(fields, 'base_currency'),
    quote: optionalText(fields, 'quote_currency'),
    price_increment: optionalAmount(fields, 'quote_increment'),
    size_increment: optionalAmount(fields, 'base_increment'),
    status: optionalText(fields, 'status'),
    trading_disabled: optionalFlag(fields, 'trading_disabled'),
  }
}

const ticker: Source = {
  id: 'coinbase-ticker',
  provider: 'COINBASE',
  ttlSeconds: 10,
  maxBytes: 2 ** 16,
  parameters: { product: PRODUCT },
  plan: ({ product = '' }) => ({
    path: `/products/${product}/ticker`,
    query: {},
    normalise(reply) {
      const fields = objectIn(reply)
      const named = given(fields, 'product_id')
      if (named !== null) requireSame(named, product)
      const [bid, ask] = ['bid', 'ask'].map((side) => sidePrice(optionalDecimal(fields, side)))
      return {
        product,
        price: positivePrice(decimalOf(fields, 'price')),
        size: optionalAmount(fields, 'size'),
        volume_24h: optionalAmount(fields, 'volume'),
        trade_id: given(fields, 'trade_id') === null ? null : String(integerIn(given(fields, 'trade_id'))),
        traded_at: instantOf(fields, 'time'),
        ...topOfBook(bid!, ask!),
        price_unit: `${product.split('-')[1]} per ${product.split('-')[0]}`,
      }
    },
  }),
}

function positivePrice(value: string): string {
  if (!new Big(value).gt(0)) throw new SourceFault('INVALID_SOURCE_NUMBER')
  return value
}

const candles: Source = {
  id: 'coinbase-candles',
  provider: 'COINBASE',
  ttlSeconds: 300,
  parameters: {
    product: PRODUCT,
    granularity: choice('3600', GRANULARITIES),
    end: moment('instant', 'now', 'the window ends with the last whole interval at or before it; not in the future'),
    count: integer(200, 1, 300),
  },
  plan(values, now) {
    const { product = '', granularity, count } = values
    const end = givenMoment(values, 'end') ?? now
    if (end > now) refuseParameter('end', 'must not be in the future')
    const step = Number(granularity)
    const until = Math.floor(end / 1000 / step) * step
    const window = { product, step, start: until - Number(count) * step, end: until, now: Math.floor(now / 1000) }
    if (window.start < 0) refuseParameter('end', 'must leave room for the window after 1970-01-01')
    return {
      path: `/products/${product}/candles`,
      // The venue counts a candle that begins at the end along: the window ends a second before it.
      query: { granularity: String(step), start: isoSeconds(window.start), end: isoSeconds(window.end - 1) },
      normalise: (reply) => toCandles(listIn(reply), window),
    }
  },
}

interface Window {
  product: string
  step: number
  start: number
  end: number
  now: number
}

function toCandles(rows: readonly unknown[], { product, step, start, end, now }: Window): CandlesData {
  const found = rows.map((row) => toCandle(row, step))
  const byTime = new Map(found.map((row) => [row.seconds, row.candle]))
  if (byTime.size !== found.length) throw new SourceFault('INVALID_SOURCE_TIMESTAMP')
  const times = Array.from({ length: (end - start) / step }, (_, at) => start + at * step)
  const missing = times.filter((time) => !byTime.has(time))
  const items = times.flatMap((time) => byTime.get(time) ?? [])
  const not_closed = found.filter(({ seconds }) => seconds + step > now).length
  return {
    product,
    granularity_seconds: step,
    start: isoSeconds(start),
    end: isoSeconds(end),
    requested_intervals: times.length,
    ...listData(items, 'closed intervals of the window, the oldest first'),
    dropped: { outside_window: found.length - items.length - not_closed, not_closed },
    missing_intervals: missing.map(isoSeconds),
    window_complete: missing.length === 0,
    interpolation: 'NONE',
  }
}

/** The order of the venue is time, low, high, open, close, volume. */
function toCandle(row: unknown, step: number): { seconds: number; candle: Candle } {
  const [time, ...figures] = listIn(row)
  if (figures.length < 5) throw new SourceFault('INVALID_SOURCE_SCHEMA')
  const seconds = unixSeconds(time)
  if (seconds % step !== 0) throw new SourceFault('INVALID_SOURCE_TIMESTAMP')
  const [low = '', high = '', open = '', close = '', volume = ''] = figures.slice(0, 5).map(decimalIn)
  requireOrdered({ low, high, open, close, volume })
  return { seconds, candle: { time: isoSeconds(seconds), open, high, low, close, volume } }
}

/** Zero is below the low, which is at most each of open and close, which are at most the high. */
export function requireOrdered({ low, high, open, close, volume }: Omit<Candle, 'time'>): void {
  const [bottom, top] = [new Big(low), new Big(high)]
  const isOrdered = [open, close].every((price) => bottom.lte(price) && top.gte(price))
  if (!bottom.gt(0) || !isOrdered || new Big(volume).lt(0)) throw new SourceFault('INVALID_SOURCE_NUMBER')
}

export const coinbase = [products, ticker, candles]
