/** A WebSocket to a configured address (RFC 6455), for text alone. It is opened under the same checks as every request, and
 *  whoever answers controls every byte: a frame that breaks the protocol or the limit ends it. */
import { createHash, randomBytes } from 'node:crypto'
import type { Duplex } from 'node:stream'
import { OutboundFault, type TextSocket } from './contract.ts'
import { type Outgoing, startRequest } from './transport.ts'

const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'
const [CONTINUATION, TEXT, CLOSE, PING, PONG] = [0, 1, 8, 9, 10]
const MAX_CONTROL = 125

/** `maxBytes`: of all that is read before it is closed. */
export async function openSocket(
  asked: Omit<Outgoing, 'body' | 'headers'>,
  privateHosts: readonly string[],
  maxBytes: number,
): Promise<TextSocket> {
  const stream = await upgraded(asked, privateHosts)
  return {
    send: (text) => void stream.write(frameOf(TEXT, Buffer.from(text.toWellFormed()))),
    messages: messagesOf(stream, maxBytes),
    close: () => void stream.destroy(),
  }
}

function upgraded(asked: Omit<Outgoing, 'body' | 'headers'>, privateHosts: readonly string[]): Promise<Duplex> {
  const key = randomBytes(16).toString('base64')
  const expected = createHash('sha1').update(`${key}${GUID}`).digest('base64')
  const headers = {
    ...{ connection: 'Upgrade', upgrade: 'websocket' },
    ...{ 'sec-websocket-version': '13', 'sec-websocket-key': key },
  }
  return new Promise((resolve, reject) => {
    const out = startRequest({ ...asked, headers }, privateHosts)
    out.on('error', reject)
    out.on('response', (response) => {
      response.destroy()
      reject(new OutboundFault(`UPSTREAM_HTTP_${response.statusCode ?? 0}`))
    })
    out.on('upgrade', ({ headers: received }, stream, head) => {
      // What is read from it later reports this; without a listener it would end the process.
      stream.on('error', () => undefined)
      const isAgreed =
        received['sec-websocket-accept'] === expected && received['sec-websocket-extensions'] === undefined
      if (!isAgreed) {
        stream.destroy()
        return reject(new OutboundFault('INVALID_SOURCE_SCHEMA'))
      }
      const fail = () => stream.destroy(new DOMException('the exchange was broken off', 'AbortError'))
      asked.signal.addEventListener('abort', fail, { once: true })
      stream.once('close', () => asked.signal.removeEventListener('abort', fail))
      stream.unshift(head)
      resolve(stream)
    })
    out.end()
  })
}

/** From a client every frame is masked. */
function frameOf(opcode: number, payload: Buffer): Buffer {
  const mask = randomBytes(4)
  const length = payload.length
  const head = Buffer.alloc(length <= MAX_CONTROL ? 2 : length < 2 ** 16 ? 4 : 10)
  head[0] = 0x80 | opcode
  head[1] = 0x80 | (head.length === 2 ? length : head.length === 4 ? 126 : 127)
  if (head.length === 4) head.writeUInt16BE(length, 2)
  if (head.length === 10) head.writeBigUInt64BE(BigInt(length), 2)
  return Buffer.concat([head, mask, payload.map((byte, at) => byte ^ mask[at % 4]!)])
}

async function* messagesOf(stream: Duplex, maxBytes: number): AsyncGenerator<string> {
  const take = reader(stream, maxBytes)
  let parts: Buffer[] = []
  for (;;) {
    const [first, second] = (await take(2)) as unknown as [number, number]
    const [isLast, opcode, isControl] = [first >= 0x80, first & 0x0f, (first & 0x08) !== 0]
    const length = await lengthOf(second & 0x7f, take)
    // Bits that no extension gave a meaning, a mask, and a control frame that is long or in parts.
    if ((first & 0x70) !== 0 || second >= 0x80 || (isControl && (!isLast || length > MAX_CONTROL))) throw broken()
    if (opcode === CLOSE) throw new OutboundFault('TRANSPORT_UNAVAILABLE')
    const payload = await take(length)
    if (opcode === PING) stream.write(frameOf(PONG, payload))
    if (opcode === PING || opcode === PONG) continue
    if (opcode !== (parts.length === 0 ? TEXT : CONTINUATION)) throw broken()
    parts.push(payload)
    if (!isLast) continue
    yield textOf(Buffer.concat(parts))
    parts = []
  }
}

type Take = (count: number) => Promise<Buffer>

async function lengthOf(short: number, take: Take): Promise<number> {
  if (short === 126) return (await take(2)).readUInt16BE()
  return short === 127 ? Number((await take(8)).readBigUInt64BE()) : short
}

/** Exactly as many bytes as are asked for. A length that cannot come true within the limit is refused unread. */
function reader(stream: Duplex, maxBytes: number): Take {
  const source = stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>
  let chunks: Buffer[] = []
  let [size, used] = [0, 0]
  return async (count) => {
    used += count
    if (used > maxBytes) throw new OutboundFault('RESPONSE_TOO_LARGE')
    while (size < count) {
      const { done, value } = await source.next()
      if (done) throw new OutboundFault('TRANSPORT_UNAVAILABLE')
      chunks.push(value)
      size += value.length
    }
    const all = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)
    chunks = [all.subarray(count)]
    size -= count
    return all.subarray(0, count)
  }
}

const broken = (): OutboundFault => new OutboundFault('INVALID_SOURCE_SCHEMA')

function textOf(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new OutboundFault('INVALID_SOURCE_TEXT')
  }
}
