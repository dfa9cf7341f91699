/** N7 Quant: backtests a strategy without a look ahead, and says whether its Sharpe ratio is more than the best of many
 *  trials would show by chance. */
import Type, { type Static } from 'typebox'
import { closed, Nullable, words } from '../../../domain/wire.ts'
import { InputError } from '../../../errors.ts'
import type { Compute } from '../../../platform/compute/compute.ts'
import { type Organ, op, type RequestFault } from '../organ.ts'
import type { Limit } from '../schemas.ts'
import { type BacktestRequest, backtest, foldsOf, isDrawn, PURGED, VARIANCE_SOURCES, walkWork } from './backtest.ts'
import { deflate, VERDICTS } from './deflate.ts'
import { MIN_PRICES, quantPrompt } from './prompt.ts'
import { HALF_LIFE, MODELS, STRESS, SWITCH } from './series.ts'
import { RULES, STRATEGIES } from './strategies.ts'

const VERSION = '1.1.0'
const MAX_INLINE = 200_000
const DEADLINE_MS = 5000
/** Prices that are added up in the time of one unit of work. */
const SUMS_PER_UNIT = 25
const MAX_PRICES = 5000
const MAX_FOLDS = 200

const number = (minimum: number, maximum: number, more: object = {}) => Type.Number({ minimum, maximum, ...more })
const integer = (minimum: number, maximum: number, more: object = {}) => Type.Integer({ minimum, maximum, ...more })
const Price = Type.Union([number(1e-6, 1e9), Type.String({ pattern: '^\\d{1,9}(?:\\.\\d{1,9})?$' })], {
  description: 'a number or decimal text above 0',
})
export type StrategyParams = Static<typeof Params>
const Params = closed({
  fast: Type.Optional(integer(1, MAX_PRICES)),
  slow: Type.Optional(integer(2, MAX_PRICES)),
  lookback: Type.Optional(integer(1, MAX_PRICES)),
  entry: Type.Optional(number(0, 10, { description: 'standard deviations from the mean' })),
})
const PeriodsPerYear = Type.Optional(number(1, 366, { default: 252 }))
const Backtest = closed({
  prices: Type.Union([
    Type.Array(Price, { minItems: MIN_PRICES, maxItems: MAX_PRICES }),
    closed({
      model: words(MODELS),
      n: integer(MIN_PRICES, MAX_PRICES),
      mu: number(-1, 1, { description: 'drift of a year' }),
      sigma: number(0, 2, { description: 'volatility of a year' }),
    }),
  ]),
  strategy: words(STRATEGIES),
  params: Type.Optional(Params),
  weights: Type.Optional(Type.Array(number(-1, 1), { minItems: MIN_PRICES, maxItems: MAX_PRICES })),
  cost_bps: Type.Optional(number(0, 100, { default: 0 })),
  periods_per_year: PeriodsPerYear,
  trials: Type.Optional(
    integer(1, 1000, { default: 1, description: 'configurations that were tried, this one included' }),
  ),
  trial_sr_variance: Type.Optional(number(0, 100, { description: 'of the annual Sharpe ratios of all trials' })),
  walk_forward: Type.Optional(
    closed({
      train: integer(20, MAX_PRICES),
      test: integer(5, MAX_PRICES),
      embargo: Type.Optional(integer(0, 250, { default: 0, description: 'periods left out between train and test' })),
    }),
  ),
})
export type BacktestFields = Static<typeof Backtest>

const Ratio = Nullable(Type.Number())
const Deflated = {
  sr0: Ratio,
  psr: Ratio,
  dsr: Ratio,
  verdict: words(VERDICTS),
  min_track_record: Nullable(Type.Integer()),
}
const Figures = closed({
  prices: Type.Integer(),
  periods: Type.Integer(),
  params: Params,
  final_equity: Type.Number(),
  cagr: Type.Number(),
  vol: Type.Number(),
  sharpe: Ratio,
  sortino: Ratio,
  max_drawdown: Type.Number(),
  calmar: Ratio,
  turnover: Type.Number(),
  hit_rate: Ratio,
  skew: Ratio,
  kurtosis: Ratio,
  equity: Type.Array(closed({ t: Type.Integer(), value: Type.Number() })),
  positions: Type.Array(closed({ t: Type.Integer(), position: Type.Number() })),
  positions_truncated_from: Nullable(Type.Integer()),
  ...Deflated,
  trials: Type.Integer(),
  trial_sr_variance: Type.Number(),
  trial_sr_variance_source: words(VARIANCE_SOURCES),
  walk_forward: Type.Array(
    closed({
      train_from: Type.Integer(),
      train_to: Type.Integer(),
      test_from: Type.Integer(),
      test_to: Type.Integer(),
      params: Params,
      train_sharpe: Ratio,
      test_sharpe: Ratio,
      test_return: Type.Number(),
    }),
  ),
  walk_forward_sharpe: Ratio,
})

