import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startApp } from '#testing/layer.ts'
import { exchange, post, type Sending, send } from '#testing/raw-http.ts'

const service = await startApp({ after })
const url = `${service.url}/api/orch/v1`
const TRACE = '0af7651916cd43dd8448eb211c80319c'
const SPAN = 'b7ad6b7169203331'

const everyKind: [what: string, path: string, sending: Sending][] = [
  ['200', '/api/livez', {}],
  ['200 by HEAD', '/api/livez', { method: 'HEAD' }],
  ['200 as a stream', '/api/orch/v1/layer/stream?lines=1', {}],
  ['403', '/api/orch/v1/layer/echo', { method: 'POST', body: '{}', headers: { origin: 'http://evil.example' } }],
  ['404', '/nope', {}],
  ['405', '/api/livez', { method: 'DELETE' }],
  ['413', '/api/orch/v1/layer/open', { method: 'POST', body: 'x'.repeat(70_000) }],
  ['414', `/api/orch/v1/layer/items/${'x'.repeat(5000)}`, {}],
  ['415', '/api/orch/v1/layer/echo', { method: 'POST', body: 'x', headers: { 'content-type': 'text/plain' } }],
  ['422', '/api/orch/v1/layer/echo', { method: 'POST', body: '{' }],
  ['422 for a path that cannot be read', '/api/orch/v1/layer/items/%zz', {}],
  ['500', '/api/orch/v1/layer/throwing', {}],
]
for (const [what, path, sending] of everyKind)
  test(`a ${what} carries the standing headers`, async () => {
    const { status, headers } = await send(service.url + path, sending)
    assert.equal(String(status), what.slice(0, 3))
    assert.match(String(headers['x-request-id']), /^[0-9a-f]{32}$/)
    assert.match(String(headers.traceparent), /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-0[01]$/)
    assert.equal(headers['cache-control'], 'no-store')
    assert.equal(headers['x-content-type-options'], 'nosniff')
    assert.equal(headers['content-security-policy'], "default-src 'none'; frame-ancestors 'none'")
    if (status !== 200) assert.equal(headers['content-type'], 'application/json; charset=utf-8')
    assert.equal(headers.server, undefined)
    assert.equal(headers['x-powered-by'], undefined)
  })

for (const [what, bytes] of [
  ['400 for garbage', 'garbage\r\n\r\n'],
  ['431', `GET / HTTP/1.1\r\nhost: localhost\r\nx: ${'y'.repeat(17 * 1024)}\r\n\r\n`],
] as const)
  test(`a ${what} carries the standing headers although there was no request`, async () => {
    const raw = await exchange(service.port, bytes)
    assert.ok(raw.startsWith(`HTTP/1.1 ${what.slice(0, 3)} `), raw)
    for (const name of [
      'x-request-id: ',
      'traceparent: 00-',
      'cache-control: no-store',
      'x-content-type-options: nosniff',
    ])
      assert.ok(raw.includes(`\r\n${name}`), name)
  })

for (const id of ['a', 'A-b.c:d_9', 'x'.repeat(128)])
  test(`the caller’s request id ${id.slice(0, 12)} comes back`, async () => {
    const answer = await send(`${url}/nope`, { headers: { 'x-request-id': id } })
    assert.equal(answer.headers['x-request-id'], id)
    assert.equal(answer.json.error.request_id, id)
  })

for (const id of ['', ' ', 'x'.repeat(129), 'a b', 'a/b', '<script>', '"', 'é', 'a,b'])
  test(`the request id ${JSON.stringify(id.slice(0, 12))} is no id and a fresh one is made`, async () => {
    const answer = await send(`${url}/nope`, {
      headers: { 'x-request-id': Buffer.from(id, 'utf8').toString('latin1') },
    })
    assert.match(String(answer.headers['x-request-id']), /^[0-9a-f]{32}$/)
  })

test('two request ids are no id', async () => {
  const raw = await exchange(
    service.port,
    'GET /api/livez HTTP/1.1\r\nhost: localhost\r\nx-request-id: one\r\nx-request-id: two\r\nconnection: close\r\n\r\n',
  )
  assert.match(raw, /\r\nx-request-id: [0-9a-f]{32}\r\n/)
})

test('fresh request ids do not repeat', async () => {
  const ids = await Promise.all(
    Array.from({ length: 600 }, async () => String((await send(`${service.url}/api/livez`)).headers['x-request-id'])),
  )
  assert.equal(new Set(ids).size, 600)
})

test('an incoming trace goes on: the same trace, the wish to be sampled, a span of our own', async () => {
  for (const flags of ['00', '01']) {
    const { headers } = await send(`${service.url}/api/livez`, {
      headers: { traceparent: `00-${TRACE}-${SPAN}-${flags}` },
    })
    const [version, trace, span, flag] = String(headers.traceparent).split('-')
    assert.deepEqual([version, trace, flag], ['00', TRACE, flags])
    assert.notEqual(span, SPAN)
  }
})

const malformed = [
  'nonsense',
  `00-${TRACE}-${SPAN}`,
  `00-${'0'.repeat(32)}-${SPAN}-01`,
  `00-${TRACE}-${'0'.repeat(16)}-01`,
  `00-${TRACE.toUpperCase()}-${SPAN}-01`,
  `ff-${TRACE}-${SPAN}-01`,
  `00-${TRACE}-${SPAN}-01-extra`,
  `00-${TRACE}x-${SPAN}-01`,
]
for (const traceparent of malformed)
  test(`the malformed traceparent ${traceparent.slice(0, 40)} starts a trace of its own`, async () => {
    const { status, headers } = await send(`${service.url}/api/livez`, { headers: { traceparent } })
    assert.equal(status, 200)
    assert.match(String(headers.traceparent), /^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/)
    assert.notEqual(String(headers.traceparent).split('-')[1], TRACE)
  })

test('a missing or doubled Host is refused in our own shape', async () => {
  for (const hosts of ['', 'host: a\r\nhost: b\r\n', 'host: a\r\nHost: a\r\n']) {
    const raw = await exchange(service.port, `GET /api/livez HTTP/1.1\r\n${hosts}connection: close\r\n\r\n`)
    assert.ok(raw.startsWith('HTTP/1.1 400 '), raw)
    assert.match(raw, /"code":"malformed_request"/)
  }
  assert.match(await exchange(service.port, 'GET /api/livez HTTP/1.0\r\n\r\n'), /^HTTP\/1\.1 200 /)
})

test('an expectation nobody knows is not answered by Node on its own', async () => {
  const answer = await post(`${url}/layer/echo`, '{}', { expect: 'miracles' })
  assert.equal(answer.status, 200)
  assert.match(String(answer.headers['x-request-id']), /^[0-9a-f]{32}$/)
})
