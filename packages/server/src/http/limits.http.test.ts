import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { connect } from 'node:net'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import Type from 'typebox'
import { startLimited } from '#testing/layer.ts'
import { waiting } from '#testing/layer-operations.ts'
import { dial, everything, exchange, post, send, statuses } from '#testing/raw-http.ts'
import type { ServiceMetrics } from '../adapters/telemetry/metrics.ts'
import { operation, Reply } from '../operation.ts'
import { LIMITS } from './limits.ts'

const QUICK = { headersMs: 300, bodyTimeoutMs: 600, requestMs: 400, sweepMs: 50 }
const ECHO = 'POST /api/orch/v1/layer/echo HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n'

const running = async ({ json }: ServiceMetrics): Promise<number | undefined> =>
  (await json()).find(({ name }) => name === 'orch_http_requests_in_progress')?.samples[0]?.value

async function settle(metrics: ServiceMetrics): Promise<void> {
  for (let tries = 0; tries < 100 && (await running(metrics)) !== 0; tries += 1) await pause(20)
  assert.equal(await running(metrics), 0, 'requests still counted as in progress')
}

async function untilBegun(metrics: ServiceMetrics, requests: number): Promise<void> {
  while ((await running(metrics)) !== requests) await pause(5)
}

test('the limits served are those that are documented', () => {
  assert.deepEqual(LIMITS, {
    headerBytes: 16_384,
    headersMs: 10_000,
    bodyTimeoutMs: 30_000,
    keepAliveMs: 65_000,
    requestMs: 60_000,
    streamStallMs: 60_000,
    unanswered: 100,
    sweepMs: 1_000,
  })
})

test('a client that never finishes its headers gets 408 and loses its connection', async (t) => {
  const { port } = await startLimited(t, QUICK)
  const raw = await exchange(port, 'GET /api/livez HTTP/1.1\r\nhost: localhost\r\nx-slow: ')
  assert.deepEqual(statuses(raw), [408])
  assert.match(raw, /"code":"request_timeout"/)
  assert.match(raw, /x-request-id: /)
})

/** What a connection is answered whose bytes a process finds only after the time for headers. */
async function answeredLate(port: number, bytes: string): Promise<string> {
  const socket = await dial(port)
  const answered = everything(socket)
  await pause(2 * QUICK.sweepMs)
  // Behind the sockets that were read: timers are next.
  await new Promise(setImmediate)
  socket.write(bytes)
  const late = performance.now() + 2 * QUICK.headersMs
  while (performance.now() < late);
  return answered
}

test('a connection that brings nothing gets 408, and a request that a late process has not read yet is answered', async (t) => {
  const { port } = await startLimited(t, QUICK)
  assert.deepEqual(statuses(await exchange(port, '')), [408])
  const request = 'GET /nowhere HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n'
  assert.deepEqual(statuses(await answeredLate(port, request)), [404])
})

test('a connection of which a late process read no more than a line end still gets 408', async (t) => {
  const { port } = await startLimited(t, QUICK)
  assert.deepEqual(statuses(await answeredLate(port, '\r\n')), [408])
})

test('a client that never finishes its body gets 408, once, with the id it sent', async (t) => {
  const { port, metrics } = await startLimited(t, QUICK)
  const raw = await exchange(port, `${ECHO}x-request-id: mine\r\ncontent-length: 10\r\n\r\n{`)
  assert.deepEqual(statuses(raw), [408])
  assert.match(raw, /\r\nx-request-id: mine\r\n/)
  await settle(metrics)
})

test('a client that trickles its body is not kept alive by the trickle', async (t) => {
  const { port } = await startLimited(t, QUICK)
  const socket = await dial(port)
  const answered = everything(socket)
  socket.write(`${ECHO}content-length: 1000\r\n\r\n`)
  const trickle = setInterval(() => socket.write(' '), 30)
  assert.deepEqual(statuses(await answered), [408])
  clearInterval(trickle)
})

test('a refused body that never ends gets no second answer', async (t) => {
  const { port } = await startLimited(t, QUICK)
  const raw = await exchange(port, `${ECHO}content-length: 999999\r\n\r\n{`)
  assert.deepEqual(statuses(raw), [413])
})

