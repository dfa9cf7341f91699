import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { utf8Encode } from '@orch/core'
import { InputError } from '../../../errors.ts'
import { claimCompiler } from './compiler.ts'
import { NO_MATCHES } from './local-marks.ts'
import { pathText } from './problems.ts'

const file = new URL('../../../../../../vectors/claims.json', import.meta.url)
const vectors = JSON.parse(readFileSync(file, 'utf8'))
const { readAtomize, readEvaluate, split, atomize, evaluate } = claimCompiler

interface AtomizeVector {
  id: string
  text: string
  pieces: [number, number, string][]
  guarded?: [number, string][]
}
for (const { id, text, pieces, guarded } of vectors.atomize as AtomizeVector[])
  test(`atomize vector ${id} is cut where it says`, () => {
    const answer = atomize(text, '')
    assert.deepEqual(
      answer.atoms.map(({ span, statement }) => [span.start, span.end, statement]),
      pieces,
    )
    assert.equal(answer.empty_reason, pieces.length === 0 ? 'NO_WORDS' : null)
    const stops = answer.atoms.flatMap(({ guarded_stops }) => guarded_stops.map(({ at, rule }) => [at, rule]))
    if (guarded !== undefined) assert.deepEqual(stops, guarded)
    for (const { span, statement } of answer.atoms)
      assert.equal(text.slice(span.start_utf16, span.end_utf16), statement)
  })

interface EvaluateVector {
  id: string
  request: object
  expect: {
    overall: string
    outcome: string
    claims: [state: string, codes: string[]][]
    counts?: object
    ids?: string[]
    unattached?: string[][]
  }
}
for (const { id, request, expect } of vectors.evaluate as EvaluateVector[])
  test(`evaluate vector ${id} has the state and the codes it says`, () => {
    const answer = evaluate(readEvaluate(utf8Encode(JSON.stringify(request))), '', NO_MATCHES)
    assert.deepEqual(
      answer.claims.map(({ state, rubric_codes }) => [state, rubric_codes]),
      expect.claims,
    )
    assert.deepEqual([answer.overall_state, answer.gate_outcome], [expect.overall, expect.outcome])
    assert.equal(answer.abstain_required, expect.outcome === 'ABSTAIN')
    assert.equal(answer.claim_count, expect.claims.length)
    if (expect.counts) assert.deepEqual(answer.state_counts, expect.counts)
    if (expect.ids)
      assert.deepEqual(
        answer.claims.map(({ claim_id }) => claim_id),
        expect.ids,
      )
    assert.deepEqual(
      answer.unattached_contradictions.map(({ rubric_codes }) => rubric_codes),
      expect.unattached ?? [],
    )
  })

const readers: Record<string, (bytes: Uint8Array) => unknown> = {
  atomize: (bytes) => split(readAtomize(bytes).text),
  evaluate: readEvaluate,
}
for (const { id, operation, body, problems } of vectors.refused)
  test(`refused vector ${operation}: ${id} names its problems in the order of the document`, () => {
    assert.throws(
      () => readers[operation]!(utf8Encode(body)),
      (error) => {
        assert.ok(error instanceof InputError)
        assert.deepEqual(
          error.detail.map(({ loc, type }) => [pathText(loc), type]),
          problems,
        )
        return true
      },
    )
  })
