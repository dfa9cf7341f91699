import assert from 'node:assert/strict'
import { createHash, createPublicKey } from 'node:crypto'
import { after, test } from 'node:test'
import Type from 'typebox'
import { startApp } from '#testing/layer.ts'
import { post, send } from '#testing/raw-http.ts'
import { operation } from '../../operation.ts'

const P = '/api/orch/v1'
const failing = operation({
  id: 'test.fails',
  group: 'Operations',
  method: 'GET',
  path: '/test/fails',
  scope: null,
  summary: 'Fails',
  reply: Type.Unknown(),
  run: () => {
    throw new Error('on purpose')
  },
})
const service = await startApp({ after }, { ORCH_STORE: 'memory' }, [failing])
const unsigned = await startApp({ after }, { ORCH_STORE: 'memory', ORCH_SIGNER: 'none' }, [])
const get = (path: string, headers = {}) => send(`${service.url}${path}`, { headers })
const govern = (body: object) => post(`${service.url}${P}/wow/govern`, JSON.stringify(body))

interface LatencyRow {
  id: string
  count: number
  errors: number
  window_count: number
  p50_ms: number | null
  p95_ms: number | null
  p99_ms: number | null
  max_ms: number | null
  last_at: string | null
  label: string
  reason: string | null
}
const routes = async (): Promise<LatencyRow[]> => (await get(`${P}/wow/router-latency`)).json.routes
const routeOf = async (id: string) => (await routes()).find((row) => row.id === id)!

/** A reply is counted when its connection has let go of it, which a client may see a moment earlier. */
async function countedTo(id: string, count: number): Promise<LatencyRow> {
  for (;;) {
    const row = await routeOf(id)
    if (row.count >= count) return row
    await new Promise(setImmediate)
  }
}

test('every operation that is served has a row, once, and the never called have no number', async () => {
  const { paths } = (await get('/openapi.json')).json
  const described = Object.values(paths as Record<string, Record<string, Record<string, string>>>)
    .flatMap((methods) => Object.values(methods))
    .filter((op) => op['x-orch-alias-of'] === undefined)
    .map((op) => op.operationId)
  const rows = await routes()
  assert.deepEqual(rows.map(({ id }) => id).sort(), [...described].sort())
  const { last_at, label, reason, ...numbers } = rows.find(({ id }) => id === 'wow.roi')!
  assert.deepEqual([last_at, label, reason], [null, 'UNAVAILABLE', 'NEVER_CALLED'])
  assert.deepEqual(
    [numbers.count, numbers.errors, numbers.window_count, numbers.p50_ms, numbers.max_ms],
    [0, 0, 0, null, null],
  )
})

test('counts are those of the requests sent, under every path and method an operation has', async () => {
  for (let n = 0; n < 3; n += 1) await get(`${P}/wow/roi`)
  await get('/v1/wow/roi')
  await send(`${service.url}${P}/wow/roi`, { method: 'HEAD' })
  await get(`${P}/wow/roi?catch_rate=2`)
  const row = await countedTo('wow.roi', 6)
  assert.deepEqual([row.count, row.errors, row.window_count], [6, 0, 6])
  assert.deepEqual([row.label, row.reason, row.p95_ms, row.p99_ms], ['MEASURED', 'INSUFFICIENT_SAMPLES', null, null])
  assert.ok(row.p50_ms! > 0 && row.p50_ms! <= row.max_ms!)
  assert.ok(Date.parse(row.last_at!) <= Date.parse((await get(`${P}/wow/router-latency`)).json.read_at))
})

test('an answer of 500 is an error and a refusal is not', async () => {
  await get(`${P}/test/fails`)
  await get(`${P}/test/fails`)
  const { count, errors } = await countedTo('test.fails', 2)
  assert.deepEqual([count, errors], [2, 2])
  assert.equal((await routeOf('wow.roi')).errors, 0)
})

test('the 95th percentile comes with the 20th call, and the 99th with the 100th', async () => {
  const call = () => get(`${P}/wow/cosign.pub`)
  for (let n = 0; n < 19; n += 1) await call()
  assert.deepEqual((await countedTo('wow.cosignKey', 19)).p95_ms, null)
  await call()
  const twenty = await countedTo('wow.cosignKey', 20)
  assert.deepEqual([typeof twenty.p95_ms, twenty.p99_ms], ['number', null])
  for (let n = 20; n < 100; n += 1) await call()
  const hundred = await countedTo('wow.cosignKey', 100)
  assert.deepEqual([hundred.count, typeof hundred.p99_ms, hundred.reason], [100, 'number', null])
  const { p50_ms, p95_ms, p99_ms, max_ms } = hundred
  assert.deepEqual(
    [p50_ms, p95_ms, p99_ms, max_ms],
    [p50_ms, p95_ms, p99_ms, max_ms].sort((a, b) => a! - b!),
  )
})

test('two readings without a call in between are the same, so nothing jitters', async () => {
  const before = await routeOf('wow.cosignKey')
  for (let n = 0; n < 5; n += 1) assert.deepEqual(await routeOf('wow.cosignKey'), before)
})

test('the embedded model is a target, and asking about latency calls nobody', async () => {
  const read = async () => (await get(`${P}/wow/router-latency`)).json.targets as LatencyRow[]
  const targets = await read()
  assert.deepEqual(
    targets.map(({ id }) => id),
    service.app.ports.upstreams.targets().map(({ id }) => id),
  )
  for (const { count, p50_ms, label, reason } of [...targets, ...(await read())])
    assert.deepEqual([count, p50_ms, label, reason], [0, null, 'UNAVAILABLE', 'NEVER_CALLED'])
})

