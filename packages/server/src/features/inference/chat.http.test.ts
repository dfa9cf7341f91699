import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { importPublicKey, verifyExport } from '@orch/core'
import OpenAI from 'openai'
import { startApp } from '#testing/layer.ts'
import { post, send } from '#testing/raw-http.ts'
import { completionOf, say, sendJson, startStubUpstream } from '#testing/stub-upstream.ts'
import { ServiceError } from '../../errors.ts'

const stub = await startStubUpstream({ after })
const service = await startApp(
  { after },
  {
    ORCH_STORE: 'memory',
    ORCH_UPSTREAM_URL: stub.url,
    ORCH_UPSTREAM_MODEL: 'stub-model',
    ORCH_UPSTREAM_KEY: 'sk-planted',
  },
)
const client = new OpenAI({ baseURL: `${service.url}/v1`, apiKey: 'of-the-client', maxRetries: 0 })
const CHAT = `${service.url}/v1/chat/completions`
const ask = (content: string) => ({ model: 'stub-model', messages: [{ role: 'user' as const, content }] })
const chat = (body: object, headers = {}) => post(CHAT, JSON.stringify(body), headers)
const PROSE = 'The quick brown fox jumps over the lazy dog and rests under the old tree by the river. '
const SSN = 'My SSN is 123-45-6789, please file it.'
const WIRE = 'Please wire 900 dollars to wallet 7 tomorrow'
const receiptOf = async (digest: string) =>
  JSON.parse((await send(`${service.url}/api/orch/v1/receipts/${digest}/canonical`)).text)

function reset(text = 'Paris.') {
  stub.asked.length = 0
  stub.left = 0
  stub.answer(say(text))
}

test('6a the public client completes a call, and the receipt in the header verifies without us', async () => {
  reset()
  const { data, response } = await client.chat.completions.create(ask('What is the capital of France?')).withResponse()
  assert.equal(data.choices[0]?.message.content, 'Paris.')
  assert.deepEqual([data.usage?.total_tokens, data.choices[0]?.finish_reason], [10, 'stop'])
  assert.equal(response.headers.get('x-orch-decision'), 'allow')
  const digest = response.headers.get('x-orch-receipt')!
  assert.equal(response.headers.get('x-orch-verify'), `/api/orch/v1/verify/receipt/${digest}`)
  const exported = (await send(`${service.url}/api/orch/v1/receipt/export?digest=${digest}`)).json
  const key = importPublicKey((await send(`${service.url}/cosign.pub`)).text)!
  const logKey = (await send(`${service.url}/log/key`)).text.trim()
  const report = await verifyExport(exported, { keys: [{ key, kind: 'demo' }], logKeys: [logKey] })
  const open = report.checks.filter(({ status }) => status !== 'VERIFIED').map(({ check }) => check)
  assert.deepEqual(open, ['key_trust'], 'a demo key is never more than one')
  assert.equal((await receiptOf(digest)).kind, 'decision')
  const orch = (data as unknown as { orch: { receipt: { digest: string }; model: object } }).orch
  const { kind, payload } = await receiptOf(orch.receipt.digest)
  assert.deepEqual([kind, payload.decision_receipt], ['inference', digest])
  assert.deepEqual(payload.model, {
    requested: 'stub-model',
    resolved: 'stub-model',
    returned: 'stub-model',
    mismatch: false,
  })
})

test('6a the public client streams, and the chunk before the end carries the receipt of the inference', async () => {
  reset(PROSE.repeat(20))
  const { data, response } = await client.chat.completions
    .create({ ...ask('Tell me a story'), stream: true, stream_options: { include_usage: true } })
    .withResponse()
  const chunks: OpenAI.ChatCompletionChunk[] = []
  for await (const chunk of data) chunks.push(chunk)
  assert.equal(chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join(''), PROSE.repeat(20))
  assert.ok(chunks.length > 4)
  const last = chunks.at(-1) as unknown as { choices: unknown[]; usage: object; orch: { receipt: { digest: string } } }
  assert.deepEqual(last.choices, [])
  assert.deepEqual(last.usage, { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 })
  const { kind, payload } = await receiptOf(last.orch.receipt.digest)
  assert.deepEqual(
    [kind, payload.streamed, payload.decision_receipt],
    ['inference', true, response.headers.get('x-orch-receipt')],
  )
  assert.equal(chunks.at(-2)?.choices[0]?.finish_reason, 'stop')
})

