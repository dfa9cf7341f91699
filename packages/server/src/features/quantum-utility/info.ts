/** What the surface does, with which bounds, and what it does not do. */
import type { TSchema } from 'typebox'
import { portableDigest } from '../../domain/portable-digest.ts'
import { RESAMPLES, UPPER_QUANTILE } from './claim/time-to-solution.ts'
import { DRAWS } from './counterfactual/simulation.ts'
import { NOTHING_RAN } from './drafts.ts'
import { MAX_BRANCHED } from './qubo/branch-and-bound.ts'
import { MAX_ENUMERATED } from './qubo/gray-code.ts'
import { RESTARTS } from './qubo/tabu-search.ts'
import type { InfoReply } from './replies.ts'
import * as schemas from './schemas.ts'

const BODIES: Record<string, TSchema> = {
  'qubo/baseline': schemas.QuboBody,
  'hamiltonian/shot-plan': schemas.ShotPlanBody,
  'counterfactual/score': schemas.ScoreBody,
  'claim/rupture-gate': schemas.ClaimBody,
  'receipt/replay': schemas.ReplayReceipt,
}

const schemaDigest = (schema: TSchema): string => portableDigest(JSON.parse(JSON.stringify(schema)))

export const describeSurface = (prefix: string): InfoReply => ({
  ...NOTHING_RAN,
  label: 'STRUCTURAL-ONLY',
  operations: Object.entries(BODIES).map(([operation, body]) => ({
    ...{ operation, path: `${prefix}/${operation}`, method: 'POST', body_sha256: schemaDigest(body) },
  })),
  bounds: {
    qubo: {
      variables: 512,
      pairs: 20_000,
      pairs_in_a_body: 'as many as body_bytes.computing holds: about 6,000 with short names',
      coefficient: schemas.MAX_COEFFICIENT,
      work_budget: [schemas.MIN_WORK, schemas.MAX_WORK],
      enumerated_up_to: MAX_ENUMERATED,
      branched_up_to: MAX_BRANCHED,
      restarts: RESTARTS,
    },
    shot_plan: { qubits: schemas.MAX_QUBITS, terms: 2048, shots: schemas.MAX_SHOTS },
    counterfactual: { candidates: 64, draws: DRAWS },
    rupture_gate: { observations: 1000, resamples: RESAMPLES, upper_quantile: UPPER_QUANTILE },
    receipt: { levels: 16 },
    body_bytes: { computing: 262_144, with_a_receipt: 1_048_576 },
  },
  methods: [
    { name: 'GRAY_CODE_ENUMERATION', used_for: `components of up to ${MAX_ENUMERATED} variables`, certifies: true },
    { name: 'BRANCH_AND_BOUND', used_for: `up to ${MAX_BRANCHED} variables, if the tree closes`, certifies: true },
    { name: 'TABU_HEURISTIC', used_for: 'whatever is larger, or not closed within the budget', certifies: false },
    { name: 'ROOF_BOUND', used_for: 'a lower bound, which certifies an assignment that reaches it', certifies: true },
    { name: 'SORTED_INSERTION', used_for: 'groups of Pauli terms that are measured together', certifies: false },
    { name: 'NEYMAN_ALLOCATION', used_for: 'shots in proportion to standard deviations', certifies: false },
    { name: 'INTERVAL_ARITHMETIC', used_for: 'margins of candidates, exact in decimals', certifies: false },
    {
      name: 'TIME_TO_SOLUTION',
      used_for: 'quantum runs against the classical wall time measured now',
      certifies: false,
    },
  ],
  non_goals: [
    'no quantum hardware or provider is called, and no job is submitted anywhere',
    'no claim of quantum advantage is made, verified, authorised or published',
    'what a caller reports of a quantum run is not measured here',
  ],
  receipt_schema: { schema_version: schemas.RECEIPT_SCHEMA, sha256: schemaDigest(schemas.ReplayReceipt) },
  quantum_hardware_used: false,
  quantum_advantage_claimed: false,
})
