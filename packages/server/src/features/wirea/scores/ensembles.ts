/** Scores of forecasts that are samples or quantiles. */
import { mean } from './binary.ts'

/** CRPS of an ensemble: mean |e - y| less half the mean distance of its members, over all pairs and, fair to small
 *  ensembles, over pairs of different members (Ferro 2014). */
export function scoreEnsembles(forecasts: readonly (readonly number[])[], observed: readonly number[]) {
  const scores = forecasts.map((members, i) => ensembleCrps(members, observed[i]!))
  return {
    cases: scores.length,
    crps: mean(scores.map(({ crps }) => crps)),
    crps_fair: mean(scores.map(({ fair }) => fair)),
  }
}

function ensembleCrps(members: readonly number[], y: number): { crps: number; fair: number } {
  const m = members.length
  const sorted = Float64Array.from(members).sort()
  const distance = mean(members.map((e) => Math.abs(e - y)))
  // The sum over pairs i < j of e_j - e_i: the member at place i is added i times and taken off m - 1 - i times.
  const pairs = sorted.reduce((sum, e, i) => sum + (2 * i - m + 1) * e, 0)
  return { crps: distance - pairs / m ** 2, fair: distance - pairs / (m * (m - 1)) }
}

/** Mean pinball loss by level; quantiles that cross are counted, and scored as they are. */
export function scoreQuantiles(
  { levels, values }: { levels: readonly number[]; values: readonly (readonly number[])[] },
  observed: readonly number[],
) {
  const byLevel = levels.map((level, at) => ({
    level,
    pinball: mean(values.map((row, i) => pinball(level, observed[i]! - row[at]!))),
    coverage: mean(values.map((row, i) => Number(observed[i]! <= row[at]!))),
  }))
  return {
    cases: values.length,
    pinball: mean(byLevel.map(({ pinball }) => pinball)),
    levels: byLevel,
    crossing_cases: values.filter((row) => row.some((value, at) => at > 0 && value < row[at - 1]!)).length,
  }
}

const pinball = (level: number, over: number): number => Math.max(level * over, (level - 1) * over)
