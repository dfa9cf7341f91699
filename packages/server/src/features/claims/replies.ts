/** What this surface answers. */
import Type, { type Static } from 'typebox'
import { LIMITS, SEMANTIC_THRESHOLD } from '../../domain/claim-limits.ts'
import { Count, closed, Hex64, Nullable, named, ReceiptSummary, Texts, words } from '../../domain/wire.ts'
import { CONTRACT_VERSION, MODULE, RUBRIC, type RubricCode, STATES } from './rules/rubric.ts'
import { GUARD_RULES, METHOD } from './rules/splitter-tables.ts'
import { EvaluateRequest, Factuality, Owner, Provenance, SemanticUncertainty, State, Status } from './schemas.ts'

const Code = words(Object.keys(RUBRIC) as RubricCode[])

const header = {
  ready: Type.Literal(true),
  label: Type.Literal('STRUCTURAL-ONLY'),
  module: Type.Literal(MODULE),
  contract_version: Type.Literal(CONTRACT_VERSION),
  decision_state: Type.Literal('PROPOSAL_ONLY'),
  effectors_enabled: Type.Literal(0),
}
const accepted = { ...header, accepted: Type.Literal(true), input_sha256: Hex64 }

export type Info = Static<typeof Info>
export const Info = closed({
  ...header,
  states: Type.Array(State),
  strength_order: Type.Array(State),
  rubric: Type.Record(Type.String(), closed({ condition: Type.String(), yields: State, abstain: Type.Literal(true) })),
  precedence: Type.Array(closed({ state: State, codes: Type.Array(Code) })),
  semantic_threshold: Type.Literal(SEMANTIC_THRESHOLD),
  limits: Type.Record(Type.String(), Type.Number()),
  splitter: closed({
    version: Type.String(),
    abbreviations: closed({ title: Texts, number: Texts, tail: Texts, spaced: Texts }),
    starters: Texts,
    markers: Texts,
    months: Texts,
  }),
  not_done: Texts,
  operations: Type.Array(
    closed({
      method: Type.String(),
      path: Type.String(),
      mutates: Type.Boolean(),
      receipt: Nullable(Type.String()),
    }),
  ),
})

export type Atom = Static<typeof Atom>
const Atom = named('ClaimAtom', {
  claim_id: Type.String(),
  statement: Type.String(),
  atomic: Type.Literal(false),
  atomization_state: Type.Literal('STRUCTURAL-SPLIT-ONLY'),
  human_review_required: Type.Literal(true),
  evidence_refs: Type.Array(Type.Unknown(), { maxItems: 0 }),
  consequence_owner: Type.Null(),
  span: closed({ start: Count, end: Count, start_utf16: Count, end_utf16: Count }),
  guarded_stops: Type.Array(closed({ at: Count, rule: words([...GUARD_RULES, 'digits']) })),
  exceeds_statement_limit: Type.Boolean(),
  compound_suspected: Type.Boolean(),
  compound_markers: Texts,
})

export const Atomization = closed({
  ...accepted,
  method: Type.Literal(METHOD),
  splitter_version: Type.String(),
  semantic_atomization_computed: Type.Literal(false),
  text_sha256: Hex64,
  text_code_points: Count,
  candidate_count: Count,
  candidate_limit: Type.Literal(LIMITS.candidates),
  empty_reason: Nullable(Type.Literal('NO_WORDS')),
  atoms: Type.Array(Atom),
  evaluate_template: EvaluateRequest,
  not_evaluable: Texts,
  receipt: ReceiptSummary,
})

export type Reason = Static<typeof Reason>
const Reason = named('ClaimReason', {
  /** Null explains a cap and is no finding. */
  code: Nullable(Code),
  source: words(['claim', 'evidence', 'signal', 'contradiction']),
  ref: Nullable(Type.String()),
  pointer: Type.String(),
  yields: State,
  text: Type.String(),
})

const SelfDeclared = Type.Boolean({ description: 'source, verifier and owner are one party' })

const EvidenceRow = named('ClaimEvidenceRow', {
  reference_id: Nullable(Type.String()),
  evidence_state: Nullable(State),
  sound: Type.Boolean(),
  provenance: Nullable(Provenance),
  provenance_traceable: Type.Boolean(),
  verification_ref: Nullable(Type.String()),
  locally_resolved: Type.Boolean(),
  matched_by: Nullable(words(['receipt_ref', 'content_sha256'])),
  receipt_id: Nullable(Hex64),
  duplicate_of: Nullable(Type.String()),
  self_declared: SelfDeclared,
})

const contradictionFacts = {
  status: Nullable(Status),
  rubric_codes: Type.Array(Code),
  provenance: Nullable(Provenance),
  provenance_traceable: Type.Boolean(),
  resolution_ref: Nullable(Type.String()),
  locally_resolved: Type.Boolean(),
}

const ClaimRow = named('ClaimRow', {
  claim_id: Type.String(),
  statement: Nullable(Type.String()),
  state: State,
  abstain_required: Type.Boolean(),
  rubric_codes: Type.Array(Code),
  reasons: Type.Array(Reason),
  evidence_refs: Type.Array(EvidenceRow),
  independent_sources: Count,
  self_declared: SelfDeclared,
  consequence_owner: Nullable(Owner),
  external_signals: closed({
    semantic_uncertainty: Nullable(SemanticUncertainty),
    factuality: Nullable(Factuality),
  }),
  contradictions: Type.Array(closed({ ...contradictionFacts, refutes: Type.Boolean() })),
})

const always = Type.Literal(true)
const External = Type.Literal('EXTERNALLY-SUPPLIED-ONLY')

export const Evaluation = closed({
  ...accepted,
  overall_state: State,
  abstain_required: Type.Boolean(),
  gate_outcome: words(['ABSTAIN', 'EVIDENCE-COMPLETE-FOR-HUMAN-REVIEW']),
  claim_count: Count,
  state_counts: closed(Object.fromEntries(STATES.map((state) => [state, Count]))),
  claims: Type.Array(ClaimRow),
  unattached_contradictions: Type.Array(closed({ ...contradictionFacts, pointer: Type.String() })),
  signal_contract: closed({
    semantic_uncertainty: External,
    factuality: External,
    semantic_threshold: Type.Literal(SEMANTIC_THRESHOLD),
    computed_by_gate: Type.Array(Type.Unknown(), { maxItems: 0 }),
  }),
  honesty_invariants: closed({
    no_truth_inference: always,
    no_contradiction_resolution: always,
    missing_provenance_fails_closed: always,
    all_outputs_proposal_only: always,
    effectors_are_zero: always,
  }),
  result_sha256: Hex64,
  receipt: ReceiptSummary,
})
