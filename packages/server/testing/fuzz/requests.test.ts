import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { Compile } from 'typebox/compile'
import { brokenValue } from './broken-values.ts'
import { type Document, targetsOf } from './description.ts'
import { randomOf } from './random.ts'
import { KINDS, requestOf, weighted } from './requests.ts'
import { validValue } from './valid-values.ts'

const document = JSON.parse(readFileSync(new URL('../../../../openapi.json', import.meta.url), 'utf8')) as Document
const targets = targetsOf(document)
const NOTHING = new Map()

test('a seed and a number say one request, and another seed says another', () => {
  const lots = weighted(targets)
  const of = (seed: number) =>
    Array.from({ length: 200 }, (_, number) => requestOf(seed, number, lots, NOTHING)).map(
      ({ target, ...rest }) => `${target.id} ${JSON.stringify(rest)}`,
    )
  assert.deepEqual(of(1), of(1))
  const other = of(2)
  assert.ok(of(1).filter((text, at) => text === other[at]).length < 20)
})

test('four thousand requests reach every operation that reads something, with every kind of fault', () => {
  const lots = weighted(targets)
  const drawn = Array.from({ length: 4000 }, (_, number) => requestOf(1, number, lots, NOTHING))
  const reached = new Set(drawn.map(({ target }) => target.id))
  const missed = targets.filter(({ id, body, parameters }) => (body || parameters.length > 0) && !reached.has(id))
  assert.deepEqual(missed, [])
  assert.deepEqual(new Set(drawn.map(({ kind }) => kind)), new Set(KINDS))
})

test('what is made from the schema of a body fits it', () => {
  const random = randomOf(1)
  for (const { id, body } of targets) {
    if (!body) continue
    const schema = Compile(body.schema as never)
    const made = Array.from({ length: 50 }, () => validValue(body.schema, random, NOTHING))
    const fitting = made.filter((value) => schema.Check(value))
    assert.ok(fitting.length >= 40, `${id}: ${fitting.length} of 50 fit`)
  }
})

test('one fault put into a fitting value mostly unfits it, and at an edge it still fits', () => {
  const random = randomOf(2)
  const range = {
    type: 'object',
    required: ['n'],
    additionalProperties: false,
    properties: { n: { type: 'integer', minimum: 3, maximum: 9 } },
  }
  const schema = Compile(range as never)
  const broken = Array.from({ length: 500 }, () => brokenValue({ n: 5 }, range, random))
  const seen = new Set(broken.map((value) => JSON.stringify(value)))
  for (const edge of [2, 3, 4, 8, 9, 10]) assert.ok(seen.has(`{"n":${edge}}`), `n = ${edge}`)
  assert.ok(seen.has('{}'))
  assert.ok([...seen].some((text) => text.includes('__proto__')))
  assert.ok(broken.filter((value) => !schema.Check(value)).length > 250)
})
