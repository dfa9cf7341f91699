/** The reply about a trained model: the measured figures with what they rest on and what a picture of them needs. */
import { canonicalize, sha256Hex } from '@orch/core'
import type { Plot } from '../../domain/plot.ts'
import { roundDeep } from '../../domain/rounded.ts'
import type { JobTiming } from '../../platform/compute/job.ts'
import { ADAM } from './adam.ts'
import { ACTIVE_PER_ROW, COEFFICIENTS, HELD_OUT_ROWS, NOISE } from './data.ts'
import type { SaeResult } from './job.ts'
import { MAX_WORK, STEPS, workOf } from './parameters.ts'
import type { FeaturesReply, SaeParameters } from './schemas.ts'

/** Trains for these parameters, or answers with what was trained for them before. Rejects with the pool's own errors. */
export type FeaturesPort = (parameters: SaeParameters, signal?: AbortSignal) => Promise<FeaturesReply>

export interface TrainedModel {
  result: SaeResult
  trainedAt: string
}

const LABEL_DETAIL =
  'the training is real and was run here; the data are synthetic, drawn from known features, and no language model was looked into'

const CITATIONS = [
  {
    id: 'arXiv:2406.04093',
    title: 'Gao et al., Scaling and evaluating sparse autoencoders',
    used_for: 'TopK activation, the loss of silent features, renormalised decoder',
  },
  {
    id: 'arXiv:2309.08600',
    title: 'Cunningham et al., Sparse Autoencoders Find Highly Interpretable Features in Language Models',
    used_for: 'dictionary learning with known features and cosine matching',
  },
]

export function toReply(
  parameters: SaeParameters,
  { result, trainedAt }: TrainedModel,
  timing: JobTiming | null,
): FeaturesReply {
  const measured = {
    ...result.trained,
    untrained_control: result.untrained,
    training: trainingOf(parameters, result),
    data: dataOf(result),
  }
  return {
    kind: 'orch.interpretability-features/v1',
    label: 'SIMULATED',
    label_detail: LABEL_DETAIL,
    parameters,
    work: { counted: workOf(parameters), cap: MAX_WORK, unit: 'multiplications of the encoder in training' },
    cache: timing === null ? 'hit' : 'miss',
    trained_at: trainedAt,
    ...measured,
    quality: qualityOf(result),
    model: {
      type: 'TopK sparse autoencoder',
      equation: 'z = TopK(ReLU(W_e (x - b_p) + b_e)); xhat = W_d z + b_p',
      initialisation: 'unit decoder rows, W_e = W_d, biases 0',
    },
    result_sha256: sha256Hex(canonicalize({ parameters, ...measured })),
    plots: roundDeep(plotsOf(result)),
    citations: CITATIONS,
    timing: timing && { wall_ms: timing.wallMs, cpu_ms: timing.cpuMs, queue_ms: timing.queueMs },
  }
}

/** What the figures are worth: a training within the bounds may still end worse than no model, or than no training. */
function qualityOf({ trained, untrained }: Pick<SaeResult, 'trained' | 'untrained'>): FeaturesReply['quality'] {
  const fvu = trained.fraction_variance_unexplained
  const isWorse = fvu >= 1
  const isBelow = trained.mcc < untrained.mcc
  const reasons = [
    `FVU ${fvu} is ${isWorse ? 'not below 1: answering the mean of the data explains as much or more' : 'below 1, that of answering the mean'}`,
    `MCC ${trained.mcc} is ${isBelow ? 'below' : 'not below'} ${untrained.mcc}, that of the untrained control${isBelow ? ': its rows lie nearer to the true features than the trained ones' : ''}`,
  ]
  const state = isWorse ? 'WORSE_THAN_MEAN' : isBelow ? 'BELOW_CONTROL' : 'BETTER_THAN_BASELINES'
  return { state, reason: reasons.join('; ') }
}

const trainingOf = ({ batch }: SaeParameters, { lossCurve }: SaeResult): FeaturesReply['training'] => ({
  steps: STEPS,
  rows_seen: STEPS * batch,
  loss: '|x - xhat|^2 / (B d) + (1/32) |e - e_hat|^2 / (B d), e = x - xhat, e_hat from the floor(d/2) greatest latents that have not fired for 50 steps',
  optimiser: {
    name: 'Adam',
    rate: ADAM.rate,
    beta1: ADAM.beta1,
    beta2: ADAM.beta2,
    epsilon: '0.00000001',
    decay: 'linear to zero over the last 20 % of the steps',
  },
  loss_curve: lossCurve,
})

const dataOf = ({ trained }: SaeResult): FeaturesReply['data'] => ({
  generator: 'orch.sae-data/v1, sfc32 keyed by seed and d_model',
  true_features: trained.true_features,
  active_per_row: Math.min(ACTIVE_PER_ROW, trained.true_features),
  coefficients: [...COEFFICIENTS],
  noise_sd: NOISE,
  held_out_rows: HELD_OUT_ROWS,
  not_real: ['the activations', 'the features', 'the readout that ablation is measured with'],
})

function plotsOf({ trained, untrained, lossCurve }: SaeResult): Plot[] {
  const perPoint = STEPS / lossCurve.length
  const { bin_edges_log10: edges, counts } = trained.feature_density
  const sorted = (matched: SaeResult['trained']['matched']) =>
    matched
      .map(({ cosine }) => cosine)
      .sort((a, b) => b - a)
      .map((cosine, rank) => [rank + 1, cosine])
  return [
    {
      kind: 'line',
      title: 'Training loss',
      x: { name: 'step', unit: null, min: 0, max: STEPS },
      y: { name: 'mean loss of 50 steps', unit: null, min: 0, max: Math.max(...lossCurve) },
      series: [{ name: 'loss', points: lossCurve.map((loss, at) => [(at + 1) * perPoint, loss]) }],
      reference_lines: [],
    },
    {
      kind: 'bar',
      title: 'How often features fire on held-out rows',
      x: { name: 'log10 of the share of rows', unit: null, min: edges[0]!, max: 0 },
      y: { name: 'features', unit: null, min: 0, max: Math.max(...counts) },
      // A bar stands in the middle of its bin.
      series: [{ name: 'features', points: counts.map((count, at) => [(edges[at]! + edges[at + 1]!) / 2, count]) }],
      reference_lines: [],
    },
    {
      kind: 'line',
      title: 'Cosine of true features with their matched decoder rows, sorted',
      x: { name: 'rank', unit: null, min: 1, max: trained.matched_count },
      y: { name: 'cosine', unit: null, min: -1, max: 1 },
      series: [
        { name: 'trained', points: sorted(trained.matched) },
        { name: 'untrained control', points: sorted(untrained.matched) },
      ],
      reference_lines: [
        { axis: 'y', value: trained.mcc, name: 'MCC' },
        { axis: 'y', value: untrained.mcc, name: 'MCC of the untrained control' },
      ],
    },
  ]
}
