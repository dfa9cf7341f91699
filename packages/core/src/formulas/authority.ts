// The authority crosswalk: which formulas may constrain what. Corroboration only; the locked set comes from the doctrine.
import { LAMBDA_FORMULA } from '../doctrine.ts'
import { type FormulaRegistry, type FormulaRow, registryDigest } from './registry.ts'

const isConjecture = ({ id }: FormulaRow): boolean => id === LAMBDA_FORMULA

const authorityRow = (row: FormulaRow) => ({
  id: row.id,
  name: row.name,
  maturity: row.maturity,
  locked_proven: !isConjecture(row),
  scope: row.statement,
  caveat: row.scope_note,
  applicability_required: true as const,
  can_constrain_execution: !isConjecture(row),
  can_authorize_action: false as const,
})

export function authorityDocument({ payload: registry }: FormulaRegistry) {
  const rows = [...registry.locked, ...registry.conjectures]
  const ids = registry.locked.map(({ id }) => id)
  const payload = {
    registry_version: registry.registry_version,
    doctrine_version: registry.doctrine_version,
    authority: 'FORMAL_SOURCE_PINNED' as const,
    exhaustive: false as const,
    covered_formula_ids: rows.map(({ id }) => id),
    locked_proven_count: ids.length,
    locked_proven_ids: ids,
    kernel_source: { commit: registry.kernel_commit, f_id_to_callable_mapping: 'UNKNOWN_NOT_ASSERTED' as const },
    lambda: {
      formula_id: registry.lambda.formula_id,
      status: registry.lambda.status,
      can_authorize: false as const,
      can_be_sole_allow_basis: false as const,
    },
    policy: {
      locked_set_is_closed: true,
      ids_are_namespace_scoped: true,
      proofs_move_between_namespaces: false,
      proof_checked_in_this_request: false,
    },
    formulas: rows.map(authorityRow),
    historical_non_authorities: registry.historical_non_authorities,
  }
  return {
    schema_version: 'orch.formula-authority.v2' as const,
    registry_digest: {
      algorithm: 'sha256' as const,
      canonicalization: 'RFC 8785' as const,
      scope: 'payload' as const,
      value: registryDigest(payload),
    },
    signature: { status: 'UNSIGNED' as const, reason: 'a read signs nothing; the digest covers the payload' },
    payload,
  }
}
export type AuthorityDocument = ReturnType<typeof authorityDocument>
