/** What callers send. The compiler walks these very shapes, see rules/walk.ts. */
import Type, { type Static } from 'typebox'
import { LIMITS } from '../../domain/claim-limits.ts'
import { named, words } from '../../domain/wire.ts'
import { STATES, STATUSES } from './rules/rubric.ts'
import { WHITESPACE_CLASS } from './rules/whitespace.ts'

const text = (maxLength: number) => Type.Optional(Type.String({ maxLength }))

/** Tested without the `u` flag: whitespace is in the basic plane, and half of a pair is not whitespace either. */
const NONBLANK = `[^${WHITESPACE_CLASS}]`
const ClaimId = Type.String({ maxLength: LIMITS.claim_id, pattern: NONBLANK, examples: ['c1'] })
export const State = words(STATES)

export type Provenance = Static<typeof Provenance>
export const Provenance = named('ClaimProvenance', {
  source_id: text(LIMITS.source_id),
  content_sha256: Type.Optional(
    Type.String({ pattern: '^[0-9A-Fa-f]{64}$', examples: ['0123456789abcdef'.repeat(4)] }),
  ),
  receipt_ref: text(LIMITS.receipt_ref),
})
export type Evidence = Static<typeof Evidence>
const Evidence = named('ClaimEvidence', {
  reference_id: text(LIMITS.reference_id),
  evidence_state: Type.Optional(State),
  provenance: Type.Optional(Provenance),
  verification_ref: text(LIMITS.verification_ref),
})
export type Owner = Static<typeof Owner>
export const Owner = named('ClaimOwner', {
  owner_id: text(LIMITS.owner_id),
  accountability_scope: text(LIMITS.accountability_scope),
})
export type SemanticUncertainty = Static<typeof SemanticUncertainty>
export const SemanticUncertainty = named('ClaimSemanticUncertainty', {
  value: Type.Optional(Type.Number({ minimum: LIMITS.value_minimum, maximum: LIMITS.value_maximum })),
  source_ref: text(LIMITS.source_ref),
  method: text(LIMITS.method),
})
export type Factuality = Static<typeof Factuality>
export const Factuality = named('ClaimFactuality', {
  state: Type.Optional(State),
  source_ref: text(LIMITS.source_ref),
  method: text(LIMITS.method),
})
export type SignalEnvelope = Static<typeof SignalEnvelope>
const SignalEnvelope = named('ClaimSignals', {
  semantic_uncertainty: Type.Optional(SemanticUncertainty),
  factuality: Type.Optional(Factuality),
})
export type Claim = Static<typeof Claim>
const Claim = named('Claim', {
  claim_id: Type.Optional(ClaimId),
  statement: text(LIMITS.statement),
  atomic: Type.Optional(Type.Boolean()),
  evidence_refs: Type.Optional(Type.Array(Evidence, { maxItems: LIMITS.evidence_refs })),
  consequence_owner: Type.Optional(Type.Union([Type.Null(), Owner])),
})
export const Status = words(STATUSES)
export type Contradiction = Static<typeof Contradiction>
const Contradiction = named('ClaimContradiction', {
  claim_ids: Type.Optional(Type.Array(ClaimId, { maxItems: LIMITS.claim_ids, uniqueItems: true })),
  refutes_claim_ids: Type.Optional(Type.Array(ClaimId, { maxItems: LIMITS.refutes_claim_ids, uniqueItems: true })),
  status: Type.Optional(Status),
  provenance: Type.Optional(Provenance),
  resolution_ref: text(LIMITS.resolution_ref),
})

export type AtomizeRequest = Static<typeof AtomizeRequest>
export const AtomizeRequest = named('ClaimAtomizeRequest', {
  text: Type.String({ maxLength: LIMITS.text, pattern: NONBLANK, examples: ['It rose.'] }),
})

export type EvaluateRequest = Static<typeof EvaluateRequest>
export const EvaluateRequest = named('ClaimEvaluateRequest', {
  claims: Type.Array(Claim, { maxItems: LIMITS.claims }),
  external_signals: Type.Optional(
    Type.Record(Type.String(), SignalEnvelope, {
      maxProperties: LIMITS.external_signals,
      propertyNames: ClaimId,
      description: 'by claim id',
    }),
  ),
  contradictions: Type.Optional(Type.Array(Contradiction, { maxItems: LIMITS.contradictions })),
})
