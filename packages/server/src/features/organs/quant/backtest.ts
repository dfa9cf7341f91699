/** One backtest: the strategy itself, the configurations that might have been tried, and the walk forward. */
import type { Resolved } from '../../../operation.ts'
import { type Random, randomStream, type StreamName } from '../random.ts'
import { deflate } from './deflate.ts'
import type { BacktestFields, StrategyParams } from './organ.ts'
import { figuresOf, momentsOf, runPositions, sharpeOf } from './returns.ts'
import { drawPrices, type SeriesModel } from './series.ts'
import { positionsOf, RULES, type Strategy } from './strategies.ts'

type WalkForward = Required<NonNullable<BacktestFields['walk_forward']>>

/** As it is asked, with the defaults filled in and every price a number. */
export type BacktestRequest = Resolved<
  Omit<BacktestFields, 'prices' | 'walk_forward'>,
  'weights' | 'trial_sr_variance'
> & { prices: readonly number[] | SeriesModel; walk_forward?: WalkForward }

export const VARIANCE_SOURCES = ['one_trial', 'caller', 'variants', 'sampling'] as const
const MAX_EQUITY = 1e15
const MAX_EQUITY_POINTS = 200
const MAX_CHANGES = 500
/** What is decided at the end of the training is filled one close later: the period between belongs to neither. */
export const PURGED = 1

/** Null where prices or equity leave every range that means something. */
export function backtest({ request, stream }: { request: BacktestRequest; stream: StreamName }) {
  const { strategy, params, weights, cost_bps, periods_per_year } = request
  const prices = isDrawn(request.prices)
    ? drawPrices(request.prices, periods_per_year, randomStream(stream))
    : request.prices
  if (prices.some((price) => !(price > 1e-300 && price < 1e300))) return null
  const positions = positionsOf(prices, strategy, params, weights)
  const run = runPositions(prices, positions, cost_bps)
  if (run.equity.some((value) => !(value <= MAX_EQUITY))) return null
  const figures = figuresOf(run, positions, periods_per_year)
  const { mean, sd, skew, kurtosis } = momentsOf(run.returns)
  const trialVariance = varianceOf(request, prices, run.returns, stream)
  const deflated =
    sd === null
      ? { sr0: null, psr: null, dsr: null, verdict: 'NO_EVIDENCE' as const, min_track_record: null }
      : deflate({
          ...{ sr: mean / sd, t: run.returns.length, skew, kurtosis, trials: request.trials },
          variance: trialVariance.value,
        })
  const changes = changesOf(positions)
  return {
    ...figures,
    params,
    prices: prices.length,
    equity: sampled(run.equity),
    positions: changes.slice(0, MAX_CHANGES),
    positions_truncated_from: changes.length > MAX_CHANGES ? changes.length : null,
    ...deflated,
    trials: request.trials,
    trial_sr_variance: trialVariance.value * periods_per_year,
    trial_sr_variance_source: trialVariance.source,
    ...(request.walk_forward === undefined
      ? { walk_forward: [], walk_forward_sharpe: null }
      : walkForward(request, prices, request.walk_forward)),
  }
}

export const isDrawn = (prices: BacktestRequest['prices']): prices is SeriesModel => !Array.isArray(prices)

/** Where the position changes, at the close where it is filled: prices that are cut off later change none of them. */
function changesOf(positions: Float64Array): { t: number; position: number }[] {
  const changes: { t: number; position: number }[] = []
  for (const [t, position] of positions.entries())
    if (position !== (positions[t - 1] ?? 0)) changes.push({ t, position })
  return changes
}

function sampled(equity: Float64Array): { t: number; value: number }[] {
  const step = Math.ceil(equity.length / (MAX_EQUITY_POINTS - 1))
  return Array.from(equity, (value, t) => ({ t, value })).filter(({ t }) => t % step === 0 || t === equity.length - 1)
}

/** Of the Sharpe ratios of the trials, in units of one period: the caller's, or that of configurations that are run now. */
function varianceOf(request: BacktestRequest, prices: readonly number[], own: Float64Array, stream: StreamName) {
  const { trials, trial_sr_variance, periods_per_year, strategy, cost_bps } = request
  if (trials === 1) return { value: 0, source: 'one_trial' as const }
  if (trial_sr_variance !== undefined) return { value: trial_sr_variance / periods_per_year, source: 'caller' as const }
  const { variant } = RULES[strategy]
  // Nothing can be varied: trials without skill spread as estimates of a ratio of zero do.
  if (variant === undefined) return { value: 1 / (own.length - 1), source: 'sampling' as const }
  const ratios = Float64Array.from({ length: trials }, (_, trial) => {
    if (trial === 0) return sharpeOf(own) ?? 0
    const random: Random = randomStream(stream, trial)
    const tried = positionsOf(prices, strategy, variant(random, prices.length - 1))
    return sharpeOf(runPositions(prices, tried, cost_bps).returns) ?? 0
  })
  return { value: (momentsOf(ratios).sd ?? 0) ** 2, source: 'variants' as const }
}

const foldSize = ({ train, test, embargo }: WalkForward): number => train + PURGED + embargo + test

/** How many times the window fits, moved on by one test at a time. */
export const foldsOf = (walk: WalkForward, periods: number): number =>
  Math.max(0, Math.floor((periods - foldSize(walk)) / walk.test) + 1)

/** Periods that a walk forward runs through, of all folds and candidates. */
export const walkWork = (walk: WalkForward, strategy: Strategy, periods: number): number =>
  foldsOf(walk, periods) * (RULES[strategy].grid.length + 1) * foldSize(walk)

function walkForward(request: BacktestRequest, prices: readonly number[], walk: WalkForward) {
  const { strategy, params, weights, cost_bps, periods_per_year } = request
  const { train, test, embargo } = walk
  const { grid, window } = RULES[strategy]
  const isOwn = (one: StrategyParams) => Object.entries(one).every(([name, value]) => params[name as 'fast'] === value)
  const others = grid.filter((one) => window(one) < train && !isOwn(one))
  const candidates = [params, ...others].map((one) => ({
    params: one,
    positions: positionsOf(prices, strategy, one, weights),
  }))
  const year = Math.sqrt(periods_per_year)
  const inYears = (ratio: number | null) => (ratio === null ? null : ratio * year)
  const outside: number[] = []
  const folds = Array.from({ length: foldsOf(walk, prices.length - 1) }, (_, fold) => {
    const from = fold * test
    const trained = candidates.map(({ positions }) =>
      sharpeOf(runPositions(prices, positions, cost_bps, [from, from + train]).returns),
    )
    const best = trained.reduce<number>(
      (chosen, ratio, at) => ((ratio ?? -Infinity) > (trained[chosen] ?? -Infinity) ? at : chosen),
      0,
    )
    const begin = from + train + PURGED + embargo
    const { returns, equity } = runPositions(prices, candidates[best]!.positions, cost_bps, [begin, begin + test])
    outside.push(...returns)
    return {
      train_from: from,
      train_to: from + train,
      test_from: begin,
      test_to: begin + test,
      params: candidates[best]!.params,
      train_sharpe: inYears(trained[best]!),
      test_sharpe: inYears(sharpeOf(returns)),
      test_return: equity.at(-1)! - 1,
    }
  })
  return { walk_forward: folds, walk_forward_sharpe: inYears(sharpeOf(Float64Array.from(outside))) }
}
