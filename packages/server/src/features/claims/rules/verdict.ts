/** The state of one claim, and why it is no better. */
import type { Reason } from '../replies.ts'
import { findings } from './findings.ts'
import { type RubricCode, stateByCodes } from './rubric.ts'
import { unsoundness } from './soundness.ts'
import { type ClaimState, weaker } from './states.ts'
import type { Subject } from './subject.ts'

export interface Verdict {
  state: ClaimState
  abstain: boolean
  codes: RubricCode[]
  reasons: Reason[]
}

export function verdictOf(subject: Subject): Verdict {
  const reasons = findings(subject)
  const fired = new Set(reasons.flatMap(({ code }) => (code === null ? [] : [code])))
  const byCodes = stateByCodes(fired)
  const codes = [...fired].sort()
  if (byCodes !== null) return { state: byCodes, abstain: true, codes, reasons }
  const caps = supportCaps(subject)
  const state = caps.length === 0 ? 'VERIFIED' : caps.map(({ yields }) => yields).reduce(weaker)
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
