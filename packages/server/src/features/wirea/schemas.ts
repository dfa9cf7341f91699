/** What the operations take. */
import Type, { type Static } from 'typebox'
import { closed, words } from '../../domain/wire.ts'
import { MAX_WEIGHT } from './router-reward.ts'

/** Squares and sums of so many of them stay far below the largest double. */
const Finite = Type.Number({ minimum: -1e100, maximum: 1e100 })
const Share = Type.Number({ minimum: 0, maximum: 1 })
const Name = Type.String({ minLength: 1, maxLength: 128 })
export const MAX_SEED = 2_147_483_647
const Seed = (value: number) => Type.Integer({ minimum: 0, maximum: MAX_SEED, default: value })
const numbers = (text: string, fallback: string) =>
  Type.String({ maxLength: 2048, default: fallback, description: `${text}, separated by commas` })

export const AnomalyBody = Type.Object(
  {
    baseline: Type.Array(Finite, { minItems: 2, maxItems: 100_000 }),
    value: Type.Optional(Finite),
    values: Type.Optional(
      Type.Array(Finite, { minItems: 1, maxItems: 1000, description: 'in place of value, judged together' }),
    ),
    alpha: Type.Optional(Type.Number({ minimum: 0.0001, maximum: 0.5, default: 0.05 })),
    tail: Type.Optional({ ...words(['upper', 'lower', 'two-sided']), default: 'upper' }),
  },
  { additionalProperties: false },
)
export type AnomalyBody = Static<typeof AnomalyBody>

export const GapQuery = Type.Object({
  observed: numbers('2 to 64 proportions or counts, at least 0', '0.6,0.25,0.15'),
  reference: numbers('as many, at least 0', '0.5,0.3,0.2'),
  n: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 1e9, description: 'observations behind the proportions, for the G test' }),
  ),
})

export const PanelQuery = Type.Object({
  scores: numbers('1 to 64 scores from 0 to 1', '0.97,0.94,0.92,0.99,0.88,0.95'),
  kind: { ...words(['arithmetic', 'geometric', 'harmonic', 'power']), default: 'geometric' },
  p: Type.Number({ minimum: -50, maximum: 50, default: 2, description: 'the order of the power mean; 0 is geometric' }),
  weights: Type.Optional(
    Type.String({ maxLength: 2048, description: 'as many weights as scores, at least 0, separated by commas' }),
  ),
})
export type PanelQuery = Static<typeof PanelQuery>

export const SearchQuery = Type.Object({
  q: Type.String({ maxLength: 256, default: '', description: 'words, "a phrase", pre*, -not' }),
  limit: Type.Integer({ minimum: 1, maximum: 50, default: 20 }),
})

const Weight = Type.Number({ minimum: 0, maximum: MAX_WEIGHT })
const Trials = Type.Integer({ minimum: 1, maximum: 1e6, description: 'trials behind the quality' })
/** Not a choice of two shapes: a fault is to be told at its field. */
const Candidate = Type.Object(
  {
    model: Name,
    quality: Share,
    cost: Type.Optional(Share),
    latency: Type.Optional(Share),
    usd_per_1k: Type.Optional(
      Type.Number({ minimum: 0, maximum: 1e9, description: 'with latency_ms, in place of cost and latency' }),
    ),
    latency_ms: Type.Optional(Type.Number({ minimum: 0, maximum: 1e12 })),
    quality_n: Type.Optional(Trials),
  },
  { additionalProperties: false },
)

export const RewardBody = Type.Object(
  {
    preset: Type.Optional(words(['performance', 'balanced', 'cost', 'Performance-First', 'Balanced', 'Cost-First'])),
    weights: Type.Optional(closed({ alpha: Weight, beta: Weight, gamma: Weight })),
    candidates: Type.Array(Candidate, { minItems: 1, maxItems: 64 }),
    normalisation: Type.Optional(
      closed({
        cost_max: Type.Number({ exclusiveMinimum: 0, maximum: 1e9, description: 'usd_per_1k that counts as cost 1' }),
        latency_max: Type.Number({ exclusiveMinimum: 0, maximum: 1e12, description: 'latency_ms that counts as 1' }),
      }),
    ),
    quality_n: Type.Optional({ ...Trials, description: 'trials behind every quality that does not state its own' }),
    constraints: Type.Optional(
      closed({
        min_quality: Type.Optional(Share),
        max_cost: Type.Optional(Share),
        max_latency: Type.Optional(Share),
      }),
    ),
  },
  { additionalProperties: false },
)
export type RewardBody = Static<typeof RewardBody>

const MAX_CASES = 20_000
export const ScoresBody = Type.Object(
  {
    probs: Type.Optional(Type.Array(Share, { minItems: 1, maxItems: MAX_CASES })),
    outcomes: Type.Optional(Type.Array(Type.Integer({ minimum: 0, maximum: 1 }), { minItems: 1, maxItems: MAX_CASES })),
    bins: Type.Optional(Type.Integer({ minimum: 2, maximum: 50, default: 10 })),
    forecasts: Type.Optional(
      Type.Array(Type.Array(Finite, { minItems: 2, maxItems: 200 }), { minItems: 1, maxItems: MAX_CASES }),
    ),
    quantiles: Type.Optional(
      closed({
        levels: Type.Array(Type.Number({ exclusiveMinimum: 0, exclusiveMaximum: 1 }), { minItems: 1, maxItems: 99 }),
        values: Type.Array(Type.Array(Finite, { maxItems: 99 }), { minItems: 1, maxItems: MAX_CASES }),
      }),
    ),
    observed: Type.Optional(Type.Array(Finite, { minItems: 1, maxItems: MAX_CASES })),
    candidates: Type.Optional(
      Type.Array(closed({ model: Name, brier: Share, ece: Share, coverage: Share }), { minItems: 1, maxItems: 64 }),
    ),
    bootstrap: Type.Optional(Type.Integer({ minimum: 0, maximum: 2000, default: 200 })),
    seed: Type.Optional(Seed(1)),
  },
  { additionalProperties: false },
)
export type ScoresBody = Static<typeof ScoresBody>

export type CoverageInput = Static<typeof CoverageQuery>
export const CoverageQuery = Type.Object({
  target: Type.Number({ minimum: 0.5, maximum: 0.999, default: 0.9 }),
  n: Type.Integer({ minimum: 2, maximum: 5000, default: 40, description: 'calibration rows' }),
  seed: Seed(7),
  trials: Type.Integer({ minimum: 1, maximum: 200, default: 20 }),
  scenario: { ...words(['iid', 'drift']), default: 'iid' },
})

export const LIVE_GRAPHS = ['organism', 'chain', 'ontology', 'threatgraph'] as const
export type LiveGraph = (typeof LIVE_GRAPHS)[number]
export const FIXTURE_GRAPHS = ['fixture-hub9', 'fixture-path9', 'fixture-two-triangles', 'fixture-barbell6'] as const
export const GraphQuery = Type.Object({ graph: { ...words([...LIVE_GRAPHS, ...FIXTURE_GRAPHS]), default: 'organism' } })
