/** What the operations answer. Numbers have six decimals, p-values six digits. */
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

const Num = Type.Number()
const Flag = Type.Boolean()
const Word = Type.String()
const Maybe = Nullable(Num)
const Range = closed({ low: Num, high: Num })
const Pair = Type.Array(Num, { minItems: 2, maxItems: 2 })

const calculated = {
  label: words(['MODELED', 'SAMPLE']),
  basis: Type.String({ description: 'what was computed, and from what' }),
}
const recorded = {
  ...calculated,
  input_source: words(['CALLER', 'DEFAULT_EXAMPLE']),
  input_sha256: Hex64,
  output_sha256: Type.String({ ...Hex64, description: 'over the result alone' }),
  plot: Nullable(Plot),
  receipt: ReceiptSummary,
}
const Timing = Nullable(closed({ wall_ms: Num, cpu_ms: Num, queue_ms: Num }))

const OrderQuantile = closed({
  value: Maybe,
  rank: Count,
  insufficient_n: Flag,
  interval: closed({
    lower_rank: Nullable(Count),
    upper_rank: Nullable(Count),
    lower: Maybe,
    upper: Maybe,
    coverage: Num,
  }),
})
export const AnomalyResult = closed({
  n: Count,
  alpha: Num,
  tail: words(['upper', 'lower', 'two-sided']),
  resolution: Num,
  smallest_p: Num,
  median: Num,
  mad: Num,
  tukey: closed({ q1: Num, q3: Num, lower: Num, upper: Num }),
  p95: OrderQuantile,
  p99: OrderQuantile,
  tail_fit: Nullable(closed({ u: Num, exceedances: Count, xi: Num, sigma: Num })),
  tail_fit_reason: Text,
  results: Type.Array(
    closed({
      value: Num,
      p_value: Num,
      empirical_percentile: Num,
      robust_z: Maybe,
      outside_tukey: Flag,
      tail_probability: Maybe,
      severity: words(['critical', 'elevated', 'nominal', 'undecidable']),
      q_value: Num,
      rejected: Flag,
    }),
  ),
})
export type AnomalyResult = Static<typeof AnomalyResult>
export const AnomalyReply = named('WireaAnomaly', { ...AnomalyResult.properties, ...recorded })

export const GapResult = closed({
  observed: Type.Array(Num),
  reference: Type.Array(Num),
  normalised: Flag,
  kl_observed_vs_reference_nats: Maybe,
  kl_reference_vs_observed_nats: Maybe,
  jeffreys_divergence_nats: Maybe,
  total_variation: Num,
  hellinger: Num,
  jensen_shannon_nats: Num,
  jensen_shannon_distance: Num,
  fisher_rao: Num,
  chi_square: Maybe,
  psi: Maybe,
  trust_gap_pct: Num,
  contributions: Type.Array(Maybe),
  pinsker_bound: Maybe,
  bretagnolle_huber_bound: Num,
  bounds_hold: Flag,
  gibbs_nonneg_holds: Flag,
  support_mismatch: Flag,
  g_test: Nullable(closed({ n: Count, g: Maybe, df: Count, p_value: Num })),
})
export type GapResult = Static<typeof GapResult>
export const GapReply = named('WireaTrustGap', { ...GapResult.properties, ...calculated, plot: Plot })

export const PanelResult = closed({
  lambda: Num,
  raw: Num,
  ceiling_applied: Flag,
  trust_ceiling: Num,
  floor: Num,
  meets_floor: Flag,
  kind: words(['arithmetic', 'geometric', 'harmonic', 'power']),
  p: Num,
  axes: Type.Array(Num),
  weights: Type.Array(Num),
  variants: closed({ min: Num, harmonic: Num, geometric: Num, arithmetic: Num, power: Num, max: Num }),
  ordering_holds: Flag,
  elasticities: Type.Array(Maybe),
  leave_one_out: Type.Array(closed({ index: Count, score: Num, raw_without: Maybe })),
  weakest: closed({ index: Count, score: Num, needed_for_floor: Maybe }),
  status: Word,
  is_theorem: Type.Literal(false),
})
export type PanelResult = Static<typeof PanelResult>
export const PanelReply = named('WireaLambdaPanel', { ...PanelResult.properties, ...calculated, plot: Plot })

export const SearchResult = named('WireaSearch', {
  q: Word,
  limit: Count,
  label: Type.Literal('STRUCTURAL-ONLY'),
  corpus: closed({ documents: Count, digest: Hex64, kinds: Type.Record(Type.String(), Count), missing: Texts }),
  receipts: closed({ searched: Flag, documents: Count, reason: Text }),
  matches: Count,
  results: Type.Array(closed({ key: Word, kind: Word, title: Word, url: Word, score: Num, bm25: Num, snippet: Word })),
  did_you_mean: Text,
  results_for: words(['query', 'did_you_mean']),
})
export type SearchResult = Static<typeof SearchResult>

const RewardResult = closed({
  preset: Nullable(words(['performance', 'balanced', 'cost'])),
  weights: closed({ alpha: Num, beta: Num, gamma: Num }),
  ranked: Type.Array(
    closed({
      model: Word,
      reward: Num,
      reward_exact: Type.String({ description: 'all of it, twelve decimals' }),
      quality: Num,
      cost: Num,
      latency: Num,
      pareto: Flag,
      quality_lcb: Maybe,
    }),
  ),
  selected: Text,
  rejected: Type.Array(closed({ model: Word, reason: Word })),
  margin: Maybe,
  winner_holds_for: Nullable(closed({ alpha: Pair, beta: Pair, gamma: Pair })),
  p_best: Nullable(Type.Array(closed({ model: Word, probability: Num }))),
})
export type RewardResult = Static<typeof RewardResult>
export const RewardReply = named('WireaRouterReward', { ...RewardResult.properties, ...recorded })

