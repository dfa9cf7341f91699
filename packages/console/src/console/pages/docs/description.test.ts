import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { isOperationId, rowOf } from '@orch/client'
import { faultsOf } from '../../schema-form/schema.ts'
import { callFormOf } from './call-form.ts'
import { pythonOf, typescriptOf } from './code-examples.ts'
import { type ApiDocument, found, operationsOf } from './description.ts'
import { rowsOf } from './schema-rows.ts'

const API = JSON.parse(readFileSync(new URL('../../../../../../openapi.json', import.meta.url), 'utf8')) as ApiDocument
const OPERATIONS = operationsOf(API)
const ORIGIN = 'http://127.0.0.1:8080'

test('5d every operation is found by its path and by its id, an alias leads to it, and nonsense finds nothing', () => {
  for (const { id, path, aliases } of OPERATIONS)
    for (const asked of [path, id, ...aliases])
      assert.ok(
        found(OPERATIONS, asked)
          .items.slice(0, 5)
          .some((one) => one.id === id),
        `${asked} finds ${id}`,
      )
  assert.deepEqual(found(OPERATIONS, 'zebra crossing').items, [])
})

test('an operation that is called what was typed stands before those that only mention it', () => {
  for (const [typed, id] of [
    ['govern', 'governance.govern'],
    ['review', 'reviews.list'],
    ['keys', 'keys.list'],
    ['ledger', 'khipu.ledger'],
  ] as const)
    assert.equal(found(OPERATIONS, typed).items[0]?.id, id, typed)
})

test('the form of every operation begins with its documented example, has no fault of its own and sends the example', () => {
  for (const operation of OPERATIONS) {
    const form = callFormOf(operation, {})
    assert.deepEqual(faultsOf(form.schema, form.start), [], operation.id)
    const { body } = form.inputOf(form.start)
    if (operation.body?.example !== undefined) assert.deepEqual(body, operation.body.example, operation.id)
  }
})

test('a fault of the service stands at its field, also where two parts have a member of one name', () => {
  const ledger = callFormOf(OPERATIONS.find(({ id }) => id === 'khipu.ledger')!, {})
  assert.deepEqual(ledger.placed(['query', 'limit'], 'too many'), { place: ['limit'], message: 'too many' })
  const decide = callFormOf(OPERATIONS.find(({ id }) => id === 'reviews.decide')!, { review_id: 'rev_1' })
  assert.equal(decide.inputOf(decide.start).params.review_id, 'rev_1')
  assert.deepEqual(decide.placed(['body', 'reason'], 'short').place, ['reason'])
})

test('members are rows under the one they belong to, with type, bounds and default', () => {
  const [row, list] = rowsOf(
    {
      type: 'object',
      required: ['n'],
      properties: {
        n: { type: 'integer', minimum: 1, maximum: 9, default: 3, description: 'How many.' },
        rows: {
          type: 'array',
          items: { anyOf: [{ type: 'object', properties: { a: { type: 'string' } } }, { type: 'null' }] },
        },
      },
    },
    'body',
  )
  assert.deepEqual([row!.name, row!.type, row!.isRequired, row!.hint], ['n', 'integer', true, '1 to 9, 3 by default'])
  assert.deepEqual(
    list!.children.map(({ name, depth }) => [name, depth]),
    [['a', 1]],
  )
  const text = { type: 'object', properties: { t: { type: 'string' } } }
  const count = { type: 'object', properties: { n: { type: 'integer' } } }
  const tuple = { type: 'object', properties: { both: { type: 'array', prefixItems: [text, count], items: false } } }
  const [both] = rowsOf(tuple as unknown as Parameters<typeof rowsOf>[0], 'x')
  assert.deepEqual(
    both!.children.map(({ name, children }) => [name, children.map((member) => member.name)]),
    [
      ['form 1', ['t']],
      ['form 2', ['n']],
    ],
  )
  for (const { id, body, reply } of OPERATIONS)
    for (const schema of [body?.schema, reply.schema]) if (schema) assert.ok(rowsOf(schema, 'x').length > 0, id)
})

test('the examples in Python are Python and those in TypeScript name the operation; no token is ever in one', (t) => {
  const all = OPERATIONS.filter(({ path }) => !path.includes('{rest}')).map((operation) => {
    const form = callFormOf(operation, {})
    if (!isOperationId(operation.id)) throw new Error(`${operation.id} is not in the client`)
    const input = form.inputOf(form.start)
    const typescript = typescriptOf(operation.id, input, ORIGIN, true)
    assert.ok(typescript.includes(`client.call('${operation.id}'`) && typescript.includes('process.env.ORCH_TOKEN'))
    return pythonOf(rowOf(operation.id), input, ORIGIN, true, operation.reply.type === 'application/json')
  })
  if (spawnSync('python3', ['--version']).status !== 0) return t.skip('SKIPPED: python3 is not installed')
  const check = 'import ast, json, sys\nfor text in json.load(sys.stdin): ast.parse(text)'
  const { status, stderr } = spawnSync('python3', ['-c', check], { input: JSON.stringify(all), encoding: 'utf8' })
  assert.equal(status, 0, stderr)
})
