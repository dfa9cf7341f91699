import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { startApp } from '#testing/layer.ts'
import { postgresUnavailable, sharedPostgres } from '#testing/postgres.ts'
import { send } from '#testing/raw-http.ts'
import { systemClock } from '../../../platform/clock.ts'
import { Presence } from './presence.ts'

const unavailable = postgresUnavailable()

test('a service on PostgreSQL counts itself and whoever else writes there', async (t) => {
  if (unavailable) return t.skip(unavailable)
  const server = await sharedPostgres()
  t.after(() => server.stop())
  const settings = { ORCH_STORE: 'postgres', ORCH_POSTGRES_URL: await server.createDatabase('presence') }
  const service = await startApp(t, settings, [])
  const nodes = async () => {
    const { json } = await send(`${service.url}/operator-organ/topology.json`)
    const mesh = json.nodes.find(({ id }: { id: string }) => id === 'mesh')
    assert.equal(mesh.healthy, true)
    return mesh.evidence.nodes
  }
  // The first beat does not hold the start up.
  while ((await nodes()) === 0) await sleep(20)
  assert.equal(await nodes(), 1)
  await new Presence(service.app.ports.ledger, systemClock).beat()
  assert.equal(await nodes(), 2)
  await service.stop()
})
