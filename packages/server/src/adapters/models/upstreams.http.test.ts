import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { chunkOf, completionOf, dataOf, say, sendJson, startStubUpstream } from '#testing/stub-upstream.ts'
import { systemClock } from '../../platform/clock.ts'
import type { Clock } from '../../ports.ts'
import { FAILURES, REST_MS } from './breaker.ts'
import type { ChatStream } from './contract.ts'
import { createUpstreams, type UpstreamSettings } from './upstreams.ts'

const stub = await startStubUpstream({ after })
const target = (more: object = {}) => ({
  id: 'stub',
  baseUrl: stub.url,
  model: 'stub-model',
  zone: 'local' as const,
  tier: 1,
  contextTokens: 1000,
  timeoutMs: 2_000,
  apiKey: null,
  ...more,
})
const make = (more: object = {}, settings: Partial<UpstreamSettings> = {}, clock: Clock = systemClock) =>
  createUpstreams(
    {
      targets: [target(more)],
      keyless: [],
      m1: false,
      outbound: true,
      privateHosts: [],
      streamMs: 60_000,
      ...settings,
    },
    clock,
  )
const CALL = { body: { model: 'stub-model', messages: [] }, deadlineMs: 5_000 }
const STREAM = { body: { model: 'stub-model', messages: [], stream: true }, deadlineMs: 5_000 }
const never = new AbortController().signal
const complete = (upstreams = make(), signal = never) => upstreams.complete('stub', CALL, signal)
const stream = (upstreams = make(), signal = never) => upstreams.stream('stub', STREAM, signal)
const chunksOf = (opened: unknown) => Array.fromAsync((opened as ChatStream).chunks)
const eventHead = { 'content-type': 'text/event-stream' }

test('a completion comes back as it was sent and is counted', async () => {
  stub.answer(say('Paris.'))
  const upstreams = make()
  const answer = await complete(upstreams)
  assert.equal(answer.ok, true)
  const [state] = upstreams.targets()
  assert.deepEqual([state?.calls, state?.errors, state?.inFlight, state?.durationsMs.length], [1, 0, 0, 1])
  assert.ok(state?.lastSuccessAt !== null && state?.lastErrorCode === null)
})

test('connections to a target are kept', async () => {
  const ports = new Set<number | undefined>()
  stub.answer((_asked, response) => {
    ports.add(response.socket?.remotePort)
    sendJson(response, completionOf('x'))
  })
  const upstreams = make()
  for (let at = 0; at < 5; at += 1) await complete(upstreams)
  assert.equal(ports.size, 1)
  upstreams.close()
})

test('the connection of a stream that ended is kept as well', async () => {
  const ports = new Set<number | undefined>()
  const answer = say('Paris.')
  stub.answer((asked, response) => {
    ports.add(response.socket?.remotePort)
    return answer(asked, response)
  })
  const upstreams = make()
  for (let at = 0; at < 5; at += 1) await chunksOf(await stream(upstreams))
  assert.equal(ports.size, 1)
  upstreams.close()
})

test('a stream that does not end behind its last word is left, and what it said holds', async () => {
  stub.answer(
    (_asked, response) => void response.writeHead(200, eventHead).write(`${chunkOf({ content: 'a' })}data: [DONE]\n\n`),
  )
  stub.left = 0
  assert.equal((await chunksOf(await stream())).length, 1)
  while (stub.left < 1) await pause(5)
})

test('a call over a kept connection that the target has given up is asked again over a new one', async () => {
  const asked: (number | undefined)[] = []
  stub.answer((_asked, response) => {
    const { remotePort } = response.socket!
    if (asked.includes(remotePort)) response.socket!.resetAndDestroy()
    else sendJson(response, completionOf('x'))
    asked.push(remotePort)
  })
  const upstreams = make()
  for (let at = 0; at < 5; at += 1) assert.equal((await complete(upstreams)).ok, true)
  assert.deepEqual([new Set(asked).size, asked.length], [5, 9])
  upstreams.close()
})

