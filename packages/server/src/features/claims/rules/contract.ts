/** The closed shapes of both requests. Absence of an optional field is a finding for the rubric, never a misfit. */

import { LIMITS } from '../../../domain/claim-limits.ts'
import { checkReferences } from './cross-record.ts'
import { readDocument } from './document.ts'
import { Problems } from './problems.ts'
import { closed, flag, hexDigest, list, mapOf, nonblank, numberWithin, orNull, type Rule, text, word } from './rules.ts'
import { type ClaimState, type ContradictionStatus, STATES, STATUSES } from './states.ts'

export interface Provenance {
  source_id?: string
  content_sha256?: string
  receipt_ref?: string
}
export interface Evidence {
  reference_id?: string
  evidence_state?: ClaimState
  provenance?: Provenance
  verification_ref?: string
}
export interface Owner {
  owner_id?: string
  accountability_scope?: string
}
export interface Claim {
  claim_id?: string
  statement?: string
  atomic?: boolean
  evidence_refs?: Evidence[]
  consequence_owner?: Owner | null
}
export interface SemanticUncertainty {
  value?: number
  source_ref?: string
  method?: string
}
export interface Factuality {
  state?: ClaimState
  source_ref?: string
  method?: string
}
export interface SignalEnvelope {
  semantic_uncertainty?: SemanticUncertainty
  factuality?: Factuality
}
export interface Contradiction {
  claim_ids?: string[]
  refutes_claim_ids?: string[]
  status?: ContradictionStatus
  provenance?: Provenance
  resolution_ref?: string
}
export interface AtomizeRequest {
  text: string
}
export interface EvaluateRequest {
  claims: Claim[]
  external_signals?: Record<string, SignalEnvelope>
  contradictions?: Contradiction[]
}

const claimId = nonblank(LIMITS.claim_id)
const provenance = closed({
  source_id: text(LIMITS.source_id),
  content_sha256: hexDigest,
  receipt_ref: text(LIMITS.receipt_ref),
})
const evidence = closed({
  reference_id: text(LIMITS.reference_id),
  evidence_state: word(STATES),
  provenance,
  verification_ref: text(LIMITS.verification_ref),
})
const owner = closed({
  owner_id: text(LIMITS.owner_id),
  accountability_scope: text(LIMITS.accountability_scope),
})
const claim = closed({
  claim_id: claimId,
  statement: text(LIMITS.statement),
  atomic: flag,
  evidence_refs: list(LIMITS.evidence_refs, evidence),
  consequence_owner: orNull(owner),
})
const attribution = { source_ref: text(LIMITS.source_ref), method: text(LIMITS.method) }
const signalEnvelope = closed({
  semantic_uncertainty: closed({ value: numberWithin(LIMITS.value_minimum, LIMITS.value_maximum), ...attribution }),
  factuality: closed({ state: word(STATES), ...attribution }),
})
const contradiction = closed({
  claim_ids: list(LIMITS.claim_ids, claimId),
  refutes_claim_ids: list(LIMITS.refutes_claim_ids, claimId),
  status: word(STATUSES),
  provenance,
  resolution_ref: text(LIMITS.resolution_ref),
})

const atomizeRequest = closed({ text: nonblank(LIMITS.text) }, ['text'])
const evaluateRequest = closed(
  {
    claims: list(LIMITS.claims, claim),
    external_signals: mapOf(LIMITS.external_signals, claimId, signalEnvelope),
    contradictions: list(LIMITS.contradictions, contradiction),
  },
  ['claims'],
)

export const readAtomizeRequest = (bytes: Uint8Array): AtomizeRequest =>
  fitted(bytes, atomizeRequest).root as unknown as AtomizeRequest

export function readEvaluateRequest(bytes: Uint8Array): EvaluateRequest {
  const { root, keys } = fitted(bytes, evaluateRequest)
  const request = root as unknown as EvaluateRequest
  checkReferences(request, keys)
  return request
}

function fitted(bytes: Uint8Array, rule: Rule) {
  const document = readDocument(bytes)
  const problems = new Problems()
  rule(document.root, [], { problems, keys: document.keys })
  problems.refuse()
  return document
}
