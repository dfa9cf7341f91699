/** What the operations answer. Numbers have six decimals, p-values six digits. */
import Type, { type Static } from 'typebox'
import { Plot } from '../../domain/plot.ts'
import { Count, closed, Hex64, Nullable, named, Text, Texts, Timestamp, words } from '../../domain/wire.ts'
import { calculated, Flag, Maybe, Num, Pair, Range, recorded, Timing, Word } from './reply-parts.ts'

const QuantileInterval = closed({
  rank: Count,
  insufficient_n: Flag,
  lower_rank: Nullable(Count),
  upper_rank: Nullable(Count),
  lower: Maybe,
  upper: Maybe,
  coverage: Num,
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
  p95: Maybe,
  p95_interval: QuantileInterval,
  p99: Maybe,
  p99_interval: QuantileInterval,
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
  ignored_terms: Type.Integer({ minimum: 0, description: 'terms after the sixteenth: none of them was looked up' }),
  note: Text,
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
  law_reason: Type.Union([Type.String(), Type.Null()], {
    description: 'why nothing is expected or promised, and there is no law',
  }),
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

export const Health = named('WireaHealth', {
  ok: Flag,
  label: Type.Literal('MEASURED'),
  checked_at: Timestamp,
  routes: Type.Array(closed({ id: Word, method: Word, path: Word })),
  self_checks: Type.Array(closed({ name: Word, expected: Num, got: Maybe, passed: Flag })),
})
export type Health = Static<typeof Health>
