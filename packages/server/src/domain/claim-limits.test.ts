import assert from 'node:assert/strict'
import { test } from 'node:test'
import { utf8Encode } from '@orch/core'
import { InputError } from '../errors.ts'
import { claimCompiler } from '../features/claims/rules/compiler.ts'
import { LIMITS } from './claim-limits.ts'

const ALPHABETS: readonly (readonly [string, string])[] = [
  ['ASCII', 'a'],
  ['two-unit', '😀'],
  ['combining', '\u0301'],
]
const { readAtomize, readEvaluate, atomize } = claimCompiler

/** The types of the problems with a body; none where it fits. */
function problemsOf(read: (bytes: Uint8Array) => unknown, body: unknown): string[] {
  try {
    read(utf8Encode(JSON.stringify(body)))
    return []
  } catch (error) {
    if (!(error instanceof InputError)) throw error
    return error.detail.map(({ type }) => type)
  }
}

const claim = (fields: object) => ({ claims: [{ claim_id: 'c', ...fields }] })
const evidence = (fields: object) => claim({ evidence_refs: [fields] })
const signal = (fields: object) => ({ claims: [{ claim_id: 'c' }], external_signals: { c: fields } })
const contradiction = (fields: object) => ({ claims: [{ claim_id: 'c' }], contradictions: [fields] })

type Field = [limit: keyof typeof LIMITS, place: string, body: (text: string) => object]
const TEXTS: readonly Field[] = [
  ['claim_id', 'a claim', (claim_id) => ({ claims: [{ claim_id }] })],
  ['claim_id', 'a signal key', (id) => ({ claims: [{ claim_id: id }], external_signals: { [id]: {} } })],
  ['claim_id', 'claim_ids', (id) => ({ claims: [{ claim_id: id }], contradictions: [{ claim_ids: [id] }] })],
  ['statement', 'a claim', (statement) => claim({ statement })],
  ['reference_id', 'evidence', (reference_id) => evidence({ reference_id })],
  ['verification_ref', 'evidence', (verification_ref) => evidence({ verification_ref })],
  ['source_id', 'provenance', (source_id) => evidence({ provenance: { source_id } })],
  ['receipt_ref', 'provenance', (receipt_ref) => evidence({ provenance: { receipt_ref } })],
  ['source_id', 'a contradiction', (source_id) => contradiction({ provenance: { source_id } })],
  ['owner_id', 'an owner', (owner_id) => claim({ consequence_owner: { owner_id } })],
  ['accountability_scope', 'an owner', (scope) => claim({ consequence_owner: { accountability_scope: scope } })],
  ['source_ref', 'uncertainty', (source_ref) => signal({ semantic_uncertainty: { source_ref } })],
  ['method', 'uncertainty', (method) => signal({ semantic_uncertainty: { method } })],
  ['source_ref', 'factuality', (source_ref) => signal({ factuality: { source_ref } })],
  ['method', 'factuality', (method) => signal({ factuality: { method } })],
  ['resolution_ref', 'a contradiction', (resolution_ref) => contradiction({ resolution_ref })],
]
for (const [limit, place, body] of TEXTS)
  for (const [alphabet, character] of ALPHABETS)
    test(`${limit} of ${place} ends at ${LIMITS[limit]} code points of ${alphabet} text`, () => {
      const most = LIMITS[limit]
      assert.deepEqual(problemsOf(readEvaluate, body(character.repeat(most - 1))), [])
      assert.deepEqual(problemsOf(readEvaluate, body(character.repeat(most))), [])
      const over = new Set(problemsOf(readEvaluate, body(character.repeat(most + 1))))
      assert.deepEqual(over, new Set(['string_too_long']))
    })

for (const [alphabet, character] of ALPHABETS)
  test(`text ends at ${LIMITS.text} code points of ${alphabet} text, however many bytes those are`, () => {
    assert.deepEqual(problemsOf(readAtomize, { text: character.repeat(LIMITS.text - 1) }), [])
    assert.deepEqual(problemsOf(readAtomize, { text: character.repeat(LIMITS.text) }), [])
    assert.deepEqual(problemsOf(readAtomize, { text: character.repeat(LIMITS.text + 1) }), ['string_too_long'])
  })

