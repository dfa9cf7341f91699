/** A statement that somebody brought, compared with what this service would state at this moment. */
import { canonicalize, type PolicyRule } from '@orch/core'
import { isRecord } from '../../domain/stored-receipt.ts'
import type { TitleStatement } from './statement.ts'

export interface Compared {
  /** What is presented is what this service states now, the time of the making aside. */
  isOurs: boolean
  /** Rules that a claim in our name breaks because this service reads something else. */
  contradicted: PolicyRule[]
}

export function compareStatements(own: TitleStatement, presented: unknown): Compared {
  const isOurs = textOf(own) === textOf(presented)
  const claim = fieldsOf(fieldsOf(presented).predicate)
  const inOurName = fieldsOf(claim.attestation).namespace === own.predicate.attestation.namespace
  return { isOurs, contradicted: inOurName && !isOurs ? contradictedBy(own, claim) : [] }
}

/** A digest of weights or corpus that is not the one read here was not read by anybody: it does not count as disclosed. */
function contradictedBy({ predicate }: TitleStatement, claim: Record<string, unknown>): PolicyRule[] {
  const own = predicate.provenance
  const stated = fieldsOf(claim.provenance)
  const weights = fieldsOf(stated.sovereign_weights)
  const read = ['sha256', 'bytes', 'present'] as const
  const same =
    stated.corpus_sha === own.corpus_sha && read.every((name) => weights[name] === own.sovereign_weights[name])
  const { build_track, vsa } = fieldsOf(fieldsOf(claim.attestation).orch)
  const { orch } = predicate.attestation
  return [
    ...(build_track === orch.build_track && vsa === orch.vsa ? [] : (['honesty_invariants_all_true'] as const)),
    ...(same ? [] : (['provenance_coverage_is_one'] as const)),
  ]
}

/** Null where there is no canonical form, which is then equal to none. */
function textOf(statement: unknown): string | null {
  const copy = structuredClone(statement)
  const { attestation } = fieldsOf(fieldsOf(copy).predicate)
  if (isRecord(attestation)) delete attestation.built_at
  try {
    return canonicalize(copy)
  } catch {
    return null
  }
}

const fieldsOf = (value: unknown): Record<string, unknown> => (isRecord(value) ? value : {})
