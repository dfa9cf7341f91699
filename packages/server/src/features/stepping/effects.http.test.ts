// Drain, recovery and metrics as callers meet them: on both paths, with every credential, at every limit.
import assert from 'node:assert/strict'
import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, type TestContext, test } from 'node:test'
import { type Service, startApp } from '#testing/layer.ts'
import { freshFolder } from '#testing/private-folder.ts'
import { parsePrometheusText, seriesKey } from '#testing/prometheus-text.ts'
import { recordSteps, unguardFile } from '#testing/stepping-effects.ts'
import { tokenDigest } from '../../adapters/credentials.ts'

const REVISION = 'a'.repeat(40)
const PREFIXES = ['/api/orch/v1/gdw', '/v1/gdw']

interface Answer {
  status: number
  headers: Headers
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: the reply is held to its schema by the layer; here it is only read
  json: any
}

async function ask(service: Service, method: string, path: string, more: RequestInit = {}): Promise<Answer> {
  const reply = await fetch(`${service.url}${path}`, { method, ...more })
  const text = await reply.text()
  const isJson = reply.headers.get('content-type')?.startsWith('application/json')
  return { status: reply.status, headers: reply.headers, text, json: isJson ? JSON.parse(text) : null }
}
const post = (service: Service, path: string, headers: Record<string, string> = {}) =>
  ask(service, 'POST', `/v1/gdw/${path}`, { headers })

/** The service without its own round, so that a test alone takes effects. */
async function started(t: TestContext, env: Record<string, string> = {}): Promise<Service> {
  const service = await startApp(t, { ORCH_GIT_SHA: REVISION, ...env })
  service.app.ports.background.stop()
  return service
}

const steps = (service: Service, count: number, session = 's') =>
  recordSteps(service.app.ports.ledger, { count, session, at: Date.now() - 1_000 })

/** A real step: an allowed one has two effects. */
async function realStep(service: Service, request: string): Promise<void> {
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify({ session_id: 'real', request })
  const { status, json } = await ask(service, 'POST', '/v1/gdw/step', { headers, body })
  assert.deepEqual([status, json.decision, json.effects.length], [200, 'allow', 2])
}

