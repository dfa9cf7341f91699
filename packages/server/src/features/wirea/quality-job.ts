/** What trials leave open of a quality: Beta(1 + qn, 1 + n - qn), its lower bound, and how often each candidate has the
 *  highest reward when all qualities are drawn from theirs. Runs in a worker thread. */
import { type Sfc32, sfc32 } from '../../domain/sfc32.ts'
import { betaQuantile } from './special-functions.ts'

export interface QualityInput {
  alpha: number
  /** `penalty`: what cost and latency take from the reward. */
  candidates: { quality: number; trials: number | null; penalty: number }[]
}

export interface QualityOutcome {
  /** What each quality exceeds with 95 % probability; null without trials. */
  lower: (number | null)[]
  /** Null where the trials of some candidate are not stated. */
  best: number[] | null
}

const ALGORITHM = 'orch.wirea.router-p-best/v1'
const DRAWS = 4000

/** Units of work: a draw of one candidate. */
export const qualityWork = ({ candidates }: QualityInput): number => DRAWS * candidates.length

export function judgeQuality({ alpha, candidates }: QualityInput): QualityOutcome {
  const posteriors = candidates.map(({ quality, trials, penalty }) =>
    trials === null ? null : { a: 1 + quality * trials, b: 1 + trials - quality * trials, penalty },
  )
  const known = posteriors.filter((one) => one !== null)
  return {
    lower: posteriors.map((one) => (one === null ? null : betaQuantile(0.05, one.a, one.b))),
    best:
      known.length === posteriors.length ? sharesOfBest(alpha, known, sfc32(ALGORITHM, { alpha, candidates })) : null,
  }
}

function sharesOfBest(alpha: number, posteriors: readonly { a: number; b: number; penalty: number }[], random: Sfc32) {
  const wins = posteriors.map(() => 0)
  for (let draw = 0; draw < DRAWS; draw += 1) {
    let [best, bestReward] = [0, -Infinity]
    for (const [i, { a, b, penalty }] of posteriors.entries()) {
      const reward = alpha * betaDraw(random, a, b) - penalty
      if (reward > bestReward) [best, bestReward] = [i, reward]
    }
    wins[best]! += 1
  }
  return wins.map((count) => count / DRAWS)
}

function betaDraw(random: Sfc32, a: number, b: number): number {
  const x = gammaDraw(random, a)
  return x / (x + gammaDraw(random, b))
}

/** For shapes from 1 on, after Marsaglia and Tsang (2000). */
function gammaDraw(random: Sfc32, shape: number): number {
  const d = shape - 1 / 3
  const c = 1 / Math.sqrt(9 * d)
  for (;;) {
    const x = random.normal()
    const v = (1 + c * x) ** 3
    if (v > 0 && Math.log(1 - random.uniform()) < 0.5 * x * x + d - d * v + d * Math.log(v)) return d * v
  }
}
