import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { after, test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import fastJsonPatch from 'fast-json-patch'
import { testCompute } from '#testing/organs/live-gates.ts'
import { tryOrgan } from '#testing/organs/try-organ.ts'
import { InputError } from '../../../errors.ts'
import { ENGINE_FILE, generate } from './io/generate.ts'
import { schema } from './organ.ts'
import { mendGrammar, rangeMark } from './range.ts'
import { repairValue } from './repair.ts'
import { compileSchema, SchemaFault } from './validator.ts'

const organ = schema({ compute: testCompute(after) })
const ajv = new Ajv2020({ strict: false })
const alive = setInterval(() => undefined, 1000)
after(() => clearInterval(alive))

type Body = Record<string, unknown>
const run = async (body: Body) => (await tryOrgan(organ, body)).answer
const faultsOf = async (body: Body): Promise<{ loc: unknown[]; type: string; msg: string }[]> => {
  try {
    await tryOrgan(organ, body)
  } catch (error) {
    if (error instanceof InputError) return error.detail
    throw error
  }
  return []
}
const stream = { organ: 'N12', version: 'test', op: 'generate', seed: 7 }

test('the engine is the published file, unchanged', () => {
  const digest = createHash('sha256').update(readFileSync(ENGINE_FILE)).digest('hex')
  assert.equal(digest, '803713906fb3e53483ab03f33244a64d8ed818820be9abe520e615754bfd3e24')
})

const node = {
  type: 'object',
  properties: { v: { type: 'integer' }, next: { anyOf: [{ $ref: '#/$defs/n' }, { type: 'null' }] } },
  required: ['v', 'next'],
}
const SUPPORTED: Body[] = [
  { type: 'object', properties: { a: { type: 'integer' }, b: { type: 'string' } }, required: ['a', 'b'] },
  { type: 'object', properties: { a: false, b: { type: 'null' } } },
  { type: 'object', additionalProperties: { type: 'boolean' } },
  { type: 'object', required: ['x'], additionalProperties: { type: 'integer' } },
  { type: 'integer', minimum: 5, maximum: 120 },
  { type: 'integer', minimum: -142, exclusiveMaximum: 118 },
  { type: 'number', exclusiveMinimum: 0 },
  { type: 'number' },
  { minimum: 5.5 },
  { enum: ['é', 1, null, { a: 1 }, [2]] },
  { type: 'string', enum: ['a', 3] },
  { const: 'x"y' },
  { type: 'string', pattern: '^[a-c]{3}$' },
  { type: 'string', pattern: 'a|b$' },
  { type: 'string', minLength: 3, maxLength: 5 },
  { type: ['string', 'null'], maxLength: 2 },
  {},
  { type: 'boolean' },
  { type: 'array' },
  { type: 'array', items: { type: 'boolean' }, minItems: 2, maxItems: 3 },
  { type: 'array', prefixItems: [{ type: 'integer' }, { type: 'string' }] },
  { type: 'array', prefixItems: [{ type: 'integer' }], items: { type: 'null' }, minItems: 3 },
  { type: 'array', items: false },
  { anyOf: [{ type: 'integer' }, { type: 'array', maxItems: 1 }] },
  { $ref: '#/$defs/n', $defs: { n: node } },
  {
    anyOf: [
      { type: 'integer', maximum: -482 },
      { type: 'integer', maximum: 1048 },
    ],
  },
  {
    type: 'object',
    properties: { '"q"': { type: 'null' }, '" | "': { type: 'boolean' }, 'a\\b': {}, 'n\nl': { const: 1 }, 'a/b~': {} },
    required: ['"q"', '" | "', 'a\\b', 'n\nl', '\u0001', '\\"'],
    additionalProperties: { type: 'boolean' },
  },
]
for (const wanted of SUPPORTED)
  test(`every output fits ${JSON.stringify(wanted).slice(0, 90)}`, async () => {
    const fits = ajv.compile(wanted)
    for (const seed of [1, 2, 3]) {
      const { result } = await run({ schema: wanted, n: 8, seed })
      assert.equal(result.validity, 1, JSON.stringify(result.outputs))
      for (const { text } of result.outputs) assert.ok(fits(JSON.parse(text)), text)
    }
  })

test('the first mask of an object schema allows only the brace', async () => {
  const { result } = await run({})
  assert.deepEqual(result.first_mask, ['{'])
  assert.equal(result.mask_density[0], Number((1 / 1024).toFixed(6)))
  assert.ok(result.rejected_tokens > 0 && result.rejected_tokens <= result.steps)
  assert.deepEqual([result.validity, result.baseline_validity], [1, 0])
})

test('a text with half of its room gone ends: a brace inside it closes nothing', async () => {
  for (const seed of [1, 2, 3, 4, 5]) {
    const texts = { type: 'object', properties: { a: { type: 'string' }, b: { type: 'string' } }, required: ['a', 'b'] }
    assert.equal((await run({ schema: texts, n: 16, max_tokens: 64, seed })).result.validity, 1, `seed ${seed}`)
  }
})

test('the baseline is measured: a grammar that allows everything is met without a mask', async () => {
  const { result } = await run({ regex: '(?s:.*)', n: 2 }).catch(() => run({ regex: '[^\\n]*', n: 2 }))
  assert.ok(result.baseline_validity > 0)
})

test('ranges are exact at both ends', () => {
  fc.assert(
    fc.property(fc.integer({ min: -3000, max: 3000 }), fc.nat({ max: 3000 }), (low, width) => {
      const high = low + width
      const grammar = mendGrammar(JSON.stringify(JSON.stringify(rangeMark(low, high))))
      const pattern = new RegExp(`^(?:${grammar.replaceAll('"', '').replaceAll(' ', '')})$`)
      for (const edge of [low, high, 0])
        for (let value = edge - 15; value <= edge + 15; value += 1)
          assert.equal(pattern.test(String(value)), low <= value && value <= high, `${value} in ${low}..${high}`)
    }),
    { seed: 12 },
  )
})

test('patterns and choices are kept to, also outside ASCII', async () => {
  const coded = (await run({ regex: '[0-9]{3}-(ab|cd)+', n: 8 })).result
  assert.ok(
    coded.validity === 1 && coded.outputs.every(({ text }: { text: string }) => /^[0-9]{3}-(ab|cd)+$/.test(text)),
  )
  const choices = ['hé"llo\\', 'w\nx', '日本']
  const chosen = (await run({ choices, n: 16 })).result
  assert.equal(chosen.validity, 1)
  assert.ok(chosen.outputs.every(({ text }: { text: string }) => choices.includes(text)))
})

for (const [wanted, at, type] of [
  [{ oneOf: [{}] }, 'oneOf', 'unsupported_keyword'],
  [{ not: {} }, 'not', 'unsupported_keyword'],
  [{ type: 'object', properties: { a: { uniqueItems: true } } }, 'uniqueItems', 'unsupported_keyword'],
  [{ type: 'string', pattern: 'a', maxLength: 3 }, 'maxLength', 'unsupported_keyword'],
  [{ $ref: 'https://example.com/s' }, 'schema', 'invalid_schema'],
  [{ $ref: '#' }, '$ref', 'unsatisfiable_schema'],
  [{ type: 'integer', minimum: 5, maximum: 1 }, 'schema', 'unsatisfiable_schema'],
  [{ type: 'object', properties: { a: false }, required: ['a'] }, 'schema', 'unsatisfiable_schema'],
  [{ type: 'number', minimum: 0.2, maximum: 0.8 }, 'minimum', 'unsupported_keyword'],
  [false, 'schema', 'unsatisfiable_schema'],
  [{ type: 'nonsense' }, 'schema', 'invalid_schema'],
  [{ type: 'string', pattern: '(?=a)b' }, 'schema', 'unsupported_regex'],
] as const)
  test(`${JSON.stringify(wanted)} is refused as ${type}`, async () => {
    const [fault] = await faultsOf({ schema: wanted })
    assert.equal(fault!.type, type)
    assert.ok(fault!.loc.includes(at), JSON.stringify(fault))
    assert.equal((await run({})).status, 'EXECUTED', 'the next request is answered')
  })

for (const [wanted, at, type] of [
  [{ properties: { a: { $ref: 'https://example.com/s' } } }, 'schema.properties.a.$ref', 'invalid_schema'],
  [{ $id: 'https://a.example/', items: { $ref: 'other' } }, 'schema.items.$ref', 'invalid_schema'],
  [{ items: { pattern: '(?=a)b' } }, 'schema.items.pattern', 'unsupported_regex'],
  [{ properties: { default: { pattern: 'a(' } } }, 'schema.properties.default.pattern', 'unsupported_regex'],
  [{ patternProperties: { 'a(': {} } }, 'schema.patternProperties.a(', 'unsupported_regex'],
  [{ anyOf: [{}, { minLength: -1 }] }, 'schema.anyOf.1.minLength', 'invalid_schema'],
  [{ $schema: 'https://example.com/meta' }, 'schema.$schema', 'invalid_schema'],
  [{ $ref: '#/$defs/%' }, 'schema', 'invalid_schema'],
  [{ items: { const: { valueOf: 1 } } }, 'schema.items.const', 'unsupported_value'],
  [{ enum: [1, { constructor: {} }] }, 'schema.enum', 'unsupported_value'],
] as const)
  test(`what is wrong with ${JSON.stringify(wanted)} is named by its place, whichever op finds it`, async () => {
    for (const body of [
      { schema: wanted },
      ...['check', 'repair'].map((op) => ({ op, schema: wanted, candidate: 1 })),
    ]) {
      const [fault] = await faultsOf(body)
      assert.deepEqual([fault!.loc.slice(1).join('.'), fault!.type], [at, type])
    }
  })

test('a character that the model cannot spell is the fault of the request, at its place', async () => {
  for (const letter of ['\u0000', '\u0008', '\u001f', '\u007f', '\ud800']) {
    const [fault] = await faultsOf({ choices: ['fine', `a${letter}`] })
    assert.deepEqual(fault!.loc, ['body', 'choices', 1], JSON.stringify(letter))
  }
  const [coded] = await faultsOf({ regex: 'a\\x01' })
  assert.deepEqual([coded!.loc, coded!.type], [['body', 'regex'], 'unsatisfiable_schema'])
  assert.equal((await run({ schema: { enum: ['\u0001', '\u007f'] } })).result.validity, 1, 'JSON escapes it')
  for (const prompt of ['a\u0001b c', '\u0000', '\ud800', 'x\u007f'])
    assert.equal((await run({ prompt })).result.validity, 1)
})

test('the names inside one schema mean nothing to the next', () => {
  compileSchema({ $defs: { a: { $id: 'https://mine.example/a', type: 'string' } } })
  assert.throws(() => compileSchema({ $ref: 'https://mine.example/a', $defs: { a: {} } }), SchemaFault)
  compileSchema({ $id: 'https://mine.example/root', $defs: { a: { $id: 'https://mine.example/a', type: 'null' } } })
})

test('a schema that refers to itself for ever is refused by every op', async () => {
  const own = { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } }
  for (const wanted of [{ $ref: '#' }, { allOf: [{ $ref: '#' }] }, own])
    for (const op of ['check', 'repair']) {
      const [fault] = await faultsOf({ op, schema: wanted, candidate: 1 })
      assert.deepEqual([fault!.type, fault!.msg], ['invalid_schema', 'refers to itself without an end'])
    }
})