test('what was measured beside the model counts the decisions recorded, and no dry run', async () => {
  const counted = async () => (await get(`${P}/wow/roi`)).json.measured
  const { since_start: before } = await counted()
  const sent = ['What is the capital of France?', 'x; DROP TABLE users; --', 'My SSN is 123-45-6789, please file it.']
  const decided = []
  for (const text of sent) decided.push((await govern({ text })).json.decision)
  await govern({ text: sent[2], dry_run: true })
  const { since_start: measured, label } = await counted()
  for (const decision of ['allow', 'review', 'deny'])
    assert.equal(
      measured.decisions[decision] - before.decisions[decision],
      decided.filter((one) => one === decision).length,
      decision,
    )
  assert.equal(measured.fired_by_gate['pii-egress-guard'] - before.fired_by_gate['pii-egress-guard'], 1)
  assert.deepEqual([before.first_seq, before.last_seq], [null, null])
  assert.deepEqual([measured.first_seq, measured.last_seq, label], [0, 2, 'MEASURED'])
  assert.equal(measured.since, before.since)
})

test('only a request that recorded a decision has a time to decide', async () => {
  const read = async () => (await get(`${P}/wow/router-latency`)).json.decisions as LatencyRow
  const before = await read()
  for (const body of [{ txt: 1 }, { text: 'Is this counted?', dry_run: true }, {}]) await govern(body)
  assert.deepEqual(await read(), before)
  const { json } = await govern({ text: 'Is this counted?' })
  const after = await read()
  assert.deepEqual([after.count, after.errors, after.label], [before.count + 1, 0, 'MEASURED'])
  assert.equal(after.window_count, before.window_count + 1)
  assert.ok(after.max_ms! > 0, json.decision)
})

test('the model has the documented total, and no count of ours moves it', async () => {
  const { modeled } = (await get(`${P}/wow/roi`)).json
  assert.deepEqual([modeled.label, modeled.total.avoided, modeled.rows.length], ['MODELED', '67260000.00', 5])
  assert.deepEqual((await get('/v1/wow/roi')).json.modeled, modeled)
})

const refused: [query: string, names: string[]][] = [
  ['?vertical=core', ['vertical']],
  ['?vertical=Finance', ['vertical']],
  ['?cost_of_failure_usd=1000000000001&annual_events=1&catch_rate=1', ['cost_of_failure_usd']],
  ['?vertical=finance&annual_events=1000001', ['annual_events']],
  ['?vertical=finance&catch_rate=1.01', ['catch_rate']],
  ['?vertical=finance&catch_rate=-0.1', ['catch_rate']],
  ['?governance_cost_usd=1000000001', ['governance_cost_usd']],
  ['?governance_cost_usd=NaN', ['governance_cost_usd']],
  ['?annual_events=5', ['cost_of_failure_usd', 'catch_rate']],
  ['?vertical=finance&catch_rate_low=0.9', ['catch_rate_low']],
]
for (const [query, names] of refused)
  test(`the assumptions ${query} are refused at ${names.join(' and ')}`, async () => {
    const answer = await get(`${P}/wow/roi${query}`)
    assert.equal(answer.status, 422)
    assert.deepEqual([...new Set(answer.json.detail.map(({ loc }: { loc: string[] }) => loc[1]))], names)
  })

test('the key is the one receipts carry, as a record and as PEM', async () => {
  const { receipt } = (await govern({ text: 'What is the capital of France?' })).json
  const record = await get(`${P}/wow/cosign.pub`)
  assert.match(String(record.headers['content-type']), /^application\/json/)
  assert.equal(record.headers.vary, 'accept')
  const { pem, keyid, key_kind, algorithm, spki_sha256, label } = record.json
  assert.deepEqual([keyid, key_kind, algorithm, label], [receipt.keyid, 'demo', 'ECDSA-P256-SHA256', 'MEASURED'])
  const spki = createPublicKey(pem).export({ type: 'spki', format: 'der' })
  assert.equal(spki_sha256, createHash('sha256').update(spki).digest('hex'))
  const published = (await get('/cosign.pub')).text
  for (const accept of ['application/x-pem-file', 'text/plain']) {
    const bare = await get(`${P}/wow/cosign.pub`, { accept })
    assert.deepEqual([bare.text, bare.headers['content-type']?.split(';')[0]], [published, accept])
    assert.equal(bare.headers['x-orch-key-id'], keyid)
  }
  assert.equal(pem, published)
  assert.equal((await get('/v1/wow/cosign.pub')).status, 404)
})

test('without a key the record says so and the PEM is not found', async () => {
  const record = await send(`${unsigned.url}${P}/wow/cosign.pub`)
  const { verify_url: _, reason, ...rest } = record.json
  assert.deepEqual(rest, {
    pem: null,
    keyid: null,
    key_kind: null,
    algorithm: null,
    spki_sha256: null,
    label: 'UNAVAILABLE',
    read_at: null,
  })
  assert.match(reason, /signing is off/)
  const bare = await send(`${unsigned.url}${P}/wow/cosign.pub`, { headers: { accept: 'text/plain' } })
  assert.deepEqual([bare.status, bare.json.error.code], [404, 'no_signing_key'])
})

test('none of these readings appends', async () => {
  const size = async () => (await service.app.ports.ledger.reader.head()).size
  const before = await size()
  for (const path of ['ledger', 'ledger?advance=1', 'roi', 'router-latency', 'cosign.pub'])
    await get(`${P}/wow/${path}`)
  assert.equal(await size(), before)
})
