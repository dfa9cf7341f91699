/** Wire shapes of the physics surface. */
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
import { REFUSAL_CODES } from './identify/information.ts'

const N = Type.Number()
const Maybe = Nullable(N)
const Timing = Nullable(closed({ wall_ms: N, cpu_ms: N, queue_ms: N }))
const Cache = words(['hit', 'miss'])
export const CANONICAL_END = 0.9999092042625951

export const BurgersQuery = Type.Object({
  nu: Type.Number({ minimum: 0.001, maximum: 10, default: 0.05, description: 'viscosity' }),
  a: Type.Optional(
    Type.Number({ minimum: -10, maximum: 10, description: `u(0), with b; ${CANONICAL_END} without both` }),
  ),
  b: Type.Optional(Type.Number({ minimum: -10, maximum: 10, description: 'u(1), with a; -u(0) without both' })),
  N: Type.Integer({ minimum: 8, maximum: 128, default: 48, description: 'degree of the polynomial' }),
  include_unconverged: Type.Boolean({ default: false, description: 'show the values also where they are not right' }),
})
export type BurgersQuery = Static<typeof BurgersQuery>

export const BurgersReply = named('PinnBurgers', {
  label: Type.Literal('MODELED'),
  modeled_not_measured: Type.Literal(true),
  network: Type.Literal(false, { description: 'no neural net runs here' }),
  pde: Type.String(),
  method: Type.String(),
  boundary_conditions: closed({ a: N, b: N }),
  viscosity_nu: N,
  N: Count,
  symmetric_half_domain: Type.Boolean(),
  newton_iterations: Count,
  damping_steps: Count,
  stages: Type.Array(
    closed({ nu: N, iterations: Count, damping_steps: Count, converged: Type.Boolean(), final_residual: Maybe }),
  ),
  residual_history: Type.Array(N, { description: 'largest residual before every step of the last stage' }),
  newton_converged: Type.Boolean(),
  converged: Type.Boolean({
    description: 'Newton converged, N and 2N agree, and the exact solution is met, all within the tolerance',
  }),
  reason: Text,
  tolerance: N,
  a_posteriori_error: Nullable(Type.Number({ description: 'largest difference between the solutions of N and of 2N' })),
  rel_l2_vs_exact: Nullable(Type.Number({ description: 'integrals over 4,096 points that crowd at both ends' })),
  max_abs_error: Nullable(Type.Number({ description: 'at the collocation points' })),
  max_abs_error_between: Nullable(
    Type.Number({ description: 'on the 129 points of the solution and the 4,096 of the integrals' }),
  ),
  flux_invariant_spread: Nullable(Type.Number({ description: "largest minus smallest nu u' - u^2/2" })),
  exact_reference: closed({
    branch: words(['constant', 'tanh', 'tan', 'rational', 'coth']),
    c: N,
    C: N,
    x0: Maybe,
    equation: Type.String(),
  }),
  layer: closed({ width: Maybe, points_inside: Nullable(Count) }),
  conditioning_log: Type.Number({
    description:
      'C/2nu: the place of a layer moves by e to this power times a change of the ends; 0 where there is none',
  }),
  solution: Nullable(closed({ x: Type.Array(N), u: Type.Array(Maybe), exact: Type.Array(N) })),
  cache: Cache,
  timing: Timing,
  plot: Nullable(Plot),
})
export type BurgersReply = Static<typeof BurgersReply>

const SystemWords = words([
  'duffing',
  'damped_oscillator',
  'logistic',
  'lotka_volterra',
  'redlich_kister',
  'burgers_viscosity',
])
const Value = Type.Number({ minimum: -1e12, maximum: 1e12 })
const Series = Type.Array(Value, { minItems: 10, maxItems: 600 })
const Name = Type.String({ minLength: 1, maxLength: 16, pattern: '^[A-Za-z][A-Za-z0-9_]*$' })

export const IdentifyBody = closed({
  system: Type.Optional({ ...SystemWords, default: 'duffing' }),
  data: Type.Optional(
    Type.Object(
      {
        t: Type.Optional({ ...Series, description: 'strictly ascending; or x, for mixtures and profiles' }),
        x: Type.Optional(Series),
        y: Type.Array(Type.Union([Value, Type.Array(Value, { minItems: 1, maxItems: 2 })]), {
          minItems: 10,
          maxItems: 600,
          description: 'the first state for each t, or a row of states',
        }),
      },
      { additionalProperties: false, description: 'without data the example of the system is made and identified' },
    ),
  ),
  unknowns: Type.Optional(Type.Array(Name, { minItems: 1, maxItems: 6 })),
  fixed: Type.Optional(Type.Record(Name, Value)),
  bounds: Type.Optional(Type.Record(Name, Type.Array(Value, { minItems: 2, maxItems: 2 }))),
  case: Type.Optional({ ...words(['identifiable', 'ill_posed']), description: 'of the example' }),
  noise: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: 1,
      description: 'of the example: standard deviation; 1 is 10,000 J/mol for redlich_kister',
    }),
  ),
  seed: Type.Optional(Type.Integer({ minimum: 0, maximum: 2_147_483_647, default: 1 })),
})
export type IdentifyBody = Static<typeof IdentifyBody>