const Deflate = closed({
  sr: number(-100, 100, { description: 'annual Sharpe ratio' }),
  t: integer(2, 1_000_000, { description: 'returns that it was estimated from' }),
  skew: number(-100, 100),
  kurtosis: number(1, 10_000, { description: 'not in excess: 3 for a normal distribution' }),
  trials: integer(1, 1_000_000),
  trial_sr_variance: number(0, 100, { description: 'of the annual Sharpe ratios of all trials' }),
  periods_per_year: PeriodsPerYear,
})

const RESEARCH_ONLY: Limit = {
  code: 'RESEARCH_ONLY',
  detail: 'a calculation on past or drawn prices and no investment advice; nothing is traded',
}
const LIMITS: Readonly<Partial<Record<(typeof VARIANCE_SOURCES)[number], Limit>>> = {
  one_trial: {
    code: 'ONE_TRIAL',
    detail: 'trials is 1, so nothing is deflated: dsr equals psr. State every configuration that was tried.',
  },
  variants: {
    code: 'VARIANCE_OF_VARIANTS',
    detail:
      'the variance of the trials is that of seeded configurations of this strategy, not of those that were tried',
  },
  sampling: {
    code: 'VARIANCE_BY_SAMPLING',
    detail: 'the strategy has no parameters to vary: the variance is 1/(T-1), that of trials without any skill',
  },
}

type Job = Parameters<typeof backtest>[0]

export function quant({ compute }: { compute: Compute }): Organ {
  const job = compute.register<Job, ReturnType<typeof backtest>>({
    name: 'organ-quant-backtest',
    module: new URL('./backtest.ts', import.meta.url),
    function: 'backtest',
    deadlineMs: DEADLINE_MS,
  })
  return {
    id: 'N7',
    version: VERSION,
    ops: {
      backtest: op({
        summary: 'A strategy over prices without a look ahead, its Sharpe ratio deflated by the number of trials',
        request: Backtest,
        result: Figures,
        isolation: `worker above ${MAX_INLINE} units, those of windows and of a walk forward included, else inline`,
        deadlineMs: DEADLINE_MS,
        maxWork: 5_000_000,
        usesSeed: true,
        estimate: workOf,
        check: backtestFaults,
        async run(fields, { seed, job: runJob }) {
          const stream = { organ: 'N7', version: VERSION, op: 'backtest', seed }
          const params = { request: toRequest(fields), stream }
          const result = isHeavy(fields) ? await runJob(job, params) : backtest(params)
          if (result === null) throw new InputError([OUT_OF_RANGE])
          const limit = LIMITS[result.trial_sr_variance_source]
          return { result, limits: [RESEARCH_ONLY, ...(limit === undefined ? [] : [limit])] }
        },
      }),
      deflate: op({
        summary: 'The deflated Sharpe ratio of a result that you have: what is left of it after so many trials',
        request: Deflate,
        result: closed({ sr: Type.Number(), ...Deflated }),
        isolation: 'inline',
        deadlineMs: 1000,
        maxWork: 1,
        estimate: () => 1,
        // No distribution has less (Pearson); the last digits of both are the caller's.
        check: ({ skew, kurtosis }) =>
          kurtosis >= skew ** 2 + 1 - 1e-9
            ? []
            : [{ place: ['kurtosis'], message: 'must be at least skew^2 + 1: no distribution has less' }],
        run({ sr, trial_sr_variance, periods_per_year: year, ...facts }) {
          const perPeriod = sr / Math.sqrt(year!)
          const result = deflate({ ...facts, sr: perPeriod, variance: trial_sr_variance / year! })
          return { result: { sr: perPeriod, ...result }, limits: [RESEARCH_ONLY] }
        },
      }),
    },
    fromPrompt: quantPrompt,
    example: {
      request: {
        op: 'backtest',
        prices: { model: 'gbm', n: 1000, mu: 0.06, sigma: 0.2 },
        strategy: 'sma_cross',
        params: { fast: 10, slow: 50 },
        cost_bps: 5,
        trials: 20,
        walk_forward: { train: 250, test: 100 },
      },
      prompt: 'sma_cross 10 50 cost 5',
    },
    evidence: {
      assumptions: [
        'what is decided at the close t is filled at the close t+1 and earns from there; hold is bought at the first close',
        'positions are shares of the equity, traded back to their target at every close; the cost is paid on what is traded; cash earns nothing',
        `gbm: lognormal steps; ou: distance to a drifting level halves in ${HALF_LIFE} periods; regime: switches with probability ${SWITCH} to the drift turned round and ${STRESS} times the volatility`,
        'the Sharpe ratio is over zero with n-1 in the deviation; PSR and DSR by Bailey and Lopez de Prado (2014) on all periods',
        `walk forward: the best Sharpe ratio of the training among a fixed grid, ${PURGED} period purged before the test, more by embargo`,
      ],
      not_real: ['no order, market impact, spread, borrowing cost, dividend or tax; drawn prices are of no market'],
    },
  }
}

