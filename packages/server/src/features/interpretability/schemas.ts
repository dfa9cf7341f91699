/** Wire shapes of the trained autoencoder. */
import Type, { type Static } from 'typebox'
import { Plot } from '../../domain/plot.ts'
import { Count, closed, Hex64, Nullable, named, Texts, Timestamp, words } from '../../domain/wire.ts'
import { DEFAULTS } from './parameters.ts'

const parameter = (minimum: number, maximum: number, value: number, description: string) =>
  Type.Integer({ minimum, maximum, default: value, description })

export type SaeParameters = Static<typeof FeaturesQuery>
export const FeaturesQuery = Type.Object({
  seed: parameter(0, 2_147_483_647, DEFAULTS.seed, 'of data, initial weights and readout'),
  d_model: parameter(4, 128, DEFAULTS.d_model, 'dimensions of the data; there are twice as many true features'),
  n_features: parameter(5, 2048, DEFAULTS.n_features, 'size of the dictionary, more than d_model'),
  top_k: parameter(1, 64, DEFAULTS.top_k, 'features that may be active in one row, at most n_features'),
  batch: parameter(8, 512, DEFAULTS.batch, 'rows of one training step'),
})

const Share = Type.Number({ minimum: 0, maximum: 1 })
const Cosine = Type.Number({ minimum: -1.000001, maximum: 1.000001 })
const Positive = Type.Number({ minimum: 0 })

/** Worse than answering the mean; finding less of the truth than the untrained model; better than both. */
const QUALITY_STATES = ['BETTER_THAN_BASELINES', 'BELOW_CONTROL', 'WORSE_THAN_MEAN'] as const

const metrics = {
  fraction_variance_unexplained: Type.Number({
    minimum: 0,
    description: 'squared error over squared distance from the mean, on rows that were not trained on',
  }),
  train_fraction_variance_unexplained: Type.Number({
    minimum: 0,
    description: 'the same on the newest 1024 rows that were trained on',
  }),
  reconstruction_mse: Positive,
  reconstruction_cos: Cosine,
  l0_mean: Type.Number({ minimum: 0, description: 'mean count of positive codes of a row, at most top_k' }),
  dead_features: Count,
  active_features: Count,
  dead_feature_pct: Type.Number({ minimum: 0, maximum: 100 }),
  feature_density: closed({
    bin_edges_log10: Type.Array(Type.Number(), { minItems: 21, maxItems: 21 }),
    counts: Type.Array(Count, { minItems: 20, maxItems: 20 }),
  }),
  mcc: Type.Number({ description: 'mean cosine of the best one-to-one pairing of true features with decoder rows' }),
  matched_count: Count,
  true_features: Count,
  mean_max_cosine: Cosine,
  matched: Type.Array(closed({ true_feature: Count, feature_id: Count, cosine: Cosine })),
  top_features: Type.Array(
    closed({
      feature_id: Count,
      mean_activation: Type.Number({ minimum: 0, description: 'over the rows in which it fires' }),
      fire_frequency: Share,
      causal_ablation_kl: Type.Number({
        minimum: 0,
        description: 'nats, mean over the rows in which it fires: what the fixed readout loses without it',
      }),
      confidence: Nullable(Cosine),
      matched_true_feature: Nullable(Count),
      selectivity: Nullable(Share),
    }),
    { maxItems: 16, description: 'by fire_frequency x causal_ablation_kl, the greatest first' },
  ),
}

const Work = Type.Integer({ minimum: 1 })

export const FeaturesReply = named('InterpretabilityFeatures', {
  kind: Type.Literal('orch.interpretability-features/v1'),
  label: Type.Literal('SIMULATED'),
  label_detail: Type.String(),
  parameters: closed({ seed: Count, d_model: Count, n_features: Count, top_k: Count, batch: Count }),
  work: closed({ counted: Work, cap: Work, unit: Type.String() }),
  cache: words(['hit', 'miss']),
  trained_at: Timestamp,
  ...metrics,
  untrained_control: closed(metrics),
  quality: closed({
    state: words(QUALITY_STATES),
    reason: Type.String({ description: 'the figures that the state follows from' }),
  }),
  model: closed({ type: Type.String(), equation: Type.String(), initialisation: Type.String() }),
  training: closed({
    steps: Count,
    rows_seen: Count,
    loss: Type.String(),
    optimiser: closed({
      name: Type.Literal('Adam'),
      rate: Positive,
      beta1: Positive,
      beta2: Positive,
      epsilon: Type.String({ description: 'decimal text: it would need an exponent' }),
      decay: Type.String(),
    }),
    loss_curve: Type.Array(Positive, { minItems: 20, maxItems: 20, description: 'mean loss of each 50 steps' }),
  }),
  data: closed({
    generator: Type.String(),
    true_features: Count,
    active_per_row: Count,
    coefficients: Type.Array(Type.Number(), { minItems: 2, maxItems: 2 }),
    noise_sd: Positive,
    held_out_rows: Count,
    not_real: Texts,
  }),
  result_sha256: Type.String({ ...Hex64, description: 'of the canonical metrics, control, training and data' }),
  plots: Type.Array(Plot),
  citations: Type.Array(closed({ id: Type.String(), title: Type.String(), used_for: Type.String() })),
  timing: Nullable(closed({ wall_ms: Positive, cpu_ms: Positive, queue_ms: Positive })),
})
export type FeaturesReply = Static<typeof FeaturesReply>
