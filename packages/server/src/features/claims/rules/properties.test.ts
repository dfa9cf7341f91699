import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { claimed, evidence, request, shuffled } from '#testing/claim-requests.ts'
import type { EvaluateRequest, Evidence } from '../schemas.ts'
import { conclude } from './conclusion.ts'
import { evaluate } from './evaluate.ts'
import { isLive, unsoundness } from './findings.ts'
import { NO_MATCHES } from './local-marks.ts'
import { type ClaimState, STRENGTH } from './rubric.ts'

type Conclusion = ReturnType<typeof conclude>
const evaluated = (body: EvaluateRequest) => evaluate(body, '0'.repeat(64), NO_MATCHES)
/** Without digests, which are a quarter of the work. */
const run = (body: EvaluateRequest): Conclusion => conclude(body, NO_MATCHES)
const rank = (state: ClaimState): number => STRENGTH.indexOf(state)
const CASES = 10_000
const drawn = <T>(arbitrary: fc.Arbitrary<T>, seed: number): T[] => fc.sample(arbitrary, { seed, numRuns: CASES })
/** Drawing a case costs more than looking at it, so properties of the same cases share them. */
const REQUESTS = drawn(request, 11)
const CLAIMED = drawn(claimed, 12)
const EVIDENCE = drawn(evidence, 13)

function forAll<T>(cases: readonly T[], holds: (one: T, at: number) => void): void {
  assert.ok(cases.length >= CASES)
  for (const [at, one] of cases.entries())
    try {
      holds(one, at)
    } catch (error) {
      throw new Error(`case ${at}: ${JSON.stringify(one)}\n${(error as Error).message}`, { cause: error })
    }
}

const isSupporting = (reference: Evidence): boolean =>
  unsoundness(reference) === null && ['SUPPORTED', 'VERIFIED'].includes(reference.evidence_state ?? '')

/** The request with the references of its first claim changed. */
const withReferences = (body: EvaluateRequest, change: (references: Evidence[]) => Evidence[]): EvaluateRequest => {
  const [first, ...others] = body.claims
  return { ...body, claims: [{ ...first!, evidence_refs: change(first!.evidence_refs ?? []) }, ...others] }
}
const first = ({ claims }: Conclusion) => claims[0]!

test('no order of claims, references, contradictions, ids or keys changes the digest of the result', () => {
  forAll(REQUESTS, (body, seed) => {
    assert.equal(evaluated(shuffled(body, seed)).result_sha256, evaluated(body).result_sha256)
  })
})

test('the same request gives the same answer, byte for byte', () => {
  forAll(REQUESTS, (body) => {
    assert.equal(JSON.stringify(evaluated(structuredClone(body))), JSON.stringify(evaluated(body)))
  })
})

test('taking supporting references away never raises a claim or the whole, and never completes it', () => {
  forAll(CLAIMED, (body, at) => {
    const drop = Array.from({ length: 4 }, (_, bit) => ((at >> bit) & 1) === 1)
    const before = run(body)
    const after = run(
      withReferences(body, (all) => all.filter((reference, at) => !(isSupporting(reference) && drop[at]))),
    )
    assert.ok(rank(first(after).state) <= rank(first(before).state))
    assert.ok(rank(after.overall_state) <= rank(before.overall_state))
    if (before.gate_outcome === 'ABSTAIN') assert.equal(after.gate_outcome, 'ABSTAIN')
  })
})

test('a claim without references is UNKNOWN or REFUTED', () => {
  forAll(CLAIMED, (body) => {
    assert.ok(['UNKNOWN', 'REFUTED'].includes(first(run(withReferences(body, () => []))).state))
  })
})

const provenance = { source_id: 's9', content_sha256: 'c'.repeat(64) }
const refutingReference: Evidence = { reference_id: 'r9', evidence_state: 'REFUTED', provenance }
const REFUTATIONS: Record<string, (body: EvaluateRequest) => EvaluateRequest> = {
  reference: (body) => withReferences(body, (all) => [...all, refutingReference]),
  verdict: (body) => ({
    ...body,
    external_signals: {
      ...body.external_signals,
      c0: { ...body.external_signals?.c0, factuality: { state: 'REFUTED', source_ref: 'x', method: 'x' } },
    },
  }),
  contradiction: (body) => ({
    ...body,
    contradictions: [...(body.contradictions ?? []), { claim_ids: ['c0'], refutes_claim_ids: ['c0'], provenance }],
  }),
}
for (const [kind, refute] of Object.entries(REFUTATIONS))
  test(`a refuting ${kind} makes any claim REFUTED, and nothing that is added afterwards lifts it`, () => {
    forAll(CLAIMED, (body, at) => {
      const reference = EVIDENCE[at]!
      const refuted = refute(body)
      assert.equal(first(run(refuted)).state, 'REFUTED')
      const more = withReferences(refuted, (all) => [reference, ...all])
      const resolved = { claim_ids: ['c0'], status: 'RESOLVED' as const, provenance, resolution_ref: 'x' }
      const answer = run({ ...more, contradictions: [resolved, ...(more.contradictions ?? [])] })
      assert.deepEqual([first(answer).state, answer.overall_state], ['REFUTED', 'REFUTED'])
    })
  })

