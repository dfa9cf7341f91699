/** Scores of probabilities against what happened: proper scores, their decompositions, ranking and calibration tests. */
import { normalTwoSided, significant } from '../special-functions.ts'
import { type Bin, equalMassBins, equalWidthBins, gapOf } from './calibration.ts'
import { isotonicBrier } from './isotonic.ts'

export interface BinaryCases {
  probs: readonly number[]
  /** 0 or 1. */
  outcomes: readonly number[]
}

const CLIP = 1e-15

export function scoreBinary(cases: BinaryCases, binCount: number) {
  const { probs, outcomes } = cases
  const n = probs.length
  const base = mean(outcomes)
  const uncertainty = base * (1 - base)
  const brier = brierScore(cases)
  const width = equalWidthBins(cases, binCount)
  const mass = equalMassBins(cases, binCount)
  const calibrated = isotonicBrier(cases)
  return {
    n,
    base_rate: base,
    brier,
    ...logLoss(cases),
    crps: mean(probs.map((p, i) => binaryCrps(p, outcomes[i]!))),
    skill: uncertainty === 0 ? null : 1 - brier / uncertainty,
    auc: rankAuc(cases),
    ece: { equal_width: expectedError(width, n), equal_mass: expectedError(mass, n) },
    mce: Math.max(...width.filter(({ cases }) => cases > 0).map((bin) => Math.abs(gapOf(bin)))),
    debiased_calibration_error: debiasedError(mass),
    murphy: murphy(width, n, base),
    spiegelhalter: spiegelhalter(cases),
    isotonic: {
      miscalibration: brier - calibrated,
      discrimination: uncertainty - calibrated,
      uncertainty,
    },
    bins: width,
  }
}

export const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length

export const brierScore = ({ probs, outcomes }: BinaryCases): number =>
  mean(probs.map((p, i) => (p - outcomes[i]!) ** 2))

function logLoss({ probs, outcomes }: BinaryCases): { log_loss: number; clipped: number } {
  const isClipped = (p: number): boolean => p < CLIP || p > 1 - CLIP
  const bounded = (p: number): number => Math.min(1 - CLIP, Math.max(CLIP, p))
  const losses = probs.map((p, i) => (outcomes[i] === 1 ? -Math.log(bounded(p)) : -Math.log1p(-bounded(p))))
  return { log_loss: mean(losses), clipped: probs.filter(isClipped).length }
}

/** From the definition E|X - y| - E|X - X'|/2 of a forecast that says 1 with probability p; it comes to the Brier score. */
const binaryCrps = (p: number, y: number): number => p * Math.abs(1 - y) + (1 - p) * Math.abs(y) - p * (1 - p)

/** Naeini et al. (2015). */
const expectedError = (bins: readonly Bin[], n: number): number =>
  bins.reduce((sum, bin) => (bin.cases === 0 ? sum : sum + (bin.cases / n) * Math.abs(gapOf(bin))), 0)

/** Kumar, Liang and Ma (2019): what the noise of a frequency adds to the squared error of its bin is taken off. Bins of one
 *  case tell nothing of their noise and are left out. */
function debiasedError(bins: readonly Bin[]) {
  const counted = bins.filter(({ cases }) => cases > 1)
  const of = counted.reduce((sum, { cases }) => sum + cases, 0)
  if (of === 0) return null
  const squared = counted.reduce((sum, bin) => {
    const noise = (bin.frequency! * (1 - bin.frequency!)) / (bin.cases - 1)
    return sum + (bin.cases / of) * (gapOf(bin) ** 2 - noise)
  }, 0)
  return { squared, root: Math.sqrt(Math.max(0, squared)), cases: of }
}

/** Murphy (1973) with the within-bin terms of Stephenson et al. (2008): reliability - resolution + uncertainty + within_bin
 *  is the Brier score, whatever the bins. */
function murphy(bins: readonly Bin[], n: number, base: number) {
  const filled = bins.filter(({ cases }) => cases > 0)
  const over = (of: (bin: Bin) => number): number => filled.reduce((sum, bin) => sum + (bin.cases / n) * of(bin), 0)
  return {
    reliability: over((bin) => gapOf(bin) ** 2),
    resolution: over(({ frequency }) => (frequency! - base) ** 2),
    uncertainty: base * (1 - base),
    within_bin: over(({ variance, covariance }) => variance - 2 * covariance),
  }
}

/** The share of pairs of a 1 and a 0 in which the 1 had the higher probability, ties half; null for one class. */
function rankAuc({ probs, outcomes }: BinaryCases): number | null {
  const order = [...probs.keys()].sort((a, b) => probs[a]! - probs[b]!)
  const positives = outcomes.reduce((sum, outcome) => sum + outcome, 0)
  const negatives = outcomes.length - positives
  if (positives === 0 || negatives === 0) return null
  let rankSum = 0
  for (let from = 0; from < order.length; ) {
    let to = from
    while (to < order.length && probs[order[to]!] === probs[order[from]!]) to += 1
    const rank = (from + 1 + to) / 2
    for (let at = from; at < to; at += 1) if (outcomes[order[at]!] === 1) rankSum += rank
    from = to
  }
  return (rankSum - (positives * (positives + 1)) / 2) / (positives * negatives)
}

/** Spiegelhalter (1986): standard normal where the probabilities are right; null where none of them can be wrong by it. */
function spiegelhalter({ probs, outcomes }: BinaryCases) {
  const top = probs.reduce((sum, p, i) => sum + (outcomes[i]! - p) * (1 - 2 * p), 0)
  const variance = probs.reduce((sum, p) => sum + (1 - 2 * p) ** 2 * p * (1 - p), 0)
  if (variance === 0) return null
  const z = top / Math.sqrt(variance)
  return { z, p_value: significant(normalTwoSided(z)) }
}
