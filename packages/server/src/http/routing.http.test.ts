import assert from 'node:assert/strict'
import { METHODS } from 'node:http'
import { after, test } from 'node:test'
import { startApp } from '#testing/layer.ts'
import { LAYER_OPERATIONS } from '#testing/layer-operations.ts'
import { exchange, post, send, statuses } from '#testing/raw-http.ts'
import { pathsOf } from '../operation.ts'

const service = await startApp({ after })
const url = `${service.url}/api/orch/v1`

const query: [text: string, status: number, expected: object][] = [
  ['', 200, { limit: 10 }],
  ['?limit=1', 200, { limit: 1 }],
  ['?limit=100', 200, { limit: 100 }],
  ['?limit=0', 422, { loc: ['query', 'limit'] }],
  ['?limit=101', 422, { loc: ['query', 'limit'] }],
  ['?limit=abc', 422, { loc: ['query', 'limit'] }],
  ['?limit=1.5', 422, { loc: ['query', 'limit'] }],
  ['?limit=', 422, { loc: ['query', 'limit'] }],
  ['?limit=1e1', 422, { loc: ['query', 'limit'] }],
  ['?limit=0x10', 422, { loc: ['query', 'limit'] }],
  ['?limit=5&limit=6', 422, { loc: ['query', 'limit'] }],
  ['?ratio=0.25&flag=true', 200, { limit: 10, ratio: 0.25, flag: true }],
  ['?ratio=1e-2&flag=0', 200, { limit: 10, ratio: 0.01, flag: false }],
  ['?ratio=NaN', 422, { loc: ['query', 'ratio'] }],
  ['?ratio=Infinity', 422, { loc: ['query', 'ratio'] }],
  ['?flag=yes', 422, { loc: ['query', 'flag'] }],
  ['?word=a%20b%2B', 200, { limit: 10, word: 'a b+' }],
  ['?word=abcdef', 422, { loc: ['query', 'word'] }],
  ['?__proto__=1&constructor=2', 200, { limit: 10 }],
]
for (const [text, status, expected] of query)
  test(`the query ${text || '(none)'} gives ${status}`, async () => {
    const answer = await send(`${url}/layer/search${text}`)
    assert.equal(answer.status, status)
    if (status === 200) assert.deepEqual(answer.json.query, expected)
    else assert.deepEqual(answer.json.detail[0].loc, (expected as { loc: string[] }).loc)
  })

test('every faulty parameter of a query is named', async () => {
  const { json } = await send(`${url}/layer/search?limit=x&ratio=y&flag=z`)
  assert.deepEqual(
    json.detail.map((fault: { loc: string[] }) => fault.loc[1]),
    ['limit', 'ratio', 'flag'],
  )
})

const segments: [raw: string, value: string][] = [
  ['a%2Fb', 'a/b'],
  ['..%2F..%2Fetc', '../../etc'],
  ['%E2%82%AC', '€'],
  ['a%00b', 'a\0b'],
  ['%2e%2e', '..'],
]
for (const [raw, value] of segments)
  test(`the path segment ${raw} stays one segment`, async () => {
    const bytes = `GET /api/orch/v1/layer/items/${raw} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n`
    const answer = await exchange(service.port, bytes)
    assert.deepEqual(statuses(answer), [200])
    assert.deepEqual(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4)), {
      item_id: Buffer.from(value).toString('latin1'),
    })
  })

for (const raw of ['%', '%zz', '%E2%82', '%C0%AF', '%ED%A0%80'])
  test(`the path segment ${raw} is no percent-encoded UTF-8 and gives 422 of its parameter`, async () => {
    const answer = await exchange(
      service.port,
      `GET /api/orch/v1/layer/items/${raw} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n`,
    )
    assert.deepEqual(statuses(answer), [422])
    assert.match(answer, /"loc":\["path","item_id"\]/)
    assert.match(answer, /x-request-id: /)
  })

