/** What an empty body runs. */
import { sfc32 } from '../../domain/sfc32.ts'
import type { AnomalyBody, RewardBody, ScoresBody } from './schemas.ts'

const drawn = (count: number, seed: number): number[] => {
  const random = sfc32('orch.wirea.anomaly-example/v1', { seed })
  return Array.from({ length: count }, () => Number((100 + 15 * random.normal()).toFixed(6)))
}

/** 200 draws from N(100, 15), and a value far above them. */
export const ANOMALY_EXAMPLE: AnomalyBody = { baseline: drawn(200, 11), value: 142 }

export const REWARD_EXAMPLE: RewardBody = {
  preset: 'balanced',
  candidates: [
    { model: 'frontier', quality: 0.96, cost: 0.9, latency: 0.7 },
    { model: 'large', quality: 0.93, cost: 0.75, latency: 0.55 },
    { model: 'medium', quality: 0.84, cost: 0.3, latency: 0.35 },
    { model: 'local', quality: 0.62, cost: 0.05, latency: 0.2 },
  ],
}

export const SCORES_EXAMPLE: ScoresBody = {
  probs: [0.9, 0.8, 0.7, 0.6, 0.4, 0.3, 0.2, 0.1],
  outcomes: [1, 1, 0, 1, 0, 1, 0, 0],
}
