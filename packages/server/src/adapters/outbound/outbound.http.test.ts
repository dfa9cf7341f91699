import assert from 'node:assert/strict'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type TestContext, test } from 'node:test'
import { sha256Hex } from '@orch/core'
import { json, localHosts } from '#testing/readings/local-hosts.ts'
import { documentStore, movedClock } from '#testing/readings/reader.ts'
import type { Limits, Outcome } from './contract.ts'
import { openOutbound } from './outbound.ts'
import { configured, type ProviderRow, provider } from './providers.ts'

const plain: Limits<unknown> = { normalise: (reply) => reply }
const SHORT = { connectMs: 200, firstByteMs: 200, wholeMs: 400 }
const DAY_S = 86_400

/** A clock that moves by what is waited for. */
async function setUp(
  t: TestContext,
  row: Partial<ProviderRow> = {},
  more: Partial<Parameters<typeof openOutbound>[2]> = {},
) {
  const [hosts, clock, store] = [await localHosts(), movedClock(), documentStore()]
  t.after(() => hosts.close())
  const waited: number[] = []
  const wait = async (ms: number) => {
    waited.push(ms)
    clock.forward(ms / 1000)
  }
  const open = (rows = [provider({ id: 'one', origins: [hosts.url], ...row })], settings = {}) =>
    openOutbound({ enabled: true, privateHosts: [], ...settings }, rows, { store, clock, wait, ...more })
  hosts.pages.set('/a', { n: 1 })
  return { hosts, clock, store, waited, open, outbound: open() }
}
const code = (outcome: Outcome<unknown>) =>
  outcome.ok ? outcome.state : outcome.state === 'STALE' ? `STALE ${outcome.failure.code}` : outcome.code
type Reply = (request: IncomingMessage, response: ServerResponse) => void

test('a new provider is one row of the table and nothing else', async (t) => {
  const { hosts, open } = await setUp(t)
  hosts.pages.set('/products/BTC-USD/ticker?level=1', { price: 67_890.1 })
  const row = { id: 'coinbase', origins: ['https://api.exchange.coinbase.com'], minIntervalMs: 300, maxBytes: 65_536 }
  const overridden = provider(row, hosts.url)
  assert.deepEqual([overridden.overridden, overridden.origins], [true, [hosts.url]])
  const limits = {
    normalise: (reply: unknown) => (reply as { price: string }).price,
    decimals: true,
    ttlSeconds: 10,
  } as const
  const outbound = open([overridden])
  const first = await outbound.get('coinbase', '/products/BTC-USD/ticker', { level: 1 }, limits)
  assert.ok(first.ok)
  assert.deepEqual([first.state, first.value, first.age_seconds], ['SNAPSHOT', '67890.1', 0])
  assert.match(first.bytes_sha256, /^[0-9a-f]{64}$/)
  assert.equal(code(await outbound.get('coinbase', '/products/BTC-USD/ticker', { level: 1 }, limits)), 'CACHED')
})

const drip: Reply = (_, response) => {
  response.writeHead(200, { 'content-type': 'application/json' })
  const timer = setInterval(() => response.write(' '), 20)
  response.on('close', () => clearInterval(timer))
}
/** Neither a length nor chunks: such a body ends with its connection. */
const stalled =
  (text: string, type = 'application/json'): Reply =>
  ({ socket }) =>
    socket.write(`HTTP/1.1 200 OK\r\ncontent-type: ${type}\r\nconnection: close\r\n\r\n${text}`)
const body =
  (text: string, headers: Record<string, string> = {}): Reply =>
  (_, response) =>
    response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(text)
const redirect =
  (location: string): Reply =>
  (_, response) =>
    response.writeHead(302, { location }).end()
