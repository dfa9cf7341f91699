/** What a receipt keeps of a claim: digests, states, counts and spans. Never a statement, nor an id, which is text of the
 *  caller's just as well. */
import { sha256Hex } from '@orch/core'
import type { Atomization } from './rules/atomize.ts'
import type { Evaluation } from './rules/evaluate.ts'

export const CHAIN = 'claims'

export const atomizePayload = (answer: Atomization) => ({
  module: answer.module,
  contract_version: answer.contract_version,
  decision_state: answer.decision_state,
  splitter_version: answer.splitter_version,
  input_sha256: answer.input_sha256,
  text_sha256: answer.text_sha256,
  text_code_points: answer.text_code_points,
  candidate_count: answer.candidate_count,
  spans: answer.atoms.map(({ span }) => [span.start, span.end]),
  guarded_stop_count: answer.atoms.reduce((sum, { guarded_stops }) => sum + guarded_stops.length, 0),
})

export const evaluatePayload = (answer: Evaluation) => ({
  module: answer.module,
  contract_version: answer.contract_version,
  decision_state: answer.decision_state,
  input_sha256: answer.input_sha256,
  result_sha256: answer.result_sha256,
  overall_state: answer.overall_state,
  gate_outcome: answer.gate_outcome,
  claim_count: answer.claim_count,
  state_counts: answer.state_counts,
  claims: answer.claims.map(({ claim_id, state, rubric_codes }) => ({
    claim_id_sha256: sha256Hex(claim_id),
    state,
    rubric_codes,
  })),
  unattached_contradiction_count: answer.unattached_contradictions.length,
})
