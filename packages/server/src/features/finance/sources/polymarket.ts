/** Markets, books and price histories in the formats of Polymarket's Gamma and CLOB interfaces. */
import { levelIn, sharePrice, toBook } from './book.ts'
import {
  decimalIn,
  decimalOf,
  type Fields,
  given,
  isoSeconds,
  listIn,
  objectIn,
  optionalAmount,
  optionalDecimal,
  optionalFlag,
  optionalInstant,
  optionalText,
  required,
  requireSame,
  SourceFault,
  textOf,
  unixSeconds,
} from './fields.ts'
import { listData } from './lists.ts'
import { choice, integer, text } from './parameters.ts'
import type { Source } from './source.ts'

const TOKEN = text({
  ...{ pattern: '[0-9]{1,80}', description: '1 to 80 digits' },
  example: '71321045679252212594626385532706912750332728571942532289631379312455583992563',
})
const UNIT = 'USDC per share that pays 1'

const markets: Source = {
  id: 'polymarket-markets',
  provider: 'GAMMA',
  ttlSeconds: 60,
  parameters: { limit: integer(20, 1, 100), offset: integer(0, 0, 100_000) },
  plan: ({ limit = '', offset = '' }) => ({
    path: '/markets',
    query: { active: 'true', closed: 'false', limit, offset },
    normalise(reply) {
      const rows = listIn(reply)
      const end = Number(offset) + Number(limit)
      const next = rows.length >= Number(limit) && end <= 100_000 ? `offset=${end}` : null
      const scope = 'markets that the venue calls active and not closed; one page and not a census'
      return listData(rows.slice(0, Number(limit)).map(toMarket), scope, next)
    },
  }),
}

function toMarket(value: unknown) {
  const fields = objectIn(value)
  return {
    id: textOf(fields, 'id'),
    condition_id: optionalText(fields, 'conditionId'),
    slug: optionalText(fields, 'slug'),
    question: textOf(fields, 'question'),
    outcomes: toOutcomes(fields),
    active: optionalFlag(fields, 'active'),
    closed: optionalFlag(fields, 'closed'),
    end_at: optionalInstant(fields, 'endDate'),
    best_bid: optionalShare(fields, 'bestBid'),
    best_ask: optionalShare(fields, 'bestAsk'),
    last_trade_price: optionalShare(fields, 'lastTradePrice'),
    liquidity: optionalAmount(fields, 'liquidity'),
    volume: optionalAmount(fields, 'volume'),
    price_unit: UNIT,
  }
}

function optionalShare(fields: Fields, name: string): string | null {
  const price = optionalDecimal(fields, name)
  return price === null ? null : sharePrice(price)
}

/** Three lists that belong together, each a JSON text inside the JSON. */
function toOutcomes(fields: Fields) {
  const names = innerList(fields, 'outcomes') ?? []
  const prices = innerList(fields, 'outcomePrices')
  const tokens = innerList(fields, 'clobTokenIds')
  for (const list of [prices, tokens])
    if (list !== null && list.length !== names.length) throw new SourceFault('INVALID_SOURCE_COLLECTION')
  return names.map((name, at) => {
    if (typeof name !== 'string') throw new SourceFault('INVALID_SOURCE_TEXT')
    const token = tokens?.[at] ?? null
    if (token !== null && !(typeof token === 'string' && /^[0-9]{1,80}$/.test(token)))
      throw new SourceFault('INVALID_SOURCE_IDENTIFIER')
    const price = prices?.[at] ?? null
    return { name, price: price === null ? null : sharePrice(decimalIn(price)), token_id: token }
  })
}

function innerList(fields: Fields, name: string): readonly unknown[] | null {
  const value = given(fields, name)
  if (value === null || value === '') return null
  if (typeof value !== 'string') return listIn(value)
  try {
    return listIn(JSON.parse(value))
  } catch (error) {
    throw error instanceof SyntaxError ? new SourceFault('INVALID_SOURCE_COLLECTION') : error
  }
}

const book: Source = {
  id: 'polymarket-book',
  provider: 'CLOB',
  ttlSeconds: 10,
  parameters: { token_id: TOKEN },
  plan: ({ token_id = '' }) => ({
    path: '/book',
    query: { token_id },
    normalise(reply) {
      const fields = objectIn(reply)
      requireSame(required(fields, 'asset_id'), token_id)
      const [bids, asks] = ['bids', 'asks'].map((side) => listIn(required(fields, side)).map(levelIn))
      return {
        token_id,
        market: optionalText(fields, 'market'),
        book_at: bookTime(given(fields, 'timestamp')),
        ...toBook({ bids: bids!, asks: asks! }, UNIT, 'REPORTED'),
      }
    },
  }),
}

/** Milliseconds since the epoch, as digits. */
function bookTime(value: unknown): string | null {
  if (value === null || value === '') return null
  if (typeof value !== 'string' || !/^\d{1,14}$/.test(value)) throw new SourceFault('INVALID_SOURCE_TIMESTAMP')
  return new Date(Number(value)).toISOString()
}

const history: Source = {
  id: 'polymarket-history',
  provider: 'CLOB',
  ttlSeconds: 300,
  parameters: {
    token_id: TOKEN,
    interval: choice('1d', ['1h', '6h', '1d', '1w', '1m']),
    fidelity: integer(60, 1, 1440),
  },
  plan: ({ token_id = '', interval = '', fidelity = '' }) => ({
    path: '/prices-history',
    query: { market: token_id, interval, fidelity },
    normalise(reply) {
      const points = listIn(required(objectIn(reply), 'history')).map((value) => {
        const fields = objectIn(value)
        return { seconds: unixSeconds(required(fields, 't')), price: sharePrice(decimalOf(fields, 'p')) }
      })
      points.sort((a, b) => a.seconds - b.seconds)
      const items = points.map(({ seconds, price }) => ({ time: isoSeconds(seconds), price }))
      const scope = 'prices that the venue sampled, the oldest first; none filled in'
      return { token_id, interval, fidelity_minutes: Number(fidelity), price_unit: UNIT, ...listData(items, scope) }
    },
  }),
}

export const polymarket = [markets, book, history]