const bad: [what: string, answer: Parameters<typeof stub.answer>[0], code: string][] = [
  ['a redirect', (_a, r) => void r.writeHead(307, { location: stub.url }).end(), 'UPSTREAM_HTTP_307'],
  ['an error', (_a, r) => sendJson(r, {}, 503), 'UPSTREAM_HTTP_503'],
  ['another type', (_a, r) => void r.writeHead(200, { 'content-type': 'text/plain' }).end('{}'), 'NON_JSON_RESPONSE'],
  [
    'compressed bytes',
    (a, r) =>
      void r
        .writeHead(200, {
          'content-type': a.body.stream ? 'text/event-stream' : 'application/json',
          'content-encoding': 'gzip',
        })
        .end(gzipSync(Buffer.alloc(50_000_000))),
    'ENCODED_RESPONSE_DENIED',
  ],
  ['a connection that breaks', (_a, r) => void r.destroy(), 'TRANSPORT_UNAVAILABLE'],
]
for (const [what, answer, code] of bad)
  test(`${what} is a failure with a code of ours, whole and streamed`, async () => {
    stub.answer(answer)
    for (const call of [complete, stream]) {
      const failure = await call()
      assert.deepEqual([failure.ok, 'code' in failure && failure.code], [false, code])
    }
  })

const badBodies: [what: string, body: string, code: string][] = [
  ['no JSON', '<p>', 'INVALID_JSON'],
  ['a duplicate key', '{"choices":[],"choices":[]}', 'INVALID_JSON'],
  ['nothing', '', 'INVALID_JSON'],
]
for (const [what, body, code] of badBodies)
  test(`${what} in place of a completion is ${code}`, async () => {
    stub.answer((_asked, response) => void response.writeHead(200, { 'content-type': 'application/json' }).end(body))
    const failure = await complete()
    assert.equal('code' in failure && failure.code, code)
  })

test('more than 10 MiB are not read, with and without a length', async () => {
  const megabyte = Buffer.alloc(1024 * 1024, 0x20)
  stub.answer(async (_asked, response) => {
    response.on('error', () => undefined)
    response.writeHead(200, { 'content-type': 'application/json' })
    for (let sent = 0; sent < 40 && !response.destroyed; sent += 1) {
      response.write(megabyte)
      await pause(1)
    }
    response.end('{}')
  })
  const failure = await complete()
  assert.equal('code' in failure && failure.code, 'RESPONSE_TOO_LARGE')
  stub.answer(
    (_asked, response) =>
      void response.writeHead(200, { 'content-type': 'application/json', 'content-length': 11_000_000 }).write('{'),
  )
  const declared = await complete()
  assert.equal('code' in declared && declared.code, 'RESPONSE_TOO_LARGE')
})

test('a target that drips without end is given up at its deadline', async () => {
  stub.answer(async (_asked, response) => {
    response.on('error', () => undefined)
    response.writeHead(200, { 'content-type': 'application/json' })
    while (!response.destroyed) {
      response.write(' ')
      await pause(20)
    }
  })
  const failure = await complete(make({ timeoutMs: 150 }))
  assert.equal('code' in failure && failure.code, 'RESPONSE_DEADLINE')
})

test('a stream comes chunk by chunk, however its bytes are cut', async () => {
  stub.answer(async (_asked, response) => {
    response.writeHead(200, eventHead)
    const bytes = Buffer.from(
      `: hi\r\n\r\n${chunkOf({ content: 'd\u00E9j\u00E0 \u{1F600}' })}${chunkOf({ content: 'vu' })}data: [DONE]\n\n`,
    )
    for (let at = 0; at < bytes.length; at += 3) {
      response.write(bytes.subarray(at, at + 3))
      if (at % 30 === 0) await pause(1)
    }
    response.end()
  })
  const chunks = (await chunksOf(await stream())) as { choices: { delta: { content: string } }[] }[]
  assert.deepEqual(
    chunks.map(({ choices }) => choices[0]?.delta.content),
    ['d\u00E9j\u00E0 \u{1F600}', 'vu'],
  )
})

