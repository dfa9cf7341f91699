/** The formulas as they are published: what each one is, and a vector that anybody evaluates. A test runs every vector. */
import { canonicalBytesPortable, sha256Hex } from '@orch/core'
import * as indicators from './indicators.ts'
import { portfolioOf } from './portfolio.ts'
import { toText, toTextOrNull } from './statistics.ts'
import { V1, V2 } from './vectors.ts'

const V1_TEXT = 'p[i] = 100 + 0.5 i + 5 sin(i/3), i = 0..59'
const V2_TEXT = 'q[i] = 50 + 0.2 i + 2 cos(i/4), i = 0..59'

interface Row {
  id: string
  definition: string
  parameters?: Record<string, number>
  /** It takes both series. */
  paired?: true
  /** What the service itself computes of V1, and of V2 where the formula takes two series. */
  evaluate(prices: readonly number[], other: readonly number[]): string | null
  expected: string
}

const WEIGHTED = { periods: 252, weight_1: 0.6, weight_2: 0.4 }
const EXAMPLE = portfolioOf({
  symbols: ['A', 'B'],
  prices: [V1, V2],
  weights: [0.6, 0.4],
  periods: 252,
  confidence: 0.95,
})!

const on = (prices: readonly number[]) => indicators.returnsOf(prices)