test('the engine gets 256 MiB and no more, and one that met the limit is replaced', async () => {
  const memory = new WebAssembly.Memory({ initial: 1 })
  assert.throws(() => memory.grow(4096), RangeError)
  assert.equal(memory.grow(4), 1)
  // More than a request can hold: what the deadline would stop first is asked of the job itself.
  const choices = Array.from({ length: 60_000 }, (_, n) => `word number ${n} ${'x'.repeat(30)}`)
  assert.deepEqual(await generate({ choices, n: 1, maxTokens: 4, stream }), { limit: 'memory' })
  assert.ok('result' in (await generate({ choices: ['a'], n: 1, maxTokens: 4, stream })))
})

test('what the engine itself gives up on is refused without a host path, and it starts anew', async () => {
  const [fault] = await faultsOf({ regex: '\\p{L}' })
  assert.equal(fault!.type, 'unsupported_schema')
  assert.doesNotMatch(fault!.msg, /\.cc|Users/)
  assert.equal((await run({})).result.validity, 1)
})

test('a grammar that explodes ends at the limit', async () => {
  const properties = Object.fromEntries(
    Array.from({ length: 150 }, (_, n) => [`p${n}`, { type: 'string', minLength: 50_000 + n, maxLength: 100_000 + n }]),
  )
  const hasty = schema({ compute: testCompute(after, { isPatient: false }) })
  const { answer } = await tryOrgan(hasty, { schema: { type: 'object', properties } })
  assert.deepEqual([answer.status, answer.ok, answer.result], ['LIMIT_EXCEEDED', false, null])
  assert.equal((await tryOrgan(hasty, {})).answer.status, 'EXECUTED')
})

