/** Everything of one request that is scored; runs in a worker thread. */
import { type Summary, summarise } from '../analysis.ts'
import { scoresPlot } from '../plots.ts'
import type { ScoresBody } from '../schemas.ts'
import { scoreBinary } from './binary.ts'
import { bootstrapIntervals } from './bootstrap.ts'
import { scoreEnsembles, scoreQuantiles } from './ensembles.ts'
import { paretoFront } from './pareto.ts'
import type { ScoresResult } from './replies.ts'

export const DEFAULTS = { bins: 10, bootstrap: 200, seed: 1 }

export function evalScores(body: ScoresBody): ScoresResult {
  const { bins = DEFAULTS.bins, bootstrap = DEFAULTS.bootstrap, seed = DEFAULTS.seed } = body
  const { probs, outcomes, forecasts, quantiles, observed, candidates } = body
  const cases = probs === undefined ? null : { probs, outcomes: outcomes! }
  return {
    binary: cases && {
      ...scoreBinary(cases, bins),
      bootstrap: bootstrap === 0 ? null : bootstrapIntervals(cases, bins, bootstrap, seed),
    },
    ensemble: forecasts === undefined ? null : scoreEnsembles(forecasts, observed!),
    quantile: quantiles === undefined ? null : scoreQuantiles(quantiles, observed!),
    pareto: candidates === undefined ? null : { front: paretoFront(candidates), of: candidates.length },
  }
}

/** With its digests and the reliability diagram. */
export function analyseScores(body: ScoresBody): Summary {
  const result = evalScores(body)
  return summarise(body, result, { plot: scoresPlot(result) })
}

/** Units of work: a draw of the bootstrap, a number of a forecast. */
export function scoresWork({
  probs = [],
  bootstrap = DEFAULTS.bootstrap,
  forecasts = [],
  quantiles,
}: ScoresBody): number {
  const numbers = [...forecasts, ...(quantiles?.values ?? [])].reduce((sum, row) => sum + row.length, 0)
  return probs.length * (bootstrap + 10) + numbers
}
