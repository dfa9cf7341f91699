import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { operationPaths } from '#testing/every-operation.ts'
import { startApp } from '#testing/layer.ts'
import { exchange, post, send, statuses } from '#testing/raw-http.ts'

const plain = await startApp({ after })
const named = await startApp(
  { after },
  { ORCH_BASE_URL: 'https://orch.example', ORCH_ALLOWED_HOSTS: 'inner.example, gate.example:8443' },
)
const PATH = '/api/orch/v1/layer/echo'
const own = `127.0.0.1:${plain.port}`

type Row = [what: string, headers: Record<string, string>, may: 'write' | 'read' | 'do nothing']
const byDefault: Row[] = [
  ['no Origin at all', {}, 'write'],
  ['the own origin', { origin: `http://${own}` }, 'write'],
  ['the own origin behind a TLS proxy', { origin: `https://${own}` }, 'write'],
  ['localhost', { host: `localhost:${plain.port}`, origin: `http://localhost:${plain.port}` }, 'write'],
  ['LOCALHOST', { host: `LOCALHOST:${plain.port}` }, 'write'],
  [
    'localhost with the dot of an absolute name',
    { host: 'localhost.:8080', origin: 'http://localhost.:8080' },
    'write',
  ],
  ['an IPv6 literal', { host: '[::1]:8080' }, 'write'],
  ['a fetch of the own page', { origin: `http://${own}`, 'sec-fetch-site': 'same-origin' }, 'write'],
  ['an address typed by a person', { 'sec-fetch-site': 'none' }, 'write'],
  ['a foreign origin', { origin: 'https://evil.example' }, 'read'],
  ['the own name on another port', { origin: 'http://127.0.0.1:1' }, 'read'],
  ['a name that begins like the own', { origin: `http://${own}.evil.example` }, 'read'],
  ['a sandboxed frame', { origin: 'null' }, 'read'],
  ['a cross-site fetch or link', { 'sec-fetch-site': 'cross-site' }, 'read'],
  ['a same-site fetch', { 'sec-fetch-site': 'same-site' }, 'read'],
  ['a cross-site fetch that hides its Origin', { 'sec-fetch-site': 'cross-site', origin: `http://${own}` }, 'read'],
  ['an invented fetch site', { 'sec-fetch-site': 'trust-me' }, 'read'],
  // The attacker's name now resolves to this machine: the page and its Origin agree with Host, and only Host tells.
  [
    'a rebound name',
    {
      host: `evil.example:${plain.port}`,
      origin: `http://evil.example:${plain.port}`,
      'sec-fetch-site': 'same-origin',
    },
    'do nothing',
  ],
  ['a rebound name without Origin', { host: 'evil.example' }, 'do nothing'],
  ['a rebound name that says it was forwarded', { host: 'evil.example', 'x-forwarded-host': own }, 'do nothing'],
  ['a Host that is no host', { host: 'a b' }, 'do nothing'],
  ['a lone dot', { host: '.' }, 'do nothing'],
  ['localhost with two dots', { host: 'localhost..' }, 'do nothing'],
  ['a Host with user information', { host: 'localhost@evil.example' }, 'do nothing'],
  ['user information that looks like a port', { host: 'localhost:80@evil.example' }, 'do nothing'],
  ['a port that is no number', { host: 'localhost:http' }, 'do nothing'],
  ['a name that ends like localhost', { host: 'evil-localhost' }, 'do nothing'],
  ['a name below localhost', { host: 'evil.localhost' }, 'do nothing'],
  ['an address that is none', { host: '127.0.0.1.evil.example' }, 'do nothing'],
  ['brackets around no address', { host: '[::::]' }, 'do nothing'],
]
const withNames: Row[] = [
  ['the host of the base URL', { host: 'orch.example' }, 'write'],
  ['the host of the base URL with its dot', { host: 'ORCH.example.' }, 'write'],
  ['the base URL as Origin', { host: 'orch.example', origin: 'https://orch.example' }, 'write'],
  ['a listed host on any port', { host: 'inner.example:9999' }, 'write'],
  ['a host listed with this port', { host: 'gate.example:8443' }, 'write'],
  ['a host listed with this port, with its dot', { host: 'gate.example.:8443' }, 'write'],
  ['a host listed with another port', { host: 'gate.example:1' }, 'do nothing'],
  ['localhost, left out of the list', { host: 'localhost' }, 'do nothing'],
  ['an address, left out of the list', { host: own }, 'do nothing'],
  ['a rebound name', { host: 'evil.example', origin: 'http://evil.example' }, 'do nothing'],
  [
    'a rebound name that says it was forwarded',
    { host: 'evil.example', 'x-forwarded-host': 'orch.example' },
    'do nothing',
  ],
]
for (const [service, rows, which] of [
  [plain, byDefault, 'by default'],
  [named, withNames, 'with listed hosts'],
] as const)
  for (const [what, headers, may] of rows)
    test(`${what} may ${may} ${which}`, async () => {
      const written = await post(service.url + PATH, '{}', headers)
      assert.equal(written.status, may === 'write' ? 200 : 403)
      if (may !== 'write') assert.equal(written.json.error.code, 'cross_origin_refused')
      const read = await send(`${service.url}/api/orch/v1/layer/search`, { headers })
      assert.equal(read.status, may === 'do nothing' ? 403 : 200)
      if (may === 'do nothing') assert.match(read.json.error.message, /ORCH_ALLOWED_HOSTS/)
      for (const probe of ['livez', 'readyz'])
        assert.equal((await send(`${service.url}/api/${probe}`, { headers })).status, 200, probe)
    })