test('an UNKNOWN, UNCERTAIN or unsound reference never raises a claim that has references', () => {
  const isAdverse = (reference: Evidence): boolean =>
    unsoundness(reference) !== null || ['UNKNOWN', 'UNCERTAIN'].includes(reference.evidence_state ?? '')
  const adverse = drawn(evidence.filter(isAdverse), 14)
  const withSome = claimed.filter(({ claims }) => (claims[0]!.evidence_refs ?? []).length > 0)
  forAll(drawn(withSome, 15), (body, at) => {
    const after = run(withReferences(body, (all) => [...all, adverse[at]!]))
    assert.ok(rank(first(after).state) <= rank(first(run(body)).state))
  })
})

test('claims do not influence each other except through contradictions', () => {
  forAll(CLAIMED, (body) => {
    const alone: EvaluateRequest = {
      claims: [body.claims[0]!],
      external_signals: Object.fromEntries(Object.entries(body.external_signals ?? {}).filter(([key]) => key === 'c0')),
      contradictions: (body.contradictions ?? [])
        .filter(({ claim_ids }) => claim_ids?.includes('c0'))
        .map(({ claim_ids, refutes_claim_ids, ...rest }) => ({
          ...rest,
          claim_ids: claim_ids!.filter((id) => id === 'c0'),
          refutes_claim_ids: (refutes_claim_ids ?? []).filter((id) => id === 'c0'),
        })),
    }
    const { state, rubric_codes } = first(run(alone))
    const together = first(run(body))
    assert.deepEqual([state, rubric_codes], [together.state, together.rubric_codes])
  })
})

test('what our own ledger holds marks a row and changes no state, no code and no digest', () => {
  const matches = { receipts: new Set(['a'.repeat(64)]), payloads: new Map([['b'.repeat(64), 'd'.repeat(64)]]) }
  forAll(REQUESTS, (body) => {
    const marked = evaluate(body, '0'.repeat(64), matches)
    const plain = evaluated(body)
    assert.equal(marked.result_sha256, plain.result_sha256)
    const seen = ({ claims }: Conclusion) =>
      claims.map(({ state, rubric_codes, reasons }) => [state, rubric_codes, reasons])
    assert.deepEqual(seen(marked), seen(plain))
  })
})

test('no_truth_inference: what a statement says changes nothing, only that it says something', () => {
  forAll(CLAIMED, (body, at) => {
    const statement = ['The earth is flat.', 'Water is wet.', '¬¬¬'][at % 3]!
    const says = (text: string) => {
      const [claim, ...others] = body.claims
      const { state, rubric_codes } = first(run({ ...body, claims: [{ ...claim!, statement: text }, ...others] }))
      return [state, rubric_codes]
    }
    assert.deepEqual(says(statement), says('something else'))
  })
})

test('no_contradiction_resolution: a live contradiction always abstains, whatever else was sent', () => {
  const open = request.filter(({ contradictions }) => (contradictions ?? []).some(isLive))
  forAll(drawn(open, 16), (body) => {
    assert.equal(run(body).gate_outcome, 'ABSTAIN')
  })
})

test('missing_provenance_fails_closed: a reference without provenance keeps a claim from SUPPORTED', () => {
  forAll(CLAIMED, (body, at) => {
    const { provenance: _dropped, ...bare } = EVIDENCE[at]!
    const { state } = first(run(withReferences(body, (all) => [...all, bare])))
    assert.ok(!['SUPPORTED', 'VERIFIED'].includes(state))
  })
})

test('all_outputs_proposal_only and effectors_are_zero: every answer says so, with every state it can give', () => {
  const seen = new Set<string>()
  forAll(REQUESTS, (body) => {
    const answer = evaluated(body)
    seen.add(answer.overall_state)
    assert.deepEqual(
      [answer.decision_state, answer.effectors_enabled, answer.label],
      ['PROPOSAL_ONLY', 0, 'STRUCTURAL-ONLY'],
    )
    assert.deepEqual(new Set(Object.values(answer.honesty_invariants)), new Set([true]))
    assert.equal(answer.claims.some((row) => row.abstain_required) && answer.gate_outcome !== 'ABSTAIN', false)
    for (const row of answer.claims) {
      assert.equal(row.abstain_required, row.rubric_codes.length > 0)
      assert.deepEqual(row.rubric_codes, [...new Set(row.reasons.flatMap(({ code }) => code ?? []))].sort())
      assert.equal(
        row.state === 'SUPPORTED',
        row.reasons.some(({ code }) => code === null),
      )
    }
  })
  assert.deepEqual([...seen].sort(), [...STRENGTH].sort())
})
