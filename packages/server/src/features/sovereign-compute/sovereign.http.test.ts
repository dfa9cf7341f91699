import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startApp } from '#testing/layer.ts'
import { send } from '#testing/raw-http.ts'
import { sendJson, startStubUpstream } from '#testing/stub-upstream.ts'
import type { Capability } from './schemas.ts'

const PATH = '/api/orch/v1/sovereign-compute'
const plain = await startApp({ after }, { ORCH_STORE: 'memory' }, [])
const read = async (url: string) => {
  const { status, json } = await send(url + PATH)
  assert.equal(status, 200)
  const rows = json.capabilities as Capability[]
  return { json, row: (id: string) => rows.find((one) => one.id === id)! }
}

test('without configuration the machine is read and no model is claimed', async () => {
  const { json, row } = await read(plain.url)
  assert.deepEqual(
    json.capabilities.map(({ id }: Capability) => id),
    ['cpu', 'memory', 'gpu', 'local_model', 'external_model', 'embeddings', 'arithmetic'],
  )
  assert.equal(json.sovereign_any, false)
  for (const id of ['local_model', 'external_model', 'embeddings'])
    assert.deepEqual([row(id).tier, row(id).label, typeof row(id).reason], ['NOT-CONFIGURED', 'UNAVAILABLE', 'string'])
  assert.ok((row('cpu').facts.cores as number) >= 1 && (row('memory').facts.total_bytes as number) > 1e8)
  assert.ok(row('arithmetic').label === 'UNAVAILABLE' || (row('arithmetic').facts.gflop_per_s_median as number) > 0)
  assert.deepEqual(
    json.roadmap.map(({ id, label }: { id: string; label: string }) => [id, label]),
    [
      ['pqc', 'ROADMAP'],
      ['hardened_image', 'ROADMAP'],
      ['mesh_compute', 'ROADMAP'],
    ],
  )
  assert.deepEqual([json.doctrine_lock.locked_count, json.doctrine_lock.locked_ids.includes('F23')], [8, false])
})

test('a model on this machine that answers is our own, with its key sent and never shown; the answer counts for 30 s', async (t) => {
  const stub = await startStubUpstream(t, (asked, response) =>
    asked.path === '/v1/models'
      ? sendJson(response, { object: 'list', data: [{ id: 'local-1' }] })
      : sendJson(response, { data: [{ index: 0, embedding: [0.1, 0.2, 0.3] }] }),
  )
  const { url } = await startApp(
    t,
    {
      ...{ ORCH_STORE: 'memory', ORCH_UPSTREAM_URL: stub.url, ORCH_UPSTREAM_MODEL: 'local-1' },
      ...{ ORCH_UPSTREAM_KEY: 'key-of-the-operator', ORCH_ORGAN_N9_URL: `${stub.url}/embeddings?model=e5` },
    },
    [],
  )
  const { json, row } = await read(url)
  const model = row('external_model')
  assert.deepEqual(
    [model.tier, model.label, model.mode, json.sovereign_any],
    ['LIVE-SOVEREIGN', 'MEASURED', 'live', true],
  )
  const [endpoint] = model.facts.endpoints as Record<string, unknown>[]
  assert.deepEqual([endpoint!.models, endpoint!.model_listed], [1, true])
  assert.deepEqual((row('embeddings').facts.endpoints as { dimensions: number }[])[0]!.dimensions, 3)
  assert.equal(
    stub.asked.find(({ path }) => path === '/v1/models')!.headers.authorization,
    'Bearer key-of-the-operator',
  )
  assert.deepEqual(stub.asked.find(({ path }) => path === '/v1/embeddings')!.body, { model: 'e5', input: ['probe'] })
  const again = await read(url)
  assert.deepEqual([again.row('external_model').mode, again.row('external_model').label], ['cached', 'SAMPLE'])
  assert.equal(stub.asked.length, 2, 'nobody was asked again')
  const page = await send(`${url}/sovereign-compute`)
  for (const text of [JSON.stringify(json), page.text]) assert.ok(!text.includes('key-of-the-operator'))
})

for (const [what, answer] of [
  ['refuses', (response: Parameters<typeof sendJson>[0]) => sendJson(response, { error: 'no' }, 401)],
  ['answers something else', (response: Parameters<typeof sendJson>[0]) => sendJson(response, { hello: 'world' })],
  ['never answers', () => undefined],
] as const)
  test(`a configured endpoint that ${what} is wired and unreachable`, async (t) => {
    const stub = await startStubUpstream(t, (_, response) => void answer(response))
    const { url } = await startApp(t, { ORCH_STORE: 'memory', ORCH_UPSTREAM_URL: stub.url }, [])
    const { json, row } = await read(url)
    const { tier, label, mode, reason } = row('external_model')
    assert.deepEqual(
      [tier, label, mode, json.sovereign_any],
      ['WIRED-UNREACHABLE', 'UNAVAILABLE', 'unreachable', false],
    )
    assert.match(
      reason!,
      /^no configured endpoint answered: (UPSTREAM_HTTP_401|INVALID_SOURCE_SCHEMA|RESPONSE_DEADLINE)$/,
    )
  })

test('nothing is sent where the operator wants nothing sent', async (t) => {
  const stub = await startStubUpstream(t)
  const { url } = await startApp(t, { ORCH_STORE: 'memory', ORCH_UPSTREAM_URL: stub.url, ORCH_OUTBOUND: 'off' }, [])
  const { row } = await read(url)
  assert.match(row('external_model').reason!, /TRANSPORT_DISABLED/)
  assert.equal(stub.asked.length, 0)
})

test('requests at the same time share one look at the machine', async () => {
  const { completed } = plain.app.ports.organs.compute.stats()
  const records = await Promise.all([1, 2, 3].map(() => read(plain.url)))
  assert.equal(new Set(records.map(({ json }) => json.checked_at)).size, 1)
  assert.ok(plain.app.ports.organs.compute.stats().completed <= completed + 1)
})

test('the page tells what the record tells, without a script of its own, under the policy of all pages', async () => {
  const { status, headers, text } = await send(`${plain.url}/sovereign-compute`)
  assert.equal(status, 200)
  assert.equal(headers['content-type'], 'text/html; charset=utf-8')
  assert.match(String(headers['content-security-policy']), /default-src 'none'/)
  for (const id of ['cpu', 'memory', 'gpu', 'local_model', 'external_model', 'embeddings', 'arithmetic', 'roadmap'])
    assert.ok(text.includes(`id="capability-${id}"`), id)
  assert.deepEqual(
    [...text.matchAll(/<script src="([^"]+)"/g)].map(([, source]) => source),
    ['/pages/theme.js'],
  )
  assert.doesNotMatch(text.replace("xmlns='http://www.w3.org/2000/svg'", ''), /https?:\/\//)
  const head = await send(`${plain.url}/sovereign-compute`, { method: 'HEAD' })
  assert.deepEqual([head.status, head.text], [200, ''])
})
