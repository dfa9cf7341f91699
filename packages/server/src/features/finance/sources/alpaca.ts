/** Quotes and bars in the format of Alpaca's market data interface. */

import { sidePrice, topOfBook } from './book.ts'
import { requireOrdered } from './coinbase.ts'
import {
  decimalOf,
  type Fields,
  given,
  instantOf,
  listIn,
  objectIn,
  optionalAmount,
  optionalCount,
  optionalText,
  required,
  requireSame,
  SourceFault,
} from './fields.ts'
import { listData, nextPage } from './lists.ts'
import { choice, givenMoment, integer, moment, refuseParameter, text, type Values } from './parameters.ts'
import type { Plan, Source } from './source.ts'

const SYMBOL = text(
  {
    ...{ pattern: '[A-Z][A-Z0-9.]{0,11}', example: 'SPY' },
    description: 'a capital and up to 11 capitals, digits or dots',
  },
  'SPY',
)
const UNIT = 'USD per share'

const quote = (feed: string): Source => ({
  id: 'alpaca-quote',
  provider: 'ALPACA',
  ttlSeconds: 10,
  parameters: { symbol: SYMBOL },
  plan: ({ symbol = '' }): Plan => ({
    path: `/v2/stocks/${symbol}/quotes/latest`,
    query: { feed },
    normalise(reply) {
      const fields = objectIn(reply)
      requireSame(required(fields, 'symbol'), symbol)
      const found = objectIn(required(fields, 'quote'))
      return {
        symbol,
        feed,
        quoted_at: instantOf(found, 't'),
        ...topOfBook(sidePrice(decimalOf(found, 'bp')), sidePrice(decimalOf(found, 'ap'))),
        bid_size: optionalAmount(found, 'bs'),
        ask_size: optionalAmount(found, 'as'),
        price_unit: UNIT,
      }
    },
  }),
})

const SECONDS = { '1Min': 60, '15Min': 900, '1Hour': 3600, '1Day': 86_400 } as const
type Timeframe = keyof typeof SECONDS
const DAY_MS = 86_400_000
const MAX_SPAN_DAYS = 31

const bars = (feed: string): Source => ({
  id: 'alpaca-bars',
  provider: 'ALPACA',
  ttlSeconds: 300,
  parameters: {
    symbol: SYMBOL,
    timeframe: choice('1Day', Object.keys(SECONDS)),
    start: moment('instant', 'end - 7 days', `at most ${MAX_SPAN_DAYS} days before the end`),
    end: moment('instant', 'now', 'left out: where the last whole interval of the timeframe ended; not in the future'),
    limit: integer(200, 1, 1000),
    page_token: text({ pattern: '[!-~]{1,2048}', description: 'next of the page before', example: 'U1BZ' }, null),
  },
  plan(values, now): Plan {
    const { symbol = '', timeframe = '', limit = '', page_token } = values
    const { start, end } = spanOf(values, now)
    return {
      path: `/v2/stocks/${symbol}/bars`,
      query: {
        ...{ timeframe, start, end, limit, adjustment: 'raw', feed },
        ...(page_token === undefined ? {} : { page_token }),
      },
      normalise(reply) {
        const fields = objectIn(reply)
        requireSame(required(fields, 'symbol'), symbol)
        const all = listIn(given(fields, 'bars') ?? []).map((row) => toBar(objectIn(row)))
        if (new Set(all.map(({ time }) => time)).size !== all.length) throw new SourceFault('INVALID_SOURCE_TIMESTAMP')
        const items = all.filter(({ time }) => time >= start && time <= end).sort((a, b) => (a.time < b.time ? -1 : 1))
        const next = optionalText(fields, 'next_page_token')
        const list = listData(items.slice(0, Number(limit)), SCOPE, nextPage('page_token', next))
        const dropped = { outside_window: all.length - items.length }
        return { symbol, feed, timeframe, start, end, adjustment: 'raw', price_unit: UNIT, ...list, dropped }
      },
    }
  },
})
const SCOPE = 'bars of one feed from start to end, not adjusted, the oldest first; none filled in'

function spanOf(values: Values, now: number): { start: string; end: string } {
  const step = SECONDS[values.timeframe as Timeframe] * 1000
  const end = givenMoment(values, 'end') ?? Math.floor(now / step) * step
  const start = givenMoment(values, 'start') ?? end - 7 * DAY_MS
  if (end > now) refuseParameter('end', 'must not be in the future')
  if (start >= end) refuseParameter('start', 'must be before the end')
  if (end - start > MAX_SPAN_DAYS * DAY_MS)
    refuseParameter('start', `must be at most ${MAX_SPAN_DAYS} days before the end`)
  return { start: new Date(start).toISOString(), end: new Date(end).toISOString() }
}

function toBar(row: Fields) {
  const [open, high, low, close, volume] = ['o', 'h', 'l', 'c', 'v'].map((name) => decimalOf(row, name))
  const figures = { open: open!, high: high!, low: low!, close: close!, volume: volume! }
  requireOrdered(figures)
  const more = { trades: optionalCount(row, 'n'), volume_weighted: optionalAmount(row, 'vw') }
  return { time: instantOf(row, 't'), ...figures, ...more }
}

export const alpaca = (feed: string): Source[] => [quote(feed), bars(feed)]