const hostile: [what: string, reply: Reply, code: string][] = [
  ['a slow drip', drip, 'RESPONSE_DEADLINE'],
  ['a body that stalls after what could be all of it', stalled('{"a":1}'), 'RESPONSE_DEADLINE'],
  ['silence', () => undefined, 'RESPONSE_DEADLINE'],
  ['a page', body('<html>', { 'content-type': 'text/html' }), 'NON_JSON_RESPONSE'],
  ['an encoded body', body('x', { 'content-encoding': 'gzip' }), 'ENCODED_RESPONSE_DENIED'],
  ['NaN', body('{"a":NaN}'), 'NONFINITE_JSON'],
  ['a key twice', body('{"a":1,"a":1}'), 'DUPLICATE_JSON_KEY'],
  ['cut JSON', body('{"a":'), 'INVALID_JSON'],
  ['a redirect to this machine', redirect('http://127.0.0.1:9/'), 'REDIRECT_DENIED'],
  ['a redirect to a private network', redirect('http://10.0.0.1/'), 'REDIRECT_DENIED'],
  ['a redirect to another host', redirect('https://elsewhere.example/'), 'REDIRECT_DENIED'],
  [
    'a redirect with a user and a password',
    (request, response) => {
      const { host } = request.headers
      redirect(`http://user:word@${host}/b`)(request, response)
    },
    'REDIRECT_DENIED',
  ],
  ['a redirect without a place', redirect(''), 'REDIRECT_DENIED'],
  ['a status of its own', (_, response) => json(response, 418, {}), 'UPSTREAM_HTTP_418'],
  ['a closed socket', (request) => request.destroy(), 'TRANSPORT_UNAVAILABLE'],
]
for (const [what, reply, expected] of hostile)
  test(`a provider that answers with ${what} gives ${expected}`, async (t) => {
    const { hosts, outbound } = await setUp(t, {}, { times: SHORT })
    hosts.misbehaving.set('/a', reply)
    assert.equal(code(await outbound.get('one', '/a', {}, plain)), expected)
  })

test('a table that stalls in the middle of a figure is not taken for whole', async (t) => {
  const { hosts, outbound } = await setUp(t, {}, { times: SHORT })
  hosts.misbehaving.set('/a', stalled('DATE,GDP\n2025-07-01,310', 'text/csv'))
  assert.equal(code(await outbound.get('one', '/a', {}, { ...plain, csv: true })), 'RESPONSE_DEADLINE')
  const exchanged = await outbound.exchange('one')({
    ...{ url: `${hosts.url}/b`, status: 200, deadlineMs: 200, maxBytes: 1000 },
  })
  assert.deepEqual(exchanged, { ok: false, code: 'UPSTREAM_HTTP_404' })
  hosts.misbehaving.set('/b', stalled('{"a":1}'))
  const cut = await outbound.exchange('one')({
    ...{ url: `${hosts.url}/b`, status: 200, deadlineMs: 200, maxBytes: 1000 },
  })
  assert.deepEqual(cut, { ok: false, code: 'RESPONSE_DEADLINE' })
})

test('as many bytes are read as the row allows and not one more, declared or not', async (t) => {
  const { hosts, open } = await setUp(t)
  const size = 1000
  for (const declared of [true, false])
    for (const [given, expected] of [
      [size - 1, 'SNAPSHOT'],
      [size, 'SNAPSHOT'],
      [size + 1, 'RESPONSE_TOO_LARGE'],
    ] as const) {
      const text = `"${'x'.repeat(given - 2)}"`
      hosts.misbehaving.set('/a', body(text, declared ? { 'content-length': String(given) } : {}))
      const outbound = open([configured('one', [hosts.url], { maxBytes: size })])
      assert.equal(code(await outbound.get('one', '/a', {}, plain)), expected, `${given} ${declared}`)
    }
})

test('a body of more than half a mebibyte is read apart, with its digest, and a smaller one is not', async (t) => {
  const { hosts, outbound } = await setUp(t)
  const apart: number[] = []
  const limits: Limits<unknown> = {
    normalise: () => 'here',
    async normaliseApart({ bytes, sha256 }) {
      assert.equal(sha256, sha256Hex(bytes))
      apart.push(bytes.length)
      return 'apart'
    },
  }
  for (const [size, where] of [
    [2 ** 19, 'here'],
    [2 ** 19 + 1, 'apart'],
  ] as const) {
    hosts.misbehaving.set('/a', body(`"${'x'.repeat(size - 2)}"`))
    const found = await outbound.get('one', '/a', {}, limits)
    assert.ok(found.ok)
    assert.deepEqual([found.value, found.bytes], [where, size])
  }
  assert.deepEqual(apart, [2 ** 19 + 1])
})

test('two redirects on the same origin are followed and a third is not', async (t) => {
  const { hosts, open } = await setUp(t)
  for (const hops of [1, 2, 3]) hosts.misbehaving.set(`/r${hops}`, redirect(hops === 1 ? '/a' : `/r${hops - 1}`))
  const ask = async (path: string) => code(await open().get('one', path, {}, plain))
  assert.deepEqual([await ask('/r1'), await ask('/r2'), await ask('/r3')], ['SNAPSHOT', 'SNAPSHOT', 'REDIRECT_DENIED'])
})