test('a path segment over 4096 characters gives 414, one that misses its own limit 422', async () => {
  const long = await send(`${url}/layer/items/${'x'.repeat(4097)}`)
  assert.equal(long.status, 414)
  assert.equal(long.json.error.code, 'uri_too_long')
  const validationExtras = await send(`${url}/layer/items/${'x'.repeat(65)}`)
  assert.equal(validationExtras.status, 422)
  assert.deepEqual(validationExtras.json.detail[0].loc, ['path', 'item_id'])
})

const VOLATILE = ['date', 'x-request-id', 'traceparent']
const lasting = (headers: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !VOLATILE.includes(name)))

test('HEAD answers wherever GET does, with the same headers and no body', async () => {
  for (const path of ['/api/livez', '/openapi.json', '/api/orch/v1/layer/search?limit=3', '/v1/layer/search']) {
    const get = await send(service.url + path)
    const head = await send(service.url + path, { method: 'HEAD' })
    assert.equal(head.status, get.status)
    assert.equal(head.text, '')
    const { 'content-length': ofHead, ...headers } = lasting(head.headers) as Record<string, string>
    const { 'content-length': ofGet, ...expected } = lasting(get.headers) as Record<string, string>
    assert.deepEqual(headers, expected)
    // Readings of the moment differ in a digit; what stands still has the same length.
    if (path !== '/api/livez') assert.equal(ofHead, ofGet)
  }
  assert.equal((await send(`${url}/layer/stream?lines=3`, { method: 'HEAD' })).text, '')
  assert.equal((await send(`${url}/layer/search?limit=x`, { method: 'HEAD' })).status, 422)
})

test('an alias answers the same bytes as the path it stands for', async () => {
  const [here, there] = [`${url}/layer/echo`, `${service.url}/v1/layer/echo`]
  for (const body of ['{"note":"ab"}', '{"note":1}', '{', undefined]) {
    const [first, second] = [await post(here, body), await post(there, body)]
    assert.equal(first.status, second.status)
    assert.equal(first.text, second.text)
    assert.deepEqual(lasting(first.headers), lasting(second.headers))
  }
})

test('an operation without an alias has none', async () => {
  assert.equal((await send(`${service.url}/v1/layer/open`, { method: 'POST', body: '{}' })).status, 404)
})

test('every method a path does not have gives 405 and names those it has', async () => {
  const byPath = new Map<string, Set<string>>()
  for (const op of LAYER_OPERATIONS)
    for (const path of pathsOf(op)) {
      const methods = byPath.get(path) ?? new Set()
      byPath.set(path, methods.add(op.method))
      if (op.method === 'GET') methods.add('HEAD')
    }
  for (const [path, has] of byPath)
    for (const method of METHODS.filter((name) => name !== 'CONNECT' && !has.has(name))) {
      const answer = await send(service.url + path.replace(':item_id', 'x'), { method })
      assert.equal(answer.status, 405, `${method} ${path}`)
      assert.equal(answer.headers.allow, [...has].sort().join(', '))
      if (method !== 'HEAD') assert.equal(answer.json.error.code, 'method_not_allowed')
    }
})

test('CONNECT and a word that is no method are refused in the same shape', async () => {
  const connect = await exchange(service.port, 'CONNECT example.com:443 HTTP/1.1\r\nhost: example.com\r\n\r\n')
  assert.deepEqual(statuses(connect), [405])
  const invented = await exchange(service.port, 'FETCH /api/livez HTTP/1.1\r\nhost: localhost\r\n\r\n')
  assert.deepEqual(statuses(invented), [400])
  for (const raw of [connect, invented]) assert.match(raw, /"request_id":"[0-9a-f]{32}"/)
})

for (const path of [
  '/nope',
  '/api/orch/v1',
  '/api/orch/v1/layer/echo/',
  '//api/livez',
  '/API/livez',
  '/v1/layer/items/x',
])
  test(`${path} is nobody’s path and gives 404, whatever is sent to it`, async () => {
    for (const sending of [
      {},
      { method: 'POST', body: 'x', headers: { 'content-type': 'text/plain' } },
      { method: 'PUT' },
    ]) {
      const answer = await send(service.url + path, sending)
      assert.equal(answer.status, 404)
      assert.equal(answer.json.error.code, 'not_found')
    }
  })
