/** What signals, quote and portfolio take and answer. */
import Type, { type Static, type TSchema } from 'typebox'
import { FOUR_FLAGS, OBSERVATION_MODES } from '../../../domain/observation.ts'
import {
  Count,
  closed,
  Hex64,
  Nullable,
  named,
  ReceiptSummary,
  Text,
  Texts,
  Timestamp,
  words,
} from '../../../domain/wire.ts'

const SYMBOL_PATTERN = '^[A-Z0-9][A-Z0-9.-]{0,23}$'
const symbol = {
  pattern: SYMBOL_PATTERN,
  description: '1 to 24 of A-Z, 0-9, dot and hyphen; case matters',
  examples: ['BTC-USD'],
}
export const SymbolPath = Type.Object({ symbol_name: Type.String(symbol) })

const Origin = {
  ...words(['coinbase', 'fixture']),
  default: 'coinbase',
  description: 'closed daily candles of the venue, or a simulated walk',
}
export const SignalsQuery = Type.Object({ origin: Type.Optional(Origin) })
export const QuoteQuery = Type.Object({ origin: Type.Optional(Origin), benchmark: Type.Optional(Type.String(symbol)) })

/** Twelve decimals. */
const Statistic = Type.String({ pattern: '^-?[0-9]+\\.[0-9]{12}$' })
const Revision = Type.String({ pattern: '^(?:[0-9a-f]{40}|UNBOUND)$' })

const inputs = {
  origin: words(['coinbase', 'fixture']),
  label: words(['LIVE', 'SAMPLE', 'SIMULATED', 'UNAVAILABLE']),
  mode: Nullable(words(OBSERVATION_MODES)),
  fetched_at: Nullable(Timestamp),
  age_seconds: Nullable(Count),
  observation_id: Nullable(Hex64),
  series_len: Count,
  values_sha256: Type.Union([Nullable(Hex64)], { description: 'of the prices as they are written, joined by commas' }),
  periods_per_year: Type.Integer(),
  simulator: Nullable(closed({ id: Type.String(), seed: Type.String(), assumptions: Texts, not_real: Texts })),
}
const AnalyticsInputs = closed({
  ...inputs,
  benchmark: Type.Optional(closed({ symbol: Type.String(), ...inputs })),
})
export type AnalyticsInputs = Static<typeof AnalyticsInputs>

