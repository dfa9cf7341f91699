/** Markets and books in the format of Kalshi's interface, which quotes whole cents, dollars, or both. */
import { centsToDollars, complement, shareLevel, sharePrice, toBook } from './book.ts'
import {
  decimalIn,
  type Fields,
  given,
  identifierOf,
  listIn,
  objectIn,
  optionalAmount,
  optionalDecimal,
  optionalInstant,
  optionalText,
  required,
  SourceFault,
} from './fields.ts'
import { listData, nextPage } from './lists.ts'
import { integer, refuseParameter, text } from './parameters.ts'
import type { Source } from './source.ts'

const UNIT = 'USD per contract that pays 1'
const TICKER = /^[A-Za-z0-9._-]{1,128}$/

const markets: Source = {
  id: 'kalshi-markets',
  provider: 'KALSHI',
  ttlSeconds: 60,
  parameters: {
    limit: integer(20, 1, 100),
    cursor: text({ pattern: '[!-~]{1,2048}', description: 'next of the page before', example: 'CgsI' }, null),
    series_ticker: text(
      { pattern: '[A-Z0-9-]{1,64}', description: '1 to 64 capitals, digits or hyphens', example: 'KXBTCD' },
      null,
    ),
  },
  plan: ({ limit = '', cursor, series_ticker }) => ({
    path: '/trade-api/v2/markets',
    query: {
      ...{ status: 'open', limit },
      ...(cursor === undefined ? {} : { cursor }),
      ...(series_ticker === undefined ? {} : { series_ticker }),
    },
    normalise(reply) {
      const fields = objectIn(reply)
      const next = optionalText(fields, 'cursor')
      const rows = listIn(required(fields, 'markets')).slice(0, Number(limit)).map(toMarket)
      const scope = 'markets that the venue calls open; one page and not a census'
      return listData(rows, scope, nextPage('cursor', next))
    },
  }),
}

function toMarket(value: unknown) {
  const fields = objectIn(value)
  return {
    ticker: identifierOf(fields, 'ticker', TICKER),
    event_ticker: optionalText(fields, 'event_ticker'),
    title: optionalText(fields, 'title'),
    yes_subtitle: optionalText(fields, 'yes_sub_title'),
    status: optionalText(fields, 'status'),
    open_at: optionalInstant(fields, 'open_time'),
    close_at: optionalInstant(fields, 'close_time'),
    yes_bid: price(fields, 'yes_bid'),
    yes_ask: price(fields, 'yes_ask'),
    no_bid: price(fields, 'no_bid'),
    no_ask: price(fields, 'no_ask'),
    last_price: price(fields, 'last_price'),
    volume: optionalAmount(fields, 'volume_fp') ?? optionalAmount(fields, 'volume'),
    open_interest: optionalAmount(fields, 'open_interest_fp') ?? optionalAmount(fields, 'open_interest'),
    price_unit: UNIT,
  }
}

function price(fields: Fields, name: string): string | null {
  const dollars = optionalDecimal(fields, `${name}_dollars`)
  const cents = dollars === null ? optionalDecimal(fields, name) : null
  const value = cents === null ? dollars : centsToDollars(cents)
  return value === null ? null : sharePrice(value)
}

const TICKER_FORM = text({
  ...{ pattern: '[A-Z0-9.-]{1,96}', description: '1 to 96 capitals, digits, dots or hyphens' },
  example: 'KXBTCD-26JAN0217-T95000',
})

const book: Source = {
  id: 'kalshi-book',
  provider: 'KALSHI',
  ttlSeconds: 10,
  parameters: { ticker: TICKER_FORM, depth: integer(50, 1, 100) },
  plan: ({ ticker = '', depth = '' }) => ({
    path: `/trade-api/v2/markets/${requireName(ticker)}/orderbook`,
    query: { depth },
    normalise(reply) {
      const fields = objectIn(reply)
      const orderBook = given(fields, 'orderbook_fp') ?? required(fields, 'orderbook')
      const [yes, no] = ['yes', 'no'].map((side) => levels(objectIn(orderBook), side))
      const sides = { bids: yes!, asks: no!.map(complement) }
      return { ticker, depth: Number(depth), no_bids: no!, ...toBook(sides, UNIT, 'DERIVED_COMPLEMENT_OF_NO_BIDS') }
    },
  }),
}

/** Dots alone would lead to another path. */
function requireName(ticker: string): string {
  if (/^\.{1,2}$/.test(ticker)) refuseParameter('ticker', 'must be more than dots')
  return ticker
}

/** A side without a bid is null, or left out where the other one is there. */
function levels(fields: Fields, side: string) {
  const names = [`${side}_dollars`, side]
  if (names.every((name) => !Object.hasOwn(fields, name))) throw new SourceFault('MISSING_SOURCE_FIELD')
  const dollars = given(fields, `${side}_dollars`)
  const rows = listIn(dollars ?? given(fields, side) ?? [])
  return rows.map((row) => {
    const [first, size] = listIn(row)
    return shareLevel(dollars === null ? centsToDollars(decimalIn(first)) : first, size)
  })
}

export const kalshi = [markets, book]