const broken: [what: string, rest: string, code: string][] = [
  ['ends without saying so', '', 'STREAM_CUT_OFF'],
  ['turns into something else', 'data: {"choices":\n\n', 'INVALID_JSON'],
  ['has a line without end', `data: ${'a'.repeat(1_100_000)}`, 'INVALID_EVENT_STREAM'],
]
for (const [what, rest, code] of broken)
  test(`a stream that ${what} breaks off with ${code}`, async () => {
    stub.answer(
      (_asked, response) => void response.writeHead(200, eventHead).end(`${chunkOf({ content: 'a' })}${rest}`),
    )
    const upstreams = make()
    await assert.rejects(chunksOf(await stream(upstreams)), { name: 'ChatStreamBroken', code })
    assert.deepEqual([upstreams.targets()[0]?.lastErrorCode, upstreams.targets()[0]?.inFlight], [code, 0])
  })

test('a stream that falls silent is given up', async () => {
  stub.answer((_asked, response) => void response.writeHead(200, eventHead).write(chunkOf({ content: 'a' })))
  await assert.rejects(chunksOf(await stream(make({ timeoutMs: 150 }))), { code: 'RESPONSE_DEADLINE' })
})

const drips: [what: string, first: string, drop: string][] = [
  ['chunk after chunk', '', chunkOf({ content: 'a' })],
  ['byte after byte of one chunk', `${chunkOf({ content: 'a' })}data: {"`, 'a'],
  ['comment after comment', chunkOf({ content: 'a' }), ':\n\n'],
]
for (const [what, first, drop] of drips)
  test(`a stream that drips ${what} without end is given up and left`, async () => {
    stub.answer(async (_asked, response) => {
      response.writeHead(200, eventHead).write(first)
      while (!response.destroyed) {
        response.write(drop)
        await pause(10)
      }
    })
    stub.left = 0
    const upstreams = make({ timeoutMs: 60_000 }, { streamMs: 300 })
    const opened = await stream(upstreams)
    await assert.rejects(chunksOf(opened), { name: 'ChatStreamBroken', code: 'RESPONSE_DEADLINE' })
    while (stub.left < 1) await pause(5)
    assert.deepEqual(
      [upstreams.targets()[0]?.lastErrorCode, upstreams.targets()[0]?.inFlight],
      ['RESPONSE_DEADLINE', 0],
    )
  })

test('whoever leaves the loop or aborts ends the call, and that is no fault of the target', async () => {
  stub.answer(async (_asked, response) => {
    response.writeHead(200, eventHead)
    while (!response.destroyed) {
      response.write(chunkOf({ content: 'a' }))
      await pause(5)
    }
  })
  stub.left = 0
  const upstreams = make()
  for await (const _ of ((await stream(upstreams)) as ChatStream).chunks) break
  const abort = new AbortController()
  const opened = await stream(upstreams, abort.signal)
  setTimeout(() => abort.abort(), 20)
  await assert.rejects(chunksOf(opened), { code: 'ABORTED' })
  while (stub.left < 2) await pause(5)
  assert.deepEqual([upstreams.targets()[0]?.errors, upstreams.targets()[0]?.inFlight], [0, 0])
})

