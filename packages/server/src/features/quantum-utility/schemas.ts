/** What the operations take. Objects are closed at every level. */
import Type, { type Static } from 'typebox'
import { closed, Hex64, Nullable, words } from '../../domain/wire.ts'

export const MAX_COEFFICIENT = 1e9
export const MIN_WORK = 1_000
export const MAX_WORK = 33_554_432
export const MAX_SHOTS = 1e9
const MAX_SEED = 2_147_483_647

const Coefficient = Type.Number({ minimum: -MAX_COEFFICIENT, maximum: MAX_COEFFICIENT })
const Name = Type.String({ minLength: 1, maxLength: 64 })
const Identifier = Type.String({ minLength: 1, maxLength: 128 })
const Text = Type.String({ maxLength: 512 })

export const QuboProblem = closed({
  kind: Type.Literal('QUBO'),
  problem_id: Identifier,
  variables: Type.Array(Name, {
    minItems: 1,
    maxItems: 512,
    description: 'unique names; ties are broken in this order',
  }),
  offset: Type.Optional({ ...Coefficient, default: 0 }),
  linear: Type.Optional(
    Type.Record(Type.String(), Coefficient, { description: 'by the name of the variable; 0 where none is given' }),
  ),
  quadratic: Type.Optional(
    Type.Array(closed({ left: Name, right: Name, coefficient: Coefficient }), {
      maxItems: 20_000,
      description: 'each pair once, in either order; the body of 256 KiB holds about 6,000 with short names',
    }),
  ),
})
export type QuboProblem = Static<typeof QuboProblem>

export const QuboBody = closed({
  problem: QuboProblem,
  work_budget: Type.Optional(
    Type.Integer({ minimum: MIN_WORK, maximum: MAX_WORK, default: MAX_WORK, description: 'states, flips and nodes' }),
  ),
  seed: Type.Optional(Type.Integer({ minimum: 0, maximum: MAX_SEED, default: 0, description: 'of the heuristic' })),
})
export type QuboBody = Static<typeof QuboBody>

export const GROUPINGS = ['qubit_wise', 'general', 'none'] as const
export const MAX_QUBITS = 128

const PauliTerm = closed({
  term_id: Name,
  pauli: Type.String({
    pattern: '^[IXYZ]{1,128}$',
    description: 'one letter of IXYZ for each qubit',
    examples: ['ZZ'],
  }),
  coefficient: Coefficient,
  prior_expectation: Type.Optional(Type.Number({ minimum: -1, maximum: 1 })),
  declared_priority: Type.Optional(Type.Number({ minimum: 0, maximum: 1000 })),
})
export type PauliTerm = Static<typeof PauliTerm>

export const ShotPlanBody = closed({
  hamiltonian: closed({
    problem_id: Identifier,
    qubit_count: Type.Integer({ minimum: 1, maximum: MAX_QUBITS }),
    terms: Type.Array(PauliTerm, { minItems: 1, maxItems: 2048 }),
  }),
  shot_budget: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_SHOTS })),
  target_standard_error: Type.Optional(
    Type.Number({ exclusiveMinimum: 0, maximum: MAX_COEFFICIENT, description: 'in place of shot_budget' }),
  ),
  grouping: Type.Optional({ ...words(GROUPINGS), default: 'qubit_wise' }),
})
export type ShotPlanBody = Static<typeof ShotPlanBody>

const Dollars = Type.String({
  pattern: '^(?:0|[1-9][0-9]{0,14})(?:\\.[0-9]{1,12})?$',
  description: 'a decimal of at least 0 as text',
  examples: ['10.00'],
})
const Share = Type.Union([
  Type.Number({ minimum: 0, maximum: 1 }),
  Type.String({
    pattern: '^(?:0(?:\\.[0-9]{1,12})?|1(?:\\.0{1,12})?)$',
    description: 'a decimal from 0 to 1 as text',
    examples: ['0.9'],
  }),
])
export const STATED_BASES = ['DECLARED', 'ASSERTED_MEASURED', 'UNKNOWN'] as const

const inputOf = <T extends typeof Dollars | typeof Share>(value: T) =>
  closed({
    value: Nullable(value),
    basis: words(STATED_BASES),
    low: Type.Optional(value),
    high: Type.Optional(value),
    source_ref: Type.String({ minLength: 1, maxLength: 512 }),
    receipt_digest: Type.Optional(Hex64),
  })

export const COSTS = [
  'compute_cost_usd',
  'queue_cost_usd',
  'energy_cost_usd',
  'verification_cost_usd',
  'operational_risk_cost_usd',
] as const
const Money = inputOf(Dollars)

