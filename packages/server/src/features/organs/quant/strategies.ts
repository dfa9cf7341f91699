/** What each strategy wants to hold after the close of each period, by the prices up to that close and no later ones. */
import type { Random } from '../random.ts'
import type { StrategyParams } from './organ.ts'

export const STRATEGIES = ['hold', 'sma_cross', 'momentum', 'meanrev', 'weights'] as const
export type Strategy = (typeof STRATEGIES)[number]

interface Rule {
  defaults: StrategyParams
  /** Prices that the first decision needs. */
  window(params: StrategyParams): number
  /** The share of the equity to hold, decided at the close `t`; zero while there are too few prices. */
  target?(prices: readonly number[], t: number, params: StrategyParams): number
  /** What a walk forward chooses among, beside the caller's own. */
  grid: readonly StrategyParams[]
  /** Another configuration that somebody could have tried. */
  variant?(random: Random, longest: number): StrategyParams
}

/** Sums of equal prices over windows of different lengths differ in their last digits. */
const ABOVE = 1 + 1e-12

function mean(prices: readonly number[], from: number, to: number): number {
  let sum = 0
  for (let at = from; at < to; at += 1) sum += prices[at]!
  return sum / (to - from)
}

function deviation(prices: readonly number[], from: number, to: number, middle: number): number {
  let sum = 0
  for (let at = from; at < to; at += 1) sum += (prices[at]! - middle) ** 2
  return Math.sqrt(sum / (to - from - 1))
}

export const RULES: Readonly<Record<Strategy, Rule>> = {
  hold: { defaults: {}, window: () => 1, grid: [] },
  weights: { defaults: {}, window: () => 1, grid: [] },
  sma_cross: {
    defaults: { fast: 10, slow: 50 },
    window: ({ slow }) => slow!,
    target: (prices, t, { fast, slow }) =>
      Number(mean(prices, t + 1 - fast!, t + 1) > ABOVE * mean(prices, t + 1 - slow!, t + 1)),
    grid: [
      { fast: 5, slow: 20 },
      { fast: 10, slow: 50 },
      { fast: 20, slow: 100 },
      { fast: 50, slow: 200 },
    ],
    variant(random, longest) {
      const fast = random.integer(1, Math.min(20, longest - 1))
      return { fast, slow: random.integer(fast + 1, Math.min(100, longest)) }
    },
  },
  momentum: {
    defaults: { lookback: 20 },
    window: ({ lookback }) => lookback! + 1,
    target: (prices, t, { lookback }) => Math.sign(prices[t]! - prices[t - lookback!]!),
    grid: [{ lookback: 10 }, { lookback: 20 }, { lookback: 60 }, { lookback: 120 }],
    variant: (random, longest) => ({ lookback: random.integer(1, Math.min(100, longest - 1)) }),
  },
  meanrev: {
    defaults: { lookback: 20, entry: 1 },
    window: ({ lookback }) => lookback!,
    target(prices, t, { lookback, entry }) {
      const from = t + 1 - lookback!
      const middle = mean(prices, from, t + 1)
      const distance = prices[t]! - middle
      const band = entry! * deviation(prices, from, t + 1, middle)
      return Math.abs(distance) > band + 1e-12 * middle ? -Math.sign(distance) : 0
    },
    grid: [
      { lookback: 10, entry: 1 },
      { lookback: 20, entry: 1 },
      { lookback: 20, entry: 2 },
      { lookback: 60, entry: 1 },
    ],
    variant: (random, longest) => ({
      lookback: random.integer(2, Math.min(60, longest)),
      entry: random.integer(0, 8) / 4,
    }),
  },
}

/** The position over each period from one close to the next. What is decided at a close is filled at the next one and
 *  earns from there; what is simply held is bought at the first. */
export function positionsOf(
  prices: readonly number[],
  strategy: Strategy,
  params: StrategyParams,
  weights: readonly number[] = [],
): Float64Array {
  const positions = new Float64Array(prices.length - 1)
  if (strategy === 'hold') return positions.fill(1)
  const { target, window } = RULES[strategy]
  const first = window(params) - 1
  for (let t = first; t < positions.length - 1; t += 1)
    positions[t + 1] = target === undefined ? weights[t]! : target(prices, t, params)
  return positions
}