const ROWS: readonly Row[] = [
  {
    id: 'sma_fast',
    definition: 'mean of the last 10',
    evaluate: (prices) => toText(indicators.indicatorsOf(prices).sma_fast),
    expected: '125.356829727218',
  },
  {
    id: 'sma_slow',
    definition: 'mean of the last 30',
    evaluate: (prices) => toText(indicators.indicatorsOf(prices).sma_slow),
    expected: '121.510793921001',
  },
  {
    id: 'ema_12',
    definition: 'seed = mean of the first 12; then e += 2/13 * (x - e)',
    evaluate: (prices) => toText(indicators.indicatorsOf(prices).ema_12),
    expected: '126.465166263700',
  },
  {
    id: 'ema_26',
    definition: 'seed = mean of the first 26; then e += 2/27 * (x - e)',
    evaluate: (prices) => toText(indicators.indicatorsOf(prices).ema_26),
    expected: '122.853636345522',
  },
  {
    id: 'rsi_14',
    definition:
      'Wilder: averages of gains and of losses over the first 14 differences, then (13*avg + new)/14; 100 - 100/(1 + gain/loss); loss 0 and gain > 0 is 100, both 0 is null',
    evaluate: (prices) => toTextOrNull(indicators.relativeStrength(prices)),
    expected: '81.638136776384',
  },
  {
    id: 'macd',
    definition: 'EMA12 - EMA26, aligned on their tails',
    evaluate: (prices) => toText(indicators.convergence(prices).macd),
    expected: '3.611529918177',
  },
  {
    id: 'macd_signal',
    definition: 'EMA9 of the MACD line, seeded with the mean of its first 9',
    evaluate: (prices) => toText(indicators.convergence(prices).signal),
    expected: '3.059832699306',
  },
  {
    id: 'macd_histogram',
    definition: 'macd - signal',
    evaluate: (prices) => toText(indicators.convergence(prices).histogram),
    expected: '0.551697218871',
  },
  {
    id: 'bollinger_z_20',
    definition: '(last - mean20) / population sd20; sd 0 is null',
    evaluate: (prices) => toTextOrNull(indicators.zScore(prices)),
    expected: '2.471070511721',
  },
  {
    id: 'volatility',
    definition: 'sample sd (n-1) of the simple returns p[i]/p[i-1] - 1, times sqrt(periods)',
    parameters: { periods: 252 },
    evaluate: (prices) => toText(indicators.volatilityOf(on(prices), 252)),
    expected: '0.166811337769',
  },
  {
    id: 'sharpe',
    definition: 'mean / sample sd of the simple returns, times sqrt(periods), risk-free 0; sd 0 is null',
    parameters: { periods: 252 },
    evaluate: (prices) => toTextOrNull(indicators.sharpeOf(on(prices), 252)),
    expected: '7.429482140730',
  },
  {
    id: 'max_drawdown',
    definition: 'min over t of (p[t] - peak[t]) / peak[t]',
    evaluate: (prices) => toText(indicators.maxDrawdown(prices)),
    expected: '-0.052921855396',
  },
  {
    id: 'beta',
    paired: true,
    definition: 'sample cov(a, b) / sample var(b) of the simple returns, paired by timestamp; var 0 is null',
    evaluate: (prices, other) => toTextOrNull(indicators.betaOf(on(prices), on(other))),
    expected: '0.295190916595',
  },
  {
    id: 'votes',
    definition:
      'sign(SMA10 - SMA30) + sign(histogram) + (RSI < 30: +1, RSI > 70: -1) + (z < -2: +1, z > 2: -1); null votes 0; BULLISH from 2, BEARISH from -2, else NEUTRAL; a difference below 64 * 2^-52 of the largest price is rounding and votes 0',
    evaluate: (prices) => {
      const { vote_score, verdict } = indicators.votesOf(indicators.indicatorsOf(prices), Math.max(...prices))
      return `${vote_score} ${verdict}`
    },
    expected: '0 NEUTRAL',
  },
  {
    id: 'covariance_annual',
    paired: true,
    definition: 'sample cov(a, b) of the simple returns, times periods',
    parameters: { periods: 252 },
    evaluate: () => EXAMPLE.portfolio.covariance_annual.A!.B!,
    expected: '0.003055290774',
  },
  {
    id: 'correlation',
    paired: true,
    definition: 'cov(a, b) / (sd(a) sd(b)); null where a variance is 0',
    evaluate: () => EXAMPLE.portfolio.correlation.A!.B!,
    expected: '0.180033035389',
  },
  {
    id: 'portfolio_volatility',
    paired: true,
    definition: "sqrt(w'Sw * periods), S the sample covariance of the returns",
    parameters: WEIGHTED,
    evaluate: () => EXAMPLE.portfolio.volatility,
    expected: '0.114629589351',
  },
  {
    id: 'portfolio_max_drawdown',
    paired: true,
    definition: 'of the path that compounds the fixed-weight returns; it ends where its value is no longer above 0',
    parameters: WEIGHTED,
    evaluate: () => EXAMPLE.portfolio.max_drawdown,
    expected: '-0.039369250575',
  },
  {
    id: 'diversification_ratio',
    paired: true,
    definition: 'sum w_i s_i / s_p',
    parameters: WEIGHTED,
    evaluate: () => EXAMPLE.portfolio.diversification_ratio,
    expected: '1.228140263099',
  },
  {
    id: 'risk_contribution',
    paired: true,
    definition: 'w_i (Sw)_i / s_p of the first asset; over all assets they add up to s_p',
    parameters: WEIGHTED,
    evaluate: () => EXAMPLE.portfolio.risk_contributions!.A!.absolute,
    expected: '0.093785888213',
  },
  {
    id: 'value_at_risk',
    paired: true,
    definition: 'losses L = -r ascending, k = ceil(confidence * n) on the exact decimals, L(k); no interpolation',
    parameters: { ...WEIGHTED, confidence: 0.95 },
    evaluate: () => EXAMPLE.tail!.var,
    expected: '0.007255302854',
  },
  {
    id: 'expected_shortfall',
    paired: true,
    definition: 'mean of L(k..n)',
    parameters: { ...WEIGHTED, confidence: 0.95 },
    evaluate: () => EXAMPLE.tail!.es,
    expected: '0.007627784269',
  },
]

/** What the contract of the surface says of the formulas: the figure that is expected, and the one that this build computes. */
export const FORMULAS = ROWS.map(({ id, definition, parameters = {}, paired, expected, evaluate }) => ({
  id,
  definition,
  vector: {
    series: paired ? [V1_TEXT, V2_TEXT] : [V1_TEXT],
    parameters,
    expected,
    computed: evaluate(V1, V2),
  },
}))

export const FORMULAS_SHA256 = sha256Hex(canonicalBytesPortable(ROWS.map(({ id, definition }) => ({ id, definition }))))
