/** Which true features the dictionary found: cosines of its rows with them, and the best one-to-one pairing. */
import { assignGreatest } from './assignment.ts'
import type { Autoencoder } from './autoencoder.ts'

interface Match {
  trueFeature: number
  feature: number
  cosine: number
}

interface Matching {
  matches: Match[]
  /** Mean cosine over the pairs (mean correlation coefficient). */
  mcc: number
  /** Mean over the true features of the greatest cosine of any row, which several of them may share. */
  meanMaxCosine: number
}

/** Signed: a row that points the other way has not found the feature, for codes are never negative. */
export function matchFeatures({ d, n, decoder }: Autoencoder, trueFeatures: Float64Array): Matching {
  const trueCount = trueFeatures.length / d
  const cosines = new Float64Array(trueCount * n)
  let greatest = 0
  for (let g = 0; g < trueCount; g++) {
    let most = -Infinity
    for (let j = 0; j < n; j++) {
      let dot = 0
      for (let i = 0; i < d; i++) dot += trueFeatures[g * d + i]! * decoder[j * d + i]!
      cosines[g * n + j] = dot
      most = Math.max(most, dot)
    }
    greatest += most
  }
  const matches = pair(trueCount, n, cosines)
  const mcc = matches.reduce((sum, { cosine }) => sum + cosine, 0) / matches.length
  return { matches, mcc, meanMaxCosine: greatest / trueCount }
}

/** The smaller side is paired in full. */
function pair(trueCount: number, n: number, cosines: Float64Array): Match[] {
  const match = (trueFeature: number, feature: number): Match => ({
    trueFeature,
    feature,
    cosine: cosines[trueFeature * n + feature]!,
  })
  if (trueCount <= n) return [...assignGreatest(trueCount, n, (g, j) => cosines[g * n + j]!)].map((j, g) => match(g, j))
  return [...assignGreatest(n, trueCount, (j, g) => cosines[g * n + j]!)]
    .map((g, j) => match(g, j))
    .sort((one, other) => one.trueFeature - other.trueFeature)
}
