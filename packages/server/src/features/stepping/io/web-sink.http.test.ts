import assert from 'node:assert/strict'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { sha256Hex } from '@orch/core'
import { webSink } from './web-sink.ts'

const ID = sha256Hex('effect')
const ARTIFACT = { effect_id: ID, bytes: new TextEncoder().encode('{"kind":"proof_export"}') }
const OUT = { enabled: true, privateHosts: [] }

interface Seen {
  key: unknown
  type: unknown
  body: string
}

/** A receiver that answers as it is told. */
async function receiver(t: TestContext, answer: (reply: ServerResponse, request: IncomingMessage) => void) {
  const seen: Seen[] = []
  const server = createServer(async (request, reply) => {
    const body = Buffer.concat(await Array.fromAsync(request as AsyncIterable<Buffer>)).toString()
    seen.push({ key: request.headers['idempotency-key'], type: request.headers['content-type'], body })
    answer(reply, request)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/effects`, seen }
}

async function codeFrom(sink: ReturnType<typeof webSink>): Promise<string> {
  const error = await sink.deliver(ARTIFACT).then(
    () => null,
    (error: NodeJS.ErrnoException) => error,
  )
  return error === null ? 'DELIVERED' : String(error.code)
}

test('the receiver gets the bytes as JSON under the effect id', async (t) => {
  const { url, seen } = await receiver(t, (reply) => reply.writeHead(202).end())
  assert.equal(await codeFrom(webSink(url, OUT)), 'DELIVERED')
  assert.deepEqual(seen, [{ key: ID, type: 'application/json', body: '{"kind":"proof_export"}' }])
})

const STATUSES: [number, string][] = [
  [200, 'DELIVERED'],
  [204, 'DELIVERED'],
  [301, 'HTTP_3XX'],
  [400, 'HTTP_4XX'],
  [408, 'HTTP_408'],
  [409, 'HTTP_4XX'],
  [425, 'HTTP_425'],
  [429, 'HTTP_429'],
  [500, 'HTTP_5XX'],
  [503, 'HTTP_5XX'],
]
test('a status says whether it was delivered, and a redirect is not followed', async (t) => {
  for (const [status, code] of STATUSES) {
    const { url, seen } = await receiver(t, (reply) => reply.writeHead(status, { location: '/elsewhere' }).end('{}'))
    assert.equal(await codeFrom(webSink(url, OUT)), code, String(status))
    assert.equal(seen.length, 1)
  }
})

test('what the network does has the name the system gives it', async (t) => {
  const { url } = await receiver(t, (_reply, request) => request.socket.resetAndDestroy())
  assert.equal(await codeFrom(webSink(url, OUT)), 'ECONNRESET')
  const silent = await receiver(t, () => undefined)
  assert.equal(await codeFrom(webSink(silent.url, OUT, 50)), 'ETIMEDOUT')
  const gone = createServer()
  await new Promise<void>((resolve) => gone.listen(0, '127.0.0.1', resolve))
  const { port } = gone.address() as AddressInfo
  await new Promise((resolve) => gone.close(resolve))
  assert.equal(await codeFrom(webSink(`http://127.0.0.1:${port}/`, OUT)), 'ECONNREFUSED')
})

test('the rules for outgoing requests hold: no private address, nothing at all where it is off', async (t) => {
  assert.equal(await codeFrom(webSink('https://10.0.0.1/', OUT)), 'DESTINATION_DENIED')
  assert.equal(await codeFrom(webSink('https://169.254.169.254/', OUT)), 'DESTINATION_DENIED')
  const { url, seen } = await receiver(t, (reply) => reply.end())
  assert.equal(await codeFrom(webSink(url, { ...OUT, enabled: false })), 'TRANSPORT_DISABLED')
  assert.deepEqual(seen, [])
})

test('a receiver that never stops answering holds nobody up', async (t) => {
  const { url } = await receiver(t, (reply) => {
    reply.writeHead(200)
    const timer = setInterval(() => reply.write('x'.repeat(65_536)), 1)
    reply.on('close', () => clearInterval(timer))
  })
  assert.equal(await codeFrom(webSink(url, OUT)), 'DELIVERED')
})