test('nothing but the origins of a provider is asked, and no private address behind them', async (t) => {
  const { hosts, open } = await setUp(t)
  const outbound = open([
    configured('one', [hosts.url]),
    configured('inside', ['https://10.0.0.1/', 'https://169.254.169.254/']),
  ])
  const ask = async (id: string, path: string) => code(await outbound.get(id, path, {}, plain))
  assert.equal(await ask('one', 'http://127.0.0.1:9/a'), 'DESTINATION_DENIED')
  assert.equal(await ask('one', `${hosts.url.replace('//', '//user:pw@')}/a`), 'DESTINATION_DENIED')
  for (const path of ['/b/../a', '/b/.', '/%2e%2E/a', '/..?x=1'])
    assert.equal(await ask('one', path), 'DESTINATION_DENIED', path)
  assert.equal(await ask('inside', '/'), 'DESTINATION_DENIED')
  assert.equal(await ask('inside', 'https://169.254.169.254/latest'), 'DESTINATION_DENIED')
  assert.equal(hosts.seen.length, 0)
  await assert.rejects(ask('other', '/a'), /no provider other/)
  for (const origin of ['http://a.example', 'https://a.example/x', 'https://u@a.example', 'ftp://a.example', ''])
    assert.throws(() => provider({ id: 'x', origins: [origin] }), /origin of a provider/, origin)
})

test('with the switch off or a credential missing nothing is sent', async (t) => {
  const { hosts, open } = await setUp(t)
  assert.equal(code(await open(undefined, { enabled: false }).get('one', '/a', {}, plain)), 'TRANSPORT_DISABLED')
  const keyless = open([provider({ id: 'fred', origins: [hosts.url], missing: 'NEEDS_FRED_KEY' })])
  assert.equal(code(await keyless.get('fred', '/a', {}, plain)), 'NEEDS_FRED_KEY')
  assert.equal(hosts.seen.length, 0)
})

test('a hundred calls on a cold key are one request, and all of them are live', async (t) => {
  const { hosts, outbound } = await setUp(t)
  const limits = { ...plain, ttlSeconds: 60 }
  const found = await Promise.all(Array.from({ length: 100 }, () => outbound.get('one', '/a', {}, limits)))
  assert.deepEqual(new Set(found.map(code)), new Set(['SNAPSHOT']))
  assert.equal(hosts.seen.length, 1)
})

test('whoever leaves a shared request does not take it from the others, and the last one ends it', async (t) => {
  const { hosts, outbound } = await setUp(t)
  const open: ServerResponse[] = []
  const arrived = new Promise<void>((resolve) => {
    hosts.misbehaving.set('/a', (_, response) => {
      open.push(response)
      resolve()
    })
  })
  const [one, two] = [new AbortController(), new AbortController()]
  const both = [one, two].map(({ signal }) => outbound.get('one', '/a', {}, plain, signal))
  await arrived
  one.abort()
  json(open[0]!, 200, { n: 2 })
  assert.deepEqual((await Promise.all(both)).map(code), ['SNAPSHOT', 'SNAPSHOT'])
  const last = new AbortController()
  hosts.misbehaving.set('/a', () => last.abort())
  assert.equal(code(await outbound.get('one', '/a', {}, plain, last.signal)), 'RESPONSE_DEADLINE')
})

test('a caller that leaves costs the provider nothing, and whoever asks next is served', async (t) => {
  const { hosts, outbound } = await setUp(t)
  const leaving = new AbortController()
  const second: Promise<Outcome<unknown>>[] = []
  hosts.misbehaving.set('/a', () => {
    hosts.misbehaving.clear()
    leaving.abort(new Error('the client left'))
    // The first request is being broken off and has not ended yet.
    second.push(outbound.get('one', '/a', {}, plain))
  })
  assert.equal(code(await outbound.get('one', '/a', {}, plain, leaving.signal)), 'RESPONSE_DEADLINE')
  assert.equal(outbound.isCoolingDown('one'), false)
  assert.equal(code(await second[0]!), 'SNAPSHOT')
})