test('an output that has no room to end is cut, not valid, and says so', async () => {
  const answer = await run({ schema: { type: 'string', minLength: 50 }, max_tokens: 4, n: 2 })
  assert.deepEqual([answer.result.validity, answer.result.outputs[0].truncated], [0, true])
  assert.equal(answer.limits[0].code, 'TRUNCATED')
})

test('check tells every fault with its place', async () => {
  const wanted = { type: 'object', properties: { a: { type: 'integer' } }, required: ['b'] }
  const { result } = await run({ op: 'check', schema: wanted, candidate: { a: 'x' } })
  assert.equal(result.valid, false)
  assert.deepEqual(result.errors.map(({ path, keyword }: Body) => [path, keyword]).sort(), [
    ['', 'required'],
    ['/a', 'type'],
  ])
  assert.deepEqual((await run({ op: 'check', schema: wanted, candidate: { b: 1 } })).result.errors, [])
})

test('repair changes as little as it takes', async () => {
  const wanted = {
    type: 'object',
    properties: { a: { type: 'integer', minimum: 3 }, plan: { enum: ['free', 'paid'] }, ok: { type: 'boolean' } },
    required: ['a', 'plan', 'ok'],
    additionalProperties: false,
  }
  const { result } = await run({ op: 'repair', schema: wanted, candidate: { a: '2', plan: 'pad', z: 1 } })
  assert.deepEqual(result.value, { a: 3, plan: 'paid', ok: false })
  assert.equal(result.valid, true)
  const hopeless = await run({ op: 'repair', schema: { type: 'string', pattern: '^a$' }, candidate: 5 })
  assert.equal(hopeless.result.valid, false)
  const other = await run({ op: 'check', schema: { type: 'string', pattern: '^b$' }, candidate: 'b' })
  assert.equal(other.result.valid, true, 'one pattern is not taken for another')
})

