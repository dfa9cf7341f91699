import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { Worker } from 'node:worker_threads'
import { type Service, startApp } from '#testing/layer.ts'
import { freshFolder } from '#testing/private-folder.ts'
import { post, send } from '#testing/raw-http.ts'

const MEMORY = { ORCH_STORE: 'memory' }
const WIRE = 'Please wire 900 dollars to wallet 7 tomorrow'
const PARTS = ['service', 'ledger', 'signer', 'decisions', 'reviews', 'gates']
type Headers = Record<string, string>

const govern = async ({ url }: Service, text: string, headers: Headers = {}) =>
  (await post(`${url}/api/orch/v1/wow/govern`, JSON.stringify({ text }), headers)).json
const page = ({ url }: Service, headers: Headers = {}) => send(`${url}/console`, { headers })
const facts = async (service: Service, headers: Headers = {}) =>
  (await page(service, { accept: 'application/json', ...headers })).json
// biome-ignore lint/suspicious/noExplicitAny: what a reply holds is what the test looks at
const states = (found: any) => PARTS.map((name) => found[name].state)

test('the page and its facts are two forms of one address, with the headers of a page and kept by nobody', async (t) => {
  const service = await startApp(t, MEMORY, [])
  const { status, headers, text } = await page(service)
  assert.deepEqual([status, headers['content-type']], [200, 'text/html; charset=utf-8'])
  assert.match(String(headers['content-security-policy']), /^default-src 'none'; script-src 'self'; style-src 'self'/)
  assert.deepEqual([headers.vary, headers['cache-control']], ['Accept, Authorization', 'no-store'])
  assert.doesNotMatch(text, /<form|<input|\son[a-z]+=|\sstyle=|<script>/i)
  const found = await facts(service)
  assert.deepEqual([found.schema, found.access.auth_mode], ['orch.console/v1', 'open'])
  assert.deepEqual(
    states(found),
    PARTS.map(() => 'read'),
  )
  const links = [...text.matchAll(/<a href="(\/[^"]*)"/g)].map(([, path]) => path!)
  for (const path of ['/verify', '/operator-organ', '/openapi.json', '/console']) assert.ok(links.includes(path), path)
  for (const path of new Set(links)) assert.ok((await send(service.url + path)).status < 400, path)
})

test('an empty ledger is told in words, and the command that ends the emptiness works', async (t) => {
  const service = await startApp(t, MEMORY, [])
  const { ledger, decisions, reviews } = await facts(service)
  assert.deepEqual([ledger.value.size, ledger.value.root, ledger.value.mode], [0, null, 'EPHEMERAL'])
  assert.deepEqual([decisions.value.items, reviews.value.waiting, reviews.value.oldest_seconds], [[], 0, null])
  const { text } = await page(service)
  for (const words of ['no receipt yet', 'Nothing is recorded yet.', 'No review waits', 'a demo key: it shows'])
    assert.ok(text.includes(words), words)
  const [, place, body] = /curl -s '([^']+)' -H 'content-type: application\/json' -d '([^']+)'/.exec(text)!
  assert.equal((await post(place!, body!.replaceAll('&quot;', '"'))).json.decision, 'allow')
  assert.equal((await facts(service)).decisions.value.items.length, 1)
})

test('what was decided, what waits and what the gates did is what was recorded', async (t) => {
  const service = await startApp(t, MEMORY, [])
  const fine = await govern(service, 'What is the capital of France?')
  const held = await govern(service, WIRE)
  const { decisions, reviews, gates, ledger, links } = await facts(service)
  assert.deepEqual(
    decisions.value.items.map((one: { decision: string; reasons: string[]; digest: string; signed: string }) => [
      one.decision,
      one.reasons,
      one.digest,
      one.signed,
    ]),
    [
      ['REVIEW', held.reasons, held.receipt.digest, 'demo'],
      ['ALLOW', fine.reasons, fine.receipt.digest, 'demo'],
    ],
  )
  assert.deepEqual([ledger.value.size, ledger.value.takes_receipts], [2, true])
  const [waiting] = reviews.value.items
  assert.deepEqual([reviews.value.waiting, waiting.review_id], [1, held.review.review_id])
  assert.deepEqual(gates.value.decisions, { allow: 1, review: 1, deny: 0 })
  const listed = (await send(`${service.url}/api/orch/v1/gates`)).json
  assert.deepEqual(
    gates.value.gates.map(({ name, evaluated, fired }: Record<string, unknown>) => [name, evaluated, fired]),
    listed.gates.map(({ name, evaluated, fired }: Record<string, unknown>) => [name, evaluated, fired]),
  )
  for (const { receipt_url, verify_url } of decisions.value.items)
    for (const path of [receipt_url, verify_url]) assert.equal((await send(service.url + path)).status, 200)
  assert.equal((await send(service.url + waiting.review_url)).json.review_id, waiting.review_id)
  assert.ok(links.length > 3)
})

test('looking leaves the ledger as it was', async (t) => {
  const service = await startApp(t, MEMORY, [])
  await govern(service, WIRE)
  const before = (await facts(service)).ledger.value
  for (const method of ['GET', 'HEAD']) await send(`${service.url}/console`, { method })
  assert.deepEqual((await facts(service)).ledger.value, before)
  assert.equal((await post(`${service.url}/console`, '{}')).status, 405)
})

