/** What callers send. The compiler walks these very shapes, see rules/walk.ts. */
import Type, { type Static, type TProperties } from 'typebox'
import { LIMITS } from '../../domain/claim-limits.ts'
import { words } from '../../domain/wire.ts'
import { STATES, STATUSES } from './rules/states.ts'
import { WHITESPACE_CLASS } from './rules/whitespace.ts'

const closed = <T extends TProperties>(properties: T, $id: string) =>
  Type.Object(properties, { additionalProperties: false, $id })
const text = (maxLength: number) => Type.Optional(Type.String({ maxLength }))

/** Tested without the `u` flag: whitespace is in the basic plane, and half of a pair is not whitespace either. */
const NONBLANK = `[^${WHITESPACE_CLASS}]`
const ClaimId = Type.String({ maxLength: LIMITS.claim_id, pattern: NONBLANK })
export const State = words(STATES)

export type Provenance = Static<typeof Provenance>
export const Provenance = closed(
  {
    source_id: text(LIMITS.source_id),
    content_sha256: Type.Optional(
      Type.String({ pattern: '^[0-9A-Fa-f]{64}$', examples: ['0123456789abcdef'.repeat(4)] }),
    ),
    receipt_ref: text(LIMITS.receipt_ref),
  },
  'ClaimProvenance',
)
export type Evidence = Static<typeof Evidence>
const Evidence = closed(
  {
    reference_id: text(LIMITS.reference_id),
    evidence_state: Type.Optional(State),
    provenance: Type.Optional(Provenance),
    verification_ref: text(LIMITS.verification_ref),
  },
  'ClaimEvidence',
)
export type Owner = Static<typeof Owner>
export const Owner = closed(
  { owner_id: text(LIMITS.owner_id), accountability_scope: text(LIMITS.accountability_scope) },
  'ClaimOwner',
)
export type SemanticUncertainty = Static<typeof SemanticUncertainty>
export const SemanticUncertainty = closed(
  {
    value: Type.Optional(Type.Number({ minimum: LIMITS.value_minimum, maximum: LIMITS.value_maximum })),
    source_ref: text(LIMITS.source_ref),
    method: text(LIMITS.method),
  },
  'ClaimSemanticUncertainty',
)
export type Factuality = Static<typeof Factuality>
export const Factuality = closed(
  { state: Type.Optional(State), source_ref: text(LIMITS.source_ref), method: text(LIMITS.method) },
  'ClaimFactuality',
)
export type SignalEnvelope = Static<typeof SignalEnvelope>
const SignalEnvelope = closed(
  { semantic_uncertainty: Type.Optional(SemanticUncertainty), factuality: Type.Optional(Factuality) },
  'ClaimSignals',
)
export type Claim = Static<typeof Claim>
const Claim = closed(
  {
    claim_id: Type.Optional(ClaimId),
    statement: text(LIMITS.statement),
    atomic: Type.Optional(Type.Boolean()),
    evidence_refs: Type.Optional(Type.Array(Evidence, { maxItems: LIMITS.evidence_refs })),
    consequence_owner: Type.Optional(Type.Union([Type.Null(), Owner])),
  },
  'Claim',
)
export const Status = words(STATUSES)
export type Contradiction = Static<typeof Contradiction>
const Contradiction = closed(
  {
    claim_ids: Type.Optional(Type.Array(ClaimId, { maxItems: LIMITS.claim_ids, uniqueItems: true })),
    refutes_claim_ids: Type.Optional(Type.Array(ClaimId, { maxItems: LIMITS.refutes_claim_ids, uniqueItems: true })),
    status: Type.Optional(Status),
    provenance: Type.Optional(Provenance),
    resolution_ref: text(LIMITS.resolution_ref),
  },
  'ClaimContradiction',
)

export type AtomizeRequest = Static<typeof AtomizeRequest>
export const AtomizeRequest = closed(
  { text: Type.String({ maxLength: LIMITS.text, pattern: NONBLANK }) },
  'ClaimAtomizeRequest',
)

export type EvaluateRequest = Static<typeof EvaluateRequest>
export const EvaluateRequest = closed(
  {
    claims: Type.Array(Claim, { maxItems: LIMITS.claims }),
    external_signals: Type.Optional(
      Type.Record(Type.String(), SignalEnvelope, {
        maxProperties: LIMITS.external_signals,
        propertyNames: ClaimId,
        description: 'by claim id',
      }),
    ),
    contradictions: Type.Optional(Type.Array(Contradiction, { maxItems: LIMITS.contradictions })),
  },
  'ClaimEvaluateRequest',
)
