import assert from 'node:assert/strict'
import { test } from 'node:test'
import { comparison, json, localHosts, PATHS } from '#testing/readings/local-hosts.ts'
import { reader } from '#testing/readings/reader.ts'

const DEPLOYED = 'b'.repeat(40)

test('a public address is probed on its four paths and read for its records, redirects not followed', async (t) => {
  const hosts = await localHosts()
  hosts.misbehaving.set('/', (_, response) => response.writeHead(302, { location: 'https://elsewhere.example/' }).end())
  hosts.misbehaving.set('/console', (_, response) => response.writeHead(503).end())
  hosts.pages.set('/healthz', { organ: 'orch' })
  hosts.pages.set('/api/orch/v1/version', { version: '1.1.0', git_sha: DEPLOYED })
  hosts.pages.set(PATHS.compare(DEPLOYED), comparison(DEPLOYED, 'behind', 0, 2))
  const { readings, background } = await reader(t, { hosts, more: { probe: hosts.url } })
  await background.run('readiness-round')
  const { probe_via, endpoints, version } = await readings.deployment()
  assert.equal(probe_via, 'public-address')
  assert.deepEqual(
    [endpoints.apex, endpoints.console, endpoints.healthz, endpoints.api].map(({ value }) => value?.http_status),
    [302, 503, 200, 404],
  )
  assert.equal(version.value?.git_sha, DEPLOYED)
  assert.equal(readings.repository().compare.value?.status, 'behind', 'what runs there is what is compared')
})

test('links are probed once a day, however often the round comes', async (t) => {
  const hosts = await localHosts()
  const url = `${hosts.url}/paper`
  const { readings, background, clock } = await reader(t, { hosts, more: { links: [url] } })
  assert.equal(readings.link('https://unlisted.example/').reason, 'NOT_PROBED')
  await background.run('evidence-links')
  clock.forward(3600)
  await background.run('evidence-links')
  assert.deepEqual([readings.link(url).value?.http_status, readings.link(url).age_seconds], [404, 3600])
  assert.equal(hosts.seen.filter(({ path }) => path === '/paper').length, 1)
  clock.forward(86_400)
  await background.run('evidence-links')
  assert.equal(hosts.seen.filter(({ path }) => path === '/paper').length, 2)
})

test('neighbours are read from an allow-list of fields, clipped; a closed gateway says that it is closed', async (t) => {
  const hosts = await localHosts()
  const surface = { name: 'site', kind: 'app', group: 'Public', url: `${hosts.url}/surface` } as const
  hosts.pages.set('/surface', { version: 'v'.repeat(200), commit: 7, secret: 'x', service: 'site' })
  hosts.pages.set('/spend', { cap_usd: 10, spent_usd: '2.50', armed: true, tail: [{ usd: 1 }], secret: 'x' })
  hosts.misbehaving.set('/tools', (_, response) => json(response, 401, {}))
  const more = {
    spine: `${hosts.url}/tools`,
    spend: { url: `${hosts.url}/spend`, token: 'spend-token' },
    constellation: [surface],
  }
  const { readings, background, store } = await reader(t, { hosts, more })
  await background.run('neighbour-round')
  assert.deepEqual(readings.spine()?.value?.auth_required, true)
  const [shown] = readings.constellation()
  assert.equal(shown?.reading.value?.report.version?.length, 64)
  assert.deepEqual([shown?.reading.value?.report.commit, shown?.reading.value?.report.service], [null, 'site'])
  const spend = readings.spend()
  assert.deepEqual(
    [spend?.value?.cap_usd, spend?.value?.spent_usd, spend?.value?.remaining_usd, spend?.value?.tail[0]?.usd],
    ['10', '2.50', null, '1'],
  )
  assert.equal(hosts.seen.find(({ path }) => path === '/spend')?.headers.authorization, 'Bearer spend-token')
  assert.doesNotMatch(JSON.stringify([...store.rows.values()]), /spend-token|secret/)
})

test('where no public address is configured our own paths are called when somebody asks, and are live', async (t) => {
  const { readings } = await reader(t)
  const { probe_via, endpoints, healthz } = await readings.deployment()
  assert.deepEqual(
    [probe_via, endpoints.apex.mode, endpoints.apex.url, healthz.value],
    ['in-process', 'live', '/', { organ: 'orch' }],
  )
})