/** A receiver whose status the test chooses. */
async function receiver(t: TestContext) {
  const state = { status: 503, keys: [] as string[] }
  const server = createServer((request, reply) => {
    request.resume()
    state.keys.push(String(request.headers['idempotency-key']))
    reply.writeHead(state.status).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return { state, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` }
}

test('a drain delivers what is due as files, says so and leaves a receipt', async (t) => {
  const service = await started(t)
  await steps(service, 3)
  const { status, json } = await ask(service, 'POST', '/api/orch/v1/gdw/drain?limit=2')
  assert.equal(status, 200)
  const { receipt, ...report } = json
  assert.deepEqual(report, {
    schema: 'orch.gdw.drain-report/v1',
    label: 'MEASURED',
    limit: 2,
    attempted: 2,
    exported: 2,
    failed: 0,
    fenced_out: 0,
    dead_lettered: 0,
    pending: 1,
    claimed: 0,
    dead_letter: 0,
    due_remaining: 1,
    errors: [],
  })
  assert.deepEqual([receipt.chain, receipt.seq], ['gdw-recovery', 0])
  const found = readdirSync(join(service.data, 'gdw-effects'), { recursive: true, encoding: 'utf8' })
  assert.equal(found.filter((name) => name.endsWith('.json')).length, 2)
  const again = await ask(service, 'POST', '/v1/gdw/drain')
  assert.deepEqual([again.json.limit, again.json.exported, again.json.receipt.prev], [100, 1, receipt.digest])
  const receiptView = await ask(service, 'GET', `/api/orch/v1/receipts/${receipt.digest}`)
  assert.equal(receiptView.status, 200)
  assert.match(receiptView.text, /"kind":"recovery"/)
})

test('a key gives the first report again without a second drain, and belongs to its limit', async (t) => {
  const service = await started(t)
  await steps(service, 2)
  const key = { 'idempotency-key': 'k1' }
  const first = await post(service, 'drain?limit=1', key)
  const again = await ask(service, 'POST', '/api/orch/v1/gdw/drain?limit=1', {
    headers: { ...key, 'content-type': 'application/json' },
    body: '{}',
  })
  assert.deepEqual([again.status, again.text, again.headers.get('idempotent-replay')], [200, first.text, 'true'])
  assert.equal((await post(service, 'drain?limit=2', key)).json.error.code, 'idempotency_conflict')
  assert.equal((await post(service, 'drain?limit=5')).json.exported, 1)
})

test('limits, bodies and headers that do not fit are refused and nothing is touched', async (t) => {
  const service = await started(t)
  await steps(service, 1)
  const { size } = await service.app.ports.ledger.reader.head()
  const bad = ['limit=0', 'limit=-1', 'limit=1001', 'limit=abc', 'limit=1.5', 'limit=', 'limit=1&limit=2']
  for (const prefix of PREFIXES)
    for (const path of ['drain', 'recovery/transient-effects'])
      for (const query of bad)
        assert.equal((await ask(service, 'POST', `${prefix}/${path}?${query}`)).status, 422, `${path}?${query}`)
  const json = { 'content-type': 'application/json' }
  for (const body of ['{"a":1}', '[]', 'null', '{', '0'])
    assert.equal((await ask(service, 'POST', '/v1/gdw/drain', { headers: json, body })).status, 422, body)
  const text = { headers: { 'content-type': 'text/plain' }, body: '{}' }
  assert.equal((await ask(service, 'POST', '/v1/gdw/drain', text)).status, 415)
  for (const [name, values] of [
    ['x-expected-source-revision', ['', 'a'.repeat(39), 'a'.repeat(41), 'g'.repeat(40), 'HEAD']],
    ['idempotency-key', ['x'.repeat(129), 'a/b', 'a b', '\u00e9']],
  ] as const)
    for (const value of values) {
      const refused = await post(service, 'recovery/transient-effects', { [name]: value })
      assert.equal(refused.status, 422, `${name}: ${value}`)
      assert.deepEqual(refused.json.detail[0].loc, ['header', name])
    }
  assert.equal((await service.app.ports.ledger.reader.head()).size, size)
  for (const limit of [1, 1000]) assert.equal((await post(service, `drain?limit=${limit}`)).status, 200)
})

test('failed deliveries come back by recovery, for the revision that runs and no other', async (t) => {
  const { state, url } = await receiver(t)
  const service = await started(t, { ORCH_GDW_SINK: 'web', ORCH_GDW_SINK_URL: url })
  for (const request of ['Read the audit log.', 'Read the audit log again.']) await realStep(service, request)
  const failed = await post(service, 'drain')
  assert.deepEqual(
    [failed.json.failed, failed.json.errors[0].class, failed.json.errors[0].code],
    [4, 'TRANSIENT', 'HTTP_5XX'],
  )
  assert.equal((await post(service, 'drain')).json.attempted, 0)
  const expecting = (revision: string) => ({ 'x-expected-source-revision': revision })
  const other = await post(service, 'recovery/transient-effects', expecting('b'.repeat(40)))
  assert.equal(other.status, 409)
  const { code, expected, observed } = other.json.error
  assert.deepEqual([code, expected, observed], ['source_revision_mismatch', 'b'.repeat(40), REVISION])
  const key = { ...expecting(REVISION.toUpperCase()), 'idempotency-key': 'r1' }
  const recovered = await post(service, 'recovery/transient-effects?limit=2', key)
  assert.equal(recovered.status, 200, recovered.text)
  assert.deepEqual(
    [recovered.json.status, recovered.json.rescheduled, recovered.json.eligible_remaining],
    ['RESCHEDULED', 2, 2],
  )
  assert.equal(recovered.json.source_revision, REVISION)
  const replay = await post(service, 'recovery/transient-effects?limit=2', { ...key, ...expecting(REVISION) })
  assert.deepEqual([replay.text, replay.headers.get('idempotent-replay')], [recovered.text, 'true'])
  assert.equal((await post(service, 'recovery/transient-effects?limit=3', key)).json.error.code, 'idempotency_conflict')
  const stale = await post(service, 'recovery/transient-effects?limit=2', { ...key, ...expecting('c'.repeat(40)) })
  assert.equal(stale.json.error.code, 'source_revision_mismatch')
  state.status = 200
  assert.equal((await post(service, 'drain')).json.exported, 2)
  assert.equal(new Set(state.keys).size, 4)
})

test('where the running revision is not known, no expectation is met', async (t) => {
  const service = await started(t)
  service.app.ports.build.gitSha.value = null
  const refused = await post(service, 'recovery/transient-effects', { 'x-expected-source-revision': REVISION })
  assert.deepEqual([refused.status, refused.json.error.observed], [409, null])
  assert.equal((await post(service, 'recovery/transient-effects')).status, 200)
})

test('nothing is brought back on top of records that were altered', async (t) => {
  const { url } = await receiver(t)
  const service = await started(t, { ORCH_GDW_SINK: 'web', ORCH_GDW_SINK_URL: url })
  await realStep(service, 'Read the audit log.')
  assert.equal((await post(service, 'drain')).json.failed, 2)
  const { ledger } = service.app.ports
  const [row = assert.fail()] = await ledger.reader.documents({ space: 'gdw.state', order: 'asc', limit: 1 })
  const { nodeIndex: _, version, value, ...place } = row
  await unguardFile(service.data)
  await ledger.writeDocuments([{ ...place, expect: version, value: value.replace('"allow"', '"deny"') }])
  const { size } = await ledger.reader.head()
  const refused = await post(service, 'recovery/transient-effects')
  assert.deepEqual([refused.status, refused.json.error.code], [503, 'integrity_not_verified'])
  assert.equal((await ledger.reader.head()).size, size)
})

test('the metrics can be scraped: every family with its help, counters that count, a histogram that adds up', async (t) => {
  const { url } = await receiver(t)
  const service = await started(t, { ORCH_GDW_SINK: 'web', ORCH_GDW_SINK_URL: url })
  const body = JSON.stringify({ session_id: 'm', request: 'Read the audit log.' })
  const step = { headers: { 'content-type': 'application/json', 'x-request-id': 'one' }, body }
  for (let n = 0; n < 2; n += 1) assert.equal((await ask(service, 'POST', '/v1/gdw/step', step)).status, 200)
  const dry = JSON.stringify({ session_id: 'm', request: 'Read the audit log.', dry_run: true })
  await ask(service, 'POST', '/v1/gdw/step', { headers: { 'content-type': 'application/json' }, body: dry })
  await post(service, 'drain?limit=0')
  await post(service, 'drain')
  const scraped = await ask(service, 'GET', '/api/orch/v1/gdw/metrics')
  assert.match(scraped.headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/)
  const families = parsePrometheusText(scraped.text)
  const types = Object.fromEntries([...families].map(([name, { type }]) => [name, type]))
  assert.deepEqual(types, {
    gdw_requests_total: 'counter',
    gdw_errors_total: 'counter',
    gdw_receipts_total: 'counter',
    gdw_decisions_total: 'counter',
    gdw_routes_total: 'counter',
    gdw_effect_attempts_total: 'counter',
    gdw_replays_total: 'counter',
    gdw_effects: 'gauge',
    gdw_outbox_oldest_pending_seconds: 'gauge',
    gdw_sessions: 'gauge',
    gdw_reviews_pending: 'gauge',
    gdw_write_ready: 'gauge',
    gdw_step_duration_seconds: 'histogram',
  })
  const value = (name: string, labels: Record<string, string> = {}) =>
    families.get(name.replace(/_count$/, ''))?.samples.get(seriesKey(name, labels))
  assert.equal(value('gdw_requests_total', { operation: 'stepping.step', status: '200' }), 3)
  assert.equal(value('gdw_requests_total', { operation: 'stepping.drain', status: '422' }), 1)
  assert.equal(value('gdw_errors_total', { code: 'validation_error' }), 1)
  assert.equal(value('gdw_receipts_total'), 2)
  assert.equal(value('gdw_replays_total'), 1)
  assert.equal(value('gdw_decisions_total', { decision: 'allow', dry_run: 'false' }), 1)
  assert.equal(value('gdw_decisions_total', { decision: 'allow', dry_run: 'true' }), 1)
  assert.equal(value('gdw_routes_total', { route: 'kda_local' }), 2)
  assert.equal(value('gdw_effect_attempts_total', { kind: 'proof_export', outcome: 'failed' }), 1)
  assert.equal(value('gdw_effects', { state: 'PENDING' }), 2)
  assert.equal(value('gdw_effects', { state: 'EXPORTED' }), 0)
  assert.equal(value('gdw_sessions', { lifecycle: 'ACTIVE' }), 1)
  assert.equal(value('gdw_sessions', { lifecycle: 'EXPIRED' }), 0)
  assert.equal(value('gdw_write_ready'), 1)
  // The replay decided nothing.
  assert.equal(value('gdw_step_duration_seconds_count'), 2)
  assert.doesNotMatch(scraped.text, /[{,](?:owner|namespace|session|key)[a-z_]*=/)
})

const folder = freshFolder('effects-access')
after(() => rmSync(folder, { recursive: true, force: true }))

const OPERATIONS = [
  ['POST', 'drain', ['effects:drain']],
  ['POST', 'recovery/transient-effects', ['effects:recover', 'integrity:global']],
  ['GET', 'metrics', ['metrics:read']],
] as const
const HOLDERS: Record<string, readonly string[]> = {
  drainer: ['effects:drain'],
  recoverer: ['effects:recover'],
  auditor: ['integrity:global'],
  repairer: ['effects:recover', 'integrity:global'],
  scraper: ['metrics:read'],
  stepper: ['step:write', 'session:read', 'integrity:read'],
}

test('each operation admits exactly those who hold all its scopes, on both paths', async (t) => {
  const file = join(folder, 'registry.json')
  const entry = (id: string, more: object) => ({
    key_id: id,
    namespace: 'team',
    owner_id: id,
    token_sha256: Buffer.from(tokenDigest(`token-${id}`)).toString('hex'),
    ...more,
  })
  const holders = Object.entries(HOLDERS).map(([id, scopes]) => entry(id, { scopes }))
  const gone = entry('gone', { role: 'admin', revoked: true })
  writeFileSync(file, JSON.stringify({ credentials: [...holders, gone, entry('operator', { role: 'operator' })] }), {
    mode: 0o600,
  })
  const service = await started(t, { ORCH_CREDENTIALS: file })
  const status = async (method: string, path: string, token: string | null) => {
    const answer = await ask(
      service,
      method,
      path,
      token === null ? {} : { headers: { authorization: `Bearer ${token}` } },
    )
    return answer.status === 200 ? 200 : `${answer.status} ${answer.json.error.code}`
  }
  for (const prefix of PREFIXES)
    for (const [method, path, needed] of OPERATIONS) {
      const target = `${prefix}/${path}`
      for (const [id, scopes] of Object.entries(HOLDERS)) {
        const expected = needed.every((scope) => scopes.includes(scope)) ? 200 : '403 missing_scopes'
        assert.equal(await status(method, target, `token-${id}`), expected, `${id} ${target}`)
      }
      assert.equal(await status(method, target, null), '401 missing_authorization')
      assert.equal(await status(method, target, 'nobody'), '401 invalid_bearer_token')
      assert.equal(await status(method, target, 'token-gone'), '403 credential_revoked')
      const recovers = path.startsWith('recovery')
      assert.equal(await status(method, target, 'token-operator'), recovers ? '403 missing_scopes' : 200)
    }
})

test('a drain takes the caller’s namespace alone', async (t) => {
  const file = join(folder, 'namespaces.json')
  const credentials = ['north', 'south'].map((namespace) => ({
    key_id: namespace,
    namespace,
    owner_id: 'op',
    token_sha256: Buffer.from(tokenDigest(`token-${namespace}`)).toString('hex'),
    role: 'admin',
  }))
  writeFileSync(file, JSON.stringify({ credentials }), { mode: 0o600 })
  const service = await started(t, { ORCH_CREDENTIALS: file })
  for (const namespace of ['north', 'south'])
    await recordSteps(service.app.ports.ledger, { namespace, count: 2, at: Date.now() - 1_000 })
  const drained = await post(service, 'drain', { authorization: 'Bearer token-north' })
  assert.deepEqual([drained.json.exported, drained.json.pending], [2, 0])
  const left = await service.app.ports.ledger.reader.countDocuments({ space: 'gdw.effect/south', state: 'PENDING' })
  assert.equal(left, 2)
})

test('the service takes effects out by itself', async (t) => {
  const service = await startApp(t)
  await steps(service, 2)
  const { ledger, effects } = service.app.ports
  const exported = () => ledger.reader.countDocuments({ space: 'gdw.effect/public', state: 'EXPORTED' })
  // The outcome of a drain is known when all of it has ended, which is after its effects are out.
  const isOver = async () => (await exported()) === 2 && (await effects.status()).last_outcome !== null
  for (let tries = 0; tries < 200 && !(await isOver()); tries += 1) await new Promise((go) => setTimeout(go, 100))
  assert.equal(await exported(), 2)
  const { last_outcome, last_success_at } = await effects.status()
  assert.equal(last_outcome, 'OK')
  assert.ok(last_success_at !== null)
})
