/** Explicit claims against the evidence and signals a caller supplies. Deterministic, stateless, proposal only: the gate
 *  reads, it never decides truth and never resolves a contradiction. */

import { canonicalize, round6, sha256Hex } from '@orch/core'
import { SEMANTIC_THRESHOLD } from '../../../domain/claim-limits.ts'
import type { EvaluateRequest } from '../schemas.ts'
import { compareCodePoints } from './code-points.ts'
import { conclude } from './conclusion.ts'
import type { LocalMatches } from './local-marks.ts'
import { RESPONSE_HEADER } from './rubric.ts'

const EXTERNAL = 'EXTERNALLY-SUPPLIED-ONLY'
const SIGNAL_CONTRACT = Object.freeze({
  semantic_uncertainty: EXTERNAL,
  factuality: EXTERNAL,
  semantic_threshold: SEMANTIC_THRESHOLD,
  computed_by_gate: [],
})
const HONESTY_INVARIANTS = Object.freeze({
  no_truth_inference: true,
  no_contradiction_resolution: true,
  missing_provenance_fails_closed: true,
  all_outputs_proposal_only: true,
  effectors_are_zero: true,
})

export type Evaluation = ReturnType<typeof evaluate>

export function evaluate(request: EvaluateRequest, input: string, matches: LocalMatches) {
  const result = conclude(request, matches)
  return {
    ready: true as const,
    accepted: true as const,
    ...RESPONSE_HEADER,
    ...result,
    signal_contract: SIGNAL_CONTRACT,
    honesty_invariants: HONESTY_INVARIANTS,
    input_sha256: input,
    result_sha256: resultDigest(result),
  }
}

const LEFT_OUT = new Set(['pointer', 'locally_resolved', 'matched_by', 'receipt_id'])

interface Result {
  claims: readonly { claim_id: string }[]
}

/** One digest for one meaning: the same claims, evidence, signals and contradictions give it in whatever order they
 *  were sent. Places in the request and marks of our own ledger are left out; numbers have six decimals. */
const resultDigest = (result: Result): string => sha256Hex(resultText(result))

/** The canonical text that is hashed: every list in the order of its items' bytes, the claims in that of their ids. */
export function resultText(result: Result): string {
  const claims = result.claims.toSorted((a, b) => compareCodePoints(a.claim_id, b.claim_id)).map(orderFree)
  return object({ ...result, claims }, (key, value) => (key === 'claims' ? `[${claims.join()}]` : orderFree(value)))
}

// Written from the leaves up: to sort what was already written is linear, to write again what was sorted is not.
function orderFree(value: unknown): string {
  if (typeof value === 'number') return canonicalize(round6(value))
  if (Array.isArray(value)) return `[${value.map(orderFree).sort(compareCodePoints).join()}]`
  if (value === null || typeof value !== 'object') return canonicalize(value)
  return object(value, (_key, entry) => orderFree(entry))
}

function object(value: object, write: (key: string, entry: unknown) => string): string {
  let text = ''
  // By UTF-16 units, as the default order is.
  for (const key of Object.keys(value).sort()) {
    if (LEFT_OUT.has(key)) continue
    if (text !== '') text += ','
    text += `${canonicalize(key)}:${write(key, value[key as keyof typeof value])}`
  }
  return `{${text}}`
}
