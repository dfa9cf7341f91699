/** What is stored of an answer for whoever asks again under his key. The gate is deterministic, so an answer is made again
 *  from the request and what the ledger had of it then: stored whole, 32 KiB of contradictions would lie in the store as
 *  megabytes, for 30 days, at no cost to whoever sends them. */
import { sha256Hex } from '@orch/core'
import { receiptSummary } from '../../domain/receipt-view.ts'
import { ServiceError } from '../../errors.ts'
import type { ToReply } from '../../ports.ts'
import type { Atomization } from './rules/atomize.ts'
import type { Evaluation } from './rules/evaluate.ts'
import { type LocalMatches, NO_MATCHES } from './rules/local-marks.ts'

/** No longer than the digests of the request, twice. */
interface StoredAnswer extends Record<string, unknown> {
  answer_sha256: string
  receipts: string[]
  payloads: [digest: string, receipt: string][]
}

/** The answer of a request that is being answered for the first time is at hand. */
const made = new WeakMap<object, object>()

export function toStoredAnswer(answer: object, { receipts, payloads }: LocalMatches = NO_MATCHES): StoredAnswer {
  const stored = { answer_sha256: digestOf(answer), receipts: [...receipts], payloads: [...payloads] }
  made.set(stored, answer)
  return stored
}

/** `make` gives the answer with those matches; it MUST be the same one every time. */
export const answerWith =
  (make: (matches: LocalMatches) => object): ToReply =>
  (receipt, stored) => ({ ...(made.get(stored) ?? madeAgain(stored, make)), receipt: receiptSummary(receipt) })

function madeAgain(stored: Record<string, unknown>, make: (matches: LocalMatches) => object): object {
  // Answers that were stored before this was done lie there whole.
  if (!('answer_sha256' in stored)) return stored
  const { answer_sha256, receipts, payloads } = stored as StoredAnswer
  const answer = make({ receipts: new Set(receipts), payloads: new Map(payloads) })
  if (digestOf(answer) === answer_sha256) return answer
  throw new ServiceError(
    'claim_compiler_failure',
    'the answer under this key was given by another version of the compiler; ask again under a new key',
  )
}

const digestOf = (answer: object): string => sha256Hex(JSON.stringify(answer))

export const CHAIN = 'claims'

/** A receipt keeps digests, states, counts and spans of a claim: never a statement, nor an id, which is text of the caller's
 *  just as well. */
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