test('unknown fields go on to the target; the key is ours and never the client’s', async () => {
  reset()
  await chat(
    { ...ask('What is the capital of France?'), top_k: 7, metadata: { team: 'a' } },
    { authorization: 'Bearer theirs' },
  )
  const [asked] = stub.asked
  assert.deepEqual([asked?.body.top_k, asked?.body.metadata], [7, { team: 'a' }])
  assert.equal(asked?.headers.authorization, 'Bearer sk-planted')
})

test('6b a denied request is a 403 in the client’s shape and the upstream is not called', async () => {
  reset()
  await assert.rejects(client.chat.completions.create(ask(SSN)), (error: InstanceType<typeof OpenAI.APIError>) => {
    assert.deepEqual(
      [error.status, error.code, error.type, error.param],
      [403, 'denied_by_gate', 'policy_denied', null],
    )
    return true
  })
  const { json, headers, status } = await chat(ask(SSN))
  assert.equal(status, 403)
  assert.match(json.error.request_id, /./)
  assert.equal(headers['x-orch-decision'], 'deny')
  assert.equal((await receiptOf(String(headers['x-orch-receipt']))).payload.decision, 'DENY')
  const asAnswer = await chat(ask(SSN), { 'x-orch-on-deny': 'refusal' })
  assert.deepEqual(
    [asAnswer.status, asAnswer.json.choices[0].finish_reason, asAnswer.json.choices[0].message.content],
    [200, 'content_filter', null],
  )
  const stream = await chat({ ...ask(SSN), stream: true }, { 'x-orch-on-deny': 'refusal' })
  assert.match(stream.text, /"finish_reason":"content_filter"[\s\S]+"orch":\{"decision":"deny"[\s\S]+data: \[DONE\]/)
  assert.equal((await chat({ ...ask(SSN), stream: true })).status, 403)
  assert.equal(stub.asked.length, 0)
})

test('what hides in other fields of the body is found too', async () => {
  reset()
  const messages = [
    { role: 'user', content: [{ type: 'text', text: 'Look at this' }] },
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{"ssn":"123-45-6789"}' } }],
    },
  ]
  assert.equal((await chat({ model: 'stub-model', messages })).status, 403)
  assert.equal((await chat({ ...ask('hello'), metadata: { note: SSN } })).status, 403)
  const escaped = { id: 'a', type: 'function', function: { name: 'f', arguments: '{"ssn":"123\\u002d45-6789"}' } }
  const hidden = [
    { role: 'user', content: 'go on' },
    { role: 'assistant', content: null, tool_calls: [escaped] },
  ]
  assert.equal((await chat({ model: 'stub-model', messages: hidden })).status, 403)
  assert.equal(
    (await chat({ model: 'stub-model', messages: [{ role: 'user', content: [{ type: 'text', text: SSN }] }] })).status,
    403,
  )
  assert.equal(stub.asked.length, 0)
})

test('6b a review is a 409; approved, the same body passes once; another body or a second use is a 409 again', async () => {
  reset()
  const pending = await chat(ask(WIRE))
  assert.deepEqual([pending.status, pending.json.error.code], [409, 'review_required'])
  assert.ok(Number(pending.headers['retry-after']) > 0)
  const { review_id, review_url } = pending.json.error
  assert.equal(stub.asked.length, 0)
  const verdict = JSON.stringify({ verdict: 'approve', reason: 'seen and fine', reviewer: 'ann' })
  assert.equal((await post(`${service.url}${review_url}/decide`, verdict)).status, 200)
  const headers = { 'x-orch-review': review_id }
  assert.equal((await chat(ask(`${WIRE}!`), headers)).status, 409)
  const tries = await Promise.all(Array.from({ length: 10 }, () => chat(ask(WIRE), headers)))
  assert.equal(tries.filter(({ status }) => status === 200).length, 1)
  assert.equal((await chat(ask(WIRE), headers)).status, 409)
  assert.equal(stub.asked.length, 1)
})

