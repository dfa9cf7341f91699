import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createClient, OrchError, OrchUnreachable, OrchValidationError } from './index.ts'
import type { ClientOptions } from './transport.ts'

type Seen = { url: string; method: string; headers: Headers; body: unknown }
type Answer = Response | Error

/** A service that gives these answers in order and repeats the last one. */
function stub(...answers: (Answer | (() => Answer))[]): { seen: Seen[]; waited: number[]; options: ClientOptions } {
  const seen: Seen[] = []
  const waited: number[] = []
  const doFetch = async (url: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const at = Math.min(seen.length, answers.length - 1)
    seen.push({
      url: String(url),
      method: init.method ?? 'GET',
      headers: new Headers(init.headers),
      body: typeof init.body === 'string' ? JSON.parse(init.body) : undefined,
    })
    const answer = answers[at]!
    const given = typeof answer === 'function' ? answer() : answer
    if (given instanceof Error) throw given
    return given.clone()
  }
  const options = {
    baseUrl: 'http://127.0.0.1:8080',
    fetch: doFetch as typeof fetch,
    random: () => 0.5,
    wait: async (ms: number) => {
      waited.push(ms)
    },
  }
  return { seen, waited, options }
}

const json = (body: unknown, status = 200, headers: Record<string, string> = {}): Response =>
  new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json', ...headers } })
const refused = (code: string, status: number, headers: Record<string, string> = {}): Response =>
  json({ error: { code, message: 'do this', request_id: 'req-9' } }, status, headers)
const down = new TypeError('fetch failed')

test('a call goes to the path of its operation with the token and gives the reply back', async () => {
  const { seen, options } = stub(json({ status: 'ok' }))
  const client = createClient({ ...options, token: 'secret-1' })
  assert.deepEqual(await client.call('runtime.health'), { status: 'ok' })
  assert.equal(seen[0]?.url, 'http://127.0.0.1:8080/api/orch/v1/health')
  assert.equal(seen[0]?.headers.get('authorization'), 'Bearer secret-1')
})

test('a token that no header can carry is refused at once and not shown, and white space around one is not sent', async () => {
  for (const token of ['SECRET\nTOKEN', 'SECRET TOKEN', 'SECRET\u00e9', '\n'])
    assert.throws(
      () => createClient({ baseUrl: 'http://127.0.0.1:8080', token }),
      (error) => error instanceof TypeError && /^token must be/.test(error.message) && !/SECRET/.test(error.message),
    )
  const { seen, options } = stub(json({ status: 'ok' }))
  await createClient({ ...options, token: ' secret-1\r\n' }).call('runtime.health')
  assert.equal(seen[0]?.headers.get('authorization'), 'Bearer secret-1')
})

test('grouped methods are the same calls', async () => {
  const { seen, options } = stub(json({ status: 'ok' }))
  await createClient(options).runtime.healthz()
  assert.equal(seen[0]?.url, 'http://127.0.0.1:8080/healthz')
})

test('a GET is tried again after a lost connection and after a 503, waiting a jittered and growing time', async () => {
  const { seen, waited, options } = stub(down, refused('draining', 503), json({ status: 'ok' }))
  await createClient({ ...options, retries: 2 }).call('runtime.health')
  assert.equal(seen.length, 3)
  assert.deepEqual(waited, [100, 200])
})

test('Retry-After is obeyed and bounded', async () => {
  const { waited, options } = stub(
    refused('rate_limited', 429, { 'retry-after': '3' }),
    refused('rate_limited', 429, { 'retry-after': '99999' }),
    json({}),
  )
  await createClient({ ...options, retries: 2 }).call('runtime.health')
  assert.deepEqual(waited, [3100, 10_000])
})

test('a refusal that another try would not change is not repeated', async () => {
  const { seen, options } = stub(refused('missing_scopes', 403))
  await assert.rejects(createClient(options).call('runtime.metrics'), (error: unknown) => {
    assert.ok(error instanceof OrchError)
    assert.deepEqual([error.status, error.code, error.requestId], [403, 'missing_scopes', 'req-9'])
    return true
  })
  assert.equal(seen.length, 1)
})

test('what a refusal says besides its code is kept: a service that is not ready tells of every part', async () => {
  const parts = { ready: false, components: { disk: { state: 'FAILED' } } }
  const { options } = stub(json(parts, 503))
  await assert.rejects(createClient({ ...options, retries: 0 }).call('runtime.readyz'), (error: unknown) => {
    assert.ok(error instanceof OrchError)
    assert.deepEqual([error.status, error.body], [503, parts])
    return true
  })
})

