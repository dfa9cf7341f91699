import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { canonicalize, sha256Hex } from '@orch/core'
import { startApp } from '#testing/layer.ts'
import { post, send } from '#testing/raw-http.ts'

const service = await startApp({ after }, { ORCH_STORE: 'memory', ORCH_SURFACE_WEIGHTS: 'organs=2,nothing=3' }, [])
const base = `${service.url}/api/orch/v1`
const pulse = async () => {
  const { status, json } = await send(`${base}/brain/pulse`)
  assert.equal(status, 200)
  return json
}
const share = (id: string) => send(`${base}/brain/subscribe/${id}`)

test('the same state has the same digest, however often somebody looks, and it is that of what is shown', async () => {
  const [one, other] = [await pulse(), await pulse()]
  assert.equal(one.content_digest_sha256, other.content_digest_sha256)
  const { kind, doctrine, lambda, stores, lit } = one
  assert.equal(one.content_digest_sha256, sha256Hex(canonicalize({ kind, doctrine, lambda, stores, lit })))
  assert.deepEqual([kind, one.label, one.ok, one.read_only], ['orch.brain-pulse/v1', 'MEASURED', true, true])
})

test('what happens is seen in the counts of the next pulse, each by its own', async () => {
  const before = await pulse()
  await post(`${base}/organs/N13`, JSON.stringify({ prompt: '10 cpu_s at 65 W' }))
  await post(`${base}/organs/N13`, '{}')
  await post(`${base}/claim-integrity/atomize`, JSON.stringify({ text: 'Water boils at 100 degrees.' }))
  await post(`${base}/claim-integrity/evaluate`, JSON.stringify({ claims: [] }))
  const now = await pulse()
  const grown = (name: string) => now.stores[name].value - before.stores[name].value
  const size = service.app.ports.ledger.state().size
  assert.equal(now.stores.receipts.value, size)
  assert.equal(grown('organ_runs'), 2)
  assert.equal(grown('claims_evaluated'), 1, JSON.stringify(now.stores))
  assert.equal(now.lit.organs_active_5m, 1)
  assert.equal(now.lit.surfaces_active_5m - before.lit.surfaces_active_5m, 2)
  assert.notEqual(now.content_digest_sha256, before.content_digest_sha256)
})

test('every number of the process has its source and its time, and the energy is measured or absent with a reason', async () => {
  const { process: readings, energy, generated_at } = await pulse()
  for (const [name, reading] of Object.entries<{ source: string; read_at: string }>(readings)) {
    assert.ok(reading.source.length > 0, name)
    assert.ok(Math.abs(Date.parse(reading.read_at) - Date.parse(generated_at)) < 60_000, name)
  }
  assert.ok(readings.rss_bytes.value > 1e6 && readings.uptime_s.value > 0 && readings.active_handles.value > 0)
  const { p50, p99, max } = readings.event_loop_delay_ms
  assert.ok(p50 <= p99 && p99 <= max)
  assert.equal(energy.label === 'MEASURED', energy.joules !== null)
  assert.equal(energy.reason === null, energy.joules !== null)
})

test('a surface gets what it asks for while there is enough, and its demand is the requests that it answered', async () => {
  for (let n = 0; n < 3; n++) await send(`${base}/gates`)
  const { json } = await share('gates')
  assert.deepEqual([json.surface_known, json.demand, json.weight, json.request_budget], [true, 3, 1, 3])
  assert.deepEqual([json.label, json.capacity, json.window_s], ['MODELED', 3000, 300])
  assert.equal(json.share, 0.001)
  assert.ok(json.shares_sum <= 1 && json.unallocated > 0)
  assert.equal(json.pulse_digest, (await pulse()).content_digest_sha256)
  assert.deepEqual(json.weights_without_surface, ['nothing'])
  assert.equal((await share('organs')).json.weight, 2)
})

test('every surface of the catalog is known by an id that the path takes', async () => {
  const { known_surfaces } = (await share('nowhere')).json
  assert.ok(known_surfaces.includes('organ-health') && known_surfaces.includes('brain'))
  for (const id of known_surfaces) assert.equal((await share(id)).json.surface_known, true, id)
})

test('an unknown surface is 200 with nothing; a name that is none is 422', async () => {
  const { status, json } = await share('nowhere')
  assert.deepEqual([status, json.surface_known, json.request_budget, json.share], [200, false, 0, 0])
  assert.deepEqual(json.plot.reference_lines, [], 'no line of another surface')
  assert.equal((await share('a'.repeat(64))).status, 200)
  for (const bad of ['A', '.a', '-a', 'a'.repeat(65), 'a%20b', 'a%2Fb', '%3Cscript%3E', 'a%00']) {
    const refused = await share(bad)
    assert.deepEqual([refused.status, refused.json.detail[0].loc], [422, ['path', 'surface_id']], bad)
  }
})

test('HEAD answers like GET, and nothing is appended by looking', async () => {
  const { size } = service.app.ports.ledger.state()
  for (const path of ['pulse', 'subscribe/organs']) {
    const head = await send(`${base}/brain/${path}`, { method: 'HEAD' })
    assert.deepEqual([head.status, head.text], [200, ''])
  }
  assert.equal(service.app.ports.ledger.state().size, size)
})

test('a store that is away leaves a pulse that says so', async (t) => {
  const { reader } = service.app.ports.ledger
  const { head } = reader
  t.after(() => {
    reader.head = head
  })
  reader.head = () => Promise.reject(new Error('connection to 10.0.0.1 refused'))
  const { ok, stores } = await pulse()
  assert.deepEqual([ok, stores.receipts.value, stores.receipts.label], [false, null, 'UNAVAILABLE'])
  assert.equal(stores.chains.label, 'MEASURED')
  assert.ok(!JSON.stringify(stores).includes('10.0.0.1'))
})