test('repair takes the default for what cannot be told in the type, and words for booleans', async () => {
  const mended = async (wanted: Body, candidate: unknown) => {
    const { value, valid } = (await run({ op: 'repair', schema: wanted, candidate })).result
    assert.equal(valid, true)
    return value
  }
  for (const [candidate, value] of [
    ['yes', true],
    [' On ', true],
    ['TRUE', true],
    ['1', true],
    [1, true],
    ['no', false],
    ['off', false],
    [0, false],
  ] as const)
    assert.equal(await mended({ type: 'boolean', default: !value }, candidate), value, `${candidate}`)
  assert.equal(await mended({ type: 'boolean', default: true }, null), true)
  assert.equal(await mended({ type: 'boolean', default: true }, 'perhaps'), true)
  assert.deepEqual(await mended({ properties: { n: { type: 'integer', default: 7, minimum: 5 } } }, { n: null }), {
    n: 7,
  })
  assert.equal(await mended({ type: 'number', default: 2 }, null), 2)
  assert.equal(await mended({ type: 'integer', default: 'seven' }, null), 0)
})

test('numbers of a repaired value keep their digits, and formats are said not to be checked', async () => {
  const wanted = { properties: { x: { type: 'number' }, mail: { type: 'string', format: 'email' } } }
  const { result, limits } = await run({ op: 'repair', schema: wanted, candidate: { x: '0.123456789', y: 1e-9 } })
  assert.deepEqual(result.value, { x: 0.123456789, y: 1e-9 })
  assert.deepEqual(result.patch, [{ op: 'replace', path: '/x', value: 0.123456789 }])
  const expected = [{ code: 'FORMAT_NOT_CHECKED', detail: 'formats are annotations: email' }]
  assert.deepEqual(limits, expected)
  assert.deepEqual((await run({ op: 'check', schema: wanted, candidate: { mail: 'x' } })).limits, expected)
  const named = { properties: { format: { type: 'string' } }, const: { format: 'email' } }
  assert.deepEqual((await run({ op: 'check', schema: named, candidate: 1 })).limits, [])
})