test('16 KiB of headers are read and 17 KiB give 431', async (t) => {
  const { port } = await startLimited(t, {})
  const withHeader = (size: number) =>
    `GET /api/orch/v1/layer/search HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\nx: ${'y'.repeat(size)}\r\n\r\n`
  assert.deepEqual(statuses(await exchange(port, withHeader(15 * 1024))), [200])
  const raw = await exchange(port, withHeader(17 * 1024))
  assert.deepEqual(statuses(raw), [431])
  assert.match(raw, /"code":"headers_too_large"/)
})

const garbage: [what: string, bytes: string][] = [
  ['bytes of another protocol', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
  ['an HTTP version nobody speaks', 'GET / HTTP/9.9\r\n\r\n'],
  ['a header without a colon', 'GET / HTTP/1.1\r\nhost: localhost\r\nbroken\r\n\r\n'],
  ['both framings at once', `${ECHO}content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`],
  ['two lengths', `${ECHO}content-length: 2\r\ncontent-length: 3\r\n\r\n{}`],
  ['a negative length', `${ECHO}content-length: -1\r\n\r\n`],
  ['a folded header', 'GET / HTTP/1.1\r\nhost: localhost\r\na: b\r\n c\r\n\r\n'],
  ['a chunk size that is no number', `${ECHO}transfer-encoding: chunked\r\n\r\nzz\r\n`],
  ['a target in absolute form', 'GET http://evil.example/api/livez HTTP/1.1\r\nhost: localhost\r\n\r\n'],
  ['a target that is no path', 'GET * HTTP/1.1\r\nhost: localhost\r\n\r\n'],
]
for (const [what, bytes] of garbage)
  test(`${what} gives one 400 and a closed connection`, async (t) => {
    const { port, metrics } = await startLimited(t, QUICK)
    const raw = await exchange(port, bytes)
    assert.deepEqual(statuses(raw), [400], raw)
    assert.match(raw, /"code":"malformed_request"/)
    assert.match(raw, /^connection: close\r$/im)
    await settle(metrics)
  })

test('pipelined requests are answered in their order', async (t) => {
  const { port } = await startLimited(t, {})
  const get = (query: string) => `GET /api/orch/v1/layer/${query} HTTP/1.1\r\nhost: localhost\r\n`
  const raw = await exchange(
    port,
    `${get('slow?ms=80')}\r\n${get('search?limit=7')}\r\n${ECHO}content-length: 2\r\n\r\n{}${get('nope')}connection: close\r\n\r\n`,
  )
  assert.deepEqual(statuses(raw), [200, 200, 200, 404])
  assert.ok(raw.indexOf('waited_ms') < raw.indexOf('"limit":7'))
})

const SLOW = 'GET /api/orch/v1/layer/slow?ms=100 HTTP/1.1\r\nhost: localhost\r\n'
const unwanted: [what: string, bytes: string, answered: number[]][] = [
  ['garbage', `${SLOW}\r\ngarbage\r\n\r\n`, [200]],
  ['a request behind the last one of a connection', `${SLOW}connection: close\r\n\r\n${SLOW}\r\n`, [200]],
  ['a few bytes behind a request of HTTP/1.0', `${SLOW.replace('1.1', '1.0')}\r\nabc`, [200]],
  ['garbage behind two requests', `${SLOW}\r\n${SLOW}\r\n\x16\x03\x01`, [200, 200]],
  [
    'a body that cannot be read, behind a request',
    `${SLOW}\r\n${ECHO}transfer-encoding: chunked\r\n\r\nzz\r\n${SLOW}\r\n`,
    [200, 400],
  ],
]
for (const [what, bytes, answered] of unwanted)
  test(`${what} takes no answer from a request that is at work, and gets none that passes for another`, async (t) => {
    const { port, metrics } = await startLimited(t, QUICK)
    const raw = await exchange(port, bytes)
    assert.deepEqual(statuses(raw), answered, raw)
    await settle(metrics)
  })

test('a request at work keeps its answer however much garbage follows it', async (t) => {
  const { port, metrics } = await startLimited(t, QUICK)
  const socket = await dial(port)
  const answered = everything(socket)
  socket.write(`${SLOW}\r\n`)
  const sending = setInterval(() => socket.write('\x16garbage\r\n\r\n'), 10)
  assert.deepEqual(statuses(await answered), [200])
  clearInterval(sending)
  await settle(metrics)
})

const HALF = 'POST /api/orch/v1/layer/waiting HTTP/1.1\r\nhost: localhost\r\n'
for (const [what, bytes] of [
  ['the rest of a request', `\r\n${HALF}\r\n`],
  ['more of its headers', 'x'],
] as const)
  test(`${what} after its 408 begins nothing, and a client that goes on sending loses its connection`, async (t) => {
    let begun = 0
    const run = () => {
      begun += 1
      return { begun }
    }
    const { port } = await startLimited(t, QUICK, [{ ...waiting(() => undefined), run }])
    const socket = connect({ port, allowHalfOpen: true })
    const gone = new Promise((resolve) => socket.on('error', () => undefined).on('close', resolve))
    socket.write(HALF)
    const [answer] = await once(socket, 'data')
    assert.deepEqual(statuses(String(answer)), [408])
    const sending = setInterval(() => socket.write(bytes), 50)
    await gone
    clearInterval(sending)
    assert.equal(begun, 0)
  })

test('an operation that never answers is answered for with 408, called off, and its late result dropped', async (t) => {
  let reason = ''
  const { url, metrics } = await startLimited(t, QUICK, [
    waiting((text) => {
      reason = text
    }),
  ])
  const answer = await post(`${url}/api/orch/v1/layer/waiting`, undefined, { 'x-request-id': 'late' })
  assert.equal(answer.status, 408)
  assert.equal(answer.json.error.code, 'request_timeout')
  assert.equal(answer.json.error.request_id, 'late')
  assert.equal(reason, 'the request limit is over')
  await settle(metrics)
})

test('the work of a client that leaves is called off', async (t) => {
  const { promise, resolve } = Promise.withResolvers<string>()
  const { port, metrics } = await startLimited(t, { sweepMs: 50 }, [waiting(resolve)])
  const socket = await dial(port)
  socket.write('POST /api/orch/v1/layer/waiting HTTP/1.1\r\nhost: localhost\r\ncontent-length: 0\r\n\r\n')
  await untilBegun(metrics, 1)
  socket.destroy()
  assert.equal(await promise, 'the client left')
  await settle(metrics)
})

test('work that waits behind another request of the same connection is called off with it', async (t) => {
  const { promise, resolve } = Promise.withResolvers<string>()
  const { port, metrics } = await startLimited(t, { sweepMs: 50 }, [waiting(resolve)])
  const socket = await dial(port)
  socket.write(
    'GET /api/orch/v1/layer/slow?ms=300 HTTP/1.1\r\nhost: localhost\r\n\r\nPOST /api/orch/v1/layer/waiting HTTP/1.1\r\nhost: localhost\r\ncontent-length: 0\r\n\r\n',
  )
  await untilBegun(metrics, 2)
  socket.destroy()
  assert.equal(await promise, 'the client left')
  await settle(metrics)
})

test('clients that leave in the middle of anything leave nothing behind', async (t) => {
  const { port, metrics } = await startLimited(t, { sweepMs: 50 })
  const beginnings = [
    `${ECHO}content-length: 10\r\n\r\n{`,
    `${ECHO}transfer-encoding: chunked\r\n\r\n5\r\n{`,
    'GET /api/orch/v1/layer/slow?ms=200 HTTP/1.1\r\nhost: localhost\r\n\r\n',
    'GET /api/orch/v1/layer/slow?ms=200 HTTP/1.1\r\nhost: localhost\r\n\r\nGET /api/orch/v1/layer/slow?ms=1 HTTP/1.1\r\nhost: localhost\r\n\r\n',
    'GET /api/orch/v1/layer/stream?lines=50 HTTP/1.1\r\nhost: localhost\r\n\r\n',
  ]
  for (const bytes of beginnings)
    for (let times = 0; times < 10; times += 1) {
      const socket = await dial(port)
      socket.write(bytes)
      await pause(5)
      socket.destroy()
    }
  await settle(metrics)
})

test('a stream is not held to the request limit, and one that breaks ends without its last chunk', async (t) => {
  const { url } = await startLimited(t, { requestMs: 100, sweepMs: 20 })
  const whole = await send(`${url}/api/orch/v1/layer/stream?lines=20`)
  assert.equal(whole.text.split('\n').length, 21)
  await assert.rejects(send(`${url}/api/orch/v1/layer/stream?lines=2&breaks=true`), /aborted|ECONNRESET/)
})

test('a client that takes nothing of its stream loses its connection, and one that reads does not', async (t) => {
  const endless = operation({
    id: 'layer.endless',
    group: 'Operations',
    method: 'GET',
    path: '/layer/endless',
    scope: null,
    summary: 'More than anybody reads',
    reply: Type.Unknown(),
    produces: 'text/plain',
    run: () => new Reply(filling(), { type: 'text/plain; charset=utf-8' }),
  })
  const { port, metrics } = await startLimited(t, { streamStallMs: 100, sweepMs: 20 }, [endless])
  const deaf = await dial(port)
  deaf.pause()
  deaf.write('GET /api/orch/v1/layer/endless HTTP/1.1\r\nhost: localhost\r\n\r\n')
  await untilBegun(metrics, 1)
  await settle(metrics)
  deaf.destroy()
  const whole = await send(`http://127.0.0.1:${port}/api/orch/v1/layer/stream?lines=20`)
  assert.equal(whole.text.split('\n').length, 21)
})

async function* filling(): AsyncGenerator<string> {
  for (;;) yield 'x'.repeat(64 * 1024)
}

test('500 clients on connections of their own, five requests each: all 2500 answered', async (t) => {
  const { url, metrics } = await startLimited(t, {})
  const client = async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const seen: number[] = []
    for (let turn = 0; turn < 5; turn += 1) seen.push(await status(agent, `${url}/api/orch/v1/layer/echo`))
    agent.destroy()
    return seen
  }
  const seen = (await Promise.all(Array.from({ length: 500 }, client))).flat()
  assert.equal(seen.length, 2500)
  assert.deepEqual([...new Set(seen)], [200])
  await settle(metrics)
})