test('a caller whose own time is over has waited for the provider, which counts as its failure', async (t) => {
  const { hosts, outbound } = await setUp(t)
  const late = new AbortController()
  hosts.misbehaving.set('/a', () => late.abort(new DOMException('the time is over', 'TimeoutError')))
  assert.equal(code(await outbound.get('one', '/a', {}, plain, late.signal)), 'RESPONSE_DEADLINE')
  assert.equal(outbound.isCoolingDown('one'), true)
})

test('a turn is waited for up to 350 ms and not longer', async (t) => {
  for (const [ahead, expected] of [
    [349, 'SNAPSHOT'],
    [350, 'SNAPSHOT'],
    [351, 'PROVIDER_COOLDOWN'],
  ] as const) {
    const { hosts, outbound, clock, waited } = await setUp(t, { minIntervalMs: 1000 })
    hosts.pages.set('/b', {})
    await outbound.get('one', '/a', {}, plain)
    clock.forward((1000 - ahead) / 1000)
    const second = await outbound.get('one', '/b', {}, plain)
    assert.equal(code(second), expected)
    assert.deepEqual(waited, expected === 'SNAPSHOT' ? [ahead] : [])
    if (!second.ok && second.state === 'UNAVAILABLE')
      assert.deepEqual([second.unasked, second.retry_after_seconds], [true, 1])
  }
})

test('who finds no place in the air waits 250 ms for one and is then header that the provider is busy', async (t) => {
  const waits: { ms: number; end(): void }[] = []
  const wait = (ms: number) => new Promise<void>((resolve) => waits.push({ ms, end: resolve }))
  const { hosts, outbound } = await setUp(t, { maxInFlight: 1 }, { wait })
  const pending: ServerResponse[] = []
  const arrived = new Promise<void>((resolve) => {
    hosts.misbehaving.set('/a', (_, response) => {
      pending.push(response)
      resolve()
    })
  })
  for (const path of ['/b', '/c']) hosts.pages.set(path, {})
  const first = outbound.get('one', '/a', {}, plain)
  await arrived
  const [busy, patient] = [outbound.get('one', '/b', {}, plain), outbound.get('one', '/c', {}, plain)]
  while (waits.length < 2) await new Promise(setImmediate)
  assert.deepEqual(
    waits.map(({ ms }) => ms),
    [250, 250],
  )
  waits[0]!.end()
  assert.equal(code(await busy), 'PROVIDER_BUSY')
  json(pending[0]!, 200, {})
  assert.deepEqual([code(await first), code(await patient)], ['SNAPSHOT', 'SNAPSHOT'])
})

test('after a failure the provider is left alone: 15 s, doubling to 300 s, until one success', async (t) => {
  const { hosts, outbound, clock } = await setUp(t)
  const ask = async () => code(await outbound.get('one', '/a', {}, plain))
  hosts.misbehaving.set('/a', (_, response) => json(response, 500, {}))
  for (const seconds of [15, 30, 60, 120, 240, 300, 300]) {
    assert.equal(await ask(), 'UPSTREAM_HTTP_500')
    clock.forward(seconds - 1)
    assert.equal(await ask(), 'PROVIDER_COOLDOWN', `${seconds}`)
    assert.equal(outbound.isCoolingDown('one'), true)
    const { cooldown_until } = await outbound.status('one')
    assert.equal(cooldown_until, new Date(clock.now() + 1000).toISOString())
    clock.forward(1)
  }
  hosts.misbehaving.clear()
  assert.equal(await ask(), 'SNAPSHOT')
  assert.equal(outbound.isCoolingDown('one'), false)
  hosts.misbehaving.set('/a', (_, response) => json(response, 500, {}))
  assert.equal(await ask(), 'UPSTREAM_HTTP_500')
  clock.forward(15)
  assert.equal(await ask(), 'UPSTREAM_HTTP_500', 'it begins at 15 s again')
})

