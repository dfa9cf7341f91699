/** Everything the rubric finds about one claim: one reason for each time a code fires. */

import { SEMANTIC_THRESHOLD } from '../../../domain/claim-limits.ts'
import type { Reason } from '../replies.ts'
import type { Contradiction, Evidence, Factuality, Owner, Provenance, SemanticUncertainty } from '../schemas.ts'
import { type ClaimState, RUBRIC, type RubricCode, stateByCodes, weaker } from './rubric.ts'
import type { Naming, Subject } from './subject.ts'
import { isBlank } from './whitespace.ts'

/** The state of one claim, and why it is no better. */
export function verdictOf(subject: Subject) {
  const reasons = findings(subject)
  const fired = new Set(reasons.flatMap(({ code }) => (code === null ? [] : [code])))
  const byCodes = stateByCodes(fired)
  const codes = [...fired].sort()
  if (byCodes !== null) return { state: byCodes as ClaimState, abstain: true, codes, reasons }
  const caps = supportCaps(subject)
  const state: ClaimState = caps.length === 0 ? 'VERIFIED' : caps.map(({ yields }) => yields).reduce(weaker)
  return { state, abstain: false, codes, reasons: caps }
}

/** VERIFIED takes both a verified reference and a verdict from outside; what is missing of the two caps the claim. */
function supportCaps({ value, pointer, signals, id }: Subject): Reason[] {
  const isVerified = (value.evidence_refs ?? []).some(
    (reference) => reference.evidence_state === 'VERIFIED' && unsoundness(reference) === null,
  )
  const factuality = signals?.value.factuality
  const caps: Reason[] = []
  if (!isVerified)
    caps.push({
      code: null,
      source: 'evidence',
      ref: id,
      pointer: `${pointer}/evidence_refs`,
      yields: 'SUPPORTED',
      text: 'no reference is VERIFIED, so the claim is at most SUPPORTED',
    })
  if (factuality?.state !== 'VERIFIED')
    caps.push({
      code: null,
      source: 'signal',
      ref: factuality?.source_ref ?? null,
      pointer: factuality === undefined ? pointer : `${signals!.pointer}/factuality`,
      yields: 'SUPPORTED',
      text: 'no external verdict says VERIFIED, so the claim is at most SUPPORTED',
    })
  return caps
}

type Place = Pick<Reason, 'source' | 'ref' | 'pointer'>

const fired = (code: RubricCode, place: Place, text: string): Reason => ({
  code,
  ...place,
  yields: RUBRIC[code].yields,
  text,
})

const findings = (subject: Subject): Reason[] => [
  ...claimFindings(subject),
  ...(subject.value.evidence_refs ?? []).flatMap((reference, at) =>
    evidenceFindings(reference, `${subject.pointer}/evidence_refs/${at}`),
  ),
  ...signalFindings(subject),
  ...subject.contradictions.flatMap(contradictionFindings),
]

function claimFindings({ value, id, pointer }: Subject): Reason[] {
  const at = (field: string): Place => ({ source: 'claim', ref: id, pointer: `${pointer}/${field}` })
  const found: Reason[] = []
  if (isBlank(value.statement)) found.push(fired('RG-001', at('statement'), 'there is no statement'))
  if (value.atomic !== true) found.push(fired('RG-002', at('atomic'), 'nobody vouches that this is one claim'))
  if ((value.evidence_refs ?? []).length === 0)
    found.push(fired('RG-003', at('evidence_refs'), 'no evidence is referred to'))
  if (!isOwned(value.consequence_owner))
    found.push(fired('RG-005', at('consequence_owner'), 'nobody owns the consequence with a scope'))
  return found
}

function evidenceFindings(reference: Evidence, pointer: string): Reason[] {
  const place: Place = { source: 'evidence', ref: reference.reference_id ?? null, pointer }
  const state = reference.evidence_state
  const fault = unsoundness(reference)
  const found: Reason[] = []
  if (fault !== null) found.push(fired('RG-004', place, fault))
  if (fault === null && state === 'REFUTED') found.push(fired('RG-007', place, 'the evidence refutes the claim'))
  if (state === 'UNCERTAIN') found.push(fired('RG-010', place, 'the evidence is uncertain'))
  if (state === undefined) found.push(fired('RG-011', place, 'the reference states no evidence_state'))
  if (state === 'UNKNOWN') found.push(fired('RG-011', place, 'the state of the evidence is unknown'))
  return found
}