async function status(agent: Agent, url: string): Promise<number> {
  const outgoing = request(url, { method: 'POST', agent, headers: { 'content-type': 'application/json' } })
  outgoing.end('{"note":"ab"}')
  const [response] = await once(outgoing, 'response')
  response.resume()
  await once(response, 'end')
  return response.statusCode
}

test('a connection that sends on without reading its answers is closed after 100, and the service goes on', async (t) => {
  const { port, url } = await startLimited(t, {})
  const socket = await dial(port)
  const closed = new Promise((resolve) => socket.once('close', resolve))
  socket.pause()
  socket.write('GET /api/orch/v1/layer/slow?ms=5000 HTTP/1.1\r\nhost: localhost\r\n\r\n'.repeat(2_000))
  socket.resume()
  await closed
  assert.equal((await send(`${url}/api/orch/v1/layer/search`)).status, 200)
})

test('100 pipelined requests are all answered', async (t) => {
  const { port } = await startLimited(t, {})
  const get = 'GET /api/orch/v1/layer/search HTTP/1.1\r\nhost: localhost\r\n'
  const raw = await exchange(port, `${`${get}\r\n`.repeat(99)}${get}connection: close\r\n\r\n`)
  assert.deepEqual(statuses(raw), Array(100).fill(200))
})

test('a client that sends 8 MB and asks to close still reads its 413', async (t) => {
  const { port } = await startLimited(t, {})
  const socket = await dial(port)
  const answer = everything(socket)
  socket.write(`${ECHO}connection: close\r\ncontent-length: 8388608\r\n\r\n`)
  for (let sent = 0; sent < 128; sent += 1) if (!socket.write('a'.repeat(65_536))) await once(socket, 'drain')
  assert.deepEqual(statuses(await answer), [413])
})

test('a body in a compressed transfer encoding is refused by its type', async (t) => {
  const { port } = await startLimited(t, {})
  assert.deepEqual(
    statuses(await exchange(port, `${ECHO}connection: close\r\ntransfer-encoding: gzip\r\n\r\nx`)),
    [415],
  )
  const raw = await exchange(
    port,
    `${ECHO}connection: close\r\ntransfer-encoding: gzip, chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
  )
  assert.deepEqual(statuses(raw), [415])
})
