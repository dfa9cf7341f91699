import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { TObject, TSchema } from 'typebox'
import { startApp } from '#testing/layer.ts'
import { post, send } from '#testing/raw-http.ts'
import { InputError, type InputFault } from '../errors.ts'
import { allOperations } from '../features/index.ts'
import type { Operation } from '../operation.ts'
import { queryReader, validator } from './validation.ts'

const service = await startApp({ after }, { ORCH_STORE: 'memory' })
const operations: readonly Operation[] = allOperations(service.app.ports)

/** Values that fit few schemas: of another type, too long, too small, not in the list. */
const WRONG = ['~ no such value ~', 'x'.repeat(40_000), '', 12.5, -1e9, 1e9, true, null, [], [[]], {}, { '': 1 }]

function faultsOf(check: (value: unknown) => unknown, value: unknown): InputFault[] {
  try {
    check(value)
    return []
  } catch (error) {
    if (error instanceof InputError) return error.detail as InputFault[]
    throw error
  }
}

/** Every schema below one, with the way to put a value there. */
function* places(schema: TSchema, put: (value: unknown) => unknown, depth = 0): Generator<[TSchema, typeof put]> {
  yield [schema, put]
  if (depth > 4) return
  const { properties = {}, items, anyOf = [] } = schema as Partial<TObject> & { items?: TSchema; anyOf?: TSchema[] }
  for (const [name, child] of Object.entries(properties))
    yield* places(child as TSchema, (value) => put({ [name]: value }), depth + 1)
  if (items !== undefined) yield* places(items, (value) => put([value]), depth + 1)
  for (const option of anyOf) if ('properties' in option) yield* places(option, put, depth + 1)
}

const RULE_NAMES = /anyOf|oneOf|\bconst(?:ant)?\b|\bpattern\b|\bschema\b|\\d|\[0-9|\^\(/

function assertTelling({ msg, loc, type }: InputFault, where: string): void {
  const said = `${where} at ${JSON.stringify(loc).slice(0, 120)}: ${msg.slice(0, 200)}`
  // The names of properties are the contract's own, `schema` among them.
  assert.doesNotMatch(msg.replace(/^(this property is not part of the contract; allowed: ).*/, '$1'), RULE_NAMES, said)
  assert.ok(!['anyOf', 'const', 'oneOf'].includes(type), `${said} (${type})`)
  assert.match(msg, /^(?:must be .|this (?:property|parameter) .|no such parameter)/, said)
  if (type === 'pattern') assert.match(msg, /such as "|text \(/, said)
}

for (const op of operations) {
  const parts = [
    ['path', op.params],
    ['query', op.query],
    ['body', op.boundary?.read ? undefined : op.body],
  ] as const
  for (const [part, schema] of parts)
    if (schema !== undefined)
      test(`${op.id}: what is wrong in its ${part} is told by allowed values, bounds or an example`, () => {
        const check = validator(part, schema)
        for (const [, put] of places(schema as TSchema, (value) => value))
          for (const value of WRONG) for (const fault of faultsOf(check, put(value))) assertTelling(fault, op.id)
      })
}

test('every operation whose query narrows or selects refuses an unknown name and says the nearest', () => {
  const narrowing =
    /^(?:limit|cursor|after|since|until|digest|keyid|organ|from|to|receipts|require_transparency|request|rewalk|graph|origin|cik|series_id)$/
  for (const op of operations.filter(({ query, method }) => query !== undefined && method === 'GET')) {
    const names = Object.keys(op.query.properties)
    assert.equal(
      op.narrows === true,
      names.some((name) => narrowing.test(name)),
      op.id,
    )
    const [name = ''] = names
    const typo = `${name}x`
    const faults = faultsOf((value) => queryReader(op.query, op.narrows === true)(value as never), { [typo]: '1' })
    const suggested = faults.find(({ loc }) => loc[1] === typo)
    if (op.narrows !== true) assert.equal(suggested, undefined, op.id)
    else assert.match(suggested?.msg ?? '', new RegExp(`did you mean ${name}\\?`), op.id)
  }
})

test('a mistyped filter of an audit is refused and not ignored, elsewhere a stray name changes nothing', async () => {
  const refused = await send(`${service.url}/api/orch/khipu/ledger?decison=DENY`)
  assert.equal(refused.status, 422)
  assert.deepEqual(refused.json.detail[0].loc, ['query', 'decison'])
  assert.match(refused.json.detail[0].msg, /did you mean decision\?/)
  for (const name of ['tool', 'session', 'agent'])
    assert.equal((await send(`${service.url}/api/orch/khipu/ledger?${name}=anything`)).status, 200, name)
  assert.equal((await send(`${service.url}/api/orch/v1/version?cache=no`)).status, 200)
  for (const path of ['ledger/export?kind=x', 'khipu/organs?rewlk=1', 'gdw/integrity?session=1']) {
    const { status, json } = await send(`${service.url}/api/orch/v1/${path}`)
    assert.deepEqual([status, json.detail?.[0].type], [422, 'extra_forbidden'], path)
  }
})

test('a path that nobody serves names the one that was probably meant', async () => {
  const messageOf = async (path: string) => (await send(`${service.url}${path}`)).json.error.message as string
  assert.match(await messageOf('/api/orch/v1/khipu/ledger'), /did you mean \/api\/orch\/khipu\/ledger\?/)
  assert.match(await messageOf('/api/orch/v1/wow/goverm'), /did you mean \/api\/orch\/v1\/wow\/govern\?/)
  assert.match(
    await messageOf(`/api/orch/v1/reciepts/${'0'.repeat(64)}`),
    /did you mean \/api\/orch\/v1\/receipts\/\{digest\}\?/,
  )
  assert.match(
    await messageOf('/api/orch/v1/govrn?text=x'),
    /^no operation has this path; did you mean \/api\/orch\/v1\/wow\/govern\?/,
  )
  assert.ok((await messageOf(`/${'x'.repeat(3000)}`)).length < 400)
  assert.match(
    await messageOf('/nothing/like/this/at/all/here'),
    /^no operation has this path; GET \/openapi\.json lists them all/,
  )
  assert.match(await messageOf(`/${'x'.repeat(3000)}`), /GET \/openapi\.json lists them all/)
})

test('the label of an agent is told with its characters, its length and an example, in body and header', async () => {
  const expected = /1 to 64 of A-Z a-z 0-9 \. _ : @ \/ -.* such as "billing-agent"/
  const { json } = await post(`${service.url}/api/orch/v1/wow/govern`, JSON.stringify({ text: 'hi', agent: 'a b' }))
  assert.match(json.detail[0].msg, expected)
  const chat = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'hi' }] })
  const refused = await post(`${service.url}/v1/chat/completions`, chat, { 'x-orch-agent': 'a b' })
  assert.match(refused.text, /1 to 64 of A-Z/)
})

