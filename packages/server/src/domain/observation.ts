/** What finance and the markets share: one reading of one public source, and the flags of every reply. */
import Type, { type Static } from 'typebox'
import { AnyObject, Count, closed, Hex64, Nullable, named, Timestamp, words } from './wire.ts'

/** They stand in every reply of finance and markets: nothing here trades or advises. */
export const FOUR_FLAGS = {
  execution_enabled: Type.Literal(false),
  trading_enabled: Type.Literal(false),
  advisory_only: Type.Literal(true),
  not_financial_advice: Type.Literal(true),
}

/** The values of `FOUR_FLAGS`. */
export const flags = {
  execution_enabled: false,
  trading_enabled: false,
  advisory_only: true,
  not_financial_advice: true,
} as const

export const SOURCE_IDS = [
  'polymarket-markets',
  'polymarket-book',
  'polymarket-history',
  'kalshi-markets',
  'kalshi-book',
  'coinbase-products',
  'coinbase-ticker',
  'coinbase-candles',
  'sec-submissions',
  'sec-companyfacts',
  'treasury-rates',
  'treasury-debt',
  'bls-series',
  'fred-series',
  'alpaca-quote',
  'alpaca-bars',
] as const
export type SourceId = (typeof SOURCE_IDS)[number]

export const OBSERVATION_STATES = ['SNAPSHOT', 'CACHED', 'STALE', 'UNAVAILABLE'] as const
export const OBSERVATION_MODES = ['live', 'cached', 'unreachable'] as const
export const OBSERVATION_LABELS = ['LIVE', 'SAMPLE', 'UNAVAILABLE'] as const

export const ObservationProvenance = named('FinanceProvenance', {
  source: Type.String(),
  provider: Type.String(),
  upstream_origin: Type.String(),
  upstream_overridden: Type.Boolean({ description: 'the operator replaced the origin of the provider' }),
  path: Type.String(),
  query: Type.Record(Type.String(), Type.String(), { description: 'as it was sent, without keys' }),
  fetched_at: Timestamp,
  source_bytes_sha256: Hex64,
  source_bytes: Count,
  normalized_data_sha256: Hex64,
  adapter_version: Type.String(),
  source_revision: Type.String({ pattern: '^(?:[0-9a-f]{40}|UNBOUND)$' }),
  signed: Type.Literal(false),
  observation_id: Type.Union([Hex64], { description: 'SHA-256 of the canonical form of the other fields' }),
})
export type ObservationProvenance = Static<typeof ObservationProvenance>

export const ObservationError = closed({ code: Type.String(), retryable: Type.Boolean() })

export const Observation = named('FinanceObservation', {
  schema: Type.Literal('orch.finance.observation/v1'),
  source: words(SOURCE_IDS),
  ok: Type.Boolean(),
  state: words(OBSERVATION_STATES),
  mode: words(OBSERVATION_MODES),
  label: words(OBSERVATION_LABELS),
  data: Nullable(AnyObject),
  provenance: Nullable(ObservationProvenance),
  fetched_at: Nullable(Timestamp),
  served_at: Timestamp,
  age_seconds: Nullable(Count),
  cache_ttl_seconds: Count,
  freshness_note: Type.String(),
  error: Nullable(ObservationError),
  retry_after_seconds: Nullable(Count),
  ...FOUR_FLAGS,
})
export type Observation = Static<typeof Observation>

/** What every list holds besides its items. */
export interface ListData<Item> {
  items: Item[]
  count: number
  data_state: 'AVAILABLE' | 'EMPTY'
  scope: string
  pagination: { next: string | null }
}

/** `time`: when the interval begins, ISO 8601. All figures are decimal strings. */
export interface Candle {
  time: string
  open: string
  high: string
  low: string
  close: string
  volume: string
}

/** Of `coinbase-candles`: closed intervals of [start, end), the oldest first, none filled in. */
export interface CandlesData extends ListData<Candle> {
  product: string
  granularity_seconds: number
  start: string
  end: string
  requested_intervals: number
  dropped: { outside_window: number; not_closed: number }
  missing_intervals: string[]
  window_complete: boolean
  interpolation: 'NONE'
}

/** Of `treasury-debt`: the newest first, amounts as the source gives them. */
export type DebtData = ListData<{
  record_date: string
  total_public_debt_outstanding: string | null
  debt_held_by_public: string | null
  intragovernmental_holdings: string | null
}>

/** Of `fred-series`: the newest first, as they stood on the day `as_of`. */
export interface FredData extends ListData<{ date: string; value: string | null }> {
  series_id: string
  as_of: string
  units: string | null
}

/** Of `sec-companyfacts`: the newest by `filed` first, at most twenty of a unit of a concept. */
export interface FactsData
  extends ListData<{
    taxonomy: string
    concept: string
    unit: string
    value: string
    start: string | null
    end: string
    filed: string
    form: string
    accession: string
    fy: number | null
    fp: string | null
    frame: string | null
  }> {
  cik: string
  entity: string | null
}

/** One to ten digits, not all of them zero: so many zeros first, then a digit that is none. Without a lookahead, which not
 *  every reader of the interface description knows. */
export const CIK_PATTERN = `(?:${Array.from({ length: 10 }, (_, zeros) => `0{${zeros}}[1-9][0-9]{0,${9 - zeros}}`).join('|')})`
