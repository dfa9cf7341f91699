/** Wire shapes of the materials surface. */
import Type, { type Static } from 'typebox'
import { Plot } from '../../domain/plot.ts'
import {
  Count,
  closed,
  Hex64,
  Nullable,
  named,
  ReceiptSummary,
  Text,
  Texts,
  Timestamp,
  words,
} from '../../domain/wire.ts'
import { GROUPS } from './classes.ts'

const N = Type.Number()
const Maybe = Nullable(N)
const Share = Type.Number({ minimum: 0, maximum: 1 })
const CONFIDENCES = [0.5, 0.8, 0.9, 0.95] as const

export const PredictBody = closed({
  formula: Type.Optional(
    Type.String({ minLength: 1, maxLength: 64, description: 'such as Ca(OH)2 or Fe0.95O; or composition, not both' }),
  ),
  composition: Type.Optional(
    Type.Record(Type.String({ pattern: '^[A-Z][a-z]?$' }), Type.Number({ exclusiveMinimum: 0, maximum: 1000 }), {
      minProperties: 1,
      maxProperties: 8,
      description: 'counts of atoms by symbol',
    }),
  ),
  property: Type.Optional(Type.Literal('formation_energy')),
  confidence: Type.Optional(Type.Unsafe<(typeof CONFIDENCES)[number]>(Type.Enum([...CONFIDENCES], { default: 0.95 }))),
})
export type PredictBody = Static<typeof PredictBody>

export const REFUSALS = ['element_outside_table', 'outside_domain', 'interval_too_wide'] as const

const Hull = closed({
  competing_energy: N,
  decomposition: Type.Array(closed({ formula: Type.String(), atom_fraction: N })),
  phases_considered: Count,
  certificate_gap: Type.Number({ description: 'how far the dual is from proving the optimum; 0 where it proves it' }),
  energy_above_hull: Maybe,
  reference_above_hull: Maybe,
  p_stable: Nullable(Share),
  state: words(['STABLE', 'METASTABLE', 'UNSTABLE', 'UNKNOWN']),
  note: Type.String(),
})

export const PredictReply = named('MaterialsPrediction', {
  kind: Type.Literal('orch.materials-prediction/v1'),
  label: words(['MODELED', 'SAMPLE']),
  label_detail: Type.String(),
  input_source: words(['CALLER', 'DEFAULT_EXAMPLE']),
  property: Type.Literal('formation_energy'),
  units: Type.Literal('eV/atom'),
  composition: Type.Record(Type.String(), N),
  fractions: Type.Record(Type.String(), N),
  confidence: N,
  basis: words(['MODEL', 'DEFINITION']),
  value: Maybe,
  sd: Maybe,
  interval: Nullable(
    closed({
      low: N,
      high: N,
      half_width: N,
      factor: N,
      class_rows: Type.Integer({
        minimum: 0,
        description: 'training rows of its class (its elements but the least electronegative)',
      }),
      calibrated_on: words([...GROUPS, 'DEFINITION']),
    }),
  ),
  verdict: words(['GREEN', 'YELLOW', 'RED']),
  refusal: Nullable(closed({ code: words(REFUSALS), reason: Type.String() })),
  ood_score: Maybe,
  ood: Nullable(closed({ variance_ratio: N, neighbour_distance: N, mahalanobis: N, nearest: Type.String() })),
  reference: Nullable(
    closed({
      value: N,
      formula: Type.String(),
      phase: words(['cr', 'l', 'g']),
      source: Type.String(),
      source_ref: Type.String(),
      label: Type.Literal('SAMPLE'),
    }),
  ),
  prediction_excludes_reference: Type.Boolean(),
  hull: Nullable(Hull),
  hull_reason: Text,
  model: closed({ kernel: Type.String(), rows: Count, data_sha256: Hex64, elements_sha256: Hex64 }),
  notes: Texts,
  input_sha256: Hex64,
  output_sha256: Hex64,
  plot: Nullable(Plot),
  receipt: ReceiptSummary,
})
export type PredictReply = Static<typeof PredictReply>

const Calibration = closed({
  method: Type.String(),
  leave_one_out: closed({ mae: N, rmse: N, baseline_mae: N, rows: Count }),
  cross_validation: closed({ mae: N, baseline_mae: N }),
  baseline: Type.String(),
  levels: Type.Array(
    closed({
      level: N,
      coverage: Share,
      n: Count,
      distinct_rows: Count,
      wilson: closed({ low: Share, high: Share }),
      median_half_width: N,
      baseline_coverage: Share,
      baseline_median_half_width: N,
    }),
  ),
  by_element_count: Type.Array(closed({ elements: Count, rows: Count, leave_one_out_mae: N })),
  leave_one_element_out: closed({
    mae: N,
    note: Type.String(),
    elements: Type.Array(closed({ symbol: Type.String(), rows: Count, mae: N })),
  }),
})
export type Calibration = Static<typeof Calibration>

const Accepted = closed({ name: Type.String(), bar: Type.String(), measured: Maybe, met: Nullable(Type.Boolean()) })

export const MaterialsHealth = named('MaterialsHealth', {
  ok: Type.Boolean(),
  label: Type.Literal('MODELED'),
  state: words(['FITTING', 'CALIBRATING', 'READY', 'FAILED']),
  reason: Text,
  checked_at: Timestamp,
  rows: Count,
  training_rows: Count,
  data_sha256: Hex64,
  elements_sha256: Hex64,
  second_source: closed({
    rows_checked: Count,
    disagreements_over_5_kj_mol: Type.Array(closed({ formula: Type.String(), difference_kj_mol: N })),
  }),
  elements: Texts,
  systems_with_hull: Count,
  model: Nullable(
    closed({
      kernel: Type.String(),
      hyperparameters: closed({ s1: N, s2: N, length: N, noise: N, b0: N, b1: N }),
      log_marginal_likelihood: N,
      domain_limits: closed({ variance_ratio: N, neighbour_distance: N, mahalanobis: N }),
    }),
  ),
  calibration: Nullable(Calibration),
  calibration_progress: closed({ done: Count, of: Count }),
  acceptance: Type.Array(Accepted),
  self_test: Nullable(
    closed({
      passed: Type.Boolean(),
      MgO: closed({ reference: N, predicted: N, inside_95: Type.Boolean() }),
      FeO_hull: closed({ competing_energy: N, expected: N }),
    }),
  ),
  honesty: Type.Literal('MODELED'),
  notes: Texts,
})
export type MaterialsHealth = Static<typeof MaterialsHealth>
