/** The rows of an evaluation: what was sent, what was found, nothing dropped. */
import type { Contradiction, Evidence, Provenance } from './contract.ts'
import { contradictionFindings } from './findings.ts'
import { type LocalMatches, markOf } from './local-marks.ts'
import { compareCodePoints, inByteOrder } from './order.ts'
import type { RubricCode } from './rubric.ts'
import { isLive, isTraceable, unsoundness } from './soundness.ts'
import type { Naming, Placed, Subject } from './subject.ts'
import { verdictOf } from './verdict.ts'
import { isBlank, trim } from './whitespace.ts'

export type ClaimRow = ReturnType<typeof claimRow>

export function claimRow(subject: Subject, matches: LocalMatches) {
  const { value, id, signals } = subject
  const references = value.evidence_refs ?? []
  const { state, abstain, codes, reasons } = verdictOf(subject)
  const originals = originalsOf(references)
  return {
    claim_id: id,
    statement: value.statement === undefined ? null : trim(value.statement),
    state,
    abstain_required: abstain,
    rubric_codes: codes,
    reasons,
    evidence_refs: references.map((reference) => evidenceRow(reference, originals.get(reference) ?? null, matches)),
    independent_sources: new Set(references.flatMap((reference) => sourceKey(reference.provenance) ?? [])).size,
    consequence_owner: value.consequence_owner ?? null,
    external_signals: {
      semantic_uncertainty: signals?.value.semantic_uncertainty ?? null,
      factuality: signals?.value.factuality ?? null,
    },
    contradictions: subject.contradictions.map((naming) => contradictionRow(naming, matches)),
  }
}

const evidenceRow = (reference: Evidence, duplicateOf: string | null, matches: LocalMatches) => ({
  reference_id: reference.reference_id ?? null,
  evidence_state: reference.evidence_state ?? null,
  sound: unsoundness(reference) === null,
  provenance: reference.provenance ?? null,
  provenance_traceable: isTraceable(reference.provenance),
  verification_ref: reference.verification_ref ?? null,
  ...markOf(reference.provenance, matches),
  duplicate_of: duplicateOf,
})

/** Distinct source and digest; null for what cannot be traced to either. */
function sourceKey(provenance: Provenance | undefined): string | null {
  if (provenance === undefined || !isTraceable(provenance)) return null
  const { source_id, content_sha256, receipt_ref } = provenance
  return JSON.stringify([trim(source_id!), content_sha256?.toLowerCase() ?? trim(receipt_ref!)])
}

/** References to the same source and digest count once. The one that stands for the others is the first in byte order
 *  and not the first that was sent, so that sending them in another order changes nothing. */
function originalsOf(references: readonly Evidence[]): Map<Evidence, string> {
  const first = new Map<string, Evidence>()
  const duplicates = new Map<Evidence, string>()
  for (const reference of inByteOrder(references)) {
    const key = isBlank(reference.reference_id) ? null : sourceKey(reference.provenance)
    if (key === null) continue
    const original = first.get(key)
    if (original === undefined) first.set(key, reference)
    else duplicates.set(reference, original.reference_id!)
  }
  return duplicates
}

const contradictionFacts = (value: Contradiction, codes: readonly RubricCode[], matches: LocalMatches) => ({
  rubric_codes: codes.toSorted(compareCodePoints),
  provenance: value.provenance ?? null,
  provenance_traceable: isTraceable(value.provenance),
  resolution_ref: value.resolution_ref ?? null,
  locally_resolved: markOf(value.provenance, matches).locally_resolved,
})

const contradictionRow = (naming: Naming, matches: LocalMatches) => ({
  status: naming.value.status ?? null,
  refutes: naming.refutes,
  ...contradictionFacts(
    naming.value,
    contradictionFindings(naming).map(({ code }) => code!),
    matches,
  ),
})

/** A contradiction that names no claim hides nothing: while it stands, or is called resolved without saying how, the
 *  whole answer abstains. */
export function unattachedRow({ value, pointer }: Placed<Contradiction>, matches: LocalMatches) {
  const open = isLive(value) || isBlank(value.resolution_ref)
  return {
    status: value.status ?? null,
    ...contradictionFacts(value, open ? ['RG-008'] : [], matches),
    pointer,
  }
}
