import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { startApp } from '#testing/layer.ts'
import { dial, everything, post, send, statuses } from '#testing/raw-http.ts'

const LIMIT = 64 * 1024

const service = await startApp({ after })
const echo = `${service.url}/api/orch/v1/layer/echo`
const open = `${service.url}/api/orch/v1/layer/open`

const bodyOf = (bytes: number): string => `{"a":"${'x'.repeat(bytes - 8)}"}`

for (const chunked of [false, true])
  test(`a body of 64 KiB is read and one byte more is not, ${chunked ? 'in chunks' : 'with its length'}`, async () => {
    for (const [bytes, status] of [
      [LIMIT - 1, 200],
      [LIMIT, 200],
      [LIMIT + 1, 413],
    ] as const) {
      const answer = await send(open, { method: 'POST', body: bodyOf(bytes), chunked })
      assert.equal(answer.status, status, `${bytes} bytes`)
      if (status === 413) assert.equal(answer.json.error.code, 'request_body_too_large')
    }
  })

test('a body over the limit is refused before it is parsed: it need not even be JSON', async () => {
  const answer = await post(open, 'x'.repeat(LIMIT + 1))
  assert.equal(answer.status, 413)
})

for (const framing of ['content-length: 52428800', 'transfer-encoding: chunked'])
  test(`a client that keeps sending 50 MB gets its 413 and is not left hanging (${framing})`, async () => {
    const socket = await dial(service.port)
    const answered = everything(socket, (text) => text.includes('request_body_too_large'))
    socket.write(
      `POST /api/orch/v1/layer/open HTTP/1.1\r\nhost: 127.0.0.1\r\n${framing}\r\ncontent-type: application/json\r\n\r\n`,
    )
    const gone = once(socket, 'close')
    const piece = Buffer.alloc(64 * 1024, 0x20)
    for (let sent = 0; sent < 800; sent += 1) {
      if (framing.startsWith('transfer')) socket.write('10000\r\n')
      const more = socket.write(piece)
      if (framing.startsWith('transfer')) socket.write('\r\n')
      if (!more) await Promise.race([once(socket, 'drain'), gone])
      if (socket.destroyed) break
    }
    assert.deepEqual(statuses(await answered), [413])
    socket.destroy()
    assert.equal((await post(echo, '{}')).status, 200)
  })

const types: [type: string | null, status: number][] = [
  ['application/json', 200],
  ['application/json; charset=utf-8', 200],
  ['application/json;charset="UTF-8"', 200],
  ['APPLICATION/JSON', 200],
  ['application/problem+json', 200],
  ['application/json; charset=latin1', 415],
  ['application/json; charset=utf-16', 415],
  ['text/plain', 415],
  ['application/x-www-form-urlencoded', 415],
  ['multipart/form-data; boundary=x', 415],
  ['application/jsonx', 415],
  ['nonsense', 415],
  ['', 415],
  [null, 415],
]
for (const [type, status] of types)
  test(`a body of the type ${type ?? '(none)'} gives ${status}`, async () => {
    const bytes = type === null ? '' : `content-type: ${type}\r\n`
    const socket = await dial(service.port)
    socket.write(
      `POST /api/orch/v1/layer/echo HTTP/1.1\r\nhost: 127.0.0.1\r\n${bytes}content-length: 2\r\nconnection: close\r\n\r\n{}`,
    )
    const raw = await everything(socket)
    assert.deepEqual(statuses(raw), [status])
    if (status === 415) assert.match(raw, /"code":"unsupported_media_type"/)
  })

for (const encoding of ['gzip', 'br', 'deflate', 'zstd', 'gzip, identity'])
  test(`a body encoded as ${encoding} gives 415`, async () => {
    const answer = await post(echo, gzipSync('{}'), { 'content-encoding': encoding })
    assert.equal(answer.status, 415)
    assert.equal(answer.json.error.code, 'unsupported_media_type')
  })

test('content-encoding: identity is no encoding', async () => {
  assert.equal((await post(echo, '{}', { 'content-encoding': 'identity' })).status, 200)
})

test('a body shorter than its length is never run, and the connection count comes back down', async () => {
  const socket = await dial(service.port)
  socket.write(
    'POST /api/orch/v1/layer/echo HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{}',
  )
  socket.end()
  const raw = await everything(socket)
  assert.ok(!statuses(raw).includes(200), raw)
})

test('an empty body, none at all and {} run the documented example and say so', async () => {
  const url = `${service.url}/api/orch/v1/layer/example`
  for (const body of [undefined, '', '{}', ' {\n} '])
    assert.deepEqual((await post(url, body)).json, {
      input_source: 'DEFAULT_EXAMPLE',
      body: { text: 'documented' },
      caller: 'unused',
    })
  assert.equal((await post(url, '{"text":"mine"}')).json.input_source, 'CALLER')
})

for (const body of [' ', '\n\t', 'null', '[]', '""', '{', 'undefined'])
  test(`${JSON.stringify(body)} is malformed, not empty`, async () => {
    assert.equal((await post(`${service.url}/api/orch/v1/layer/example`, body)).status, 422)
  })

test('an operation without an example refuses an empty body', async () => {
  for (const body of [undefined, '']) {
    const answer = await post(echo, body)
    assert.equal(answer.status, 422)
    assert.deepEqual(answer.json.detail[0].loc, ['body'])
    assert.equal(answer.json.detail[0].type, 'missing')
  }
})
