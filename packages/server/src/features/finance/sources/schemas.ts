import Type, { type Static } from 'typebox'
import {
  FOUR_FLAGS,
  OBSERVATION_LABELS,
  OBSERVATION_MODES,
  Observation,
  SOURCE_IDS,
} from '../../../domain/observation.ts'
import { AnyObject, Count, closed, Nullable, named, Text, Texts, Timestamp, words } from '../../../domain/wire.ts'

export const SourcePath = Type.Object({
  source: Type.String({ description: 'an id of /api/orch/v1/finance/providers', examples: ['coinbase-ticker'] }),
})

/** A name that some sources take, as a text: the source itself says what it may be, and refuses what is not its own. */
const own = (sources: string) => Type.Optional(Type.String({ description: `of ${sources}` }))

/** A test holds the names to the table of sources. */
export const ObservationQuery = Type.Object({
  fresh: Type.Optional(Type.Boolean({ description: 'not from the cache; pace and cooldown still hold' })),
  limit: own('every list'),
  offset: own('polymarket-markets'),
  token_id: own('polymarket-book and polymarket-history'),
  interval: own('polymarket-history'),
  fidelity: own('polymarket-history'),
  cursor: own('kalshi-markets'),
  series_ticker: own('kalshi-markets'),
  ticker: own('kalshi-book'),
  depth: own('kalshi-book'),
  product: own('coinbase-ticker and coinbase-candles'),
  granularity: own('coinbase-candles'),
  count: own('coinbase-candles'),
  end: own('coinbase-candles and alpaca-bars'),
  cik: own('sec-submissions and sec-companyfacts'),
  series_id: own('bls-series and fred-series'),
  as_of: own('fred-series'),
  symbol: own('alpaca-quote and alpaca-bars'),
  timeframe: own('alpaca-bars'),
  start: own('alpaca-bars'),
  page_token: own('alpaca-bars'),
})

const Parameter = closed({
  name: Type.String(),
  type: words(['integer', 'text', 'choice', 'day', 'instant']),
  default: Type.Union([Text], { description: 'a value, or in words what is worked out' }),
  required: Type.Boolean(),
  bounds: closed({
    minimum: Nullable(Type.Integer()),
    maximum: Nullable(Type.Integer()),
    pattern: Text,
    choices: Nullable(Texts),
    note: Text,
  }),
})

export const SourceRow = closed({
  id: words(SOURCE_IDS),
  provider: Type.String(),
  operation: Type.String(),
  parameters: Type.Array(Parameter),
  ttl_seconds: Count,
  required_environment: Type.Union([Texts], { description: 'names of settings; their values are never shown' }),
  configuration: words(['PRESENT', 'MISSING']),
  upstream_overridden: Type.Boolean(),
  cooldown_until: Nullable(Timestamp),
  budget: Nullable(closed({ limit: Count, used: Count })),
  last_attempt: Nullable(closed({ state: Type.String(), ok: Type.Boolean(), at: Timestamp, error: Text })),
  observed_connection: Type.Union([Type.String()], {
    description: 'of the newest attempt of this process, or NOT_PROBED',
  }),
})
export type SourceRow = Static<typeof SourceRow>

export const FinanceProviders = named('FinanceProviders', {
  schema: Type.Literal('orch.finance.providers/v1'),
  label: Type.Literal('STRUCTURAL-ONLY'),
  probed: Type.Literal(false),
  sources: Type.Array(SourceRow),
  ...FOUR_FLAGS,
})
export type FinanceProviders = Static<typeof FinanceProviders>

export const FinanceOverview = named('FinanceOverview', {
  schema: Type.Literal('orch.finance.overview/v1'),
  ok: Type.Boolean({ description: 'all four are' }),
  state: words(['SNAPSHOTS_AVAILABLE', 'DEGRADED', 'UNAVAILABLE']),
  mode: words(OBSERVATION_MODES),
  label: words(OBSERVATION_LABELS),
  sources_requested: Count,
  sources_available: Count,
  sources_live: Count,
  failed: Type.Array(closed({ source: Type.String(), code: Type.String() })),
  data: Type.Record(Type.String(), Observation),
  event_equivalence: Type.Literal('NOT_ESTABLISHED'),
  scope: Type.String(),
  ...FOUR_FLAGS,
})
export type FinanceOverview = Static<typeof FinanceOverview>

/** A formula of the analytics with a vector that a test evaluates. */
export const FormulaRow = closed({ id: Type.String(), definition: Type.String(), vector: AnyObject })
export type FormulaRow = Static<typeof FormulaRow>

export const FinanceContract = named('FinanceContract', {
  schema: Type.Literal('orch.finance.contract/v1'),
  label: Type.Literal('STRUCTURAL-ONLY'),
  operations: Type.Array(
    closed({
      method: Type.String(),
      path: Type.String(),
      query_schema: Nullable(AnyObject),
      body_schema: Nullable(AnyObject),
      body_limit_bytes: Nullable(Count),
    }),
  ),
  sources: Type.Array(
    closed({ id: words(SOURCE_IDS), provider: Type.String(), ttl_seconds: Count, query_schema: AnyObject }),
  ),
  states: Texts,
  modes: Texts,
  labels: Texts,
  failure_codes: Texts,
  limits: closed({
    connect_ms: Count,
    first_byte_ms: Count,
    whole_read_ms: Count,
    providers: Type.Array(
      closed({
        id: Type.String(),
        min_interval_ms: Count,
        reads_per_day: Nullable(Count),
        max_bytes: Count,
        max_in_flight: Count,
      }),
    ),
  }),
  formulas: Type.Array(FormulaRow),
  receipt_rules: Type.Array(AnyObject),
  source_revision: Type.String(),
  ...FOUR_FLAGS,
})
export type FinanceContract = Static<typeof FinanceContract>