test('text that is not JSON is told with line and column, and limits stand in the message', async () => {
  const govern = (body: string) => post(`${service.url}/api/orch/v1/wow/govern`, body)
  const { json, status } = await govern('{\n  "text": "hello",\n  oops\n}')
  assert.equal(status, 422)
  assert.match(json.detail[0].msg, /at line 3, column 3/)
  const [comma] = (await govern('{"text":"a",}')).json.detail
  assert.deepEqual(comma.loc, ['body'], 'the member before the comma is not at fault')
  assert.match(comma.msg, /at line 1, column 13/)
  assert.match((await govern(`${'['.repeat(65)}${']'.repeat(65)}`)).json.detail[0].msg, /at most 64 levels/)
  const long = await govern(JSON.stringify({ text: 'x'.repeat(32_769) }))
  assert.match(long.json.detail[0].msg, /1 to 32768 characters/)
  const huge = await govern(JSON.stringify({ text: 'x'.repeat(300_000) }))
  assert.equal(huge.status, 413)
  assert.match(huge.json.error.message, /send at most 262144 bytes/)
})

test('a body that does not call itself JSON is told what was sent and what is needed', async () => {
  for (const type of ['application/x-www-form-urlencoded', 'text/plain']) {
    const { status, json } = await post(`${service.url}/api/orch/v1/wow/govern`, 'text=a', { 'content-type': type })
    assert.equal(status, 415)
    assert.match(json.error.message, /has to be JSON/)
    assert.ok(json.error.message.includes(`"${type}" was sent: send Content-Type: application/json`), type)
  }
})

test('a cursor that is none is told where cursors come from and what the first page needs', async () => {
  const { json, status } = await send(`${service.url}/api/orch/v1/reviews?cursor=%25%25%25`)
  assert.equal(status, 422)
  assert.match(json.detail[0].msg, /next_cursor of a page of this list; leave it out for the first page/)
})
