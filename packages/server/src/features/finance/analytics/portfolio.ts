/** Risk of a fixed-weight portfolio of the caller's prices. Everything is annual but the tail, which is of one period. */
import { maxDrawdown, returnsOf, sharpeOf, volatilityOf } from './indicators.ts'
import { meanOf, sampleCovariance, sampleDeviation, toText, toTextOrNull } from './statistics.ts'
import { tailOf } from './tail.ts'

export interface PortfolioInput {
  /** Symbols in the order in which they are shown. */
  symbols: readonly string[]
  prices: readonly (readonly number[])[]
  /** Null where the caller gave none: equal ones are used. */
  weights: readonly number[] | null
  periods: 252 | 365
  confidence: number
}

interface AssetRisk {
  volatility: number
  sharpe: number | null
  drawdown: number
}

const assetRisk = (prices: readonly number[], periods: number): AssetRisk => ({
  volatility: volatilityOf(returnsOf(prices), periods),
  sharpe: sharpeOf(returnsOf(prices), periods),
  drawdown: maxDrawdown(prices),
})

/** Each by itself, and plain averages over them. */
export function assetsOf({ symbols, prices, periods }: PortfolioInput) {
  const risks = prices.map((series) => assetRisk(series, periods))
  const sharpes = risks.flatMap(({ sharpe }) => (sharpe === null ? [] : [sharpe]))
  return {
    per_asset: bySymbol(symbols, (at) => ({
      series_len: prices[at]!.length,
      volatility: toText(risks[at]!.volatility),
      sharpe: toTextOrNull(risks[at]!.sharpe),
      max_drawdown: toText(risks[at]!.drawdown),
    })),
    aggregate: {
      basis: 'PLAIN_AVERAGES_OVER_ASSETS' as const,
      mean_volatility: toText(meanOf(risks.map(({ volatility }) => volatility))),
      mean_sharpe: sharpes.length < risks.length ? null : toText(meanOf(sharpes)),
      worst_drawdown: toText(Math.min(...risks.map(({ drawdown }) => drawdown))),
    },
  }
}

/** Of series of one length; null where they are not. The pairing by index is the caller's claim. */
export function portfolioOf(input: PortfolioInput) {
  const { symbols, prices, periods, confidence } = input
  if (new Set(prices.map(({ length }) => length)).size !== 1) return null
  const weights = input.weights ?? symbols.map(() => 1 / symbols.length)
  const returns = prices.map(returnsOf)
  const combined = returns[0]!.map((_, t) =>
    returns.reduce((total, series, at) => total + weights[at]! * series[t]!, 0),
  )
  const scale = exposureOf(weights, returns)
  const path = compoundedDrawdown(combined)
  const tail = tailOf(combined, confidence)
  return {
    portfolio: {
      weights: Object.fromEntries(symbols.map((symbol, at) => [symbol, weights[at]!])),
      weights_source: input.weights === null ? ('EQUAL_DEFAULT' as const) : ('CALLER' as const),
      alignment: 'BY_INDEX_AS_CLAIMED_BY_CALLER' as const,
      ...matrices(symbols, returns, periods),
      volatility: toText(volatilityOf(combined, periods, scale)),
      sharpe: toTextOrNull(sharpeOf(combined, periods, scale)),
      max_drawdown: toText(path.worst),
      wiped_out_at: path.endedAt,
      ...decomposition(symbols, returns, weights, combined, periods, scale),
    },
    tail,
    tail_reason: tail === null ? ('TOO_FEW_RETURNS' as const) : null,
  }
}

/** How much larger than the combined returns the figures are that they were summed from: their rounding remains. */
const exposureOf = (weights: readonly number[], returns: readonly (readonly number[])[]): number =>
  weights.reduce((total, weight, at) => {
    const peak = returns[at]!.reduce((most, one) => Math.max(most, Math.abs(one)), 0)
    return total + Math.abs(weight) * (1 + peak)
  }, 1)

function matrices(symbols: readonly string[], returns: readonly (readonly number[])[], periods: number) {
  const deviations = returns.map((series) => sampleDeviation(series))
  const covariance = (a: number, b: number): number =>
    deviations[a] === 0 || deviations[b] === 0 ? 0 : sampleCovariance(returns[a]!, returns[b]!)
  const correlation = (a: number, b: number): number | null => {
    if (deviations[a] === 0 || deviations[b] === 0) return null
    if (a === b) return 1
    return Math.min(1, Math.max(-1, covariance(a, b) / (deviations[a]! * deviations[b]!)))
  }
  return {
    covariance_annual: matrix(symbols, (a, b) => toText(covariance(a, b) * periods)),
    correlation: matrix(symbols, (a, b) => toTextOrNull(correlation(a, b))),
  }
}

/** (Sw)_i is the covariance of the asset with the combined returns, which keeps the digits that a product of matrices loses
 *  where positions cancel each other. */
function decomposition(
  symbols: readonly string[],
  returns: readonly (readonly number[])[],
  weights: readonly number[],
  combined: readonly number[],
  periods: number,
  scale: number,
) {
  const total = volatilityOf(combined, periods, scale)
  if (total === 0) return { diversification_ratio: null, risk_contributions: null }
  const own = returns.map((series) => volatilityOf(series, periods))
  return {
    diversification_ratio: toText(own.reduce((sum, one, at) => sum + weights[at]! * one, 0) / total),
    risk_contributions: bySymbol(symbols, (at) => {
      const marginal = (sampleCovariance(returns[at]!, combined) * periods) / total
      const absolute = weights[at]! * marginal
      return { marginal: toText(marginal), absolute: toText(absolute), percent: toText((absolute / total) * 100) }
    }),
  }
}

/** Of the path that compounds the returns. One that came to nothing has no later value to fall from and ends there. */
function compoundedDrawdown(returns: readonly number[]): { worst: number; endedAt: number | null } {
  let share = 1
  let worst = 0
  for (const [at, one] of returns.entries()) {
    share = Math.min(1, share * (1 + one))
    worst = Math.min(worst, share - 1)
    if (share <= 0) return { worst, endedAt: at + 1 }
  }
  return { worst, endedAt: null }
}

const bySymbol = <T>(symbols: readonly string[], valueAt: (at: number) => T): Record<string, T> =>
  Object.fromEntries(symbols.map((symbol, at) => [symbol, valueAt(at)]))

const matrix = <T>(symbols: readonly string[], cell: (a: number, b: number) => T): Record<string, Record<string, T>> =>
  bySymbol(symbols, (a) => bySymbol(symbols, (b) => cell(a, b)))
