/** What the operations answer. */
import Type, { type Static, type TProperties } from 'typebox'
import { Plot } from '../../domain/plot.ts'
import {
  AnyObject,
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
import { RULE_STATES } from './claim/rules.ts'
import { BASES, INPUTS } from './counterfactual/candidate.ts'
import { SOLVERS } from './qubo/solve.ts'
import { COMPUTING, GROUPINGS, MODE, ReplayReceipt } from './schemas.ts'

const No = Type.Literal(false)
const Positive = Type.Number({ minimum: 0 })

/** Stands in every reply. */
const NOTHING_RAN = {
  mode: Type.Literal(MODE),
  effectors: Type.Literal(0),
  provider_calls: Type.Literal(0),
  qpu_calls: Type.Literal(0),
  execution_performed: No,
}

const answered = <Result extends TProperties>($id: string, result: Result, more: TProperties = {}) =>
  named($id, {
    ...NOTHING_RAN,
    label: words(['MODELED', 'SAMPLE', 'MEASURED']),
    input_source: words(['CALLER', 'DEFAULT_EXAMPLE']),
    result: closed(result),
    ...more,
    receipt: ReceiptSummary,
    timing: Type.Union([Type.Null(), closed({ wall_ms: Positive, cpu_ms: Positive, queue_ms: Positive })], {
      description: 'measured now, and in no digest',
    }),
  })

const computed = <Result extends TProperties>($id: string, result: Result, more: TProperties = {}) =>
  answered($id, result, { ...more, replay_receipt: ReplayReceipt })

const Bit = Type.Integer({ minimum: 0, maximum: 1 })
const Solver = words(SOLVERS)

export const BaselineReply = computed('QuantumBaseline', {
  problem_id: Type.String(),
  problem_digest: Hex64,
  variables: Count,
  pairs: Count,
  solver: Solver,
  complete: Type.Boolean({ description: 'every assignment was walked or excluded' }),
  certified: Type.Boolean({ description: 'the objective is the minimum, within the tolerance of the arithmetic' }),
  states_evaluated: Count,
  work: closed({ budget: Count, units: Count, states: Count, nodes: Count, flips: Count }),
  objective: Type.Number(),
  assignment: Type.Record(Type.String(), Bit),
  tie_break: words(['SMALLEST_IN_VARIABLE_ORDER', 'NOT_ESTABLISHED']),
  degeneracy: Type.Union([Count, Type.String({ pattern: '^[0-9]+$' }), Type.Null()], {
    description: 'assignments that reach the objective; a text where no double holds it, null unless all were counted',
  }),
  second_best: Nullable(Type.Number()),
  gap_to_second: Nullable(Positive),
  lower_bound: Type.Number({ description: 'no assignment lies below' }),
  gap: Positive,
  reevaluated_objective: Type.Number({ description: 'of the assignment, from the coefficients as they were sent' }),
  arithmetic: closed({ kind: words(['EXACT_DECIMAL', 'FIXED_POINT']), tolerance: Positive }),
  persistency: closed({ fixed_to_zero: Count, fixed_to_one: Count }),
  components: Type.Array(closed({ variables: Count, solver: Solver, certified: Type.Boolean() })),
  ising: closed({
    h: Type.Record(Type.String(), Type.Number()),
    J: Type.Array(closed({ left: Type.String(), right: Type.String(), coefficient: Type.Number() })),
    constant: Type.Number(),
  }),
  quantum_hardware_used: No,
  quantum_advantage_claimed: No,
})

const Plots = { plot: Nullable(Plot) }

export const ShotPlanReply = computed(
  'QuantumShotPlan',
  {
    problem_id: Type.String(),
    grouping: words(GROUPINGS),
    constant: Type.Number({ description: 'the identity, added exactly and never measured' }),
    measured_terms: Count,
    groups: Type.Array(
      closed({
        basis: Text,
        term_ids: Texts,
        weight: Positive,
        shots: Type.Integer({ minimum: 1 }),
        predicted_variance: Positive,
        rotation: Nullable(
          Type.Array(closed({ qubit: Count, gates: Texts }), { description: 'gates in the order they are applied' }),
        ),
      }),
    ),
    predicted_variance: Type.Number({
      minimum: 0,
      description: '0 where it is too small for a double; the standard error is not',
    }),
    predicted_standard_error: Positive,
    variance_upper_bound: Type.Number({ minimum: 0, description: 'whatever the covariances within a group are' }),
    variance_optimal: Type.Boolean({ description: 'no other division of as many shots has a smaller variance' }),
    comparison: closed({
      uniform: Type.Union([Positive, Type.Null()], {
        description: 'equal shots for every term; null where there is not one for each',
      }),
      per_term_optimal: Type.Number({
        minimum: 0,
        description: 'of the best division without groups, in fractions of shots and without the one shot each',
      }),
      grouped: Positive,
    }),
    merged: Type.Array(closed({ pauli: Type.String(), term_ids: Texts, coefficient: Type.Number() })),
    dropped: Type.Array(
      closed({ term_ids: Texts, pauli: Type.String(), reason: words(['ZERO_COEFFICIENT', 'CANCELLED']) }),
    ),
    shots_allocated: Count,
    shots_by_formula: Nullable(Count),
    covariances: Type.Literal('TAKEN_AS_ZERO'),
    qubit_order: Type.String(),
  },
  Plots,
)

const InputName = words(INPUTS)
const Basis = words(BASES)

export const ScoreReply = computed(
  'QuantumCounterfactualScore',
  {
    workload_digest: Hex64,
    baseline_candidate_id: Type.String(),
    value_rule: Type.String(),
    candidates: Type.Array(
      closed({
        candidate_id: Type.String(),
        backend_id: Type.String(),
        compile_plan_id: Type.String(),
        margin: Text,
        interval: Nullable(closed({ low: Type.String(), high: Type.String() })),
        basis: Basis,
        input_bases: Type.Record(Type.String(), Basis),
        unknown_inputs: Type.Array(InputName),
        disposition: words(['POSITIVE_MARGIN', 'NON_POSITIVE_MARGIN', 'UNKNOWN_INPUTS']),
        break_even: Nullable(
          closed({
            input: InputName,
            value: Text,
            exact: Type.Boolean(),
            attainable: Type.Boolean(),
            meaning: words(['MARGIN_IS_POSITIVE_BELOW', 'MARGIN_IS_POSITIVE_ABOVE']),
          }),
        ),
        contrast_to_baseline: Text,
        regret: Nullable(Type.String({ description: 'to the best of the candidates that are compared' })),
      }),
    ),
    compared: closed({
      among: Type.Literal('CANDIDATES_WITHOUT_UNKNOWN_INPUTS'),
      left_out: Type.Array(Type.String(), {
        description:
          'candidates with an unknown input, which may be better: regret, pareto_front and p_best leave them out',
      }),
    }),
    pareto_front: Texts,
    p_best: Nullable(
      Type.Array(closed({ candidate_id: Type.String(), p_best: Type.Number({ minimum: 0, maximum: 1 }) }), {
        description: 'among the candidates that are compared',
      }),
    ),
    value_of_information: Type.Array(
      closed({ candidate_id: Type.String(), input: InputName, expected_gain_usd: Nullable(Positive), reason: Text }),
    ),
    simulation: Nullable(closed({ draws: Count, distribution: Type.String(), label: Type.Literal('SIMULATED') })),
  },
  Plots,
)

export const RuptureReply = computed('QuantumRuptureGate', {
  claim_id: Type.String(),
  evidence_state: words(['SUPPORTED', 'REFUTED', 'UNKNOWN']),
  rules: Type.Array(closed({ id: Type.String(), state: words(RULE_STATES), detail: Type.String() }), {
    minItems: 12,
    maxItems: 12,
  }),
  flags: Type.Array(Type.Literal('IMPOSSIBLE_OBJECTIVE')),
  gate_passed: Type.Boolean(),
  eligible_for_human_review: Type.Boolean(),
  time_to_solution: Nullable(
    closed({
      quantum_seconds: Nullable(Positive),
      quantum_upper_seconds: Nullable(Positive),
      classical_seconds: Nullable(Positive),
    }),
  ),
  certified_minimum: Nullable(Type.Number()),
  baseline_wall_seconds: Nullable(Positive),
  evaluated_at: Timestamp,
  ledger_found: Type.Boolean(),
  quantum_advantage_verified: No,
  claim_authorized: No,
  publication_authorized: No,
  execution_authorized: No,
})

export const ReplayReply = answered('QuantumReceiptReplay', {
  operation: words(COMPUTING),
  hash_valid: Type.Boolean(),
  input_digest_valid: Type.Boolean(),
  output_digest_valid: Type.Boolean(),
  replay_equal: Type.Boolean(),
  first_difference: Nullable(
    closed({
      pointer: Type.String({ description: 'RFC 6901, within output' }),
      expected: Type.Unknown(),
      got: Type.Unknown(),
    }),
  ),
  replay_error: Text,
  valid: Type.Boolean(),
})

export const InfoReply = named('QuantumUtilityInfo', {
  ...NOTHING_RAN,
  label: Type.Literal('STRUCTURAL-ONLY'),
  operations: Type.Array(
    closed({
      operation: Type.String(),
      path: Type.String(),
      method: Type.String(),
      body_sha256: Type.String({ ...Hex64, description: 'of the canonical JSON Schema of the body' }),
    }),
  ),
  bounds: AnyObject,
  methods: Type.Array(closed({ name: Type.String(), used_for: Type.String(), certifies: Type.Boolean() })),
  non_goals: Texts,
  receipt_schema: closed({ schema_version: Type.String(), sha256: Hex64 }),
  quantum_hardware_used: No,
  quantum_advantage_claimed: No,
})
export type InfoReply = Static<typeof InfoReply>
