import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import Type from 'typebox'
import { faultText, read, readJson } from './shape.ts'

const closed = { additionalProperties: false }
const Tool = Type.Object(
  { name: Type.String({ minLength: 1, maxLength: 8 }), calls: Type.Integer({ minimum: 0 }) },
  closed,
)
const File = Type.Object(
  {
    schema: Type.Literal('tools/v1'),
    tools: Type.Array(Tool, { maxItems: 50 }),
    note: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  },
  closed,
)
const good = { schema: 'tools/v1', tools: [{ name: 'a', calls: 1 }], note: null }

const faults = (value: unknown, path?: string) => {
  const shaped = read(File, value, path)
  return shaped.ok ? [] : shaped.faults.map(({ at, message }) => `${at}: ${message}`)
}

test('a value that fits comes back typed and as it is', () => {
  const shaped = read(File, good)
  assert.ok(shaped.ok)
  assert.equal(shaped.value, good)
  assert.equal(shaped.value.tools[0]?.calls, 1)
})

test('every fault is named with its place and what is expected there', () => {
  assert.deepEqual(
    faults({ schema: 'x', tools: [{ name: '', calls: 1 }, { name: 'b' }, 7], more: 1, note: 3 }).sort(),
    [
      'more: is not a field that is known here',
      'note: must be text or null',
      'schema: must be "tools/v1"',
      'tools[0].name: must be text of 1 to 8 characters',
      'tools[1].calls: must be a whole number of at least 0; it is missing',
      'tools[2]: must be an object',
    ],
  )
  assert.deepEqual(faults(null), [': must be an object'])
})

test('the prefix stands before the place, and alone where the value itself is wrong', () => {
  assert.deepEqual(faults({ schema: 'tools/v1', tools: 1 }, 'tools.json'), [
    'tools.json: tools: must be a list of at most 50 items',
  ])
  assert.deepEqual(faults([], 'tools.json'), ['tools.json: must be an object'])
})

test('an object with too few or too many properties is told how many it may have', () => {
  const holdings = Type.Record(Type.String(), Type.Integer(), { minProperties: 1, maxProperties: 2 })
  for (const value of [{}, { a: 1, b: 2, c: 3 }]) {
    const found = read(holdings, value)
    assert.deepEqual(found.ok || found.faults.map(({ message }) => message), ['must be an object of 1 to 2 properties'])
  }
})

test('at most 32 faults are given, however many there are', () => {
  const tools = (length: number) => Array.from({ length }, () => ({ name: 'a', calls: -1 }))
  for (const [given, expected] of [
    [31, 31],
    [32, 32],
    [33, 32],
    [50, 32],
  ] as const)
    assert.equal(faults({ ...good, tools: tools(given) }).length, expected, `${given}`)
})

test('text that is not JSON is a fault like any other', () => {
  const shaped = readJson(File, '{', 'tools.json')
  assert.equal(shaped.ok ? '' : faultText(shaped.faults), 'tools.json must be JSON')
  assert.ok(readJson(File, JSON.stringify(good)).ok)
})

test('a fault carries the part of the schema that refused', () => {
  const shaped = read(File, { ...good, tools: [{ name: 'a' }] })
  assert.ok(!shaped.ok)
  assert.equal(shaped.faults[0].schema, Tool.properties.calls)
  assert.deepEqual([shaped.faults[0].kind, shaped.faults[0].place], ['missing', ['tools', 0, 'calls']])
})

test('whatever the value, it fits or there is at least one fault', () => {
  fc.assert(
    fc.property(fc.anything(), (value) => {
      const shaped = read(File, value)
      assert.ok(shaped.ok || shaped.faults.length > 0)
    }),
    { seed: 4 },
  )
})
