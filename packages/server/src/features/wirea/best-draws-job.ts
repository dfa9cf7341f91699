/** How often each candidate has the highest reward when its quality is drawn anew from what its trials leave open:
 *  Beta(1 + qn, 1 + n - qn). Runs in a worker thread. */
import { type Sfc32, sfc32 } from '../../domain/sfc32.ts'

export interface BestDrawsInput {
  alpha: number
  candidates: { quality: number; trials: number; penalty: number }[]
}

const ALGORITHM = 'orch.wirea.router-p-best/v1'
export const DRAWS = 4000

export function bestDraws(input: BestDrawsInput): number[] {
  const random = sfc32(ALGORITHM, input)
  const wins = input.candidates.map(() => 0)
  for (let draw = 0; draw < DRAWS; draw += 1) {
    let [best, bestReward] = [0, -Infinity]
    for (const [i, { quality, trials, penalty }] of input.candidates.entries()) {
      const reward = input.alpha * betaDraw(random, 1 + quality * trials, 1 + trials - quality * trials) - penalty
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