const Binary = closed({
  n: Count,
  base_rate: Num,
  brier: Num,
  log_loss: Num,
  clipped: Count,
  crps: Num,
  skill: Maybe,
  auc: Maybe,
  ece: closed({ equal_width: Num, equal_mass: Num }),
  mce: Num,
  debiased_calibration_error: Nullable(closed({ squared: Num, root: Num, cases: Count })),
  murphy: closed({ reliability: Num, resolution: Num, uncertainty: Num, within_bin: Num }),
  spiegelhalter: Nullable(closed({ z: Num, p_value: Num })),
  isotonic: closed({ miscalibration: Num, discrimination: Num, uncertainty: Num }),
  bins: Type.Array(
    closed({
      lower: Num,
      upper: Num,
      cases: Count,
      mean_probability: Maybe,
      frequency: Maybe,
      wilson95: Nullable(Range),
      variance: Num,
      covariance: Num,
    }),
  ),
  bootstrap: Nullable(closed({ resamples: Count, seed: Count, brier95: Range, ece95: Range })),
})
const ScoresResult = closed({
  binary: Nullable(Binary),
  ensemble: Nullable(closed({ cases: Count, crps: Num, crps_fair: Num })),
  quantile: Nullable(
    closed({
      cases: Count,
      pinball: Num,
      levels: Type.Array(closed({ level: Num, pinball: Num, coverage: Num })),
      crossing_cases: Count,
    }),
  ),
  pareto: Nullable(closed({ front: Texts, of: Count })),
})
export type ScoresResult = Static<typeof ScoresResult>
export const ScoresReply = named('WireaEvalScores', { ...ScoresResult.properties, ...recorded, timing: Timing })

const CoverageResult = closed({
  coverage_target: Num,
  n: Count,
  k: Count,
  scenario: words(['iid', 'drift']),
  trials_asked: Count,
  minimum_n: Count,
  insufficient_n: Flag,
  band: words(['FINITE', 'INFINITE']),
  band_halfwidth: Type.Union([Num, Type.Null()], {
    description: 'the mean over the trials; null for an infinite band',
  }),
  expected_coverage: Maybe,
  guarantee: Nullable(Pair),
  coverage_law: Nullable(closed({ beta: Pair, p05: Num, p95: Num })),
  trials: Type.Array(closed({ coverage: Num, wilson95: Range, halfwidth: Num })),
  mean_coverage: Maybe,
  within_law: Nullable(Flag),
  law_z: Maybe,
  adaptive: Nullable(
    closed({
      gamma: Num,
      coverage: Num,
      fixed_coverage: Num,
      infinite_share: Num,
      bound: Num,
      within_bound: Flag,
      drift: Num,
    }),
  ),
})
export type CoverageResult = Static<typeof CoverageResult>
export const CoverageReply = named('WireaForecastCoverage', {
  ...CoverageResult.properties,
  label: Type.Literal('SIMULATED'),
  simulator: Word,
  version: Word,
  seed: Count,
  assumptions: Texts,
  not_real: Texts,
  cache: words(['hit', 'miss']),
  timing: Timing,
  plot: Plot,
})

const Ranked = Type.Array(closed({ node: Word, value: Num }))
const NamePair = Type.Array(Word, { minItems: 2, maxItems: 2 })
const measured = {
  n_nodes: Count,
  n_edges: Count,
  n_directed_edges: Count,
  density: Num,
  avg_clustering: Num,
  transitivity: Num,
  components: Count,
  component_sizes: Type.Array(Count),
  algebraic_connectivity: Maybe,
  normalised_lambda2: Maybe,
  zero_multiplicity: Nullable(Count),
  fiedler_partition: Nullable(closed({ positive: Texts, negative: Texts, multiplicity: Count, unique: Flag })),
  spectral_radius: Maybe,
  spectral_reason: Text,
  diameter: Nullable(Count),
  articulation_points: Texts,
  bridges: Type.Array(NamePair),
  k_core: closed({ degeneracy: Count, members: Texts }),
  assortativity: Maybe,
  dag: closed({ is_dag: Flag, back_edges: Type.Array(NamePair), topological_order: Texts }),
  sccs: closed({ components: Count, nontrivial: Type.Array(Texts) }),
  centrality: closed({ degree: Ranked, betweenness: Ranked, closeness: Ranked, pagerank: Ranked }),
  layout_seed: Count,
}
const GraphMeasures = closed({
  ...measured,
  layout: closed({ positions: Type.Array(Pair), edges: Type.Array(Pair) }),
})
export type GraphMeasures = Static<typeof GraphMeasures>
export const GraphReply = named('WireaGraphMetrics', {
  graph: Word,
  label: words(['MEASURED', 'SAMPLE']),
  source: Word,
  read_at: Nullable(Timestamp),
  empty: Flag,
  ...measured,
  nodes: Texts,
  cache: words(['hit', 'miss']),
  timing: Timing,
  plot: Plot,
})

export const Health = named('WireaHealth', {
  ok: Flag,
  label: Type.Literal('MEASURED'),
  checked_at: Timestamp,
  routes: Type.Array(closed({ id: Word, method: Word, path: Word })),
  self_checks: Type.Array(closed({ name: Word, expected: Num, got: Maybe, passed: Flag })),
})
export type Health = Static<typeof Health>
