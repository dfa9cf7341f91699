/** Probabilistic and deflated Sharpe ratio (Bailey, Lopez de Prado 2014), all in units of one period. */
import { inverseNormal, normalCdf } from '../random.ts'

export const VERDICTS = ['OVERFIT_RISK', 'NO_EVIDENCE', 'SUPPORTED'] as const
const GAMMA = 0.5772156649015329
const CONFIDENCE = 0.95

interface SharpeFacts {
  sr: number
  /** Returns that it was estimated from. */
  t: number
  skew: number
  kurtosis: number
  trials: number
  /** Of the Sharpe ratios of all trials. */
  variance: number
}

/** What the best of so many trials without any skill is expected to show; nothing was chosen from one. */
const expectedBest = (trials: number, variance: number): number =>
  trials === 1
    ? 0
    : Math.sqrt(variance) *
      ((1 - GAMMA) * inverseNormal(1 - 1 / trials) + GAMMA * inverseNormal(1 - 1 / (trials * Math.E)))

export function deflate({ sr, t, skew, kurtosis, trials, variance }: SharpeFacts) {
  const sr0 = expectedBest(trials, variance)
  const spread = 1 - skew * sr + ((kurtosis - 1) / 4) * sr ** 2
  // Returns of two values alone may leave no spread at all, which no ratio can be divided by.
  if (!(spread > 1e-12)) return { sr0, psr: null, dsr: null, verdict: 'NO_EVIDENCE' as const, min_track_record: null }
  const over = (benchmark: number) => normalCdf(((sr - benchmark) * Math.sqrt(t - 1)) / Math.sqrt(spread))
  const dsr = over(sr0)
  const needed = 1 + spread * (inverseNormal(CONFIDENCE) / (sr - sr0)) ** 2
  return {
    sr0,
    psr: over(0),
    dsr,
    verdict: dsr < 0.5 ? VERDICTS[0] : dsr < CONFIDENCE ? VERDICTS[1] : VERDICTS[2],
    min_track_record: sr > sr0 && needed <= 1e9 ? Math.ceil(needed) : null,
  }
}