test('a target that keeps failing is left alone, then tried by one call', async () => {
  let ahead = 0
  const clock = { now: () => systemClock.now(), monotonic: () => systemClock.monotonic() + ahead }
  const upstreams = make({}, {}, clock)
  const state = () => upstreams.targets()[0]?.breaker
  stub.answer((_asked, response) => sendJson(response, {}, 400))
  for (let at = 0; at < FAILURES + 1; at += 1) await complete(upstreams)
  assert.equal(state(), 'closed', 'a refused request says nothing against the target')
  stub.answer((_asked, response) => sendJson(response, {}, 500))
  for (let at = 0; at < FAILURES; at += 1) await complete(upstreams)
  assert.equal(state(), 'open')
  const before = stub.asked.length
  const failure = await complete(upstreams)
  assert.deepEqual(['code' in failure && failure.code, stub.asked.length], ['BREAKER_OPEN', before])
  ahead = REST_MS
  assert.equal(state(), 'half_open')
})

test('a target that is slower than the deadline of its callers is not left alone, and one that fails still is', async () => {
  const upstreams = make({ timeoutMs: 60_000 })
  const silent = () => undefined
  const hurried = async () => {
    stub.answer(silent)
    return [
      await upstreams.complete('stub', { ...CALL, deadlineMs: 20 }, never),
      await upstreams.stream('stub', { ...STREAM, deadlineMs: 20 }, never),
    ]
  }
  for (let at = 0; at < FAILURES; at += 1)
    for (const failure of await hurried()) assert.equal('code' in failure && failure.code, 'CALL_DEADLINE')
  const [state] = upstreams.targets()
  assert.deepEqual(
    [state?.breaker, state?.calls, state?.errors, state?.lastErrorCode, state?.inFlight],
    ['closed', 0, 0, null, 0],
  )
  for (let at = 0; at < FAILURES; at += 1) {
    stub.answer((_asked, response) => sendJson(response, {}, 500))
    await complete(upstreams)
    if (at < FAILURES - 1) await hurried()
  }
  assert.equal(upstreams.targets()[0]?.breaker, 'open', 'what says nothing does not clear the failures either')
})

test('the last 1,024 durations are kept', async () => {
  const { TargetRecord } = await import('./target-record.ts')
  let time = 0
  const record = new TargetRecord({ now: () => 0, monotonic: () => time })
  for (let at = 0; at < 1_030; at += 1) {
    const end = record.begin()
    time += at
    end(null)
  }
  assert.deepEqual([record.durationsMs.length, record.durationsMs[0], record.durationsMs.at(-1)], [1024, 6, 1029])
})

test('addresses inside are refused, and so is everything when the operator forbids outgoing requests', async () => {
  const inside = await complete(make({ baseUrl: 'https://169.254.169.254/v1' }))
  assert.equal('code' in inside && inside.code, 'DESTINATION_DENIED')
  const before = stub.asked.length
  const off = await complete(make({}, { outbound: false }))
  assert.deepEqual(['code' in off && off.code, stub.asked.length], ['TRANSPORT_DISABLED', before])
})

test('the embedded model is listed where it is wanted and says that it is absent', async () => {
  assert.deepEqual(
    make()
      .targets()
      .map(({ id }) => id),
    ['stub'],
  )
  const upstreams = make({}, { m1: true })
  assert.equal(upstreams.targets()[1]?.absent, 'MODEL_ABSENT')
  const failure = await upstreams.complete('m1', CALL, never)
  assert.equal('code' in failure && failure.code, 'MODEL_ABSENT')
})

test('tokens are counted, special ones as the text they are, and one long run does not take forever', async () => {
  const { countTokens } = make()
  assert.equal(await countTokens('hello world'), 2)
  assert.ok((await countTokens('<|endoftext|> hi')) > 3)
  assert.ok((await countTokens('a'.repeat(200_000))) >= 200_000 / 8)
  assert.equal(await countTokens(''), 0)
})

test('data that is no chunk is passed on as it is: what it means is decided elsewhere', async () => {
  stub.answer(
    (_asked, response) => void response.writeHead(200, eventHead).end(`${dataOf({ error: 'x' })}data: [DONE]\n\n`),
  )
  assert.deepEqual(await chunksOf(await stream()), [{ error: 'x' }])
})
