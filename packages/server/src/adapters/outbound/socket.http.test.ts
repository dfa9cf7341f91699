import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { type TestContext, test } from 'node:test'
import { documentStore } from '#testing/readings/reader.ts'
import { openOutbound } from './outbound.ts'
import { configured } from './providers.ts'

async function socketServer(t: TestContext, talk: (stream: Duplex) => void) {
  const server = createServer()
  const open: Duplex[] = []
  server.on('upgrade', ({ headers }, stream) => {
    open.push(stream)
    stream.on('error', () => undefined)
    const key = `${headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`
    const accept = createHash('sha1').update(key).digest('base64')
    stream.write(
      `HTTP/1.1 101 x\r\nupgrade: websocket\r\nconnection: Upgrade\r\nsec-websocket-accept: ${accept}\r\n\r\n`,
    )
    talk(stream)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    for (const stream of open) stream.destroy()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const clock = { now: () => 0, monotonic: () => performance.now() }
  const settings = { enabled: true, privateHosts: [] }
  return { url, outbound: openOutbound(settings, [configured('one', [url])], { store: documentStore(), clock }) }
}

/** The text of one whole frame of a client, once all of it is there. */
function unmasked(bytes: Buffer): string | null {
  const short = bytes[1]! & 0x7f
  const at = short === 127 ? 10 : short === 126 ? 4 : 2
  const length = short === 127 ? Number(bytes.readBigUInt64BE(2)) : short === 126 ? bytes.readUInt16BE(2) : short
  if (bytes.length < at + 4 + length) return null
  assert.ok(bytes[1]! >= 0x80, 'a client masks what it sends')
  const [mask, payload] = [bytes.subarray(at, at + 4), bytes.subarray(at + 4)]
  return Buffer.from(payload.map((byte, n) => byte ^ mask[n % 4]!)).toString()
}

test('text goes both ways whatever its length, and comes in parts with a ping between them', async (t) => {
  const { url, outbound } = await socketServer(t, (stream) => {
    let buffered = Buffer.alloc(0)
    stream.on('data', (chunk: Buffer) => {
      buffered = Buffer.concat([buffered, chunk])
      const text = unmasked(buffered)
      if (text === null || (buffered[0]! & 0x0f) !== 1) return
      buffered = Buffer.alloc(0)
      const part = (first: number, piece: string) =>
        Buffer.concat([Buffer.from([first, piece.length]), Buffer.from(piece)])
      const echo = `${text.length} ${text.slice(-3)}`
      for (const byte of Buffer.concat([part(0x01, echo.slice(0, 2)), part(0x89, 'hi'), part(0x80, echo.slice(2))]))
        stream.write(Buffer.from([byte]))
    })
  })
  for (const length of [5, 200, 70_000]) {
    const answer = await outbound.converse('one')({ url, deadlineMs: 60_000, maxBytes: 1000 }, async (socket) => {
      socket.send(`${'x'.repeat(length - 3)}end`)
      for await (const text of socket.messages) return text
      return null
    })
    assert.deepEqual(answer, { ok: true, value: `${length} end` })
  }
})

test('one that says nothing is left at the deadline, and no other place is talked to', async (t) => {
  const { url, outbound } = await socketServer(t, () => undefined)
  const listen = async (socket: { messages: AsyncIterable<string> }) => {
    for await (const text of socket.messages) return text
    return null
  }
  const limits = { deadlineMs: 50, maxBytes: 1000 }
  assert.deepEqual(await outbound.converse('one')({ url, ...limits }, listen), { ok: false, code: 'RESPONSE_DEADLINE' })
  const other = await outbound.converse('one')({ url: 'https://evil.example/', ...limits }, listen)
  assert.deepEqual(other, { ok: false, code: 'DESTINATION_DENIED' })
  const left = AbortSignal.abort()
  const gone = await outbound.converse('one')({ url, deadlineMs: 60_000, maxBytes: 1000 }, listen, left)
  assert.deepEqual(gone, { ok: false, code: 'TRANSPORT_UNAVAILABLE' })
})
