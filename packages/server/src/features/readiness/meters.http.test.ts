import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { type Service, startApp } from '#testing/layer.ts'
import { send } from '#testing/raw-http.ts'

const P = '/api/orch/v1'

async function metered(t: TestContext) {
  const meter = { asked: 0, url: '' }
  const server = createServer((_request, response) => {
    meter.asked += 1
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ joules: 1, at: new Date().toISOString() }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  meter.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return meter
}

const energy = async ({ url }: Service) => (await send(`${url}${P}/evidence/research/energy-accounting/live`)).json
const maturity = async ({ url }: Service, id: string) => {
  const { claims } = (await send(`${url}${P}/evidence/research`)).json
  return claims.find((claim: { id: string }) => claim.id === id).maturity
}

test('however often the energy claim is asked for, at once and in a row, each meter is asked once in 10 s', async (t) => {
  const meter = await metered(t)
  const env = { ORCH_STORE: 'memory', ORCH_ENERGY_METERS: `${meter.url}/a,${meter.url}/b` }
  const service = await startApp(t, env)
  await Promise.all(Array.from({ length: 30 }, () => energy(service)))
  for (let n = 0; n < 30; n += 1) await energy(service)
  assert.equal(meter.asked, 2)
  const { mode, check, retry_after_seconds } = await energy(service)
  assert.deepEqual([mode, check.state, check.detail.answered], ['cached', 'OK', 2])
  assert.ok(retry_after_seconds >= 1 && retry_after_seconds <= 10)
})

test('energy is measured here once a meter was read here, and not for one that is merely configured', async (t) => {
  const meter = await metered(t)
  const without = await startApp(t, { ORCH_STORE: 'memory' })
  await energy(without)
  assert.equal(await maturity(without, 'energy-accounting'), 'TESTED_IN_REPOSITORY')
  const service = await startApp(t, { ORCH_STORE: 'memory', ORCH_ENERGY_METERS: meter.url })
  assert.equal(await maturity(service, 'energy-accounting'), 'TESTED_IN_REPOSITORY')
  assert.equal((await energy(service)).claim.maturity, 'MEASURED_HERE')
  assert.equal(await maturity(service, 'energy-accounting'), 'MEASURED_HERE')
})

test('the provenance of the sources is measured here only where there is a build record to measure against', async (t) => {
  const service = await startApp(t, { ORCH_STORE: 'memory' })
  const { build } = service.app.ports
  for (const [matchesRecord, expected] of [
    [null, 'TESTED_IN_REPOSITORY'],
    [true, 'MEASURED_HERE'],
    [false, 'MEASURED_HERE'],
  ] as const) {
    Object.assign(build, { matchesRecord })
    assert.equal(await maturity(service, 'source-provenance'), expected, String(matchesRecord))
  }
})

test('Conjecture 3 is the liveness of the agentic loop and of nothing else', async (t) => {
  const service = await startApp(t, { ORCH_STORE: 'memory' })
  const { claims } = (await send(`${service.url}${P}/evidence/research`)).json
  const about = (id: string) => claims.find((claim: { id: string }) => claim.id === id).claim
  assert.match(about('liveness-conjecture'), /^Liveness of the agentic loop is Conjecture 3/)
  assert.doesNotMatch(about('liveness-conjecture'), /consensus/)
  assert.match(about('consensus-conjecture'), /^Safety of consensus among nodes is Conjecture 2/)
})
