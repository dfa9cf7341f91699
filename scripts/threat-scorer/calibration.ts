// From a score to a probability: a logistic curve through the scores that models gave to texts of sets they never saw.
export interface ScoredText {
  score: number
  isAttack: boolean
  weight: number
}

interface Calibration {
  slope: number
  offset: number
}

const ITERATIONS = 100

/** Newton's method on two parameters, attacks and others weighing the same: a probability at even odds. */
export function calibrated(texts: readonly ScoredText[]): Calibration {
  const total = (isAttack: boolean): number =>
    texts.filter((text) => text.isAttack === isAttack).reduce((sum, { weight }) => sum + weight, 0)
  const [attacks, others] = [total(true), total(false)]
  let [slope, offset] = [1, 0]
  for (let iteration = 0; iteration < ITERATIONS; iteration++) {
    let [g0, g1, h00, h01, h11] = [1e-9, 1e-9, 1e-6, 0, 1e-6]
    for (const { score, isAttack, weight } of texts) {
      const share = weight / (isAttack ? attacks : others)
      const probability = 1 / (1 + Math.exp(-(slope * score + offset)))
      const [error, curve] = [share * (probability - Number(isAttack)), share * probability * (1 - probability)]
      g0 += error * score
      g1 += error
      h00 += curve * score * score
      h01 += curve * score
      h11 += curve
    }
    const determinant = h00 * h11 - h01 * h01
    slope -= (g0 * h11 - g1 * h01) / determinant
    offset -= (g1 * h00 - g0 * h01) / determinant
  }
  return { slope, offset }
}

/** The score that no more than a share of the weight of harmless texts reaches. */
export function thresholdAt(texts: readonly ScoredText[], share: number): number {
  const harmless = texts.filter(({ isAttack }) => !isAttack).sort((one, other) => other.score - one.score)
  let left = share * harmless.length
  return harmless.find(() => left-- < 1)?.score ?? 0
}
