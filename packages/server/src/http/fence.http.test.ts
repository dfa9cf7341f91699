import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startApp } from '../../../../scripts/testing/layer.ts'
import { post, send } from '../../../../scripts/testing/raw-http.ts'

const plain = await startApp({ after })
const named = await startApp(
  { after },
  { ORCH_BASE_URL: 'https://orch.example', ORCH_ALLOWED_HOSTS: 'inner.example, gate.example:8443' },
)
const PATH = '/api/orch/v1/layer/echo'
const own = `127.0.0.1:${plain.port}`

type Row = [what: string, headers: Record<string, string>, allowed: boolean]
const byDefault: Row[] = [
  ['no Origin at all', {}, true],
  ['the own origin', { origin: `http://${own}` }, true],
  ['the own origin behind a TLS proxy', { origin: `https://${own}` }, true],
  ['localhost', { host: `localhost:${plain.port}`, origin: `http://localhost:${plain.port}` }, true],
  ['LOCALHOST', { host: `LOCALHOST:${plain.port}` }, true],
  ['an IPv6 literal', { host: '[::1]:8080' }, true],
  ['a fetch of the own page', { origin: `http://${own}`, 'sec-fetch-site': 'same-origin' }, true],
  ['an address typed by a person', { 'sec-fetch-site': 'none' }, true],
  ['a foreign origin', { origin: 'https://evil.example' }, false],
  ['the own name on another port', { origin: 'http://127.0.0.1:1' }, false],
  ['a name that begins like the own', { origin: `http://${own}.evil.example` }, false],
  ['a sandboxed frame', { origin: 'null' }, false],
  ['a cross-site fetch', { 'sec-fetch-site': 'cross-site' }, false],
  ['a same-site fetch', { 'sec-fetch-site': 'same-site' }, false],
  ['a cross-site fetch that hides its Origin', { 'sec-fetch-site': 'cross-site', origin: `http://${own}` }, false],
  ['an invented fetch site', { 'sec-fetch-site': 'trust-me' }, false],
  // The attacker’s name now resolves to this machine: the page and its Origin agree with Host, and only Host tells.
  [
    'a rebound name',
    {
      host: `evil.example:${plain.port}`,
      origin: `http://evil.example:${plain.port}`,
      'sec-fetch-site': 'same-origin',
    },
    false,
  ],
  ['a rebound name without Origin', { host: 'evil.example' }, false],
  ['a Host that is no host', { host: 'a b' }, false],
  ['a Host with user information', { host: `localhost@evil.example` }, false],
  ['a name that ends like localhost', { host: 'evil-localhost' }, false],
]
const withNames: Row[] = [
  ['the host of the base URL', { host: 'orch.example' }, true],
  ['the base URL as Origin', { host: 'orch.example', origin: 'https://orch.example' }, true],
  ['a listed host on any port', { host: 'inner.example:9999' }, true],
  ['a host listed with this port', { host: 'gate.example:8443' }, true],
  ['a host listed with another port', { host: 'gate.example:1' }, false],
  ['localhost, left out of the list', { host: 'localhost' }, false],
  ['an address, left out of the list', { host: own }, false],
  ['a rebound name', { host: 'evil.example', origin: 'http://evil.example' }, false],
]
for (const [service, rows, which] of [
  [plain, byDefault, 'by default'],
  [named, withNames, 'with listed hosts'],
] as const)
  for (const [what, headers, allowed] of rows) {
    test(`${what} ${allowed ? 'may' : 'may not'} write ${which}`, async () => {
      const answer = await post(service.url + PATH, '{}', headers)
      assert.equal(answer.status, allowed ? 200 : 403)
      if (!allowed) assert.equal(answer.json.error.code, 'cross_origin_refused')
    })

    test(`${what} may read ${which}`, async () => {
      assert.equal((await send(`${service.url}/api/livez`, { headers })).status, 200)
    })
  }

test('no reply invites a foreign page: there is no CORS header on anything', async () => {
  for (const method of ['GET', 'OPTIONS', 'POST']) {
    const { headers } = await send(plain.url + PATH, { method, headers: { origin: 'https://evil.example' } })
    assert.deepEqual(
      Object.keys(headers).filter((name) => name.startsWith('access-control')),
      [],
    )
  }
})
