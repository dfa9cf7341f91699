// Generated requests that fit the contract, and ways to change one without changing what it means.
import fc from 'fast-check'
import { STATES, STATUSES } from '../src/features/claims/rules/rubric.ts'
import type { Claim, Contradiction, EvaluateRequest, Evidence, SignalEnvelope } from '../src/features/claims/schemas.ts'

const some = fc.constantFrom('', ' ', 'x', 'y', '\u3000', '\u200b')
const mostlySaid = fc.oneof({ weight: 6, arbitrary: fc.constantFrom('x', 'y', 'z') }, { weight: 1, arbitrary: some })
const state = fc.constantFrom(...STATES)
const digest = fc.constantFrom('a'.repeat(64), 'A'.repeat(64), 'b'.repeat(64))
const provenance = fc.record(
  { source_id: mostlySaid, content_sha256: digest, receipt_ref: mostlySaid },
  { requiredKeys: [] },
)
export const evidence: fc.Arbitrary<Evidence> = fc.oneof(
  fc.record(
    { reference_id: mostlySaid, evidence_state: state, provenance, verification_ref: mostlySaid },
    { requiredKeys: [] },
  ),
  fc.record({
    reference_id: fc.constantFrom('r1', 'r2', 'r3'),
    evidence_state: state,
    provenance: fc.record({ source_id: fc.constantFrom('s1', 's2'), content_sha256: digest }),
    verification_ref: fc.constant('v'),
  }),
)
const owner = fc.option(fc.record({ owner_id: mostlySaid, accountability_scope: mostlySaid }, { requiredKeys: [] }), {
  freq: 5,
})
const claimBody = fc.record(
  {
    statement: mostlySaid,
    atomic: fc.oneof({ weight: 4, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) }),
    evidence_refs: fc.array(evidence, { maxLength: 3 }),
    consequence_owner: owner,
  },
  { requiredKeys: ['atomic', 'consequence_owner'] },
)
const attribution = { source_ref: mostlySaid, method: mostlySaid }
const signals: fc.Arbitrary<SignalEnvelope> = fc.record(
  {
    semantic_uncertainty: fc.record(
      { value: fc.double({ min: 0, max: 1, noNaN: true }), ...attribution },
      { requiredKeys: ['source_ref', 'method'] },
    ),
    factuality: fc.record({ state, ...attribution }, { requiredKeys: ['source_ref', 'method'] }),
  },
  { requiredKeys: [] },
)
const contradictionBody = fc.record(
  { status: fc.constantFrom(...STATUSES), provenance, resolution_ref: mostlySaid },
  { requiredKeys: [] },
)

function contradictionOf(ids: readonly string[]): fc.Arbitrary<Contradiction> {
  return fc
    .tuple(contradictionBody, fc.subarray([...ids]), fc.infiniteStream(fc.boolean()))
    .map(([body, named, refuted]) => {
      const refutes = named.filter(() => refuted.next().value)
      return { ...body, claim_ids: named, ...(refutes.length > 0 ? { refutes_claim_ids: refutes } : {}) }
    })
}

/** Up to three claims, some without an id, with the signals and contradictions their ids allow. */
export const request: fc.Arbitrary<EvaluateRequest> = fc
  .array(fc.tuple(claimBody, fc.boolean(), fc.boolean()), { maxLength: 3 })
  .chain((drawn) => {
    const claims = drawn.map(
      ([body, named], at): Claim => (named || at === 0 ? { ...body, claim_id: `c${at}` } : { ...body }),
    )
    const ids = claims.flatMap(({ claim_id }) => claim_id ?? [])
    const signalled = ids.filter((_, at) => drawn[at]![2])
    return fc.record({
      claims: fc.constant(claims),
      external_signals: fc
        .tuple(...signalled.map(() => signals))
        .map((list) => Object.fromEntries(list.map((envelope, at) => [signalled[at]!, envelope]))),
      contradictions: fc.array(contradictionOf(ids), { maxLength: 2 }),
    })
  })

export const claimed = request.filter(({ claims }) => claims.length > 0)

/** Every list and every object in another order. */
export function shuffled<T>(value: T, seed: number): T {
  let state = seed >>> 0
  const next = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state
  }
  const mix = <E>(items: E[]): E[] =>
    items
      .map((item) => ({ item, rank: next() }))
      .sort((a, b) => a.rank - b.rank)
      .map(({ item }) => item)
  const walk = (part: unknown): unknown => {
    if (Array.isArray(part)) return mix(part.map(walk))
    if (part === null || typeof part !== 'object') return part
    return Object.fromEntries(mix(Object.entries(part)).map(([key, entry]) => [key, walk(entry)]))
  }
  return walk(value) as T
}