test('Retry-After counts from 1 s to an hour', async (t) => {
  for (const [header, seconds] of [
    ['0', 1],
    ['1', 1],
    ['2', 2],
    ['3599', 3599],
    ['3600', 3600],
    ['3601', 3600],
    ['9'.repeat(40), 3600],
    ['Fri, 02 Jan 2026 04:02:00 GMT', 120],
    ['Fri, 02 Jan 2026 03:00:00 GMT', 1],
    ['Fri, 99 Foo 2026 04:02:00 GMT', 15],
    ['soon', 15],
  ] as const) {
    const { hosts, outbound, clock } = await setUp(t)
    hosts.misbehaving.set('/a', (_, response) => json(response, 429, {}, { 'retry-after': header }))
    const failed = await outbound.get('one', '/a', {}, plain)
    assert.equal(code(failed), 'UPSTREAM_HTTP_429')
    assert.equal(failed.ok || failed.state === 'STALE' ? null : failed.retry_after_seconds, seconds, header)
    hosts.misbehaving.clear()
    clock.forward(seconds - 0.001)
    assert.equal(code(await outbound.get('one', '/a', {}, plain)), 'PROVIDER_COOLDOWN', header)
    clock.forward(0.001)
    assert.equal(code(await outbound.get('one', '/a', {}, plain)), 'SNAPSHOT', header)
  }
})

test('a cached reading answers through its last second; then it is fetched again, and is stale for seven days', async (t) => {
  const { hosts, open, clock } = await setUp(t)
  const limits = { ...plain, ttlSeconds: 60 }
  const ask = async (more = {}) => code(await open().get('one', '/a', {}, { ...limits, ...more }))
  assert.equal(await ask(), 'SNAPSHOT')
  clock.forward(59)
  assert.equal(await ask(), 'CACHED')
  clock.forward(1)
  assert.equal(await ask(), 'CACHED')
  assert.equal(await ask({ fresh: true }), 'SNAPSHOT')
  clock.forward(60.001)
  hosts.misbehaving.set('/a', (_, response) => json(response, 500, {}))
  const stale = await open().get('one', '/a', {}, limits)
  assert.equal(code(stale), 'STALE UPSTREAM_HTTP_500')
  assert.ok(!stale.ok && stale.state === 'STALE')
  assert.deepEqual([stale.value, stale.age_seconds], [{ n: 1 }, 60])
  clock.forward(7 * DAY_S - 60.001)
  assert.equal(await ask(), 'STALE UPSTREAM_HTTP_500')
  clock.forward(0.001)
  assert.equal(await ask(), 'UPSTREAM_HTTP_500')
})

test('what was read with another credential, query, origin or adapter is another reading', async (t) => {
  const { hosts, open } = await setUp(t)
  const limits = { ...plain, ttlSeconds: 60 }
  for (const path of ['/a?x=1', '/a?x=1&key=s3cret']) hosts.pages.set(path, {})
  const row = { id: 'one', origins: [hosts.url] }
  const ask = async (more: Partial<ProviderRow>, query = {}, adapterVersion = '1') =>
    code(await open([provider({ ...row, ...more })]).get('one', '/a', query, { ...limits, adapterVersion }))
  assert.equal(await ask({}), 'SNAPSHOT')
  assert.equal(await ask({}), 'CACHED')
  assert.equal(await ask({ headers: { authorization: 's3cret' } }), 'SNAPSHOT')
  assert.equal(await ask({}, { x: 1 }), 'SNAPSHOT')
  assert.equal(await ask({ secretQuery: { key: 's3cret' } }, { x: 1 }), 'SNAPSHOT')
  assert.equal(await ask({}, {}, '2'), 'SNAPSHOT')
  assert.equal(await ask({}, { x: 1 }), 'CACHED')
})

test('no credential and no query key is in the cache', async (t) => {
  const { hosts, open, store } = await setUp(t)
  hosts.pages.set('/a?key=s3cret', {})
  const row = provider({
    id: 'one',
    origins: [hosts.url],
    headers: { authorization: 's3cret' },
    secretQuery: { key: 's3cret' },
  })
  assert.equal(code(await open([row]).get('one', '/a', {}, { ...plain, ttlSeconds: 60 })), 'SNAPSHOT')
  assert.equal(hosts.seen[0]?.headers.authorization, 's3cret')
  assert.doesNotMatch(JSON.stringify([...store.rows.values()]), /s3cret/)
})

test('a probe reads the status line of whatever answers, and follows nothing', async (t) => {
  const { hosts, outbound } = await setUp(t)
  hosts.misbehaving.set('/p', redirect('https://elsewhere.example/'))
  hosts.misbehaving.set('/h', (_, response) =>
    response.writeHead(503, { 'content-type': 'text/html' }).end('x'.repeat(1e6)),
  )
  const [moved, down] = [await outbound.probe('one', '/p'), await outbound.probe('one', '/h')]
  assert.deepEqual([moved.ok && moved.http_status, down.ok && down.http_status], [302, 503])
})
