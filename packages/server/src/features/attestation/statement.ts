/** The chain-of-title statement, built from what was read at the time it names. */
import {
  CHAIN_OF_TITLE_PREDICATE,
  CHAIN_OF_TITLE_SCHEMA,
  DOCTRINE,
  KERNEL_COMMIT,
  type KernelVerification,
  LAMBDA,
  LOCKED_FORMULAS,
  NOT_CLAIMED,
  STATEMENT_TYPE,
} from '@orch/core'
import type { Energy, Provenance } from './readings.ts'

export const CITES = Object.freeze([
  'in-toto Attestation Framework, Statement v1',
  'DSSE v1 (Dead Simple Signing Envelope)',
  'RFC 6962 (Certificate Transparency): Merkle tree and proofs',
  'RFC 8785 (JSON Canonicalization Scheme)',
])

export const LAMBDA_RECORD = {
  status: LAMBDA.status,
  is_theorem: LAMBDA.is_theorem,
  trust_ceiling: LAMBDA.trust_ceiling,
  floor: LAMBDA.floor,
}

const INVARIANTS_MEANING = {
  no_fabricated_measured:
    'no value of this predicate is labelled MEASURED or LIVE without a reading taken for this request',
  lambda_is_conjecture_not_theorem: 'no witness states lambda as anything but Conjecture 1',
  locked8_immutable: 'every witness states exactly the eight locked formulas',
  provenance_coverage: 'disclosed fields / expected fields; 1 means fully disclosed, not fully populated',
}

interface StatementParts {
  provenance: Provenance
  energy: Energy
  /** MEASURED only when an external log proved inclusion in this request. */
  label: 'MEASURED' | 'MODELED'
  builtAt: string
}

export function buildStatement({ provenance, energy, label, builtAt }: StatementParts) {
  const attestation = {
    schema: CHAIN_OF_TITLE_SCHEMA,
    namespace: 'orch',
    label,
    built_at: builtAt,
    cites: [...CITES],
    orch: { build_track: NOT_CLAIMED, vsa: null },
  }
  const body = {
    doctrine: DOCTRINE,
    provenance,
    ...energy,
    seal: {
      formula: 'geometric mean of the factors, at most the trust ceiling',
      tier: 'PROPOSED' as const,
      cites: [...CITES],
      note: 'a proposal: no score is asserted here',
    },
    lambda: LAMBDA_RECORD,
    attestation,
  }
  const backed = backedBy(energy, label === 'MEASURED' ? attestation : null)
  return {
    _type: STATEMENT_TYPE,
    subject: [
      {
        name: 'orch-kernel',
        digest: { gitCommit: KERNEL_COMMIT },
        annotations: { locked_proven: [...LOCKED_FORMULAS], pin_source: 'packages/core/src/doctrine.ts' },
      },
    ],
    predicateType: CHAIN_OF_TITLE_PREDICATE,
    predicate: {
      ...body,
      honesty_invariants: checkInvariants(body, provenance, backed),
      honesty_invariants_meaning: INVARIANTS_MEANING,
    },
  }
}
export type TitleStatement = ReturnType<typeof buildStatement>

/** The very objects that were made from a reading; an object shaped like one of them is not in the set. */
function backedBy({ energy_measured, energy_disclosure }: Energy, anchored: object | null): ReadonlySet<object> {
  const read = energy_measured.length > 0 ? [...energy_measured, energy_disclosure] : []
  return new Set(anchored === null ? read : [...read, anchored])
}

function checkInvariants(body: object, provenance: Provenance, backed: ReadonlySet<object>) {
  const { kernel_verification: kernel, provenance_coverage } = provenance
  return {
    no_fabricated_measured: !claimsUnread(body, backed),
    lambda_is_conjecture_not_theorem: LAMBDA.is_theorem === false && kernel.checks.lambda_is_conjecture,
    locked8_immutable: holdsTheEight(kernel),
    provenance_coverage,
  }
}

const holdsTheEight = ({ registry, checks }: KernelVerification): boolean =>
  checks.locked8_covered &&
  checks.locked_set_not_inflated &&
  registry.witnesses.every(({ locked_formula_ids }) => locked_formula_ids.join() === LOCKED_FORMULAS.join())

/** Whether anything below says that it was measured and is not one of the readings of this request. */
export function claimsUnread(value: unknown, backed: ReadonlySet<object>): boolean {
  if (value === null || typeof value !== 'object') return false
  const claims = Object.entries(value).some(
    ([name, word]) => /(?:^|_)label$/.test(name) && (word === 'MEASURED' || word === 'LIVE'),
  )
  if (claims && !backed.has(value)) return true
  return Object.values(value).some((inner) => claimsUnread(inner, backed))
}
