/** Percentile intervals by drawing the cases anew with replacement. */
import { sfc32 } from '../../../domain/sfc32.ts'
import { quantileOf } from '../quantiles.ts'
import type { BinaryCases } from './binary.ts'
import { widthBin } from './calibration.ts'

const ALGORITHM = 'orch.wirea.eval-bootstrap/v1'

export function bootstrapIntervals({ probs, outcomes }: BinaryCases, bins: number, resamples: number, seed: number) {
  const n = probs.length
  const random = sfc32(ALGORITHM, { seed, n, bins, resamples })
  const [p, o] = [Float64Array.from(probs), Float64Array.from(outcomes)]
  const binOf = Uint8Array.from(probs, (one) => widthBin(one, bins))
  // Each case adds to its bin the difference of probability and outcome; the size of the sum is the bin's part of the error.
  const gaps = new Float64Array(bins)
  const [briers, errors] = [new Float64Array(resamples), new Float64Array(resamples)]
  for (let sample = 0; sample < resamples; sample += 1) {
    gaps.fill(0)
    let squares = 0
    for (let draw = 0; draw < n; draw += 1) {
      const i = random.integer(n)
      const difference = p[i]! - o[i]!
      squares += difference * difference
      gaps[binOf[i]!]! += difference
    }
    briers[sample] = squares / n
    errors[sample] = gaps.reduce((sum, gap) => sum + Math.abs(gap), 0) / n
  }
  return { resamples, seed, brier95: interval(briers), ece95: interval(errors) }
}

function interval(values: Float64Array): { low: number; high: number } {
  const sorted = values.sort()
  return { low: quantileOf(sorted, 0.025), high: quantileOf(sorted, 0.975) }
}
