/** Signals and quote: a history, what is computed of it, and the record of the computation. */
import { flags } from '../../../domain/observation.ts'
import { InputError } from '../../../errors.ts'
import { withComputation } from '../computation.ts'
import type { Observe } from '../contract.ts'
import { COMPONENT, ENVELOPE_SCHEMA } from './component.ts'
import { type History, type Origin, readHistory } from './history.ts'
import { betaOf, indicatorsOf, maxDrawdown, returnsOf, sharpeOf, volatilityOf, votesOf } from './indicators.ts'
import type { AnalyticsError } from './schemas.ts'
import { largest, toText, toTextOrNull } from './statistics.ts'

export interface MarketRequest {
  symbol: string
  origin: Origin
  benchmark?: string | undefined
  now: number
  revision: string
}

const PRODUCT = /^[A-Z0-9]{2,12}-[A-Z0-9]{2,12}$/
const SIGNALS_BASIS =
  'SMA, EMA, RSI, MACD and z of daily closes, each by the formula of its name at /api/orch/v1/finance/contract; the votes are a rule, not a forecast'
const QUOTE_BASIS =
  'volatility, Sharpe ratio at a risk-free rate of 0, drawdown and beta of simple daily returns, by the formulas at /api/orch/v1/finance/contract; the past of one window, no forecast'

export async function computeSignals(observe: Observe, request: MarketRequest, signal: AbortSignal) {
  requireProduct(request.symbol, request.origin, ['path', 'symbol_name'])
  const history = await readHistory(observe, request, signal)
  const result = history.blocked ? null : signalsOf(request.symbol, history)
  return toEnvelope('signals', SIGNALS_BASIS, request, history.inputs, result, history.error)
}

export async function computeQuote(observe: Observe, request: MarketRequest, signal: AbortSignal) {
  const { symbol, origin, benchmark } = request
  requireProduct(symbol, origin, ['path', 'symbol_name'])
  if (benchmark !== undefined) requireProduct(benchmark, origin, ['query', 'benchmark'])
  const [history, other] = await Promise.all([
    readHistory(observe, request, signal),
    benchmark === undefined ? null : readHistory(observe, { ...request, symbol: benchmark }, signal),
  ])
  const inputs =
    other === null ? history.inputs : { ...history.inputs, benchmark: { symbol: benchmark!, ...other.inputs } }
  const fault = blockedBy(history, other, benchmark)
  const result = fault === null ? quoteOf(request, history, other) : null
  return toEnvelope('quote', QUOTE_BASIS, request, inputs, result, fault ?? history.error ?? other?.error ?? null)
}

/** What the venue cannot have is no missing reading but a wrong question. */
function requireProduct(symbol: string, origin: Origin, loc: (string | number)[]): void {
  if (origin === 'fixture' || PRODUCT.test(symbol)) return
  const msg = 'must be BASE-QUOTE for the origin coinbase, such as "BTC-USD"; the origin fixture takes any symbol'
  throw new InputError([{ loc, msg, type: 'value' }])
}

function signalsOf(symbol: string, { prices, closedAt }: History) {
  const indicators = indicatorsOf(prices)
  const { macd } = indicators
  return {
    symbol,
    indicators: {
      sma_fast: toText(indicators.sma_fast),
      sma_slow: toText(indicators.sma_slow),
      ema_12: toText(indicators.ema_12),
      ema_26: toText(indicators.ema_26),
      rsi_14: toTextOrNull(indicators.rsi_14),
      macd: { macd: toText(macd.macd), signal: toText(macd.signal), histogram: toText(macd.histogram) },
      bollinger_z_20: toTextOrNull(indicators.bollinger_z_20),
    },
    ...votesOf(indicators, largest(prices)),
    last_close_at: closedAt?.at(-1) ?? null,
  }
}

function quoteOf(
  { symbol, benchmark }: MarketRequest,
  { prices, closes, closedAt, inputs }: History,
  other: History | null,
) {
  const returns = returnsOf(prices)
  const periods = inputs.periods_per_year
  return {
    symbol,
    last: closes.at(-1)!,
    last_at: closedAt?.at(-1) ?? null,
    bars: prices.length,
    price_kind: 'LAST_COMPLETED_DAILY_CLOSE_NOT_EXECUTION_QUOTE' as const,
    volatility: toText(volatilityOf(returns, periods)),
    sharpe: toTextOrNull(sharpeOf(returns, periods)),
    max_drawdown: toText(maxDrawdown(prices)),
    ...(other === null ? {} : { beta: toTextOrNull(betaOf(returns, returnsOf(other.prices))), benchmark: benchmark! }),
  }
}

/** Returns are paired by their times: a benchmark with other days has no beta, whatever its length. */
function blockedBy(history: History, other: History | null, symbol = ''): AnalyticsError | null {
  if (history.blocked) return history.error
  if (other === null) return null
  const isGap = other.blocked && other.error?.code === 'INCOMPLETE_HISTORY'
  if (other.blocked && !isGap) return other.error
  const isPaired = JSON.stringify(history.closedAt) === JSON.stringify(other.closedAt)
  if (isPaired && !isGap) return null
  const unknown = { symbol, cause: null, retryable: false, retry_after_seconds: null, missing_days: [] }
  return { ...unknown, ...other.error, code: 'BENCHMARK_TIMESTAMPS_MISMATCH' }
}

function toEnvelope<Operation extends 'signals' | 'quote', Inputs extends object, Result>(
  operation: Operation,
  basis: string,
  { origin, revision }: MarketRequest,
  inputs: Inputs,
  result: Result | null,
  error: AnalyticsError | null,
) {
  const computed = origin === 'fixture' ? ('SIMULATED' as const) : ('MODELED' as const)
  return withComputation(
    {
      schema: ENVELOPE_SCHEMA,
      ok: error === null,
      state: result === null ? ('BLOCKED' as const) : ('COMPUTED' as const),
      label: result === null ? ('UNAVAILABLE' as const) : computed,
      operation,
      basis,
      source_revision: revision,
      component: COMPONENT,
      inputs,
      result,
      error,
      ...flags,
    },
    COMPONENT.version,
    revision,
  )
}