test('an answer that is denied is a 403 and one under review a 409, and neither is told', async () => {
  reset()
  stub.answer(say('the card is 4539 5787 6362 1486'))
  const denied = await chat(ask('What is the card?'))
  assert.deepEqual([denied.status, denied.json.error.code], [403, 'denied_by_gate'])
  assert.ok(!denied.text.includes('4539'))
  stub.answer(say('This is 100% safe.'))
  const pending = await chat(ask('Is the bridge safe?'))
  assert.deepEqual([pending.status, pending.json.error.code], [409, 'review_required'])
  const verdict = JSON.stringify({ verdict: 'approve', reason: 'seen and fine', reviewer: 'ann' })
  assert.equal((await post(`${service.url}${pending.json.error.review_url}/decide`, verdict)).status, 200)
  const shown = await chat(ask('Is the bridge safe?'), { 'x-orch-review': pending.json.error.review_id })
  assert.equal(shown.status, 200, shown.text)
  assert.equal(shown.json.choices[0].message.content, 'This is 100% safe.')
  assert.equal(stub.asked.length, 2)
})

test('6c a secret split over three chunks never reaches the client; the last chunk says content_filter', async () => {
  for (const [first, second] of [
    [3, 9],
    [1, 18],
    [10, 11],
  ] as const) {
    reset()
    const card = '4539 5787 6362 1486'
    stub.answer(
      say([
        PROSE.repeat(6),
        card.slice(0, first),
        card.slice(first, second),
        card.slice(second),
        ` ${PROSE.repeat(6)}`,
      ]),
    )
    const { text, status } = await chat({ ...ask('What is the card?'), stream: true })
    assert.equal(status, 200)
    const chunks = [...text.matchAll(/^data: (\{.+)$/gm)].map(([, data]) => JSON.parse(data!))
    const sent = chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join('')
    assert.ok(PROSE.repeat(6).startsWith(sent), sent.slice(-40))
    assert.equal(chunks.at(-2).choices[0].finish_reason, 'content_filter')
    assert.equal(chunks.at(-1).orch.decision, 'deny')
    assert.match(text, /data: \[DONE\]\n\n$/)
  }
})

test('tool calls and further choices of a stream leave only with the decision on all of it', async () => {
  reset()
  const delta = (choices: object[]) => `data: ${JSON.stringify({ model: 'stub-model', choices })}\n\n`
  const answer = (args: string) =>
    stub.answer((_asked, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(
        delta([
          {
            index: 0,
            delta: { tool_calls: [{ index: 0, id: 'c', function: { name: 'f', arguments: args.slice(0, 9) } }] },
          },
        ]),
      )
      response.write(
        delta([{ index: 0, delta: { tool_calls: [{ index: 0, function: { arguments: args.slice(9) } }] } }]),
      )
      response.write(delta([{ index: 1, delta: { content: 'second' } }]))
      response.end(`${delta([{ index: 0, delta: {}, finish_reason: 'tool_calls' }])}data: [DONE]\n\n`)
    })
  answer('{"ssn":"123-45-6789"}')
  const blocked = await chat({ ...ask('Call it'), stream: true })
  assert.ok(!blocked.text.includes('123-4') && blocked.text.includes('content_filter'))
  answer('{"city":"Paris"}')
  const passed = await chat({ ...ask('Call it'), stream: true })
  assert.match(passed.text, /\\"city\\":\\"Paris\\"/)
  assert.match(passed.text, /"index":1,"delta":\{"content":"second"\}/)
})

const failures: [what: string, answer: Parameters<typeof stub.answer>[0], status: number, upstream: object][] = [
  [
    'a 400',
    (_a, r) => sendJson(r, { error: { message: 'sk-planted leaked' } }, 400),
    502,
    { status: 400, code: 'UPSTREAM_HTTP_400' },
  ],
  ['a 500', (_a, r) => sendJson(r, {}, 500), 502, { status: 500, code: 'UPSTREAM_HTTP_500' }],
  [
    'a redirect',
    (_a, r) => void r.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
    502,
    { status: 302, code: 'UPSTREAM_HTTP_302' },
  ],
  [
    'HTML',
    (_a, r) => void r.writeHead(200, { 'content-type': 'text/html' }).end('<p>'),
    502,
    { status: null, code: 'NON_JSON_RESPONSE' },
  ],
]
for (const [what, answer, status, upstream] of failures)
  for (const stream of [false, true])
    test(`${what} of the upstream is a ${status} with its status inside and a receipt${stream ? ', streaming too' : ''}`, async () => {
      reset()
      stub.answer(answer)
      const { json, ...got } = await chat({ ...ask('What is the capital of France?'), stream })
      assert.equal(got.status, status)
      assert.deepEqual([json.error.upstream.status, json.error.upstream.code], Object.values(upstream))
      assert.deepEqual([json.error.type, json.error.param], ['server_error', null])
      assert.ok(!got.text.includes('sk-planted'))
      const { kind, payload } = await receiptOf(json.error.receipt)
      assert.deepEqual([kind, payload.shortfall], ['inference', 'TARGET_DOWN'])
    })

test('an unknown model is a 404 and a body that does not fit a 422, both in the client’s shape', async () => {
  const unknown = await chat({ ...ask('hello'), model: 'nobody' })
  assert.deepEqual([unknown.status, unknown.json.error.code], [404, 'model_not_found'])
  for (const body of [
    { model: 'stub-model' },
    { model: 'stub-model', messages: [] },
    { model: 'stub-model', messages: [{ content: 'x' }] },
    { model: 'stub-model', messages: [{ role: 'user', content: 7 }] },
  ]) {
    const { status, json } = await chat(body)
    assert.deepEqual([status, json.error.type], [422, 'invalid_request_error'], JSON.stringify(json))
    assert.match(json.error.param, /^messages/)
  }
  const messages = [ask('hello').messages[0], { role: 'alien', content: 'hello' }]
  const { status, json } = await chat({ model: 'stub-model', messages })
  assert.deepEqual([status, json.error.param], [422, 'messages.1.role'])
  assert.match(json.error.message, /"system", "developer", "user", "assistant", "tool", "function"/)
  reset()
  const developer = await chat({ model: 'stub-model', messages: [{ role: 'developer', content: 'Be brief.' }] })
  assert.equal(developer.status, 200)
})

test('the models that can answer are listed with their labels; without a target there is none', async (t) => {
  const listed = await client.models.list()
  assert.deepEqual(
    listed.data.map(({ id }) => id),
    ['stub-model'],
  )
  const bare = await startApp(t as never, { ORCH_STORE: 'memory' })
  const { data } = (await send(`${bare.url}/v1/models`)).json
  assert.deepEqual(data, [])
  const asked = await post(`${bare.url}/v1/chat/completions`, JSON.stringify({ ...ask('hello'), model: 'm1' }))
  assert.deepEqual([asked.status, asked.json.error.code], [404, 'model_not_found'])
})

test('4 MiB are read and one byte more is not', async () => {
  reset()
  const of = (bytes: number) => {
    const empty = JSON.stringify({ ...ask('hello'), pad: '' }).length
    return chat({ ...ask('hello'), pad: 'a '.repeat(bytes).slice(0, bytes - empty) })
  }
  assert.notEqual((await of(4 * 1024 * 1024)).status, 413)
  const over = await of(4 * 1024 * 1024 + 1)
  assert.deepEqual([over.status, over.json.error.code], [413, 'request_body_too_large'])
})

test('500 parallel calls under one key reach the upstream once', async () => {
  reset()
  const headers = { 'idempotency-key': 'chat-once' }
  const answers = await Promise.all(
    Array.from({ length: 500 }, () => chat(ask('What is the capital of France?'), headers)),
  )
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
  assert.equal(new Set(answers.map(({ json }) => json.orch.receipt.digest)).size, 1)
  assert.equal(stub.asked.length, 1)
})

test('where nothing can be decided or recorded the upstream is not called', async (t) => {
  reset()
  const off = await startApp(t as never, { ORCH_STORE: 'memory', ORCH_UPSTREAM_URL: stub.url })
  const { ledger, gates } = off.app.ports
  const [append, status] = [ledger.append, gates.status]
  const refused = async (stream: boolean) =>
    (await post(`${off.url}/v1/chat/completions`, JSON.stringify({ ...ask('hello'), stream }))).json.error
  for (const stream of [false, true]) {
    ledger.append = () => Promise.reject(new ServiceError('ledger_read_only', 'the ledger takes no more receipts'))
    const unrecorded = await refused(stream)
    assert.deepEqual([unrecorded.code, unrecorded.type], ['ledger_read_only', 'server_error'])
    ledger.append = append
    gates.status = () => ({ ...status(), ready: false })
    assert.equal((await refused(stream)).code, 'gates_unavailable')
    gates.status = status
  }
  assert.equal(stub.asked.length, 0)
})

test('a target that does not answer in time is a 504', async (t) => {
  reset()
  stub.answer(() => undefined)
  const entry = { id: 'slow', base_url: stub.url, model: 'stub-model', zone: 'local', timeout_ms: 100 }
  const slow = await startApp(t as never, { ORCH_STORE: 'memory', ORCH_UPSTREAMS: JSON.stringify([entry]) })
  for (const stream of [false, true]) {
    const answer = await post(`${slow.url}/v1/chat/completions`, JSON.stringify({ ...ask('hello'), stream }))
    assert.deepEqual([answer.status, answer.json.error.code], [504, 'upstream_timeout'])
  }
})

test('a message without text is decided on like any other', async () => {
  reset()
  const parts = [{ type: 'image_url', image_url: { url: 'https://a.example/cat.png' } }]
  const { status, json } = await chat({ model: 'stub-model', messages: [{ role: 'user', content: parts }] })
  assert.deepEqual([status, json.orch?.decision], [200, 'allow'], JSON.stringify(json))
})

test('a value that a target puts in place of its model’s name does not leave', async () => {
  reset()
  stub.answer((_asked, response) => sendJson(response, completionOf('fine', {}, 'card 4539 5787 6362 1486')))
  const { status, text } = await chat(ask('What is the capital of France?'))
  assert.equal(status, 403)
  assert.ok(!text.includes('4539'))
})

test('an approval of one answer does not let another one out', async () => {
  reset('This is 100% safe.')
  const pending = await chat(ask('Is the dam safe?'))
  assert.equal(pending.status, 409)
  const verdict = JSON.stringify({ verdict: 'approve', reason: 'seen and fine', reviewer: 'ann' })
  assert.equal((await post(`${service.url}${pending.json.error.review_url}/decide`, verdict)).status, 200)
  const { governance } = service.app.ports
  const { approvedPayload } = governance
  // As where the answer was too large to be kept: the target has to be asked again.
  governance.approvedPayload = async (decisionRequest) => {
    const found = await approvedPayload(decisionRequest)
    return found && { ...found, payload: { too_large: true } }
  }
  stub.answer(say('That is 100% safe as well.'))
  const retried = await chat(ask('Is the dam safe?'), { 'x-orch-review': pending.json.error.review_id })
  governance.approvedPayload = approvedPayload
  assert.equal(retried.status, 409)
  assert.ok(!retried.text.includes('as well'))
})

test('a completion without usage is counted, and its log probabilities are not passed back', async () => {
  reset()
  const whole = completionOf('Paris.')
  const logprobs = { content: [{ token: '123-45-6789' }] }
  stub.answer((_asked, response) =>
    sendJson(response, { ...whole, usage: null, choices: [{ ...whole.choices[0], logprobs }] }),
  )
  const { json } = await chat(ask('What is the capital of France?'))
  assert.equal(json.choices[0].logprobs, null)
  assert.ok(json.usage.completion_tokens > 0)
})
