/** The rows of an evaluation: what was sent, what was found, nothing dropped. */
import type { Contradiction, Evidence, Owner, Provenance } from '../schemas.ts'
import { compareCodePoints, inByteOrder } from './code-points.ts'
import { contradictionFindings, isLive, isTraceable, unsoundness, verdictOf } from './findings.ts'
import { type LocalMatches, markOf } from './local-marks.ts'
import type { RubricCode } from './rubric.ts'
import type { Naming, Placed, Subject } from './subject.ts'
import { isBlank, trim } from './whitespace.ts'

export type ClaimRow = ReturnType<typeof claimRow>

export function claimRow(subject: Subject, matches: LocalMatches) {
  const { value, id, signals } = subject
  const references = value.evidence_refs ?? []
  const { state, abstain, codes, reasons } = verdictOf(subject)
  const originals = originalsOf(references)
  const rows = references.map((reference) =>
    evidenceRow(reference, originals.get(reference) ?? null, value.consequence_owner, matches),
  )
  return {
    claim_id: id,
    statement: value.statement === undefined ? null : trim(value.statement),
    state,
    abstain_required: abstain,
    rubric_codes: codes,
    reasons,
    evidence_refs: rows,
    independent_sources: sourcesOf(references).length,
    self_declared: rows.length > 0 && rows.every(({ self_declared }) => self_declared),
    consequence_owner: value.consequence_owner ?? null,
    external_signals: {
      semantic_uncertainty: signals?.value.semantic_uncertainty ?? null,
      factuality: signals?.value.factuality ?? null,
    },
    contradictions: subject.contradictions.map((naming) => contradictionRow(naming, matches)),
  }
}

const evidenceRow = (
  reference: Evidence,
  duplicateOf: string | null,
  owner: Owner | null | undefined,
  matches: LocalMatches,
) => ({
  reference_id: reference.reference_id ?? null,
  evidence_state: reference.evidence_state ?? null,
  sound: unsoundness(reference) === null,
  provenance: reference.provenance ?? null,
  provenance_traceable: isTraceable(reference.provenance),
  verification_ref: reference.verification_ref ?? null,
  ...markOf(reference.provenance, matches),
  duplicate_of: duplicateOf,
  self_declared: isSelfDeclared(reference, owner),
})

/** Who says it, who checked it and who answers for it are one: the reader has one party's word. */
function isSelfDeclared({ provenance, verification_ref }: Evidence, owner: Owner | null | undefined): boolean {
  const parties = [provenance?.source_id, verification_ref, owner?.owner_id]
  const names = parties.map((name) => (isBlank(name) ? null : trim(name!).toLowerCase()))
  return names[0] !== null && names.every((name) => name === names[0])
}

/** What a reference can be recognised by: its source and digest, and the receipt it cites, whoever cites it. None for
 *  what cannot be traced to either. */
function keysOf(provenance: Provenance | undefined): string[] {
  if (provenance === undefined || !isTraceable(provenance)) return []
  const { source_id, content_sha256, receipt_ref } = provenance
  const content = content_sha256?.toLowerCase()
  return [
    ...(content === undefined ? [] : [JSON.stringify([trim(source_id!), content]), content]),
    ...(isBlank(receipt_ref) ? [] : [receiptKey(receipt_ref!)]),
  ]
}

const receiptKey = (reference: string): string => trim(reference).toLowerCase()

/** References grouped by what they lead to. A digest alone joins two only where one of them calls it a receipt. */
function sourcesOf(references: readonly Evidence[]): Evidence[][] {
  const cited = new Set(
    references.flatMap(({ provenance }) =>
      isBlank(provenance?.receipt_ref) ? [] : [receiptKey(provenance!.receipt_ref!)],
    ),
  )
  const groups: { keys: Set<string>; members: Evidence[] }[] = []
  for (const reference of inByteOrder(references)) {
    const keys = keysOf(reference.provenance).filter((key) => key.startsWith('[') || cited.has(key))
    if (keys.length === 0) continue
    const same = groups.filter((group) => keys.some((key) => group.keys.has(key)))
    const [into = { keys: new Set<string>(), members: [] }, ...others] = same
    if (same.length === 0) groups.push(into)
    for (const other of others) {
      groups.splice(groups.indexOf(other), 1)
      into.members.push(...other.members)
      for (const key of other.keys) into.keys.add(key)
    }
    for (const key of keys) into.keys.add(key)
    into.members.push(reference)
  }
  return groups.map(({ members }) => inByteOrder(members))
}

/** References to the same source count once. The one that stands for the others is the first in byte order and not the
 *  first that was sent, so that sending them in another order changes nothing. */
function originalsOf(references: readonly Evidence[]): Map<Evidence, string> {
  const named = sourcesOf(references).map((group) => group.filter(({ reference_id }) => !isBlank(reference_id)))
  return new Map(
    named.flatMap(([original, ...others]) => others.map((other) => [other, original!.reference_id!] as const)),
  )
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
