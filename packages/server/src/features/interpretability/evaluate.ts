/** All that is measured of a model on the held-out rows. */
import { Ablation } from './ablation.ts'
import type { Autoencoder } from './autoencoder.ts'
import type { DataSource, Rows } from './data.ts'
import { densityOf } from './density.ts'
import { matchFeatures } from './matching.ts'
import { reconstruct } from './reconstruction.ts'

const TOP_FEATURES = 16

/** As the reply spells it. */
export function evaluate(model: Autoencoder, data: DataSource, trainedRows: Rows, readout: Float64Array) {
  const { heldOut, trueFeatures, trueCount, activePerRow } = data
  const { n } = model
  const matching = matchFeatures(model, trueFeatures)
  const matchOf = new Map(matching.matches.map((match) => [match.feature, match]))
  const ablation = new Ablation(model, readout)
  const [fired, activation, selected] = [new Uint32Array(n), new Float64Array(n), new Uint32Array(n)]
  const found = reconstruct(model, heldOut, (row, code, decoded) => {
    ablation.add(code, decoded)
    const active = heldOut.active.subarray(row * activePerRow, (row + 1) * activePerRow)
    for (let c = 0; c < code.count; c++) {
      const j = code.features[c]!
      fired[j]! += 1
      activation[j]! += code.values[c]!
      const match = matchOf.get(j)
      if (match !== undefined && active.includes(match.trueFeature)) selected[j]! += 1
    }
  })
  const dead = fired.reduce((count, times) => count + (times === 0 ? 1 : 0), 0)
  const frequency = (j: number) => fired[j]! / heldOut.count
  const effect = (j: number) => frequency(j) * (ablation.mean(j) ?? 0)
  const top = [...fired.keys()].filter((j) => fired[j]! > 0).sort((i, j) => effect(j) - effect(i) || i - j)
  return {
    fraction_variance_unexplained: found.fvu,
    train_fraction_variance_unexplained: reconstruct(model, trainedRows).fvu,
    reconstruction_mse: found.mse,
    reconstruction_cos: found.cosine,
    l0_mean: found.l0Mean,
    dead_features: dead,
    active_features: n - dead,
    dead_feature_pct: (100 * dead) / n,
    feature_density: densityOf(fired, heldOut.count),
    mcc: matching.mcc,
    matched_count: matching.matches.length,
    true_features: trueCount,
    mean_max_cosine: matching.meanMaxCosine,
    matched: matching.matches.map(({ trueFeature, feature, cosine }) => ({
      true_feature: trueFeature,
      feature_id: feature,
      cosine,
    })),
    top_features: top.slice(0, TOP_FEATURES).map((j) => {
      const match = matchOf.get(j)
      return {
        feature_id: j,
        mean_activation: activation[j]! / fired[j]!,
        fire_frequency: frequency(j),
        causal_ablation_kl: ablation.mean(j)!,
        confidence: match?.cosine ?? null,
        matched_true_feature: match?.trueFeature ?? null,
        selectivity: match === undefined ? null : selected[j]! / fired[j]!,
      }
    }),
  }
}
