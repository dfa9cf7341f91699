import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startApp } from '#testing/layer.ts'
import { post } from '#testing/raw-http.ts'
import { startStubUpstream } from '#testing/stub-upstream.ts'

const stub = await startStubUpstream({ after })
const service = await startApp(
  { after },
  { ORCH_STORE: 'memory', ORCH_UPSTREAM_URL: stub.url, ORCH_UPSTREAM_MODEL: 'stub-model' },
)
const chat = (body: object) => post(`${service.url}/v1/chat/completions`, JSON.stringify(body))
const messages = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ role: 'user', content: `What is ${at}?` }))

test('2,048 messages are read; one more is refused before any of them is looked at', async () => {
  const read = await chat({ model: 'stub-model', messages: messages(2_048) })
  assert.notEqual(read.status, 422)
  const { status, json } = await chat({ model: 'stub-model', messages: messages(2_049) })
  assert.deepEqual(
    [status, json.error.param, json.detail],
    [
      422,
      'messages',
      [{ loc: ['body', 'messages'], msg: 'must be a list of at most 2048 items; this one has 2049', type: 'maxItems' }],
    ],
  )
})

test('the answer of a model is begun at the gates, its question is not', async () => {
  const { governance } = service.app.ports
  const { examine } = governance
  const begun: [string, boolean | undefined][] = []
  governance.examine = (asked) => {
    begun.push([asked.direction, asked.begun])
    return examine(asked)
  }
  assert.equal((await chat({ model: 'stub-model', messages: messages(1) })).status, 200)
  governance.examine = examine
  assert.deepEqual(begun, [
    ['input', undefined],
    ['output', true],
  ])
})

test('a body of more values than anybody needs is refused before it is built', async () => {
  const before = stub.asked.length
  const fields = Object.fromEntries(Array.from({ length: 80_000 }, (_, at) => [`k${at}`, at]))
  for (const body of [
    { model: 'stub-model', messages: messages(90_000) },
    { model: 'stub-model', messages: messages(1), metadata: fields },
    { model: 'stub-model', messages: messages(1), metadata: Array(40_000).fill(0) },
  ]) {
    const { status, json } = await chat(body)
    assert.deepEqual([status, json.detail[0].type], [422, 'json_values'])
  }
  assert.equal(stub.asked.length, before)
})
