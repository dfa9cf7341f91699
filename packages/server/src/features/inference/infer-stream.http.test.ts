import assert from 'node:assert/strict'
import { request } from 'node:http'
import { after, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { startApp } from '#testing/layer.ts'
import { post, send } from '#testing/raw-http.ts'
import { say, sendJson, startStubUpstream } from '#testing/stub-upstream.ts'

const stub = await startStubUpstream({ after })
const service = await startApp(
  { after },
  { ORCH_STORE: 'memory', ORCH_UPSTREAM_URL: stub.url, ORCH_UPSTREAM_MODEL: 'stub-model' },
)
const INFER = `${service.url}/api/orch/v1/govern/infer`
// biome-ignore lint/suspicious/noExplicitAny: what an event holds is what the test looks at
type Event = { name: string; data: any }
const eventsOf = (text: string): Event[] =>
  [...text.matchAll(/^event: (\w+)\ndata: (.+)$/gm)].map(([, name, data]) => ({ name: name!, data: JSON.parse(data!) }))
const stream = async (body: object, headers = {}) => {
  const answer = await post(INFER, JSON.stringify({ ...body, stream: true }), headers)
  return { ...answer, events: eventsOf(answer.text) }
}
const tokens = (events: Event[]) => events.flatMap(({ name, data }) => (name === 'token' ? [data.delta] : [])).join('')
const named = (events: Event[], name: string) => events.find((event) => event.name === name)?.data
const receiptOf = async (digest: string) =>
  JSON.parse((await send(`${service.url}/api/orch/v1/receipts/${digest}/canonical`)).text)
const PROSE = 'The quick brown fox jumps over the lazy dog and rests under the old tree by the river. '

test('a streamed answer is a decision with its receipt, tokens, and the full reply with the receipt of the inference', async () => {
  stub.answer(say(PROSE.repeat(20)))
  const { headers, events } = await stream({ prompt: 'Tell me a story' })
  assert.match(headers['content-type'] ?? '', /^text\/event-stream/)
  assert.deepEqual([events[0]?.name, events.at(-1)?.name], ['decision', 'done'])
  assert.equal(tokens(events), PROSE.repeat(20))
  assert.ok(events.filter(({ name }) => name === 'token').length > 3)
  const done = named(events, 'done')
  assert.deepEqual([done.decision, done.answer, done.released_chars], ['allow', PROSE.repeat(20), PROSE.length * 20])
  assert.ok(done.generation.ttft_ms > 0)
  assert.equal(done.decision_receipt.digest, events[0]?.data.receipt.digest)
  assert.equal((await receiptOf(done.decision_receipt.digest)).kind, 'decision')
  const { kind, payload } = await receiptOf(done.receipt.digest)
  assert.deepEqual(
    [kind, payload.streamed, payload.decision_receipt],
    ['inference', true, done.decision_receipt.digest],
  )
})

test('an answer with a secret stops before it, the upstream is left, and the receipt says what got out', async () => {
  const card = ['Your card is 45', '39 5787 63', '62 1486, valid. ']
  stub.left = 0
  stub.answer(say([PROSE.repeat(8), ...card, ...Array(200).fill(PROSE)], { pauseMs: 1 }))
  const { text, events } = await stream({ prompt: 'Tell me a story' })
  assert.ok(!/45\s?39 5787/.test(text) && !text.includes('Your card is 45'))
  const done = named(events, 'done')
  assert.deepEqual(named(events, 'halt').reasons, ['PII_EGRESS'])
  assert.deepEqual([done.decision, done.answer, done.withheld], ['deny', null, true])
  assert.equal(done.released_chars, tokens(events).length)
  assert.equal((await receiptOf(done.receipt.digest)).payload.released_chars, tokens(events).length)
  assert.equal(stub.left, 1)
})

test('a secret that shows only at the very end never leaves either', async () => {
  stub.answer(say([PROSE, 'card 4539 5787 6362 1486']))
  const { text, events } = await stream({ prompt: 'Tell me a story' })
  assert.ok(!text.includes('4539 5787'))
  assert.deepEqual([named(events, 'done').decision, named(events, 'halt').reasons], ['deny', ['PII_EGRESS']])
})

test('a denied request streams its refusal and reaches no target', async () => {
  const before = stub.asked.length
  const { events } = await stream({ prompt: 'My SSN is 123-45-6789, please file it.' })
  assert.deepEqual(
    events.map(({ name }) => name),
    ['decision', 'done'],
  )
  assert.deepEqual([named(events, 'done').decision, named(events, 'done').answer], ['deny', null])
  assert.equal(stub.asked.length, before)
})

test('a client that leaves ends the call to the target, and the receipt says so', async () => {
  stub.left = 0
  stub.answer(say(Array(2000).fill(PROSE), { pauseMs: 5 }))
  const digest = await leaveAtFirstToken({ prompt: 'Tell me a long story' })
  const left = await inferenceAfter(digest)
  assert.deepEqual([left.aborted, left.shortfall, left.decision], [true, 'CLIENT_LEFT', 'ALLOW'])
  assert.ok(left.released_chars > 0 && left.released_chars < PROSE.length * 2000)
  assert.equal(stub.left, 1)
})

/** The digest of the decision. */
async function leaveAtFirstToken(body: object, headers = {}): Promise<string> {
  const outgoing = request(INFER, { method: 'POST', headers: { 'content-type': 'application/json', ...headers } })
  outgoing.on('error', () => undefined)
  outgoing.end(JSON.stringify({ ...body, stream: true }))
  return new Promise<string>((resolve) =>
    outgoing.on('response', (response) => {
      let seen = ''
      response.on('error', () => undefined)
      response.on('data', (part) => {
        seen += part
        if (/event: token/.test(seen)) {
          resolve(eventsOf(seen)[0]?.data.receipt.digest)
          outgoing.destroy()
        }
      })
    }),
  )
}

async function inferenceAfter(decision: string) {
  for (;;) {
    const { items = [], receipts = items } = (await send(`${service.url}/api/orch/khipu/ledger?kind=inference&limit=1`))
      .json
    const payload = receipts[0] === undefined ? null : (await receiptOf(receipts[0].digest)).payload
    if (payload?.decision_receipt === decision) return payload
    await pause(20)
  }
}

test('a target that fails before its first byte leaves a decision without an answer', async () => {
  stub.answer((_asked, response) => sendJson(response, {}, 500))
  const { events } = await stream({ prompt: 'Tell me a story' })
  const done = named(events, 'done')
  assert.deepEqual([done.decision, done.answer, done.generation.reason], ['allow', null, 'TARGET_DOWN'])
})

test('a stream that breaks off says so and tells what came', async () => {
  stub.answer((_asked, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(`data: {"choices":[{"index":0,"delta":{"content":"Once upon a time"}}]}\n\n`)
    setTimeout(() => response.destroy(), 20)
  })
  const done = named((await stream({ prompt: 'Tell me a story' })).events, 'done')
  assert.deepEqual(
    [done.answer, done.generation.reason, done.generation.finish_reason],
    ['Once upon a time', 'TARGET_DOWN', null],
  )
})

test('a stream that was left goes on for whoever named it, and is told when it is asked for again', async () => {
  stub.answer(
    say(
      Array.from({ length: 40 }, () => PROSE),
      { pauseMs: 5 },
    ),
  )
  const before = stub.asked.length
  const headers = { 'idempotency-key': 'stream-left' }
  const body = { prompt: 'Tell me a story that I leave' }
  await leaveAtFirstToken(body, headers)
  const { events } = await stream(body, headers)
  assert.equal(tokens(events), PROSE.repeat(40))
  assert.equal(named(events, 'done').generation.reason, null)
  assert.equal(stub.asked.length, before + 1)
})

test('the same key streams the stored answer and calls nobody', async () => {
  stub.answer(say('Paris.'))
  const before = stub.asked.length
  const headers = { 'idempotency-key': 'stream-once' }
  const answers = await Promise.all(
    Array.from({ length: 50 }, () => stream({ prompt: 'Where is the tower?' }, headers)),
  )
  assert.deepEqual(new Set(answers.map(({ events }) => tokens(events))), new Set(['Paris.']))
  assert.equal(new Set(answers.map(({ events }) => named(events, 'done').receipt.digest)).size, 1)
  assert.equal(stub.asked.length, before + 1)
})
