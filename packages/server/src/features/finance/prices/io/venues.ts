/** The tickers of four venues, each in the form it publishes. Whoever answers controls every field: what is not what the
 *  venue documents counts for nothing and says why. */
import Big from 'big.js'
import { type Outbound, OutboundFault, type Outcome } from '../../../../adapters/outbound/contract.ts'
import { isRecord } from '../../../../domain/stored-receipt.ts'
import type { VenueQuote } from '../estimate.ts'
import type { PriceSymbol } from '../schemas.ts'

interface Ticker {
  bid: string | null
  ask: string | null
  last: string | null
  venue_time: string | null
  /** Why the venue itself gives no quote. */
  reason: string | null
}

type Pairs = Readonly<Record<PriceSymbol, string | null>>

interface Venue {
  venue: string
  /** The id of its row in the table of providers. */
  provider: string
  /** Null where the venue does not trade the pair. */
  pairs: Pairs
  path(pair: string): string
  query?(pair: string): Record<string, string>
  time_basis: string
  /** Where its clock goes in steps: how old its newest step may be. */
  maxAgeMs?: number
  read(reply: Record<string, unknown>, symbol: PriceSymbol): Ticker
}

const MAX_BYTES = 64 * 1024
/** Short enough for whoever waits for the print to hear of it. */
const DEADLINE_MS = 5_000
const MAX_AGE_MS = 300_000
const MAX_AHEAD_MS = 2_000
/** Gemini measures its volume anew every five minutes and names the end of what was measured: the quote beside it is of now,
 *  and the newest end may be five minutes old and as much older as it takes to publish it. */
const GEMINI_MAX_AGE_MS = MAX_AGE_MS + 60_000

/** Kraken has names of its own for what is older than itself. */
const KRAKEN_NAMES: Readonly<Record<PriceSymbol, readonly string[]>> = {
  BTC: ['XXBTZUSD', 'XBTUSD'],
  ETH: ['XETHZUSD', 'ETHUSD'],
  SOL: ['SOLUSD'],
}

const VENUES: readonly Venue[] = [
  {
    venue: 'coinbase',
    provider: 'COINBASE',
    pairs: { BTC: 'BTC-USD', ETH: 'ETH-USD', SOL: 'SOL-USD' },
    path: (pair) => `/products/${pair}/ticker`,
    time_basis: 'VENUE_TIME_OF_LAST_TRADE',
    read: (reply) => ({ ...sides(reply.bid, reply.ask, reply.price), venue_time: instant(reply.time) }),
  },
  {
    venue: 'kraken',
    provider: 'KRAKEN',
    pairs: { BTC: 'XBTUSD', ETH: 'ETHUSD', SOL: 'SOLUSD' },
    path: () => '/0/public/Ticker',
    query: (pair) => ({ pair }),
    time_basis: 'RETRIEVAL_TIME',
    read: readKraken,
  },
  {
    venue: 'bitstamp',
    provider: 'BITSTAMP',
    pairs: { BTC: 'btcusd', ETH: 'ethusd', SOL: 'solusd' },
    path: (pair) => `/api/v2/ticker/${pair}/`,
    time_basis: 'VENUE_TIME_OF_TICKER',
    read(reply, symbol) {
      requireName(reply.pair, `${symbol}/USD`)
      return { ...sides(reply.bid, reply.ask, reply.last), venue_time: epoch(reply.timestamp, 1000) }
    },
  },
  {
    venue: 'gemini',
    provider: 'GEMINI',
    pairs: { BTC: 'btcusd', ETH: 'ethusd', SOL: 'solusd' },
    path: (pair) => `/v1/pubticker/${pair}`,
    time_basis: 'VENUE_END_OF_VOLUME_WINDOW',
    maxAgeMs: GEMINI_MAX_AGE_MS,
    read(reply, symbol) {
      const volume = isRecord(reply.volume) ? reply.volume : refuse('INVALID_SOURCE_SCHEMA')
      if (!Object.hasOwn(volume, symbol) || !Object.hasOwn(volume, 'USD')) refuse('IDENTITY_MISMATCH')
      return { ...sides(reply.bid, reply.ask, reply.last), venue_time: epoch(volume.timestamp, 1) }
    },
  },
]

/** Of every venue, in parallel; never from a cache, for a print is of now. */
export const readVenues = (
  outbound: Pick<Outbound, 'get'>,
  symbol: PriceSymbol,
  signal?: AbortSignal,
): Promise<VenueQuote[]> => Promise.all(VENUES.map((venue) => readVenue(outbound, venue, symbol, signal)))