test('hostile schemas and candidates are answered, never with a result that is too long', async () => {
  const name = 'k'.repeat(20_000)
  const ones = { [name]: Array(200).fill(1) }
  const texts = { additionalProperties: { items: { type: 'string' } } }
  const result = (await run({ op: 'check', schema: texts, candidate: ones })).result
  assert.deepEqual([result.errors.length, result.errors_truncated_from, result.errors[0].path.length], [100, 200, 256])
  assert.equal((await run({ op: 'repair', schema: texts, candidate: ones })).result.valid, true)
  const tiny = (await run({ op: 'repair', schema: { multipleOf: 1e-300 }, candidate: 1e300 })).result
  assert.equal(tiny.valid, false)
  const properties = Object.fromEntries(
    Array.from({ length: 200 }, (_, n) => [`p${n}`, { type: 'string', minLength: 4096 }]),
  )
  const wide = { type: 'object', properties, required: Object.keys(properties) }
  assert.equal((await run({ op: 'repair', schema: wide, candidate: {} })).result.valid, false)
  assert.equal(
    (await run({ op: 'repair', schema: { minLength: 90_000 }, candidate: 'x'.repeat(9000) })).result.valid,
    false,
  )
})

const leaf = fc.oneof(
  fc.record({
    type: fc.constant('integer'),
    minimum: fc.integer({ min: -9, max: 0 }),
    maximum: fc.integer({ min: 1, max: 9 }),
  }),
  fc.record({ type: fc.constant('string'), minLength: fc.nat({ max: 2 }), maxLength: fc.integer({ min: 2, max: 5 }) }),
  fc.record({ enum: fc.uniqueArray(fc.string(), { minLength: 1, maxLength: 4 }) }),
  fc.constant({ type: 'boolean' }),
)
const list = fc.record({
  type: fc.constant('array'),
  items: leaf,
  minItems: fc.nat({ max: 2 }),
  maxItems: fc.integer({ min: 2, max: 4 }),
})
const wantedSchema = fc
  .dictionary(fc.constantFrom('a', 'b', 'c'), fc.oneof(leaf, list), { minKeys: 1 })
  .map((properties) => ({
    type: 'object',
    properties,
    required: Object.keys(properties),
    additionalProperties: false,
  }))

test('a repaired value fits, and the patch leads from the candidate to it', () => {
  fc.assert(
    fc.property(wantedSchema, fc.jsonValue({ maxDepth: 3 }), (wanted, candidate) => {
      fc.pre(!JSON.stringify(candidate).includes('__proto__'))
      const { patch, value, valid } = repairValue({ schema: wanted, candidate })
      assert.ok(valid && ajv.validate(wanted, value))
      const document = { value: structuredClone(candidate) }
      const boxed = patch.map((change) => ({ ...change, path: `/value${change.path}` }))
      const patched = fastJsonPatch.applyPatch(document, boxed as never).newDocument
      assert.deepEqual(JSON.parse(JSON.stringify(patched.value)), JSON.parse(JSON.stringify(value)))
    }),
    { seed: 12, numRuns: 200 },
  )
})