function signalFindings({ signals }: Subject): Reason[] {
  if (signals === null) return []
  const { semantic_uncertainty: uncertainty, factuality } = signals.value
  const at = (part: string, ref: string | undefined): Place => ({
    source: 'signal',
    ref: ref ?? null,
    pointer: `${signals.pointer}/${part}`,
  })
  const found: Reason[] = []
  if (uncertainty !== undefined) {
    const place = at('semantic_uncertainty', uncertainty.source_ref)
    if (!isWellFormedUncertainty(uncertainty))
      found.push(fired('RG-008', place, 'the signal lacks its value, source_ref or method'))
    else if (uncertainty.value >= SEMANTIC_THRESHOLD)
      found.push(fired('RG-009', place, `the supplied uncertainty is ${SEMANTIC_THRESHOLD} or more`))
  }
  if (factuality !== undefined) {
    const place = at('factuality', factuality.source_ref)
    if (!isWellFormedFactuality(factuality))
      found.push(fired('RG-008', place, 'the signal lacks its state, source_ref or method'))
    else found.push(...verdictFindings(factuality.state, place))
  }
  return found
}

function verdictFindings(state: ClaimState, place: Place): Reason[] {
  if (state === 'REFUTED') return [fired('RG-007', place, 'the supplied verdict refutes the claim')]
  if (state === 'UNCERTAIN') return [fired('RG-010', place, 'the supplied verdict is uncertain')]
  return state === 'UNKNOWN' ? [fired('RG-011', place, 'the supplied verdict is unknown')] : []
}

export function contradictionFindings({ value, pointer, refutes }: Naming): Reason[] {
  const place: Place = { source: 'contradiction', ref: value.provenance?.source_id ?? null, pointer }
  const traceable = isTraceable(value.provenance)
  const found: Reason[] = []
  if (!traceable) found.push(fired('RG-004', place, 'the provenance of the contradiction is not traceable'))
  if (traceable && isLive(value))
    found.push(
      refutes
        ? fired('RG-007', place, 'a live contradiction refutes the claim')
        : fired('RG-006', place, 'a live contradiction names the claim'),
    )
  if (!isLive(value) && isBlank(value.resolution_ref))
    found.push(fired('RG-008', place, 'the contradiction is called resolved without a resolution_ref'))
  return found
}

/** Nothing is fetched and nothing is believed: traceable means that a reader could go and look. */
export const isTraceable = (provenance: Provenance | undefined): boolean =>
  provenance !== undefined &&
  !isBlank(provenance.source_id) &&
  (provenance.content_sha256 !== undefined || !isBlank(provenance.receipt_ref))

/** What keeps a reference from being sound, or null. */
export function unsoundness(reference: Evidence): string | null {
  if (isBlank(reference.reference_id)) return 'the reference has no reference_id'
  if (!isTraceable(reference.provenance)) return 'the provenance of the reference is not traceable'
  if (reference.evidence_state === 'VERIFIED' && isBlank(reference.verification_ref))
    return 'the reference says VERIFIED without a verification_ref'
  return null
}

const isOwned = (owner: Owner | null | undefined): boolean =>
  owner !== null && owner !== undefined && !isBlank(owner.owner_id) && !isBlank(owner.accountability_scope)

/** A status that is missing leaves the contradiction standing. */
export const isLive = ({ status }: Contradiction): boolean => status !== 'RESOLVED'

const isAttributed = ({ source_ref, method }: { source_ref?: string; method?: string }): boolean =>
  !isBlank(source_ref) && !isBlank(method)

const isWellFormedUncertainty = (signal: SemanticUncertainty): signal is SemanticUncertainty & { value: number } =>
  signal.value !== undefined && isAttributed(signal)

const isWellFormedFactuality = (
  signal: Factuality,
): signal is Factuality & { state: NonNullable<Factuality['state']> } =>
  signal.state !== undefined && isAttributed(signal)
