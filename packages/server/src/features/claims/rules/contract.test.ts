import assert from 'node:assert/strict'
import { test } from 'node:test'
import { utf8Encode } from '@orch/core'
import fc from 'fast-check'
import { LIMITS } from '../../../domain/claim-limits.ts'
import { codePoints } from '../../../domain/text/code-points.ts'
import { InputError } from '../../../errors.ts'
import { readEvaluateRequest } from './contract.ts'
import { PROBLEM_TYPES, pathText } from './problems.ts'

function faultsOf(body: string) {
  try {
    readEvaluateRequest(utf8Encode(body))
    return []
  } catch (error) {
    if (!(error instanceof InputError)) throw error
    return error.detail
  }
}

test('of many problems the first 32 are told, in the order of the document', () => {
  const faults = faultsOf(JSON.stringify({ claims: Array.from({ length: 100 }, () => ({ x: 1 })) }))
  assert.equal(faults.length, LIMITS.problems)
  assert.deepEqual(faults[0]!.loc, ['body', 'claims'])
  assert.deepEqual(faults[31]!.loc, ['body', 'claims', 30, 'x'])
})

test('a huge key with a fault in each of its values does not come back 32 times as long', () => {
  const key = '𝕜'.repeat(10_000)
  const foreign = Object.fromEntries(Array.from({ length: 31 }, (_, at) => [`x${at}`, 1]))
  const faults = faultsOf(JSON.stringify({ claims: [], external_signals: { [key]: foreign } }))
  assert.equal(faults.length, 32)
  assert.ok(JSON.stringify(faults).length < 16_384)
})

test('no message repeats more than 64 code points of what was sent', () => {
  const key = '𝕜'.repeat(200)
  const [first] = faultsOf(JSON.stringify({ claims: [], external_signals: { [key]: { [key]: 1 } } }))
  for (const { loc, msg } of faultsOf(JSON.stringify({ claims: [], external_signals: { [key]: { [key]: 1 } } }))) {
    const repeated = [...`${pathText(loc)} ${msg}`].filter((character) => character === '𝕜').length
    assert.ok(repeated <= LIMITS.repeated_input, `${repeated} code points`)
  }
  assert.equal(codePoints(String(first!.loc.at(-1))), LIMITS.repeated_input)
})

test('whatever JSON comes, every problem has a word of the closed list and a place inside the body', () => {
  const names = [
    'claims',
    'external_signals',
    'contradictions',
    'claim_id',
    'evidence_refs',
    'provenance',
    'status',
    '0',
  ]
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      fc.constantFrom<unknown>(null, true, 0, 2, 'x', ' ', 'VERIFIED', 'RESOLVED'),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(fc.oneof(fc.constantFrom(...names), fc.string({ maxLength: 3 })), tie('value'), { maxKeys: 5 }),
    ),
  }))
  fc.assert(
    fc.property(value, (body) => {
      for (const { loc, msg, type } of faultsOf(JSON.stringify(body))) {
        assert.ok((PROBLEM_TYPES as readonly string[]).includes(type), type)
        assert.equal(loc[0], 'body')
        assert.ok(msg.length > 0)
      }
    }),
    { seed: 1, numRuns: 10_000 },
  )
})

test('problems come in the order their places have in the text, whatever the keys look like', () => {
  const key = fc.oneof(
    fc.nat({ max: 99 }).map(String),
    fc.string({ minLength: 1, maxLength: 2, unit: fc.constantFrom('x', 'y') }),
  )
  fc.assert(
    fc.property(fc.uniqueArray(key, { minLength: 1, maxLength: 20 }), (keys) => {
      const body = `{"claims":[],${keys.map((name) => `${JSON.stringify(name)} : [ 1, {"a":"}\\""} ]`).join(' , ')}}`
      assert.deepEqual(
        faultsOf(body).map(({ loc }) => loc[1]),
        keys,
      )
    }),
    { seed: 2, numRuns: 10_000 },
  )
})
