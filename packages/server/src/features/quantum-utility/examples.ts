/** What an empty body runs. */
import { solveBaseline } from './qubo/baseline.ts'
import { withDefaults } from './qubo/problem.ts'
import { replayReceipt } from './receipt.ts'
import {
  type CandidateInputs,
  type ClaimBody,
  MAX_WORK,
  type QuboBody,
  type ScoreBody,
  type ShotPlanBody,
} from './schemas.ts'

export const QUBO_EXAMPLE: QuboBody = {
  problem: {
    kind: 'QUBO',
    problem_id: 'two-exclusive-choices',
    variables: ['a', 'b'],
    linear: { a: -1, b: -1 },
    quadratic: [{ left: 'a', right: 'b', coefficient: 2 }],
  },
}

export const SHOT_PLAN_EXAMPLE: ShotPlanBody = {
  hamiltonian: {
    problem_id: 'two-qubit-hydrogen',
    qubit_count: 2,
    terms: [
      { term_id: 'identity', pauli: 'II', coefficient: -1.05 },
      { term_id: 'z0', pauli: 'ZI', coefficient: 0.39 },
      { term_id: 'z1', pauli: 'IZ', coefficient: -0.39 },
      { term_id: 'zz', pauli: 'ZZ', coefficient: -0.011 },
      { term_id: 'xx', pauli: 'XX', coefficient: 0.18 },
    ],
  },
  shot_budget: 1000,
}

const stated = (value: string) => ({ value, basis: 'DECLARED' as const, source_ref: 'example' })
const inputs = (energy: CandidateInputs['energy_cost_usd']): CandidateInputs => ({
  bounded_value_usd: stated('10'),
  compute_cost_usd: stated('1'),
  queue_cost_usd: stated('1'),
  energy_cost_usd: energy,
  verification_cost_usd: stated('1'),
  operational_risk_cost_usd: stated('1'),
  estimated_accuracy: stated('0.9'),
})

export const SCORE_EXAMPLE: ScoreBody = {
  workload_digest: '5a'.repeat(32),
  baseline_candidate_id: 'classical',
  candidates: [
    { candidate_id: 'classical', backend_id: 'cpu', compile_plan_id: 'none', inputs: inputs(stated('1')) },
    {
      candidate_id: 'annealer',
      backend_id: 'unnamed-annealer',
      compile_plan_id: 'embedding-1',
      inputs: inputs({ value: null, basis: 'UNKNOWN', source_ref: 'nobody has measured it' }),
    },
  ],
}

/** The receipt of the first example, computed by the solver itself. */
export const RECEIPT_EXAMPLE = (() => {
  const input = { problem: withDefaults(QUBO_EXAMPLE.problem), work_budget: MAX_WORK, seed: 0 }
  return replayReceipt('qubo/baseline', input, solveBaseline(input))
})()

const observation = (run: number): ClaimBody['quantum_observations'][number] => ({
  run_id: `run-${run}`,
  problem_digest: RECEIPT_EXAMPLE.output.problem_digest as string,
  backend_id: 'unnamed-annealer',
  shots: 1000,
  objective: -1,
  wall_seconds: 10,
  success_count: 200,
  raw_result_sha256: `${run}a`.repeat(32),
  observed_at: '2026-09-01T12:00:00.000Z',
})

/** Slower than the classical baseline by far, and recorded nowhere: it cannot be supported. */
export const CLAIM_EXAMPLE: ClaimBody = {
  claim_id: 'example-claim',
  claim_type: 'QUANTUM_ADVANTAGE',
  claim_owner: 'example-owner',
  classical_baseline_receipt: RECEIPT_EXAMPLE,
  quantum_observations: [1, 2, 3].map(observation),
  utility_margin: { value_usd: '2.00' },
  uncertainty: { lower: '1.00', upper: '3.00', confidence: 0.95, method: 'bootstrap', source: 'example' },
  provenance: [{ uri: 'https://example.org/runs', sha256: 'c4'.repeat(32), observed_at: '2026-09-01T12:00:00.000Z' }],
}
