/** Everything the rubric finds about one claim: one reason for each time a code fires. */

import { SEMANTIC_THRESHOLD } from '../../../domain/claim-limits.ts'
import type { Reason } from '../replies.ts'
import type { Evidence } from '../schemas.ts'
import { RUBRIC, type RubricCode } from './rubric.ts'
import {
  isLive,
  isOwned,
  isTraceable,
  isWellFormedFactuality,
  isWellFormedUncertainty,
  unsoundness,
} from './soundness.ts'
import type { ClaimState } from './states.ts'
import type { Naming, Subject } from './subject.ts'
import { isBlank } from './whitespace.ts'

type Place = Pick<Reason, 'source' | 'ref' | 'pointer'>

const fired = (code: RubricCode, place: Place, text: string): Reason => ({
  code,
  ...place,
  yields: RUBRIC[code].yields,
  text,
})

export const findings = (subject: Subject): Reason[] => [
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