const tokenOf = (name: string) => `${name}-token-0123456789`
const as = (name: string): Headers => ({ authorization: `Bearer ${tokenOf(name)}` })

function registered(t: TestContext): Promise<Service> {
  const file = join(freshFolder('console'), 'credentials.json')
  const entry = (name: string, namespace: string, scopes: string[], revoked = false) => ({
    ...{ key_id: `${name}-key`, namespace, owner_id: name, scopes, revoked },
    token_sha256: createHash('sha256').update(tokenOf(name)).digest('hex'),
  })
  const user = ['decisions:write', 'receipts:read', 'review:read']
  const credentials = [
    entry('ann', 'team', user),
    entry('bob', 'team', user),
    entry('carl', 'other', user),
    entry('narrow', 'team', ['decisions:write']),
    entry('gone', 'team', user, true),
  ]
  writeFileSync(file, JSON.stringify({ credentials }), { mode: 0o600 })
  return startApp(t, { ...MEMORY, ORCH_CREDENTIALS: file }, [])
}

test('with a registry a stranger learns that a credential is needed and nothing of any owner', async (t) => {
  const service = await registered(t)
  const asked = await govern(service, WIRE, as('ann'))
  const strangers: Headers[] = [{}, as('nobody'), as('gone'), { authorization: 'Basic YTpi' }]
  for (const headers of strangers) {
    const found = await facts(service, headers)
    assert.deepEqual(states(found), ['read', 'read', 'read', 'refused', 'refused', 'refused'])
    assert.deepEqual([found.access.recognised, found.access.owner, found.access.namespace], [false, null, null])
    const { status, text } = await page(service, headers)
    assert.equal(status, 200)
    assert.match(text, /A credential is needed/)
    for (const secret of ['ann', 'team', asked.receipt.digest, asked.review.review_id, 'THREAT_SIGNATURE'])
      assert.ok(!new RegExp(`\\b${secret}\\b`).test(text + JSON.stringify(found)), secret)
  }
})

test('with a registry everybody sees their own, and a missing scope is named', async (t) => {
  const service = await registered(t)
  const asked = await govern(service, WIRE, as('ann'))
  const own = await facts(service, as('ann'))
  assert.deepEqual(
    [own.access.owner, own.decisions.value.items[0].digest, own.reviews.value.items[0].review_id],
    ['ann', asked.receipt.digest, asked.review.review_id],
  )
  for (const other of ['bob', 'carl']) {
    const { decisions, reviews } = await facts(service, as(other))
    assert.deepEqual([decisions.value.items, reviews.value.items], [[], []], other)
  }
  assert.deepEqual((await facts(service, as('carl'))).gates.value.decisions, { allow: 0, review: 0, deny: 0 })
  const narrow = await facts(service, as('narrow'))
  assert.deepEqual(
    [narrow.decisions.state, narrow.decisions.reason, narrow.reviews.reason, narrow.gates.state],
    ['refused', 'this credential lacks the scope receipts:read', 'this credential lacks the scope review:read', 'read'],
  )
})

test('a ledger that takes no more receipts is called read-only, and its decisions can still be read', async (t) => {
  const service = await startApp(t, {}, [])
  await govern(service, WIRE)
  await (service.app.ports.ledger as unknown as { thread: { worker: Worker } }).thread.worker.terminate()
  const found = await facts(service)
  assert.deepEqual([found.service.value.ready, found.ledger.value.takes_receipts], [false, false])
  assert.ok(found.service.value.blocking.includes('ledger'))
  assert.equal(found.decisions.value.items.length, 1)
  const { status, text } = await page(service)
  assert.equal(status, 200)
  assert.match(text, /Not ready: blocked by [^<]*ledger/)
  assert.match(text, /<strong>read-only<\/strong>/)
})

test('a store that fails or hangs takes its own parts away and no other, and its words stay inside', async (t) => {
  const service = await startApp(t, MEMORY, [])
  const { queries } = service.app.ports.ledger
  const { newestDecisions } = queries
  const { counts } = service.app.ports.reviews
  t.after(() => {
    queries.newestDecisions = newestDecisions
    service.app.ports.reviews.counts = counts
  })
  await govern(service, WIRE)
  queries.newestDecisions = async () => {
    throw new Error('cannot open /srv/secret/ledger.db')
  }
  service.app.ports.reviews.counts = () => new Promise(() => undefined)
  const found = await facts(service)
  assert.deepEqual(states(found), ['read', 'read', 'read', 'failed', 'failed', 'read'])
  assert.deepEqual([found.decisions.label, found.decisions.value], ['UNAVAILABLE', null])
  assert.equal(found.reviews.reason, 'not read within 2 seconds')
  const { text } = await page(service)
  assert.doesNotMatch(text + JSON.stringify(found), /secret/)
  assert.match(text, /<strong>Not read:<\/strong> the reading failed/)
})

test('the readiness panel finds the console where it looked for it', async (t) => {
  const service = await startApp(t, MEMORY, [])
  const panel = (await send(`${service.url}/api/orch/v1/readiness`)).json
  const { endpoints } = panel.sections.find(({ id }: { id: string }) => id === 'deployment')
  const { liveness } = endpoints.find(({ id }: { id: string }) => id === 'console')
  assert.deepEqual([liveness.url, liveness.http_status, liveness.reachable], ['/console', 200, true])
})
