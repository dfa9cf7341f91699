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
/** On the slope: scores that part attacks from others without an error would have no steepest curve. */
const PENALTY = 1e-4
const SMALLEST_STEP = 1e-6

/** Newton's method on two parameters, attacks and others weighing the same: a probability at even odds. A step that makes
 *  it worse is halved, since a whole one from far away leads further away. */
export function calibrated(texts: readonly ScoredText[]): Calibration {
  const total = (isAttack: boolean): number =>
    texts.filter((text) => text.isAttack === isAttack).reduce((sum, { weight }) => sum + weight, 0)
  const [attacks, others] = [total(true), total(false)]
  const shareOf = ({ weight, isAttack }: ScoredText): number => weight / (isAttack ? attacks : others)
  const loss = ({ slope, offset }: Calibration): number =>
    texts.reduce(
      (sum, text) => {
        const logit = (text.isAttack ? -1 : 1) * (slope * text.score + offset)
        return sum + shareOf(text) * (Math.max(0, logit) + Math.log1p(Math.exp(-Math.abs(logit))))
      },
      PENALTY * slope ** 2,
    )
  let best: Calibration = { slope: 0, offset: 0 }
  for (let iteration = 0; iteration < ITERATIONS; iteration++) {
    const step = newtonStep(texts, best, shareOf)
    let length = 1
    const moved = (): Calibration => ({
      slope: best.slope - length * step.slope,
      offset: best.offset - length * step.offset,
    })
    while (length > SMALLEST_STEP && !(loss(moved()) < loss(best))) length /= 2
    if (length <= SMALLEST_STEP) break
    best = moved()
  }
  return best
}

function newtonStep(
  texts: readonly ScoredText[],
  { slope, offset }: Calibration,
  shareOf: (text: ScoredText) => number,
): Calibration {
  let [g0, g1, h00, h01, h11] = [2 * PENALTY * slope, 0, 2 * PENALTY, 0, 1e-9]
  for (const text of texts) {
    const { score, isAttack } = text
    const share = shareOf(text)
    const probability = 1 / (1 + Math.exp(-(slope * score + offset)))
    const [error, curve] = [share * (probability - Number(isAttack)), share * probability * (1 - probability)]
    g0 += error * score
    g1 += error
    h00 += curve * score * score
    h01 += curve * score
    h11 += curve
  }
  const determinant = h00 * h11 - h01 * h01
  return { slope: (g0 * h11 - g1 * h01) / determinant, offset: (g1 * h00 - g0 * h01) / determinant }
}

/** The score that no more than a share of the weight of harmless texts reaches. */
export function thresholdAt(texts: readonly ScoredText[], share: number): number {
  const harmless = texts.filter(({ isAttack }) => !isAttack).sort((one, other) => other.score - one.score)
  let left = share * harmless.length
  return harmless.find(() => left-- < 1)?.score ?? 0
}
