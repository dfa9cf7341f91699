import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { utf8Encode } from '@orch/core'
import fc from 'fast-check'
import { Compile } from 'typebox/compile'
import { request } from '#testing/claim-requests.ts'
import { InputError } from '../../errors.ts'
import { claimCompiler } from './rules/compiler.ts'
import { AtomizeRequest, EvaluateRequest } from './schemas.ts'

const published = { atomize: Compile(AtomizeRequest), evaluate: Compile(EvaluateRequest) }
const readers = { atomize: claimCompiler.readAtomize, evaluate: claimCompiler.readEvaluate }
/** Rules between records, which a schema cannot say. */
const BETWEEN = new Set(['not_unique', 'unknown_reference', 'not_subset'])

/** Whether the compiler takes the shape, whatever it thinks of what the records say of each other. */
function fits(operation: 'atomize' | 'evaluate', body: unknown): boolean {
  try {
    readers[operation](utf8Encode(JSON.stringify(body)))
    return true
  } catch (error) {
    if (!(error instanceof InputError)) throw error
    return error.detail.every(({ type }) => BETWEEN.has(type))
  }
}

test('the published schema takes every request the compiler takes', () => {
  fc.assert(
    fc.property(request, (body) => {
      assert.ok(published.evaluate.Check(body) && fits('evaluate', body))
    }),
    { seed: 31, numRuns: 10_000 },
  )
})

test('the published schema and the compiler refuse the same broken requests', () => {
  const validationExtras = fc.constantFrom<unknown>(
    null,
    1,
    'x',
    [],
    {},
    true,
    ' ',
    '\u200b',
    -1,
    'x'.repeat(200),
    '😀'.repeat(128),
  )
  const places = ['claims', 'external_signals', 'contradictions', 'extra'] as const
  const fields = ['claim_id', 'statement', 'atomic', 'evidence_refs', 'consequence_owner', '__proto__x'] as const
  fc.assert(
    fc.property(
      request,
      fc.constantFrom(...places),
      fc.constantFrom(...fields),
      fc.boolean(),
      validationExtras,
      (body, place, field, deep, value) => {
        const [first, ...others] = body.claims
        const broken = deep
          ? { ...body, claims: [{ ...first, [field]: value }, ...others] }
          : { ...body, [place]: value }
        // The schema compares ids as they are; the compiler trims them first, so only its own word counts for them.
        assert.equal(published.evaluate.Check(broken), fits('evaluate', broken), JSON.stringify(broken))
      },
    ),
    { seed: 32, numRuns: 10_000 },
  )
})

test('every vector that the compiler refuses for its shape is refused by the published schema', () => {
  const file = new URL('../../../../../vectors/claims.json', import.meta.url)
  const { refused } = JSON.parse(readFileSync(file, 'utf8'))
  const shapes = refused.filter(({ problems }: { problems: [string, string][] }) =>
    problems.every(([, type]) => !BETWEEN.has(type) && !/^(?:json|encoding)_|candidates/.test(type)),
  )
  assert.ok(shapes.length > 10)
  for (const { id, operation, body } of shapes)
    assert.equal(published[operation as 'atomize' | 'evaluate'].Check(JSON.parse(body)), false, id)
})
