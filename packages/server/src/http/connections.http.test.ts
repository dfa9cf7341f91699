import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { queryObjects } from 'node:v8'
import { startApp } from '#testing/layer.ts'
import { LAYER_OPERATIONS, waiting } from '#testing/layer-operations.ts'
import { RequestContext } from './request-context.ts'

const MAX = 3
const started = (t: TestContext) =>
  startApp(t as never, { ORCH_STORE: 'memory', ORCH_MAX_CONNECTIONS_PER_CLIENT: String(MAX) }, [
    waiting(() => undefined),
    ...LAYER_OPERATIONS,
  ])

interface Connection {
  socket: Socket
  closed: Promise<unknown>
  /** Resolves once what was received since the last time matches. */
  received(pattern: RegExp): Promise<void>
}

async function dialFrom(t: TestContext, port: number, localAddress = '127.0.0.1'): Promise<Connection> {
  const socket = connect({ port, host: '127.0.0.1', localAddress })
  socket.on('error', () => undefined)
  t.after(() => socket.destroy())
  let text = ''
  socket.on('data', (chunk) => {
    text += chunk
    socket.emit('text')
  })
  const closed = once(socket, 'close')
  await once(socket, 'connect')
  const received = async (pattern: RegExp) => {
    while (!pattern.test(text)) await Promise.race([once(socket, 'text'), closed.then(() => assert.fail('closed'))])
    text = ''
  }
  return { socket, closed, received }
}

const request = (path: string) => `GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`
const LIVE = /"status":"LIVE"/
const ask = ({ socket, received }: Connection) => {
  socket.write(request('/api/livez'))
  return received(LIVE)
}
const WORK = 'POST /api/orch/v1/layer/waiting HTTP/1.1\r\nhost: localhost\r\ncontent-length: 0\r\n\r\n'

/** At work, since the answer to the request before it is here and the service has read both. */
async function atWork(t: TestContext, port: number): Promise<Connection> {
  const connection = await dialFrom(t, port)
  connection.socket.write(request('/api/livez') + WORK)
  await connection.received(LIVE)
  return connection
}

async function severalOf<T>(count: number, make: () => Promise<T>): Promise<T[]> {
  const made: T[] = []
  for (let at = 0; at < count; at += 1) made.push(await make())
  return made
}

test('a client keeps as many idle connections as it may have, and one more costs it the longest idle one', async (t) => {
  const { port } = await started(t)
  const [first, second, third] = await severalOf(MAX, async () => {
    const connection = await dialFrom(t, port)
    await ask(connection)
    return connection
  })
  // The first has just been used, so the second is the one that was idle longest.
  await ask(first!)
  const fourth = await dialFrom(t, port)
  await ask(fourth)
  await second!.closed
  for (const connection of [first!, third!, fourth]) await ask(connection)
})

test('a connection that sent nothing yet is idle', async (t) => {
  const { port } = await started(t)
  const [silent] = await severalOf(MAX, () => dialFrom(t, port))
  const next = await dialFrom(t, port)
  await silent!.closed
  await ask(next)
})

test('where all are at work the next one is closed, and a client of another address is served', async (t) => {
  const { port } = await started(t)
  const working = await severalOf(MAX, () => atWork(t, port))
  const refused = await dialFrom(t, port)
  refused.socket.write(request('/api/livez'))
  await refused.closed
  assert.equal(refused.socket.bytesRead, 0)
  await ask(await dialFrom(t, port, '127.0.0.2'))
  assert.deepEqual(
    working.map(({ socket }) => socket.closed),
    Array(MAX).fill(false),
  )
})

test('what a client closed is free again', async (t) => {
  const { port, app } = await started(t)
  const working = await severalOf(MAX, () => atWork(t, port))
  working[0]!.socket.destroy()
  const open = () => new Promise<number>((resolve) => app.http.server.getConnections((_, count) => resolve(count)))
  while ((await open()) >= MAX) await new Promise((resolve) => setImmediate(resolve))
  await ask(await dialFrom(t, port))
})

// Of operations that answer later: what Node starts for the next request, a timer, remembers who ended the last one.
const GOVERN = JSON.stringify({ text: 'summarise the report' })
const answeredLater: [what: string, request: string, end: RegExp][] = [
  [
    'decision',
    `POST /api/orch/v1/wow/govern HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${GOVERN.length}\r\n\r\n${GOVERN}`,
    /"receipt_digest"|"receipt"/,
  ],
  ['stream', request('/api/orch/v1/layer/stream?lines=3'), /\r\n0\r\n\r\n$/],
]
for (const [what, bytes, end] of answeredLater)
  test(`a connection that waits for its next request keeps nothing of the last one alive, a ${what}`, async (t) => {
    const { port } = await started(t)
    const connections = await severalOf(MAX, () => dialFrom(t, port))
    for (const { socket, received } of connections) {
      socket.write(bytes)
      await received(end)
    }
    assert.equal(queryObjects(RequestContext, { format: 'count' }), 0)
  })