async function readVenue(
  outbound: Pick<Outbound, 'get'>,
  row: Venue,
  symbol: PriceSymbol,
  signal?: AbortSignal,
): Promise<VenueQuote> {
  const { venue, provider, pairs, path, query, time_basis, read } = row
  const pair = pairs[symbol]
  if (pair === null) return nothing(venue, time_basis, 'NOT_LISTED')
  const normalise = (reply: unknown) => read(isRecord(reply) ? reply : refuse('INVALID_SOURCE_SCHEMA'), symbol)
  const limits = { normalise, decimals: true, maxBytes: MAX_BYTES, deadlineMs: DEADLINE_MS } as const
  return toQuote(row, await outbound.get(provider, path(pair), query?.(pair) ?? {}, limits, signal))
}

function toQuote({ venue, time_basis, maxAgeMs = MAX_AGE_MS }: Venue, outcome: Outcome<Ticker>): VenueQuote {
  if (!outcome.ok) {
    const code = 'failure' in outcome ? outcome.failure.code : outcome.code
    return nothing(venue, time_basis, code === 'UPSTREAM_HTTP_404' ? 'NOT_LISTED' : code)
  }
  const { value, fetched_at, bytes_sha256 } = outcome
  const reason = value.reason ?? (isOnTime(value.venue_time, fetched_at, maxAgeMs) ? null : 'VENUE_CLOCK')
  return { venue, ...value, time_basis, fetched_at, bytes_sha256, reason }
}

const nothing = (venue: string, time_basis: string, reason: string): VenueQuote => ({
  ...{ venue, time_basis, reason },
  ...{ bid: null, ask: null, last: null, venue_time: null, fetched_at: null, bytes_sha256: null },
})

function isOnTime(venueTime: string | null, fetchedAt: string, maxAgeMs: number): boolean {
  if (venueTime === null) return true
  const age = Date.parse(fetchedAt) - Date.parse(venueTime)
  return age <= maxAgeMs && age >= -MAX_AHEAD_MS
}

/** Kraken names no time. Its list of errors speaks before anything else. */
function readKraken({ error, result }: Record<string, unknown>, symbol: PriceSymbol): Ticker {
  if (!Array.isArray(error)) refuse('INVALID_SOURCE_SCHEMA')
  if (error.length > 0) {
    const isUnknown = error.includes('EQuery:Unknown asset pair')
    return { bid: null, ask: null, last: null, venue_time: null, reason: isUnknown ? 'NOT_LISTED' : 'VENUE_ERROR' }
  }
  if (!isRecord(result)) refuse('INVALID_SOURCE_SCHEMA')
  const [name = '', ...more] = Object.keys(result)
  const ticker = result[name]
  if (more.length > 0 || !KRAKEN_NAMES[symbol].includes(name)) refuse('IDENTITY_MISMATCH')
  if (!isRecord(ticker)) refuse('INVALID_SOURCE_SCHEMA')
  return { ...sides(first(ticker.b), first(ticker.a), first(ticker.c)), venue_time: null }
}

function refuse(
  code: 'INVALID_SOURCE_SCHEMA' | 'INVALID_SOURCE_NUMBER' | 'INVALID_SOURCE_TIMESTAMP' | 'IDENTITY_MISMATCH',
): never {
  throw new OutboundFault(code)
}

function requireName(found: unknown, expected: string): void {
  if (found !== undefined && found !== expected) refuse('IDENTITY_MISMATCH')
}

const first = (value: unknown): unknown => (Array.isArray(value) ? value[0] : refuse('INVALID_SOURCE_SCHEMA'))

const sides = (bid: unknown, ask: unknown, last: unknown) => ({
  ...{ bid: decimal(bid), ask: decimal(ask), last: decimal(last) },
  reason: null,
})

const DECIMAL = /^-?\d{1,31}(?:\.\d{1,30})?$/
/** The ways in which sources say that there is no number. */
const NOTHING: ReadonlySet<unknown> = new Set([undefined, null, '', '.', '-', 'null', 'N/A'])

function decimal(value: unknown): string | null {
  if (NOTHING.has(value)) return null
  return typeof value === 'string' && DECIMAL.test(value) ? new Big(value).toFixed() : refuse('INVALID_SOURCE_NUMBER')
}

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/

function instant(value: unknown): string {
  const at = typeof value === 'string' && INSTANT.test(value) ? Date.parse(value) : Number.NaN
  return Number.isNaN(at) ? refuse('INVALID_SOURCE_TIMESTAMP') : new Date(at).toISOString()
}

/** Digits since the epoch, in units of so many milliseconds. */
const epoch = (value: unknown, unitMs: number): string =>
  typeof value === 'string' && /^\d{1,14}$/.test(value) && Number(value) * unitMs <= MAX_DATE_MS
    ? new Date(Number(value) * unitMs).toISOString()
    : refuse('INVALID_SOURCE_TIMESTAMP')

/** The end of the year 9999. */
const MAX_DATE_MS = 253_402_300_799_999
