/** One claim with everything the request says about it, each part knowing its place in the body. */
import { canonicalize, sha256Hex } from '@orch/core'
import type { Claim, Contradiction, EvaluateRequest, SignalEnvelope } from '../schemas.ts'
import { inByteOrder } from './code-points.ts'
import { explicitIds } from './cross-record.ts'
import { trim } from './whitespace.ts'

export interface Placed<T> {
  value: T
  /** JSON pointer into the request. */
  pointer: string
}

export interface Naming extends Placed<Contradiction> {
  refutes: boolean
}

export interface Subject extends Placed<Claim> {
  id: string
  signals: Placed<SignalEnvelope> | null
  contradictions: Naming[]
}

const pointerKey = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1')

export function subjectsOf(request: EvaluateRequest): Subject[] {
  const ids = rowIds(request)
  const signals = new Map(
    Object.entries(request.external_signals ?? {}).map(([key, value]) => [
      trim(key),
      { value, pointer: `/external_signals/${pointerKey(key)}` },
    ]),
  )
  const named = namings(request)
  return request.claims.map((value, at) => {
    // What has no id of its own cannot be named, whatever id its row is given.
    const explicit = value.claim_id === undefined ? null : trim(value.claim_id)
    return {
      value,
      id: ids[at]!,
      pointer: `/claims/${at}`,
      signals: (explicit === null ? null : signals.get(explicit)) ?? null,
      contradictions: explicit === null ? [] : (named.get(explicit) ?? []),
    }
  })
}

export const unattached = ({ contradictions = [] }: EvaluateRequest): Placed<Contradiction>[] =>
  placed(contradictions).filter(({ value }) => (value.claim_ids ?? []).length === 0)

const placed = (contradictions: readonly Contradiction[]): Placed<Contradiction>[] =>
  contradictions.map((value, at) => ({ value, pointer: `/contradictions/${at}` }))

function namings({ contradictions = [] }: EvaluateRequest): Map<string, Naming[]> {
  const named = new Map<string, Naming[]>()
  for (const { value, pointer } of placed(contradictions)) {
    const refuted = new Set((value.refutes_claim_ids ?? []).map(trim))
    for (const id of (value.claim_ids ?? []).map(trim)) {
      const naming = { value, pointer, refutes: refuted.has(id) }
      named.set(id, [...(named.get(id) ?? []), naming])
    }
  }
  return named
}

/** The id a row is known by. Without one of its own it is named after its content, so that where it stands in the
 *  request, and in which order its references do, changes nothing. */
function rowIds(request: EvaluateRequest): string[] {
  const taken = explicitIds(request)
  const ids = request.claims.map(({ claim_id }) => (claim_id === undefined ? '' : trim(claim_id)))
  const nameless = request.claims.flatMap((claim, at) =>
    claim.claim_id === undefined ? [{ at, digest: contentDigest(claim) }] : [],
  )
  for (const { at, digest } of nameless.toSorted((a, b) => (a.digest < b.digest ? -1 : 1))) {
    const base = `unidentified-${digest.slice(0, 16)}`
    let id = base
    for (let count = 2; taken.has(id); count += 1) id = `${base}-${count}`
    taken.add(id)
    ids[at] = id
  }
  return ids
}

function contentDigest(claim: Claim): string {
  const { evidence_refs: references } = claim
  const content = references === undefined ? claim : { ...claim, evidence_refs: inByteOrder(references) }
  return sha256Hex(canonicalize(content))
}
