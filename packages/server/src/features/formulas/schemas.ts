import { LOCKED_FORMULAS } from '@orch/core'
import Type, { type Static } from 'typebox'
import { closed, exactly, Hex64, Nullable, named, Texts, Timestamp, words } from '../../domain/wire.ts'

const Text = Type.String()

const run = {
  checked_cases: Type.Integer({ minimum: 1 }),
  counterexamples: Type.Array(Text, { maxItems: 3 }),
  passed: Type.Boolean(),
  seed: Type.Integer(),
  label: Type.Literal('MEASURED'),
  label_detail: Type.Literal('property check, not a proof'),
}

export const FormulaCheck = Type.Object(
  { formula_id: words(LOCKED_FORMULAS), ...run },
  {
    ...exactly,
    $id: 'FormulaCheck',
    description: 'A property run made for this request: it looks for counterexamples',
  },
)
const SemanticCheck = closed({ claim_id: Text, ...run })

const LockedRow = closed({
  id: Text,
  name: Text,
  statement: Text,
  executable_invariant: Text,
  called_by: Texts,
  maturity: Text,
  scope_note: Type.String({ description: 'what the formula does not prove' }),
  proof_checked_in_this_request: Type.Literal(false),
})
const SemanticRow = closed({ id: Text, name: Text, statement: Text, assumption: Text, check: SemanticCheck })
const EvidenceRow = closed({ id: Text, name: Text, statement: Text, evidence: Text, scope_note: Text })
const Counterexample = closed({
  formula_id: Type.Literal('F23'),
  aggregator: Text,
  input: Type.Array(Type.Number()),
  value: Type.Number(),
  geometric_mean: Type.Number(),
  satisfies: Type.Record(Text, Type.Boolean()),
  stands: Type.Boolean(),
})
const ConjectureRow = closed({
  id: Text,
  name: Text,
  statement: Text,
  is_theorem: Type.Literal(false),
  counterexample_without_separability: Nullable(Counterexample),
})

const Signature = closed({ status: words(['UNSIGNED', 'SIGNED']), reason: Text })
const AuthorityRow = closed({
  id: Text,
  name: Text,
  maturity: Text,
  locked_proven: Type.Boolean(),
  scope: Text,
  caveat: Text,
  applicability_required: Type.Literal(true),
  can_constrain_execution: Type.Boolean(),
  can_authorize_action: Type.Literal(false),
})

const Authority = Type.Object(
  {
    schema_version: Type.Literal('orch.formula-authority.v2'),
    registry_digest: closed({
      algorithm: Type.Literal('sha256'),
      canonicalization: Type.Literal('RFC 8785'),
      scope: Type.Literal('payload'),
      value: Hex64,
    }),
    signature: Signature,
    payload: closed({
      registry_version: Type.Literal('2.0.0'),
      doctrine_version: Text,
      authority: Type.Literal('FORMAL_SOURCE_PINNED'),
      exhaustive: Type.Literal(false),
      covered_formula_ids: Type.Array(Text, { minItems: 9, maxItems: 9 }),
      locked_proven_count: Type.Literal(8),
      locked_proven_ids: Type.Array(Text, { minItems: 8, maxItems: 8 }),
      kernel_source: closed({ commit: Text, f_id_to_callable_mapping: Type.Literal('UNKNOWN_NOT_ASSERTED') }),
      lambda: closed({
        formula_id: Type.Literal('F23'),
        status: Text,
        can_authorize: Type.Literal(false),
        can_be_sole_allow_basis: Type.Literal(false),
      }),
      policy: Type.Record(Text, Type.Boolean()),
      formulas: Type.Array(AuthorityRow, { minItems: 9, maxItems: 9 }),
      historical_non_authorities: Type.Array(
        closed({ name: Text, ids: Texts, status: Type.Literal('SUPERSEDED'), note: Text }),
      ),
    }),
  },
  { ...exactly, $id: 'FormulaAuthority', description: 'Corroboration only; never the source of the locked set' },
)

export const FormulaTiers = named('FormulaTiers', {
  model: Type.Literal('orch.formula-tiers/v1'),
  label: Type.Literal('STRUCTURAL-ONLY'),
  locked_count: Type.Literal(8),
  locked_ids: Type.Array(Text, { minItems: 8, maxItems: 8 }),
  tiers: closed({
    'LOCKED-PROVEN': Type.Array(LockedRow, { minItems: 8, maxItems: 8 }),
    'SEMANTIC-VERIFIED': Type.Array(SemanticRow),
    'evidence-backed': Type.Array(EvidenceRow),
    CONJECTURE: Type.Array(ConjectureRow, { minItems: 3, maxItems: 3 }),
  }),
  lambda: closed({
    definition: Text,
    floor: Type.Number(),
    trust_ceiling: Type.Number(),
    status: Text,
    is_theorem: Type.Literal(false),
  }),
  checks: Type.Array(FormulaCheck, { minItems: 8, maxItems: 8 }),
  registry_digest: closed({ algorithm: Type.Literal('sha256'), value: Hex64, recomputed: Type.Literal(true) }),
  signature: Signature,
  authority: Authority,
  honest: Text,
  checked_at: Timestamp,
})
export type FormulaTiers = Static<typeof FormulaTiers>