export const CandidateInputs = closed({
  bounded_value_usd: Money,
  compute_cost_usd: Money,
  queue_cost_usd: Money,
  energy_cost_usd: Money,
  verification_cost_usd: Money,
  operational_risk_cost_usd: Money,
  estimated_accuracy: inputOf(Share),
})
export type CandidateInputs = Static<typeof CandidateInputs>
export type InputName = keyof CandidateInputs

export const ScoreBody = closed({
  workload_digest: Hex64,
  baseline_candidate_id: Name,
  candidates: Type.Array(
    closed({ candidate_id: Name, backend_id: Name, compile_plan_id: Name, inputs: CandidateInputs }),
    { minItems: 1, maxItems: 64 },
  ),
})
export type ScoreBody = Static<typeof ScoreBody>

export const ScoreInput = closed({
  ...ScoreBody.properties,
  environment: closed({
    receipts_found: Type.Array(Hex64, { maxItems: 448, description: 'receipt digests that were in the ledger' }),
  }),
})
export type ScoreInput = Static<typeof ScoreInput>

export const COMPUTING = [
  'qubo/baseline',
  'hamiltonian/shot-plan',
  'counterfactual/score',
  'claim/rupture-gate',
] as const
export type Computing = (typeof COMPUTING)[number]

export const MODE = 'PROPOSAL_ONLY'
export const SIGNATURE_STATE = 'UNSIGNED_DETERMINISTIC_HASH_ONLY'
export const RECEIPT_SCHEMA = 'orch.quantum-utility.receipt.v1'
const Anything = Type.Record(Type.String(), Type.Unknown())

export const ReplayReceipt = Type.Object(
  {
    schema_version: Type.Literal(RECEIPT_SCHEMA),
    operation: words(COMPUTING),
    mode: Type.Literal(MODE),
    effectors: Type.Literal(0),
    provider_calls: Type.Literal(0),
    input: Anything,
    input_sha256: Hex64,
    output: Anything,
    output_sha256: Hex64,
    signature_state: Type.Literal(SIGNATURE_STATE),
    receipt_sha256: { ...Hex64, description: 'of the other ten fields' },
  },
  { additionalProperties: false, $id: 'QuantumReplayReceipt' },
)
export type ReplayReceipt = Static<typeof ReplayReceipt>

/** A number, or a decimal as text: nothing is computed with it but comparisons. */
const Amount = Type.Union([
  Type.Number({ minimum: -1e15, maximum: 1e15 }),
  Type.String({
    pattern: '^-?(?:0|[1-9][0-9]{0,14})(?:\\.[0-9]{1,12})?$',
    description: 'a decimal as text',
    examples: ['-5.00'],
  }),
])
/** The types are the schema's, the bounds are the rules': what breaks one is judged, not refused. */
const Observation = closed({
  run_id: Text,
  problem_digest: Text,
  backend_id: Text,
  shots: Type.Integer({ minimum: 0, maximum: 1e12 }),
  objective: Type.Number({ minimum: -1e15, maximum: 1e15, description: 'the best of its shots' }),
  wall_seconds: Type.Number({ minimum: 0, maximum: 1e9, description: 'of the whole run, all its shots' }),
  success_count: Type.Integer({ minimum: 0, maximum: 1e12, description: 'shots that reached the certified minimum' }),
  raw_result_sha256: Text,
  observed_at: Text,
})
export type Observation = Static<typeof Observation>

export const ClaimBody = closed({
  claim_id: Text,
  claim_type: Text,
  claim_owner: Text,
  classical_baseline_receipt: ReplayReceipt,
  quantum_observations: Type.Array(Observation, { maxItems: 1000 }),
  utility_margin: closed({ value_usd: Amount }),
  uncertainty: closed({ lower: Amount, upper: Amount, confidence: Type.Number(), method: Text, source: Text }),
  provenance: Type.Array(closed({ uri: Text, sha256: Text, observed_at: Text }), { maxItems: 256 }),
})
export type ClaimBody = Static<typeof ClaimBody>

export const ClaimInput = closed({
  ...ClaimBody.properties,
  environment: closed({
    baseline_wall_seconds: Nullable(
      Type.Number({ minimum: 0, description: 'the shortest of the runs made for this request' }),
    ),
    evaluated_at: Type.String({ format: 'date-time' }),
    ledger_found: Type.Boolean(),
  }),
})
export type ClaimInput = Static<typeof ClaimInput>