const AnalyticsError = closed({
  code: words([
    'HISTORY_UNAVAILABLE',
    'HISTORY_STALE',
    'INCOMPLETE_HISTORY',
    'NO_PRICE_VARIATION',
    'PRICE_OUT_OF_RANGE',
    'TOO_FEW_POINTS',
    'TOO_MANY_POINTS',
    'BENCHMARK_TIMESTAMPS_MISMATCH',
  ]),
  symbol: Type.String(),
  cause: Type.Union([Text], { description: 'the failure code of the source' }),
  retryable: Type.Boolean(),
  retry_after_seconds: Nullable(Count),
  missing_days: Type.Array(Type.String({ pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$' })),
})
export type AnalyticsError = Static<typeof AnalyticsError>

export const Computation = named('FinanceComputation', {
  schema: Type.Literal('orch.finance.computation/v1'),
  payload_sha256: Type.Union([Hex64], { description: 'of the reply without `computation`' }),
  component_version: Type.String(),
  source_revision: Revision,
  signed: Type.Literal(false),
  persistence: Type.Literal('CALLER_HELD'),
  authority: Type.Literal('NONE'),
  record_sha256: Type.Union([Hex64], { description: 'of this record without itself' }),
})

/** The code that computed a result. */
export const MADE_BY = {
  source_revision: Revision,
  component: closed({ name: Type.String(), version: Type.String(), formulas_sha256: Hex64 }),
}

const head = {
  schema: Type.Literal('orch.finance.analytics/v2'),
  ok: Type.Union([Type.Boolean()], { description: 'computed from a reading that was fresh enough' }),
  state: words(['COMPUTED', 'BLOCKED']),
  basis: Type.Union([Type.String()], { description: 'the equations and what they were applied to' }),
  ...MADE_BY,
}

const envelope = <Name extends string, Result extends TSchema>($id: string, operation: Name, result: Result) =>
  named($id, {
    ...head,
    label: words(['MODELED', 'SIMULATED', 'UNAVAILABLE']),
    operation: Type.Literal(operation),
    inputs: AnalyticsInputs,
    result: Nullable(result),
    error: Nullable(AnalyticsError),
    ...FOUR_FLAGS,
    computation: Computation,
  })

const Vote = Type.Integer({ minimum: -1, maximum: 1 })
export const SignalsReply = envelope(
  'FinanceSignals',
  'signals',
  closed({
    symbol: Type.String(),
    indicators: closed({
      sma_fast: Statistic,
      sma_slow: Statistic,
      ema_12: Statistic,
      ema_26: Statistic,
      rsi_14: Nullable(Statistic),
      macd: closed({ macd: Statistic, signal: Statistic, histogram: Statistic }),
      bollinger_z_20: Nullable(Statistic),
    }),
    votes: closed({ sma: Vote, macd: Vote, rsi: Vote, z: Vote }),
    vote_score: Type.Integer({ minimum: -4, maximum: 4 }),
    verdict: words(['BULLISH', 'NEUTRAL', 'BEARISH']),
    last_close_at: Nullable(Timestamp),
  }),
)

export const QuoteReply = envelope(
  'FinanceQuote',
  'quote',
  closed({
    symbol: Type.String(),
    last: Type.Union([Type.String()], { description: 'as the source writes it' }),
    last_at: Nullable(Timestamp),
    bars: Count,
    price_kind: Type.Literal('LAST_COMPLETED_DAILY_CLOSE_NOT_EXECUTION_QUOTE'),
    volatility: Statistic,
    sharpe: Nullable(Statistic),
    max_drawdown: Statistic,
    beta: Type.Optional(Nullable(Statistic)),
    benchmark: Type.Optional(Type.String()),
  }),
)

const MAX_ASSETS = 16
const Price = Type.Union([
  Type.Number({ minimum: 1e-12, maximum: 1e12 }),
  Type.String({
    pattern: '^[0-9]{1,13}(?:\\.[0-9]{1,30})?$',
    description: 'a decimal from 0.000000000001 to 1000000000000',
    examples: ['101.25'],
  }),
])
const bySymbol = <T extends TSchema>(value: T, options: object = {}) =>
  Type.Record(Type.String({ pattern: SYMBOL_PATTERN }), value, { ...options, additionalProperties: false })

export const PortfolioBody = closed({
  holdings: bySymbol(Type.Array(Price, { minItems: 3, maxItems: 300, description: 'prices, the oldest first' }), {
    minProperties: 1,
    maxProperties: MAX_ASSETS,
    description: 'one list of prices for each symbol, 1 to 16 of them',
  }),
  periods_per_year: Type.Unsafe<252 | 365>(Type.Enum([252, 365])),
  weights: Type.Optional(
    bySymbol(Type.Number({ minimum: -2, maximum: 2 }), {
      description: 'one for each symbol of holdings; they add up to 1 within 1e-9',
    }),
  ),
  confidence: Type.Optional(Type.Number({ minimum: 0.5, maximum: 0.999, default: 0.95 })),
})
export type PortfolioBody = Static<typeof PortfolioBody>

const Matrix = <T extends TSchema>(cell: T) => Type.Record(Type.String(), Type.Record(Type.String(), cell))
const PortfolioResult = closed({
  per_asset: Type.Record(
    Type.String(),
    closed({
      series_len: Count,
      volatility: Statistic,
      sharpe: Nullable(Statistic),
      max_drawdown: Statistic,
      input_sha256: Type.Union([Hex64], { description: 'of the prices as decimals, joined by commas' }),
    }),
  ),
  aggregate: closed({
    basis: Type.Literal('PLAIN_AVERAGES_OVER_ASSETS'),
    mean_volatility: Statistic,
    mean_sharpe: Nullable(Statistic),
    worst_drawdown: Statistic,
  }),
  portfolio: Nullable(
    closed({
      weights: Type.Record(Type.String(), Type.Number()),
      weights_source: words(['CALLER', 'EQUAL_DEFAULT']),
      alignment: Type.Literal('BY_INDEX_AS_CLAIMED_BY_CALLER'),
      covariance_annual: Matrix(Statistic),
      correlation: Matrix(Nullable(Statistic)),
      volatility: Statistic,
      sharpe: Nullable(Statistic),
      max_drawdown: Statistic,
      wiped_out_at: Nullable(
        Type.Integer({ description: 'the period in which the path came to nothing or less; it ends there' }),
      ),
      diversification_ratio: Nullable(Statistic),
      risk_contributions: Nullable(
        Type.Record(Type.String(), closed({ marginal: Statistic, absolute: Statistic, percent: Statistic })),
      ),
    }),
  ),
  portfolio_reason: Nullable(Type.Literal('UNEQUAL_LENGTHS')),
  tail: Nullable(
    closed({
      confidence: Type.Number(),
      n: Count,
      k: Count,
      var: Statistic,
      es: Statistic,
      horizon_periods: Type.Literal(1),
    }),
  ),
  tail_reason: Nullable(words(['TOO_FEW_RETURNS', 'UNEQUAL_LENGTHS'])),
})
export type PortfolioResult = Static<typeof PortfolioResult>

export const PortfolioReply = named('FinancePortfolio', {
  ...head,
  label: Type.Literal('MODELED'),
  operation: Type.Literal('portfolio'),
  input_source: words(['CALLER', 'DEFAULT_EXAMPLE']),
  inputs: closed({
    origin: Type.Literal('caller'),
    label: Type.Literal('SAMPLE'),
    verified: Type.Literal(false),
    inputs_sha256: Hex64,
    periods_per_year: Type.Integer(),
  }),
  result: PortfolioResult,
  error: Type.Null(),
  ...FOUR_FLAGS,
  payload_sha256: Type.Union([Hex64], { description: 'of the reply without this field and `receipt`' }),
  receipt: ReceiptSummary,
})
