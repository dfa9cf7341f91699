import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { GENERATED_FILE, generate, type OpenApiDocument } from './generate.ts'
import { typeName, typeOf } from './schema-types.ts'

const PRINTER = join(import.meta.dirname, '../../scripts/print-openapi.ts')

test('the committed types are those of the operations as the service describes them now', () => {
  const flags = ['--disable-warning=ExperimentalWarning', PRINTER]
  const printed = execFileSync(process.execPath, flags, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 })
  const wanted = generate(JSON.parse(printed) as OpenApiDocument)
  const message = 'run `npm run check -- --write`, then `node packages/client/generate.ts`'
  assert.ok(readFileSync(GENERATED_FILE, 'utf8') === wanted, message)
})

test('schemas become the types their values have', () => {
  const cases: [unknown, string][] = [
    [{ type: 'string', format: 'date-time' }, 'string'],
    [{ type: ['string', 'null'] }, '(string | null)'],
    [{ enum: ['a', 'b'] }, '("a" | "b")'],
    [{ const: false }, 'false'],
    [{ anyOf: [{ type: 'integer' }, { type: 'null' }] }, '(number | null)'],
    [
      { allOf: [{ $ref: '#/components/schemas/A' }, { type: 'object', properties: { b: {} } }] },
      '(A & { "b"?: unknown })',
    ],
    [{ type: 'array', items: { type: 'number' } }, '(number)[]'],
    [{ type: 'array', items: [{ type: 'number' }, { const: 'x' }] }, '[number, "x"]'],
    [{ type: 'object', patternProperties: { '^.*$': { type: 'boolean' } } }, 'Record<string, boolean>'],
    [
      { type: 'object', required: ['a'], properties: { a: { type: 'string' }, b: {} } },
      '{ "a": string; "b"?: unknown }',
    ],
    [{}, 'unknown'],
    [false, 'never'],
  ]
  for (const [schema, type] of cases) assert.equal(typeOf(schema), type)
  assert.equal(typeName('orch.receipt-export/v1'), 'orchReceiptExportV1')
})

test('an alias is not a second operation, and what is no JSON is text or bytes', () => {
  const responses = (media: string) => ({ 200: { content: { [media]: { schema: {} } } } })
  const described = { summary: 's', responses: responses('application/octet-stream') }
  const text = generate({
    paths: {
      '/a/{id}': {
        get: {
          ...described,
          operationId: 'x.read',
          parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
        },
      },
      '/b': { get: { ...described, operationId: 'x.read@/b', 'x-orch-alias-of': 'x.read' } },
      '/c': { get: { ...described, operationId: 'x.text', responses: responses('text/plain; charset=utf-8') } },
    },
    components: { schemas: {} },
  })
  assert.match(text, /params: \{ "id": string \}/)
  assert.match(text, /reply: Uint8Array/)
  assert.match(text, /reply: string/)
  assert.doesNotMatch(text, /@\/b/)
})