test('a 500 is not repeated: the service failed and would fail again', async () => {
  const { seen, options } = stub(refused('internal_error', 500))
  await assert.rejects(createClient(options).call('runtime.health'), { code: 'internal_error' })
  assert.equal(seen.length, 1)
})

test('a service that never answers is unreachable after the last try', async () => {
  const { seen, options } = stub(down)
  await assert.rejects(createClient({ ...options, retries: 3 }).call('runtime.health'), OrchUnreachable)
  assert.equal(seen.length, 4)
})

test('faults of the input come back with their places', async () => {
  const detail = [{ loc: ['query', 'limit'], msg: 'must be an integer', type: 'type' }]
  const { options } = stub(json({ detail }, 422, { 'x-request-id': 'req-7' }))
  await assert.rejects(createClient(options).call('runtime.health'), (error: unknown) => {
    assert.ok(error instanceof OrchValidationError)
    assert.deepEqual(error.detail, detail)
    assert.equal(error.requestId, 'req-7')
    return true
  })
})

test('a page that a proxy put in the place of the service is no reply', async () => {
  const page = new Response('<h1>Bad gateway</h1>', { status: 502, headers: { 'content-type': 'text/html' } })
  const { options } = stub(page)
  await assert.rejects(createClient({ ...options, retries: 0 }).call('runtime.health'), { code: 'unexpected_reply' })
  const broken = new Response('{"status"', { headers: { 'content-type': 'application/json' } })
  await assert.rejects(createClient({ ...stub(broken).options, retries: 0 }).call('runtime.health'), {
    code: 'unexpected_reply',
  })
})

test('an aborted call ends with the reason of the caller and is not repeated', async () => {
  const { seen, options } = stub(down)
  const reason = new Error('changed my mind')
  const call = createClient(options).call('runtime.health', {}, { signal: AbortSignal.abort(reason) })
  await assert.rejects(call, reason)
  assert.equal(seen.length, 1)
})

test('an address that is no origin is refused before anything is sent', () => {
  for (const baseUrl of ['', 'file:///etc', 'http://a/b', 'http://u:p@a', 'http://a/?q', 'javascript:1'])
    assert.throws(() => createClient({ baseUrl }), TypeError, baseUrl)
})

test('a redirect is refused: it could carry the token elsewhere', async (t) => {
  const { createServer } = await import('node:http')
  let elsewhere = 0
  const server = createServer((request, response) => {
    if (request.url === '/stolen') elsewhere += 1
    response.writeHead(302, { location: '/stolen' }).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  const { port } = server.address() as { port: number }
  const client = createClient({ baseUrl: `http://127.0.0.1:${port}`, token: 'secret', retries: 0 })
  await assert.rejects(client.call('runtime.health'), OrchUnreachable)
  assert.equal(elsewhere, 0)
})

test('a POST is repeated with the very same Idempotency-Key, and the next POST has another', async () => {
  const { seen, options } = stub(down, refused('ledger_busy', 503), json({ digest: 'd' }))
  const client = createClient({ ...options, retries: 2 })
  await client.call('khipu.sign', { body: { note: 'x' } })
  await client.call('khipu.sign', { body: { note: 'x' } })
  const keys = seen.map(({ headers }) => headers.get('idempotency-key'))
  assert.equal(seen.length, 4)
  assert.match(keys[0] ?? '', /^[0-9a-f]{32}$/)
  assert.equal(new Set(keys.slice(0, 3)).size, 1)
  assert.notEqual(keys[3], keys[0])
  assert.deepEqual(seen[2]?.body, { note: 'x' })
})

test('a parameter is one part of the path, whatever it holds', async () => {
  const { seen, options } = stub(json({}))
  const client = createClient(options)
  await client.call('receipts.get', { params: { digest: '../keys?x=1' } })
  assert.equal(seen[0]?.url, 'http://127.0.0.1:8080/api/orch/v1/receipts/..%2Fkeys%3Fx%3D1')
  await assert.rejects(client.call('receipts.get', { params: { digest: '' } }), TypeError)
})

test('signed bytes come back as they are and a key as text', async () => {
  const bytes = new Response('{"a":1}', { headers: { 'content-type': 'application/vnd.orch.receipt+json' } })
  const body = await createClient(stub(bytes).options).call('receipts.canonical', { params: { digest: 'd' } })
  assert.deepEqual(body, new TextEncoder().encode('{"a":1}'))
  const pem = new Response('-----BEGIN', { headers: { 'content-type': 'application/x-pem-file' } })
  assert.equal(await createClient(stub(pem).options).call('keys.cosign'), '-----BEGIN')
})