for (const [what, lines] of [
  ['no Host', 'HTTP/1.0'],
  ['an empty Host', 'HTTP/1.1\r\nhost:\r\nconnection: close'],
] as const)
  test(`a request with ${what} reaches the probes and nothing else`, async () => {
    const get = (path: string) => exchange(plain.port, `GET ${path} ${lines}\r\n\r\n`)
    assert.deepEqual(statuses(await get('/api/livez')), [200])
    assert.deepEqual(statuses(await get('/api/orch/v1/layer/search')), [403])
  })

test('a trusted proxy does not make its forwarded host ours', async (t) => {
  const { url } = await startApp(t as never, { ORCH_STORE: 'memory', ORCH_TRUST_PROXY: '1' })
  const headers = { host: 'evil.example', 'x-forwarded-host': 'localhost', 'x-forwarded-proto': 'https' }
  assert.equal((await send(`${url}/api/orch/v1/layer/search`, { headers })).status, 403)
})

/** Every path of every operation, aliases, pages and event streams included, and one that nobody serves. */
const everyPath = operationPaths((await plain.app.http.inject('/openapi.json')).json())

test('every operation but the two probes is held to our hosts, reads, HEAD and streams included', async () => {
  assert.ok(everyPath.length > 100, `${everyPath.length} paths`)
  for (const { method, path } of [...everyPath, { method: 'GET', path: '/no/such/path' }])
    for (const sent of method === 'GET' ? ['GET', 'HEAD'] : [method]) {
      const answer = await send(plain.url + path, { method: sent, headers: { host: 'evil.example' } })
      const expected = PROBES.has(path) ? 200 : 403
      assert.equal(answer.status, expected, `${sent} ${path}`)
      if (expected === 403 && sent !== 'HEAD') assert.match(answer.text, /ORCH_ALLOWED_HOSTS/, `${sent} ${path}`)
    }
})

const PROBES = new Set(['/api/livez', '/api/readyz'])

test('no reply invites a foreign page: there is no CORS header on anything', async () => {
  for (const method of ['GET', 'OPTIONS', 'POST']) {
    const { headers } = await send(plain.url + PATH, { method, headers: { origin: 'https://evil.example' } })
    assert.deepEqual(
      Object.keys(headers).filter((name) => name.startsWith('access-control')),
      [],
    )
  }
})