const OUT_OF_RANGE = {
  loc: ['body', 'prices'],
  msg: 'prices or equity leave the range in which figures mean something (an equity above 1e15 of its start)',
  type: 'value',
}

const lengthOf = ({ prices }: Pick<BacktestFields, 'prices'>): number =>
  Array.isArray(prices) ? prices.length : (prices as { n: number }).n
const workOf = (fields: BacktestFields): number => lengthOf(fields) * fields.trials!
function isHeavy(fields: BacktestFields): boolean {
  const { walk_forward: walk, strategy } = fields
  const more = walk === undefined ? 0 : walkWork({ embargo: 0, ...walk }, strategy, lengthOf(fields) - 1)
  const windows = (lengthOf(fields) * RULES[strategy].window(paramsOf(fields))) / SUMS_PER_UNIT
  return workOf(fields) + windows + more > MAX_INLINE
}

const paramsOf = ({ strategy, params = {} }: Pick<BacktestFields, 'strategy' | 'params'>): StrategyParams => ({
  ...RULES[strategy].defaults,
  ...params,
})

function toRequest({ prices, ...fields }: BacktestFields): BacktestRequest {
  const series = prices as BacktestRequest['prices'] | readonly (number | string)[]
  return {
    ...(fields as unknown as BacktestRequest),
    params: paramsOf(fields),
    prices: isDrawn(series as BacktestRequest['prices'])
      ? (series as BacktestRequest['prices'])
      : (series as readonly (number | string)[]).map(Number),
  }
}

function backtestFaults(fields: BacktestFields): RequestFault[] {
  const { prices, strategy, params = {}, weights, walk_forward, trials, trial_sr_variance } = fields
  const [n, rule, own] = [lengthOf(fields), RULES[strategy], paramsOf(fields)]
  const faults: RequestFault[] = []
  const fault = (place: (string | number)[], message: string) => faults.push({ place, message })
  if (Array.isArray(prices))
    for (const [at, price] of prices.entries())
      if (!(Number(price) >= 1e-6)) fault(['prices', at], 'must be at least 0.000001')
  for (const field of Object.keys(params))
    if (!(field in rule.defaults)) fault(['params', field], `is no parameter of ${strategy}`)
  if (own.fast !== undefined && own.fast >= own.slow!) fault(['params', 'fast'], 'must be below slow')
  if (strategy === 'meanrev' && own.lookback! < 2) fault(['params', 'lookback'], 'must be at least 2')
  if (rule.window(own) >= n)
    fault(['params', own.slow === undefined ? 'lookback' : 'slow'], `needs more than the ${n} prices that there are`)
  if ((strategy === 'weights') !== (weights !== undefined))
    fault(['weights'], 'are given with the strategy weights, and with no other')
  else if (weights !== undefined && weights.length !== n) fault(['weights'], `must be ${n}, one for each price`)
  if (trial_sr_variance !== undefined && trials === 1)
    fault(['trial_sr_variance'], 'has a meaning only where trials is above 1')
  if (walk_forward !== undefined) {
    const folds = foldsOf({ embargo: 0, ...walk_forward }, n - 1)
    if (folds < 1) fault(['walk_forward'], `does not fit into ${n - 1} periods`)
    if (folds > MAX_FOLDS) fault(['walk_forward', 'test'], `makes ${folds} folds; ${MAX_FOLDS} are told at most`)
    if (rule.window(own) >= walk_forward.train)
      fault(['walk_forward', 'train'], 'must be longer than the window of the strategy')
  }
  return faults.slice(0, 32)
}
