import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { startApp } from '#testing/layer.ts'
import { startCollector } from '#testing/otlp-collector.ts'
import { send } from '#testing/raw-http.ts'

const MEMORY = { ORCH_STORE: 'memory' }
const otel = async (url: string) => (await send(`${url}/api/orch/v1/otel/status`)).json

test('without a collector traces live in this process, and nothing more is claimed', async (t) => {
  const { url } = await startApp(t, MEMORY, [])
  const record = await otel(url)
  assert.deepEqual([record.status, record.delivery_asserted], ['DEGRADED', false])
  assert.deepEqual([record.in_process.state, record.in_process.trace_propagation], ['LIVE', 'READY'])
  assert.ok(record.in_process.spans_started > record.in_process.spans_ended, 'the request itself has not ended')
  assert.deepEqual(record.exporter, {
    state: 'NOT_CONFIGURED',
    endpoint_origin_sha256: null,
    exported: 0,
    failed: 0,
    dropped: 0,
    last_success_at: null,
    last_error_code: null,
  })
  assert.deepEqual(record.collector, { state: 'UNKNOWN', evidence: 'NO_PROBE', age_s: null })
})

test('a collector that answers makes it LIVE, one that refuses or is stopped makes it DEGRADED', async (t) => {
  const collector = await startCollector(t)
  const { url, app } = await startApp(t, { ...MEMORY, ORCH_OTLP_ENDPOINT: collector.url }, [])
  await app.ports.telemetry.probe()
  const live = await otel(url)
  assert.deepEqual([live.status, live.delivery_asserted, live.collector.state], ['LIVE', true, 'REACHABLE'])
  assert.equal(live.exporter.endpoint_origin_sha256, createHash('sha256').update(collector.url).digest('hex'))
  assert.deepEqual(collector.spans, [], 'a probe carries no span')
  collector.answer(503)
  await app.ports.telemetry.probe()
  assert.deepEqual([(await otel(url)).status, (await otel(url)).collector.state], ['DEGRADED', 'UNREACHABLE'])
  collector.answer(200)
  await app.ports.telemetry.probe()
  assert.equal((await otel(url)).status, 'LIVE')
  await collector.stop()
  await app.ports.telemetry.probe()
  const gone = await otel(url)
  assert.deepEqual([gone.status, gone.delivery_asserted, gone.collector.evidence], ['DEGRADED', false, 'FRESH_PROBE'])
  assert.deepEqual([gone.in_process.state, gone.in_process.trace_propagation], ['LIVE', 'READY'])
})

test('the collector is probed by a background task and by no request', async (t) => {
  const collector = await startCollector(t)
  const { url, app } = await startApp(t, { ...MEMORY, ORCH_OTLP_ENDPOINT: collector.url }, [])
  await app.ports.telemetry.probe()
  const before = collector.seen.length
  for (let asked = 0; asked < 20; asked += 1) await otel(url)
  assert.equal(collector.seen.length, before)
  const task = app.ports.background.tasks().find(({ name }) => name === 'otel-collector-probe')
  assert.equal(task?.intervalMs, 60_000)
})

test('the rollup answers 200 with the registries that run here, organs by class among them', async (t) => {
  const { url, app } = await startApp(t, MEMORY, [])
  // A thread that got no processor yet is told as late, rightly; it is asked again.
  let { status, json } = await send(`${url}/api/orch/healthz`)
  for (let tries = 1; json.status !== 'ok' && tries < 30; tries += 1) {
    await app.ports.readiness.report()
    ;({ status, json } = await send(`${url}/api/orch/healthz`))
  }
  assert.deepEqual([status, json.status, json.degraded_reasons], [200, 'ok', []])
  assert.deepEqual([json.rollup.storage.backend, json.rollup.storage.durable], ['memory', false])
  assert.deepEqual([json.rollup.organs.total, json.doctrine_constants.locked_8], [25, 8])
  assert.deepEqual(json.rollup.organs.by_class, { SIMULATED: 11, MEASURED: 11, MODELED: 2, UNAVAILABLE: 1 })
  const tasks = json.rollup.background.map(({ task }: { task: string }) => task)
  for (const task of ['review-expiry', 'idle-budgets', 'governance-files', 'readiness'])
    assert.ok(tasks.includes(task), `${task} of ${tasks.join()}`)
  assert.equal((await send(`${url}/api/orch/healthz`, { method: 'HEAD' })).text, '')
})

test('a state is as old as the first look that found it, and a task looks every five seconds', async (t) => {
  const { url, app } = await startApp(t, MEMORY, [])
  const task = app.ports.background.tasks().find(({ name }) => name === 'readiness')
  assert.equal(task?.intervalMs, 5_000)
  const states = async () => (await send(`${url}/api/readyz`)).json.components as Record<string, { since: string }>
  await app.ports.readiness.report()
  const looked = new Date().toISOString()
  // What another look finds changed, such as a thread that got no processor yet, is rightly newer: it is looked at again.
  let [before, components] = [await states(), await states()]
  for (let tries = 1; !isDeepStrictEqual(sinceOf(before), sinceOf(components)) && tries < 30; tries += 1)
    [before, components] = [components, await states()]
  assert.deepEqual(sinceOf(before), sinceOf(components))
  const unchanged = Object.values(components).filter(({ since }) => since <= looked)
  assert.ok(unchanged.length > 0, JSON.stringify(components))
})

const sinceOf = (components: Record<string, { since: string }>) =>
  Object.fromEntries(Object.entries(components).map(([name, { since }]) => [name, since]))

test('readiness lists background and outbound, which block nothing', async (t) => {
  const { url } = await startApp(t, { ...MEMORY, ORCH_OUTBOUND: 'off' }, [])
  const { json, status } = await send(`${url}/api/readyz`)
  assert.equal(status, 200)
  assert.deepEqual([json.components.outbound.detail.switch, json.components.outbound.blocking], ['off', false])
  assert.deepEqual([json.components.background.state, json.components.background.blocking], ['OK', false])
})

test('readiness tells how many snapshots are missing and why, and nothing of them where none is', async (t) => {
  const { app, url } = await startApp(t, MEMORY, [])
  const ledger = async () => (await send(`${url}/api/readyz`)).json.components.ledger.detail
  const { snapshots_missing, snapshot_fault } = await ledger()
  assert.deepEqual([snapshots_missing, snapshot_fault], [undefined, undefined])
  Object.assign(app.ports.ledger, { snapshotsMissing: 3, snapshotFault: 'the disk is full' })
  const missing = await ledger()
  assert.deepEqual([missing.snapshots_missing, missing.snapshot_fault], [3, 'the disk is full'])
})

test('every link of health leads somewhere, and its word is a header too', async (t) => {
  const { url } = await startApp(t, MEMORY, [])
  const { json, headers } = await send(`${url}/api/orch/v1/health`)
  assert.equal(headers['x-orch-health'], json.status)
  for (const name of ['livez', 'readyz', 'metrics', 'docs']) assert.ok(name in json.links, name)
  for (const [name, path] of Object.entries(json.links as Record<string, string>))
    assert.equal((await send(url + path)).status, 200, name)
})
