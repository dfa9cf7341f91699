import assert from 'node:assert/strict'
import { test } from 'node:test'
import { branchName, branchOf, faultsOf, hintOf, type JsonSchema, kindOf, startOfFields } from './schema.ts'

const SCAN: JsonSchema = {
  type: 'object',
  required: ['text'],
  properties: {
    op: { const: 'scan', type: 'string' },
    text: { type: 'string', minLength: 1, maxLength: 5 },
    threshold: { type: 'number', minimum: 0, maximum: 1, default: 0.5 },
    scanners: { type: 'array', uniqueItems: true, minItems: 1, items: { enum: ['pii', 'secrets'] } },
    rows: { type: 'array', items: { type: 'object', properties: { n: { type: 'integer', minimum: 1 } } } },
    either: { anyOf: [{ type: 'number' }, { type: 'object', required: ['a'], properties: { a: { type: 'string' } } }] },
    raw: { type: ['object', 'string'] },
  },
}

test('each form of a schema has its kind of field', () => {
  const kinds = Object.values(SCAN.properties ?? {}).map(kindOf)
  assert.deepEqual(kinds, ['fixed', 'text', 'number', 'choices', 'list', 'branches', 'json'])
  assert.equal(kindOf({ anyOf: [{ const: 'a' }, { const: 'b' }] }), 'choice')
})

test('what a bound refuses is said at its place, inside lists and branches too, and a good value has no fault', () => {
  const value = { text: 'too long', threshold: 1.5, scanners: [], rows: [{ n: 2 }, { n: 0.5 }], either: { a: '' } }
  assert.deepEqual(
    faultsOf(SCAN, value).map(({ place, message }) => [place.join('.'), message]),
    [
      ['text', 'Must have at most 5 characters.'],
      ['threshold', 'Must be at most 1.'],
      ['scanners', 'Must have at least 1 item.'],
      ['rows.1.n', 'Must be a whole number.'],
    ],
  )
  assert.deepEqual(faultsOf(SCAN, { text: 'ok' }), [])
  assert.deepEqual(faultsOf(SCAN, {}), [{ place: ['text'], message: 'Is required.' }])
})

test('the branch of a value is the one whose form it has, and a form starts with what is required', () => {
  const either = SCAN.properties?.either as JsonSchema
  assert.deepEqual([branchOf(either, 3), branchOf(either, { a: 'x' })], [0, 1])
  assert.deepEqual(startOfFields(SCAN), { text: '' })
  assert.equal(hintOf(SCAN.properties?.threshold as JsonSchema, false), '0 to 1, 0.5 by default')
})

test('one of several forms is named in words that a person understands', () => {
  const forms: JsonSchema[] = [
    { type: 'integer' },
    { type: 'null' },
    { type: 'array', items: {} },
    { enum: ['a', 'b', 'c', 'd', 'e'] },
    { anyOf: [{ const: 'allow' }, { const: 'deny' }] },
    { type: 'object', required: ['value', 'low', 'high'] },
    { type: 'object', properties: { kind: { const: 'fixed' } } },
    { type: 'object' },
    {},
  ]
  assert.deepEqual(forms.map(branchName), [
    'a whole number',
    'nothing',
    'a list',
    'one of a, b, c and 2 more',
    'one of allow, deny',
    'fields value, low, high',
    'fixed',
    'anything, as JSON',
    'anything, as JSON',
  ])
})
