import assert from 'node:assert/strict'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { startApp } from '#testing/layer.ts'
import { post, send } from '#testing/raw-http.ts'
import { parseReply } from './meters.ts'

type Behaviour = (response: ServerResponse) => void
let behave: Behaviour = () => undefined
const meter = createServer((_request, response) => behave(response))
await new Promise<void>((resolve) => meter.listen(0, '127.0.0.1', resolve))
after(() => {
  meter.closeAllConnections()
  meter.close()
})
const origin = `http://127.0.0.1:${(meter.address() as AddressInfo).port}`
const service = await startApp(
  { after },
  { ORCH_STORE: 'memory', ORCH_ENERGY_METERS: `${origin}/a?key=hidden,${origin}/b` },
  [],
)

const json =
  (value: unknown): Behaviour =>
  (response) =>
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(typeof value === 'string' ? value : JSON.stringify(value))
const now = () => new Date().toISOString()
const predicate = async () => (await send(`${service.url}/api/orch/v1/attest/manifest`)).json.statement.predicate

test('meters that answer are read in the request and labelled MEASURED, and the verdict stays', async () => {
  behave = (response) => json({ joules: 12.5, at: now() })(response)
  const { json: record } = await send(`${service.url}/api/orch/v1/attest/manifest`)
  const { energy_measured, energy_disclosure, honesty_invariants } = record.statement.predicate
  assert.equal(energy_measured.length, 2)
  assert.deepEqual(
    [energy_measured[0].joules, energy_measured[0].label, energy_disclosure.label],
    [12.5, 'MEASURED', 'MEASURED'],
  )
  assert.deepEqual([energy_disclosure.meters_configured, energy_disclosure.errors], [2, []])
  assert.equal(honesty_invariants.no_fabricated_measured, true)
  assert.deepEqual([record.verdict, record.label], ['PASSED', 'MODELED'])
  assert.ok(!JSON.stringify(record).includes('hidden'), 'the query of a meter is not told')
})

test('one meter of two gives one reading and one error', async () => {
  let asked = 0
  behave = (response) => (++asked === 1 ? json({ joules: 1, at: now() })(response) : response.writeHead(500).end())
  const { energy_measured, energy_disclosure } = await predicate()
  assert.deepEqual([energy_measured.length, energy_disclosure.errors.length], [1, 1])
  assert.match(energy_disclosure.errors[0], /UPSTREAM_HTTP_500$/)
})

const hostile: [what: string, behaviour: Behaviour, error: string][] = [
  ['a negative number', json({ joules: -1, at: now() }), 'INVALID_SOURCE_NUMBER'],
  ['a number beyond reason', json({ joules: 1e16, at: now() }), 'INVALID_SOURCE_NUMBER'],
  ['a number as text', json({ joules: '1', at: now() }), 'INVALID_SOURCE_NUMBER'],
  ['infinity', json('{"joules":1e999,"at":"2026-01-01T00:00:00Z"}'), 'INVALID_JSON'],
  ['no number', json({ at: now() }), 'INVALID_SOURCE_NUMBER'],
  ['no time', json({ joules: 1 }), 'INVALID_SOURCE_TIMESTAMP'],
  ['a time in words', json({ joules: 1, at: 'now' }), 'INVALID_SOURCE_TIMESTAMP'],
  ['a date that does not exist', json({ joules: 1, at: '2026-99-99T00:00:00Z' }), 'STALE_READING'],
  ['an old reading', json({ joules: 1, at: '2020-01-01T00:00:00Z' }), 'STALE_READING'],
  ['a reading of the future', json({ joules: 1, at: '2999-01-01T00:00:00Z' }), 'STALE_READING'],
  ['a label of its own', json({ joules: 1, at: now(), label: 'MEASURED' }), 'INVALID_SOURCE_SCHEMA'],
  ['a list', json([1]), 'INVALID_SOURCE_SCHEMA'],
  ['null', json('null'), 'INVALID_SOURCE_SCHEMA'],
  ['a key twice', json('{"joules":1,"joules":2,"at":"x"}'), 'INVALID_JSON'],
  ['too much', json(`"${'x'.repeat(5000)}"`), 'RESPONSE_TOO_LARGE'],
  ['a redirect', (response) => response.writeHead(302, { location: origin }).end(), 'UPSTREAM_HTTP_302'],
  ['a page', (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('1'), 'NON_JSON_RESPONSE'],
  ['a closed socket', (response) => response.destroy(), 'TRANSPORT_UNAVAILABLE'],
  ['nothing at all', () => undefined, 'RESPONSE_DEADLINE'],
]
for (const [what, behaviour, error] of hostile)
  test(`a meter that answers with ${what} gives no reading and says ${error}`, async () => {
    behave = behaviour
    const { energy_measured, energy_disclosure } = await predicate()
    assert.deepEqual([energy_measured, energy_disclosure.label], [[], 'UNAVAILABLE'])
    assert.deepEqual(energy_disclosure.errors, [`${origin}: ${error}`, `${origin}: ${error}`])
  })

test('outbound reads switched off open no socket', async (t) => {
  behave = () => assert.fail('the meter was asked')
  const off = await startApp(t, { ORCH_STORE: 'memory', ORCH_ENERGY_METERS: origin, ORCH_OUTBOUND: 'off' }, [])
  const { json: record } = await send(`${off.url}/api/orch/v1/attest/manifest`)
  assert.deepEqual(record.statement.predicate.energy_disclosure.errors, [`${origin}: TRANSPORT_DISABLED`])
})

test('a reading is rounded to what every language prints alike', () => {
  const at = '2026-01-01T00:00:00.000Z'
  const read = (joules: number) => parseReply({ joules, at }, Date.parse(at))
  assert.deepEqual(read(0.00001), { joules: 0, at })
  assert.deepEqual(read(0.00016), { joules: 0.0002, at })
  assert.ok(Object.is((read(-0) as { joules: number }).joules, 0))
})

test('the probe of the energy organ attaches what each meter answered to it, and the silence of one that did not', async () => {
  const probe = async () => {
    const body = JSON.stringify({ op: 'probe', window_ms: 10, tdp_w: 65 })
    return (await post(`${service.url}/api/orch/v1/organs/N13`, body)).json
  }
  behave = (response) => json({ joules: 3.25, at: now() })(response)
  const answered = await probe()
  assert.deepEqual(
    answered.attachments
      .filter(({ source }: { source: string }) => source === origin)
      .map(({ label, mode, value }: Record<string, { joules: number }>) => [label, mode, value!.joules]),
    [
      ['MEASURED', 'live', 3.25],
      ['MEASURED', 'live', 3.25],
    ],
  )
  assert.ok(!JSON.stringify(answered).includes('hidden'), 'the query of a meter is not told')
  behave = json('nonsense')
  const silent = (await probe()).attachments.filter(({ source }: { source: string }) => source === origin)
  assert.deepEqual(
    silent.map(({ label, mode, value, reason }: Record<string, unknown>) => [label, mode, value, reason]),
    [0, 1].map(() => ['UNAVAILABLE', 'unreachable', null, 'INVALID_JSON']),
  )
  const { json: detail } = await send(`${service.url}/api/orch/v1/organs/N13`)
  assert.deepEqual(detail.backends, [
    { env: 'ORCH_ENERGY_METERS', configured: true, adds: 'what each meter answers to a probe' },
  ])
})
