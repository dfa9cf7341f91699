/** The rows of the table of providers that finance and the markets ask: who, at which origin, how often, for how much. */
import type { FailureCode, Provider } from '../../../../adapters/outbound/contract.ts'
import { type ProviderRow, provider } from '../../../../adapters/outbound/providers.ts'

interface FinanceSettings {
  /** Origins of the operator's own in place of the usual ones, by the id of the provider. */
  origins: Readonly<Record<string, string>>
  secUserAgent: string | null
  fredApiKey: string | null
  alpacaKeyId: string | null
  alpacaSecret: string | null
  alpacaFeed: string
}

const MAX_SEC_BYTES = 16 * 2 ** 20
const MAX_VENUE_BYTES = 2 ** 16
const BLS_PER_DAY = 20

/** Missing is also what cannot be right, so that no provider is asked with it. */
const unless = (isSet: boolean, code: FailureCode): FailureCode | null => (isSet ? null : code)

const rows = (settings: FinanceSettings): ProviderRow[] => [
  { id: 'GAMMA', origins: ['https://gamma-api.polymarket.com'], minIntervalMs: 300 },
  { id: 'CLOB', origins: ['https://clob.polymarket.com'], minIntervalMs: 300 },
  { id: 'KALSHI', origins: ['https://external-api.kalshi.com'], minIntervalMs: 300 },
  { id: 'COINBASE', origins: ['https://api.exchange.coinbase.com'], minIntervalMs: 300 },
  secRow(settings),
  { id: 'TREASURY', origins: ['https://api.fiscaldata.treasury.gov'], minIntervalMs: 300 },
  { id: 'BLS', origins: ['https://api.bls.gov'], minIntervalMs: 2000, perDay: BLS_PER_DAY },
  fredRow(settings),
  { id: 'FREDGRAPH', origins: ['https://fred.stlouisfed.org'], minIntervalMs: 1000 },
  alpacaRow(settings),
  { id: 'KRAKEN', origins: ['https://api.kraken.com'], minIntervalMs: 1000, maxBytes: MAX_VENUE_BYTES },
  { id: 'BITSTAMP', origins: ['https://www.bitstamp.net'], minIntervalMs: 1000, maxBytes: MAX_VENUE_BYTES },
  { id: 'GEMINI', origins: ['https://api.gemini.com'], minIntervalMs: 1000, maxBytes: MAX_VENUE_BYTES },
]

/** The SEC wants to know whom to write to. */
const secRow = ({ secUserAgent: agent }: FinanceSettings): ProviderRow => ({
  ...{ id: 'SEC', origins: ['https://data.sec.gov'], minIntervalMs: 200, maxBytes: MAX_SEC_BYTES },
  headers: agent === null ? {} : { 'user-agent': agent },
  missing: unless(agent?.includes('@') ?? false, 'NEEDS_SEC_USER_AGENT'),
})

const fredRow = ({ fredApiKey: key }: FinanceSettings): ProviderRow => ({
  ...{ id: 'FRED', origins: ['https://api.stlouisfed.org'], minIntervalMs: 500 },
  secretQuery: key === null ? {} : { api_key: key },
  missing: unless(key !== null && /^[a-z0-9]{32}$/.test(key), 'NEEDS_FRED_KEY'),
})

const alpacaRow = ({ alpacaKeyId: id, alpacaSecret: secret }: FinanceSettings): ProviderRow => ({
  ...{ id: 'ALPACA', origins: ['https://data.alpaca.markets'], minIntervalMs: 300 },
  headers: id === null || secret === null ? {} : { 'apca-api-key-id': id, 'apca-api-secret-key': secret },
  missing: unless(id !== null && secret !== null, 'NEEDS_ALPACA_CREDENTIALS'),
})

export const financeProviders = (settings: FinanceSettings): Provider[] =>
  rows(settings).map((row) => provider(row, settings.origins[row.id] ?? null))