test('prompts: fields become a schema, other text a choice of its words; digests equal the written-out form', async () => {
  const typed = await run({ prompt: 'name:string, age: integer, plan:free|paid' })
  const properties = { name: { type: 'string' }, age: { type: 'integer' }, plan: { enum: ['free', 'paid'] } }
  const wanted = { type: 'object', properties, required: ['name', 'age', 'plan'], additionalProperties: false }
  const written = await run({ schema: wanted })
  assert.deepEqual([typed.input_sha256, typed.result_sha256], [written.input_sha256, written.result_sha256])
  assert.equal(typed.result.validity, 1)
  const words = await run({ prompt: 'red green  red blue' })
  assert.equal(words.input_sha256, (await run({ choices: ['red', 'green', 'blue'] })).input_sha256)
})

test('the example has its golden digest, another seed another, and another thread the same', async () => {
  const [first, other] = [await run({}), await run({ ...organ.example.request, seed: 43 })]
  assert.equal(first.result_sha256, 'e6411bdebcfc088c2a3eb5d25f5a39138d3612dbf3429e3be762e9e33457c0f9')
  assert.notEqual(first.result_sha256, other.result_sha256)
  const here = await generate({ choices: ['a', 'b'], n: 4, maxTokens: 8, stream })
  assert.deepEqual(here, await generate({ choices: ['a', 'b'], n: 4, maxTokens: 8, stream }))
})

test('every bound holds at its ends and refuses one step beyond', async () => {
  const nested = (depth: number): Body => (depth <= 1 ? {} : { items: nested(depth - 1) })
  const long = (bytes: number): Body => ({ title: 'x'.repeat(bytes - '{"title":""}'.length) })
  const choices = (count: number) => Array.from({ length: count }, (_, n) => `c${n}`)
  for (const ok of [
    { choices: choices(64), n: 16, max_tokens: 1 },
    { choices: ['x'.repeat(256)], n: 1 },
    { choices: ['x'], max_tokens: 1024 },
    { regex: 'a'.repeat(512), n: 1 },
    { op: 'check', schema: nested(16), candidate: 1 },
    { op: 'check', schema: long(16_384), candidate: 1 },
  ])
    assert.equal((await run(ok)).status, 'EXECUTED', JSON.stringify(ok).slice(0, 80))
  const refused: [Body, string][] = [
    [{ choices: [] }, 'choices'],
    [{ choices: choices(65) }, 'choices'],
    [{ choices: ['x'.repeat(257)] }, 'choices'],
    [{ choices: [''] }, 'choices'],
    [{ regex: 'a'.repeat(513) }, 'regex'],
    [{ regex: '(?<=a)b' }, 'regex'],
    [{ regex: 'a', choices: ['a'] }, 'choices'],
    [{ n: 1 }, 'schema'],
    [{ choices: ['a'], n: 0 }, 'n'],
    [{ choices: ['a'], n: 17 }, 'n'],
    [{ choices: ['a'], max_tokens: 0 }, 'max_tokens'],
    [{ choices: ['a'], max_tokens: 1025 }, 'max_tokens'],
    [{ op: 'check', schema: nested(17), candidate: 1 }, 'schema'],
    [{ op: 'check', schema: long(16_385), candidate: 1 }, 'schema'],
    [{ op: 'repair', schema: {}, candidate: JSON.parse('{"__proto__":1}') }, 'candidate'],
    [{ op: 'check', schema: { uniqueItems: true }, candidate: [{ valueOf: 1 }, { valueOf: 2 }] }, 'candidate'],
    [{ op: 'check', schema: {}, candidate: { a: { toString: 1 } } }, 'candidate'],
    [{ op: 'check', schema: {} }, 'candidate'],
  ]
  for (const [body, at] of refused)
    assert.ok(
      (await faultsOf(body)).some(({ loc }) => loc.includes(at)),
      JSON.stringify(body).slice(0, 80),
    )
})
