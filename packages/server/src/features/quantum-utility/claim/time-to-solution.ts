/** Time until a run has reached the minimum with a chance of 99 %, and how large it may be by chance (Ronnow and others,
 *  Science 345, 420, 2014). */
import { type Sfc32, sfc32 } from '../../../domain/sfc32.ts'
import { binomial } from './binomial.ts'

const CONFIDENCE = 0.99
export const RESAMPLES = 2000
export const UPPER_QUANTILE = 0.95

/** Of attempts of t seconds that succeed with probability p: without end where none does, t where all do. */
function timeToSolution(t: number, p: number): number {
  if (p <= 0) return Number.POSITIVE_INFINITY
  if (p >= 1) return t
  return (t * Math.log(1 - CONFIDENCE)) / Math.log1p(-p)
}

interface Run {
  shots: number
  success_count: number
  /** Of the whole run. */
  wall_seconds: number
}

/** All shots together: t is the wall time of a shot, p the share of shots that succeeded. */
export function pooledTimeToSolution(runs: readonly Run[]): number {
  const shots = runs.reduce((sum, run) => sum + run.shots, 0)
  const successes = runs.reduce((sum, run) => sum + run.success_count, 0)
  const seconds = runs.reduce((sum, run) => sum + run.wall_seconds, 0)
  return timeToSolution(seconds / shots, successes / shots)
}

/** The 95 % quantile over resampled runs, in each of which the successes are drawn anew with the share that was seen:
 *  runs differ, and so do the shots of one. */
export function bootstrapUpperBound(runs: readonly Run[], key: unknown): number {
  const random = sfc32('orch.quantum-utility.tts-bootstrap/v1', key)
  const values = Array.from({ length: RESAMPLES }, () =>
    pooledTimeToSolution(runs.map(() => redrawn(runs[random.integer(runs.length)]!, random))),
  ).sort((a, b) => a - b)
  return values[Math.ceil(UPPER_QUANTILE * RESAMPLES) - 1]!
}

const redrawn = (run: Run, random: Sfc32): Run => ({
  ...run,
  success_count: binomial(run.shots, run.success_count / run.shots, random),
})
