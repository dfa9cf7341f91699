// What stands on which ground: proved elsewhere, checked here, backed by evidence, or conjectured.
import { CONJECTURES, KERNEL_PROOFS, LAMBDA, LAMBDA_POWER } from '../doctrine.ts'
import { LAMBDA_FORMULA_ID } from '../lambda/lambda.ts'
import { authorityDocument } from './authority.ts'
import type { FormulaCheck } from './check.ts'
import { type Counterexample, SEMANTIC_CLAIMS, type SemanticCheck } from './lambda.ts'
import { type FormulaRegistry, type FormulaRow, registryDigest } from './registry.ts'

export type TierInputs = {
  registry: FormulaRegistry
  checks: readonly FormulaCheck[]
  semantics: readonly SemanticCheck[]
  counterexample: Counterexample
}

/** The reply of the tiers operation, from what was read and run for it. */
export function formulaTiers({ registry, checks, semantics, counterexample }: TierInputs) {
  const { payload } = registry
  return {
    model: 'orch.formula-tiers/v1' as const,
    label: 'STRUCTURAL-ONLY' as const,
    locked_count: payload.locked.length,
    locked_ids: payload.locked.map(({ id }) => id),
    tiers: {
      'LOCKED-PROVEN': payload.locked.map(lockedRow),
      'SEMANTIC-VERIFIED': SEMANTIC_CLAIMS.map(({ property: _, ...claim }, i) => ({ ...claim, check: semantics[i]! })),
      'evidence-backed': [ERASURE_CODE],
      CONJECTURE: conjectures(counterexample),
    },
    lambda: {
      definition: `${LAMBDA_FORMULA_ID}: weighted geometric mean of the seven axes, at most the trust ceiling; ${LAMBDA_POWER}`,
      floor: LAMBDA.floor,
      trust_ceiling: LAMBDA.trust_ceiling,
      status: payload.lambda.status,
      is_theorem: false as const,
    },
    checks: [...checks],
    registry_digest: { algorithm: 'sha256' as const, value: registryDigest(payload), recomputed: true as const },
    signature: { status: 'UNSIGNED' as const, reason: 'a read signs nothing; the registry digest is recomputed' },
    authority: authorityDocument(registry),
    honest: `Of the kernel: ${KERNEL_PROOFS}. What runs here are property checks, which look for counterexamples and prove nothing.`,
  }
}
export type FormulaTiers = ReturnType<typeof formulaTiers>

const lockedRow = ({ id, name, statement, invariant, called_by, maturity, scope_note }: FormulaRow) => ({
  id,
  name,
  statement,
  executable_invariant: invariant,
  called_by,
  maturity,
  scope_note,
  proof_checked_in_this_request: false as const,
})

const ERASURE_CODE = {
  id: 'rs-10-6-code',
  name: 'RS(10,6) erasure code',
  statement: 'any six of ten shards restore the snapshot',
  evidence: 'all 210 patterns of four erasures and all 252 of five in the tests; a sample of patterns in check F18',
  scope_note: 'tested, not proved; it repairs loss and authenticates nothing',
}

const conjecture = (id: string, name: string, statement: string, counterexample: Counterexample | null = null) => ({
  id,
  name,
  statement,
  is_theorem: false as const,
  counterexample_without_separability: counterexample,
})

const conjectures = (counterexample: Counterexample) => {
  const unique = 'the geometric mean is the only aggregator with the stated properties'
  return [
    conjecture(CONJECTURES.lambda, 'lambda uniqueness', unique, counterexample),
    conjecture(CONJECTURES.consensus, 'consensus safety', 'replicas of the ledger never commit different histories'),
    conjecture(CONJECTURES.liveness, 'liveness', 'an agentic loop that is governed ends'),
  ]
}
