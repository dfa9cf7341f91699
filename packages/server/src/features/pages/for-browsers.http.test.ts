import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { startApp } from '#testing/layer.ts'
import { freshFolder } from '#testing/private-folder.ts'
import { post, send } from '#testing/raw-http.ts'
import { PAGE_POLICY } from '../../domain/page/headers.ts'

const BROWSER = {
  accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8',
  'sec-fetch-dest': 'document',
  'sec-fetch-mode': 'navigate',
}
const service = await startApp({ after }, { ORCH_STORE: 'memory' }, [])
const made = await post(`${service.url}/api/orch/v1/wow/govern`, JSON.stringify({ text: 'What is the time?' }))
const digest = made.json.receipt.digest as string
const P = '/api/orch/v1'
const navigate = (path: string) => send(service.url + path, { headers: BROWSER })

/** Every row of the table. */
const LED: readonly (readonly [from: string, to: string])[] = [
  [`${P}/receipts/${digest}`, `/console/receipts/${digest}`],
  [`/v1/verify/receipt/${digest}`, `/console/receipts/${digest}`],
  [`${P}/verify/receipt/${digest}`, `/console/receipts/${digest}`],
  ['/api/orch/khipu/ledger', '/console/decisions'],
  ['/api/orch/khipu/ledger?decision=DENY&tool=refund&limit=5', '/console/decisions?decision=DENY&tool=refund'],
  [`${P}/events`, '/console/decisions'],
  [`${P}/wow/ledger`, '/console/decisions'],
  [`${P}/ledger/outcomes`, '/console/decisions'],
  ['/api/lake/v1/receipts', '/console/receipts'],
  [`${P}/khipu/verify/${digest}`, `/console/receipts/${digest}`],
  [`/api/lake/v1/proof/${digest}`, `/console/receipts/${digest}`],
  ['/api/livez', '/console/readiness'],
  ['/api/orch/healthz', '/console/readiness'],
  [`${P}/health`, '/console/readiness'],
  [`${P}/readiness/refresh`, '/console/readiness'],
  [`${P}/readiness/deployment/live`, '/console/readiness'],
  [`${P}/assurance/fit`, '/console/assurance'],
  ['/healthz', '/console/readiness'],
  ['/api/readyz', '/console/readiness'],
  [`${P}/readiness`, '/console/readiness'],
  [`${P}/reviews`, '/console/reviews'],
  [`${P}/reviews/some-id`, '/console/reviews/some-id'],
  [`${P}/organs`, '/console/organs'],
  [`${P}/organs/N7`, '/console/organs/N7'],
  [`${P}/assurance/matrix`, '/console/assurance'],
  [`${P}/assurance/evidence-pack`, '/console/assurance'],
  ['/operator-organ/topology.json', '/operator-organ'],
  [`${P}/sovereign-compute`, '/sovereign-compute'],
  [`${P}/models/m1`, '/models/m1'],
]

test('9.1 a browser is led from a machine path to the page that shows the same, and that page is there', async () => {
  for (const [from, to] of LED) {
    const { status, headers } = await navigate(from)
    assert.deepEqual([status, headers.location, headers.vary], [302, to, 'Accept'], from)
  }
  for (const to of new Set(LED.map(([, to]) => to))) {
    const page = await navigate(to)
    assert.deepEqual([page.status, page.headers['content-type']], [200, 'text/html; charset=utf-8'], to)
  }
})

test('9.1 programs get JSON from the same paths: anything, JSON, fetch from a page, no Accept at all', async () => {
  const programs = [
    {},
    { accept: '*/*' },
    { accept: 'application/json' },
    { accept: 'application/json, text/html;q=0.9' },
    { accept: 'text/html', 'sec-fetch-dest': 'empty', 'sec-fetch-mode': 'cors' },
    { accept: 'image/avif,image/webp,*/*;q=0.8', 'sec-fetch-dest': 'image' },
  ]
  for (const headers of programs)
    for (const path of ['/healthz', `${P}/receipts/${digest}`, `${P}/gates`]) {
      const reply = await send(service.url + path, { headers })
      assert.deepEqual([reply.status, reply.headers['content-type']], [200, 'application/json; charset=utf-8'], path)
      assert.equal(reply.headers.vary, 'Accept')
    }
})

test('9.1 nothing that is sent by POST is led anywhere, and what is a page stays one', async () => {
  const posted = await post(`${service.url}${P}/wow/govern`, '{"text":"What is two and two?"}', BROWSER)
  assert.deepEqual([posted.status, typeof posted.json.decision], [200, 'string'])
  const refused = await post(`${service.url}/nowhere`, '{}', BROWSER)
  assert.equal(refused.json.error.code, 'not_found')
  for (const path of ['/', '/verify', '/organs', '/sovereign-compute', '/operator-organ', '/models/m1', '/console'])
    assert.equal((await navigate(path)).status, 200, path)
})

for (const [path, status] of [
  ['/nowhere', 404],
  ['/console/nowhere', 404],
  [`${P}/organs/N99/history`, 404],
  [`${P}/wow/govern`, 405],
  [`${P}/log/proof/inclusion`, 422],
] as const)
  test(`9.1 the refusal of ${path} is a page with the shared header in a browser and JSON elsewhere`, async () => {
    const shown = await navigate(path)
    assert.deepEqual([shown.status, shown.headers['content-type']], [status, 'text/html; charset=utf-8'])
    assert.equal(shown.headers['content-security-policy'], PAGE_POLICY)
    assert.match(shown.text, /<header class="top">[\s\S]*href="\/console\/decisions"/)
    const said = await send(service.url + path)
    assert.equal(said.status, status)
    assert.match(String(said.headers['content-type']), /^application\/json/)
  })

test('9.1 a reply without a page of its own stands on a page, its text as text', async () => {
  const { status, headers, text } = await navigate(`${P}/wirea/search?q=%3Cscript%3Ealert(1)%3C/script%3E`)
  assert.deepEqual([status, headers['content-type']], [200, 'text/html; charset=utf-8'])
  assert.equal(headers['content-security-policy'], PAGE_POLICY)
  assert.match(text, /<header class="top">/)
  assert.match(text, /<pre class="reply"/)
  assert.doesNotMatch(text, /<script>alert/)
  assert.match((await navigate('/metrics')).text, /<pre class="reply"[\s\S]*orch_/)
})

test('9.1 with a registry a browser without a credential is led to the page, which asks for one', async (t) => {
  const file = join(freshFolder('browser-registry'), 'credentials.json')
  const token_sha256 = createHash('sha256').update('reader').digest('hex')
  const entry = { key_id: 'reader', namespace: 'red', owner_id: 'reader', token_sha256, scopes: ['review:read'] }
  writeFileSync(file, JSON.stringify({ credentials: [entry] }), { mode: 0o600 })
  const closed = await startApp(t as never, { ORCH_STORE: 'memory', ORCH_CREDENTIALS: file }, [])
  const { status, headers } = await send(`${closed.url}${P}/reviews`, { headers: BROWSER })
  assert.deepEqual([status, headers.location], [302, '/console/reviews'])
  assert.equal((await send(`${closed.url}${P}/reviews`)).status, 401)
})