test('a length is that of the raw string, whitespace included', () => {
  const padded = `${' '.repeat(LIMITS.claim_id)}c`
  assert.deepEqual(problemsOf(readEvaluate, { claims: [{ claim_id: padded }] }), ['string_too_long'])
})

const ids = (count: number) => Array.from({ length: count }, (_, at) => `c${at}`)
const named = (count: number) => ids(count).map((claim_id) => ({ claim_id }))
type List = [limit: keyof typeof LIMITS, type: string, body: (count: number) => object]
const LISTS: readonly List[] = [
  ['claims', 'too_many_items', (count) => ({ claims: named(count) })],
  ['evidence_refs', 'too_many_items', (count) => claim({ evidence_refs: Array.from({ length: count }, () => ({})) })],
  ['contradictions', 'too_many_items', (count) => ({ claims: [], contradictions: ids(count).map(() => ({})) })],
]
for (const [limit, type, body] of LISTS)
  test(`${limit} holds ${LIMITS[limit]} and no more`, () => {
    const most = LIMITS[limit]
    assert.deepEqual(problemsOf(readEvaluate, body(most - 1)), [])
    assert.deepEqual(problemsOf(readEvaluate, body(most)), [])
    assert.deepEqual(problemsOf(readEvaluate, body(most + 1)), [type])
  })

test('32 signals and 32 ids of a contradiction fit; a 33rd is refused by its own word, not as unknown', () => {
  const signals = (count: number) => Object.fromEntries(ids(count).map((id) => [id, {}]))
  const full = { claims: named(32), external_signals: signals(32), contradictions: [{ claim_ids: ids(32) }] }
  assert.deepEqual(problemsOf(readEvaluate, full), [])
  const more = { ...full, external_signals: signals(33) }
  assert.deepEqual(problemsOf(readEvaluate, more), ['too_many_properties'])
  for (const field of ['claim_ids', 'refutes_claim_ids'])
    assert.deepEqual(problemsOf(readEvaluate, { ...full, contradictions: [{ [field]: ids(33) }] }), ['too_many_items'])
})

test('a digest has 64 hex characters of either case', () => {
  const digest = (content_sha256: string) => problemsOf(readEvaluate, evidence({ provenance: { content_sha256 } }))
  assert.deepEqual(
    [digest('aF'.repeat(32)), digest('a'.repeat(63)), digest('a'.repeat(65))],
    [[], ['pattern'], ['pattern']],
  )
})

test('a value lies from 0 to 1, both included', () => {
  const value = (number: number) => problemsOf(readEvaluate, signal({ semantic_uncertainty: { value: number } }))
  for (const fits of [0, 1, 0.5, 5e-324]) assert.deepEqual(value(fits), [], String(fits))
  for (const validationExtras of [-5e-324, 1.0000000000000002])
    assert.deepEqual(value(validationExtras), ['out_of_range'], String(validationExtras))
})

test('a statement of 4096 code points can be evaluated, one more is left out of the template by name', () => {
  for (const [alphabet, character] of ALPHABETS) {
    const fits = atomize(`${character.repeat(4095)}.`, '')
    assert.deepEqual([fits.atoms[0]!.exceeds_statement_limit, fits.not_evaluable], [false, []], alphabet)
    const over = atomize(`${character.repeat(4096)}.`, '')
    assert.deepEqual(over.evaluate_template, { claims: [] })
    assert.deepEqual([over.atoms[0]!.exceeds_statement_limit, over.not_evaluable], [true, [over.atoms[0]!.claim_id]])
  }
})

test('31 and 32 candidates are answered, 33 are counted to the end', () => {
  for (const count of [31, 32]) assert.equal(atomize('a. '.repeat(count), '').candidate_count, count)
  for (const count of [33, 5000])
    assert.throws(
      () => atomize('a. '.repeat(count), ''),
      (error) => (error as { observed?: number }).observed === count,
    )
})

test('a template of wide characters never outgrows the body limit of the operation it is for', () => {
  const text = Array.from({ length: 16 }, () => `${'😀'.repeat(1000)}.`).join(' ')
  const { evaluate_template, not_evaluable, atoms } = atomize(text, '')
  const bytes = utf8Encode(JSON.stringify(evaluate_template))
  assert.ok(bytes.length <= LIMITS.body_bytes)
  assert.ok(not_evaluable.length > 0)
  assert.equal(evaluate_template.claims.length + not_evaluable.length, atoms.length)
  readEvaluate(bytes)
})