const Weights = Type.Record(Type.String(), N)
const Refusal = closed({ code: words(REFUSAL_CODES), reason: Type.String(), direction: Nullable(Weights) })

const identified = {
  kind: Type.Literal('orch.pinn-identify/v1'),
  label: words(['SIMULATED', 'MODELED']),
  label_detail: Type.String(),
  input_source: words(['CALLER', 'DEFAULT_EXAMPLE']),
  system: SystemWords,
  equation: Type.String(),
  method: Type.String(),
  observations: Count,
  convergence: closed({
    converged: Type.Boolean(),
    iterations: Count,
    starts: Count,
    starts_agreeing: Count,
    gradient_norm: Maybe,
    right_hand_sides: Count,
  }),
  discovered: Type.Array(
    closed({
      name: Type.String(),
      asserted: Type.Boolean(),
      value: Maybe,
      std: Maybe,
      ci95: Nullable(Type.Array(Maybe, { minItems: 2, maxItems: 2 })),
      ci95_basis: {
        ...words(['PROFILE', 'WALD', 'NOISE_FLOOR', 'NONE']),
        description:
          'NOISE_FLOOR: the misses are below 0.000001 of the data, errors of the arithmetic and no noise; the interval is that of noise of this size',
      },
      ci95_wald: Nullable(Type.Array(N, { minItems: 2, maxItems: 2 })),
      relative_sd: Maybe,
      identifiable: Type.Boolean(),
      units: Type.String(),
      conditional_on: Type.Array(closed({ name: Type.String(), value: N })),
      conditional_std: Nullable(Type.Number({ description: 'with the refused ones held at their estimates' })),
      refusal: Nullable(Refusal),
      ground_truth: Type.Optional(N),
      recovery_error: Type.Optional(Maybe),
    }),
  ),
  initial_state: Type.Array(closed({ name: Type.String(), value: N })),
  fisher: closed({
    eigenvalues: Type.Array(N, { description: 'of the information without units; ascending' }),
    kappa: Maybe,
    sloppy: Type.Array(closed({ relative_error: Maybe, direction: Weights })),
  }),
  residuals: closed({
    rms: N,
    sigma_hat: N,
    durbin_watson: Maybe,
    runs_p: Maybe,
    normality_p: Maybe,
    look_independent: Nullable(
      Type.Boolean({ description: 'false: the intervals are too narrow, or the system is another' }),
    ),
  }),
  validation: closed({ held_out_rmse: Maybe, share: N }),
  stability: Nullable(
    closed({
      temperature_k: N,
      points: Count,
      stable_fraction: N,
      miscibility_gaps: Type.Array(closed({ from: N, to: N })),
    }),
  ),
  stability_reason: Text,
  lambda_advisory: closed({
    value: N,
    raw: N,
    factors: Type.Record(Type.String(), N),
    status: Type.Literal('Conjecture 1'),
    is_theorem: Type.Literal(false),
    trust_ceiling: N,
    floor: N,
    meets_floor: Type.Boolean(),
  }),
  example: Nullable(
    closed({
      case: words(['identifiable', 'ill_posed']),
      noise: N,
      noise_sd: N,
      seed: Count,
      simulator: Type.String(),
    }),
  ),
  input_sha256: Hex64,
  output_sha256: Hex64,
  cache: Cache,
  timing: Timing,
  plot: Plot,
}
export const IdentifyReply = named('PinnIdentification', identified)
export type IdentifyReply = Static<typeof IdentifyReply>
export const IdentifyRecorded = named('PinnIdentificationRecorded', { ...identified, receipt: ReceiptSummary })

export const BenchReply = Type.Object(
  {
    label: words(['SAMPLE', 'ROADMAP']),
    state: words(['MEASURED_BEFORE', 'NOT_RUN']),
    reason: Text,
    reproduce: Type.String(),
    measured_at: Nullable(Timestamp),
    artifact_sha256: Nullable(Hex64),
    payload_sha256: Nullable(Hex64),
    digest_verified: Type.Boolean(),
    machine: Nullable(Type.Record(Type.String(), Type.Unknown())),
    versions: Nullable(Type.Record(Type.String(), Type.String())),
    problems: Type.Array(Type.Record(Type.String(), Type.Unknown())),
    energy: Type.Null(),
    energy_reason: Text,
    caveats: Texts,
  },
  { additionalProperties: false, $id: 'PinnBench' },
)
export type BenchReply = Static<typeof BenchReply>

export const PinnHealth = named('PinnHealth', {
  ok: Type.Boolean(),
  label: Type.Literal('MEASURED'),
  checked_at: Timestamp,
  supported_systems: Texts,
  self_test: closed({ burgers_canonical_error: Maybe, rk_error: Maybe, wall_ms: N, tolerance: N }),
  bench: closed({ present: Type.Boolean(), digest_verified: Type.Boolean() }),
})
export type PinnHealth = Static<typeof PinnHealth>
