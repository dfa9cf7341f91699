import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HEAD, json, type LocalHosts, localHosts, PATHS } from '#testing/readings/local-hosts.ts'
import { documentStore, movedClock, reader } from '#testing/readings/reader.ts'
import type { Provider, Readings } from '../contract.ts'

const failing = (hosts: LocalHosts, path: string, status = 500) =>
  void hosts.misbehaving.set(path, (_, response) => json(response, status, {}))
const allFailing = (hosts: LocalHosts) => [...hosts.pages.keys()].forEach((path) => void failing(hosts, path))
const stateOf = (readings: Readings, provider: Provider) =>
  readings.sources().find((source) => source.provider === provider)

test('when every source is dead each round makes the readings older, not younger, and stale after three', async (t) => {
  const { readings, background, clock, hosts } = await reader(t)
  await background.run('readiness-round')
  const { fetched_at } = readings.snapshot()
  allFailing(hosts)
  for (const age of [240, 480, 720]) {
    clock.forward(240)
    await background.run('readiness-round')
    assert.deepEqual(readings.snapshot(), {
      served_from: 'background-snapshot',
      fetched_at,
      age_seconds: age,
      stale: false,
    })
  }
  clock.forward(1)
  assert.equal(readings.snapshot().stale, true)
})

test('one dead source makes the snapshot as old as what was last read of it', async (t) => {
  const { readings, background, clock, hosts } = await reader(t)
  await background.run('readiness-round')
  failing(hosts, PATHS.space)
  clock.forward(3601)
  await background.run('readiness-round')
  assert.deepEqual([readings.snapshot().age_seconds, readings.snapshot().stale], [3601, true])
})

test('a round that read nothing is the time of no reading', async (t) => {
  const none = await reader(t, { more: { repository: null, space: null } })
  await none.background.run('readiness-round')
  assert.deepEqual(none.readings.snapshot(), {
    served_from: 'background-snapshot',
    fetched_at: null,
    age_seconds: null,
    stale: true,
  })
  const dead = await reader(t)
  allFailing(dead.hosts)
  await dead.background.run('readiness-round')
  const { fetched_at, stale } = dead.readings.snapshot()
  assert.deepEqual([fetched_at, stale], [null, true])
})

test('what a source failed with, and when, stays while it is left alone', async (t) => {
  const { readings, clock, hosts } = await reader(t)
  failing(hosts, PATHS.space)
  const { view } = await readings.take('space')
  const { last_error } = view.space()
  assert.equal(last_error?.code, 'UPSTREAM_HTTP_500')
  const asked = hosts.seen.length
  clock.forward(11)
  const later = (await readings.take('space')).view.space()
  assert.deepEqual([later.last_error, later.reason, hosts.seen.length], [last_error, 'UPSTREAM_HTTP_500', asked])
})

test('two sources at one address are left alone and counted each on its own', async (t) => {
  const counted: string[] = []
  const measure = async <T extends { ok: true } | { ok: false; code: string }>(
    provider: string,
    call: () => Promise<T>,
  ) => {
    const outcome = await call()
    counted.push(`${provider} ${outcome.ok ? 'ok' : outcome.code}`)
    return outcome
  }
  const { readings, hosts } = await reader(t, { measure })
  failing(hosts, PATHS.repository)
  await readings.take('repo')
  assert.deepEqual(counted, ['repository UPSTREAM_HTTP_500'])
  const { view } = await readings.take('space')
  assert.deepEqual([view.space().mode, counted[1]], ['live', 'space ok'])
  await readings.take('parity')
  assert.deepEqual(counted.slice(2), ['space ok'], 'what is not sent is not counted')
  assert.deepEqual(
    [stateOf(readings, 'repository'), stateOf(readings, 'space')],
    [
      { provider: 'repository', end: 'failed', resting: true },
      { provider: 'space', end: 'ok', resting: false },
    ],
  )
})

test('a source counts as left alone from its failure until it answers again, also between two rounds', async (t) => {
  const { readings, background, clock, hosts } = await reader(t)
  failing(hosts, PATHS.space)
  await background.run('readiness-round')
  clock.forward(239)
  assert.equal(stateOf(readings, 'space')?.resting, true)
  hosts.misbehaving.clear()
  clock.forward(1)
  await background.run('readiness-round')
  assert.deepEqual(stateOf(readings, 'space'), { provider: 'space', end: 'ok', resting: false })
})

for (const part of ['head', 'ci', 'release', 'anchor'] as const)
  test(`a repository of which only the ${part} fails is a source that failed`, async (t) => {
    const { readings, background, hosts } = await reader(t)
    failing(hosts, PATHS[part])
    await background.run('readiness-round')
    assert.equal(readings.repository()[part].last_error?.code, 'UPSTREAM_HTTP_500')
    assert.deepEqual([stateOf(readings, 'repository')?.end, stateOf(readings, 'space')?.end], ['failed', 'ok'])
  })

test('an anchor that could not be read is asked for again in the next round', async (t) => {
  const { readings, background, clock, hosts } = await reader(t)
  await background.run('readiness-round')
  failing(hosts, PATHS.anchor)
  clock.forward(86_401)
  await background.run('readiness-round')
  assert.equal(stateOf(readings, 'repository')?.end, 'failed')
  hosts.misbehaving.clear()
  clock.forward(240)
  await background.run('readiness-round')
  assert.equal(stateOf(readings, 'repository')?.end, 'ok')
})

test('a comparison that failed is no failure any more once the two are the same', async (t) => {
  const deployed = 'b'.repeat(40)
  const { readings, background, clock, hosts } = await reader(t, { deployed })
  failing(hosts, PATHS.compare(deployed))
  await background.run('readiness-round')
  assert.equal(stateOf(readings, 'repository')?.end, 'failed')
  hosts.pages.set(PATHS.head, { sha: deployed, commit: { committer: null } })
  clock.forward(240)
  await background.run('readiness-round')
  const { compare } = readings.repository()
  assert.deepEqual([compare.reason, compare.last_error], ['NOT_NEEDED', null])
  assert.equal(stateOf(readings, 'repository')?.end, 'ok')
})

test('our public address is a source: one that is gone has failed, and so has one path that answers 503', async (t) => {
  const hosts = await localHosts()
  for (const path of ['/', '/console', '/healthz', '/api/orch/v1/evidence/research', '/api/orch/v1/version'])
    hosts.pages.set(path, {})
  const { readings, background, clock } = await reader(t, { hosts, more: { probe: hosts.url } })
  await background.run('readiness-round')
  assert.equal(stateOf(readings, 'public-address')?.end, 'ok')
  failing(hosts, '/console', 503)
  clock.forward(240)
  await background.run('readiness-round')
  assert.equal(stateOf(readings, 'public-address')?.end, 'failed')
  hosts.misbehaving.clear()
  await hosts.close()
  clock.forward(240)
  await background.run('readiness-round')
  assert.deepEqual(stateOf(readings, 'public-address'), { provider: 'public-address', end: 'failed', resting: true })
})

test('links of the evidence fail as a source where none of them is reached', async (t) => {
  const hosts = await localHosts()
  const links = [`${hosts.url}/paper`, 'http://127.0.0.1:9/gone']
  const { readings, background, clock } = await reader(t, { hosts, more: { links } })
  assert.equal(stateOf(readings, 'evidence-links')?.end, 'never')
  await background.run('evidence-links')
  assert.equal(stateOf(readings, 'evidence-links')?.end, 'ok')
  await hosts.close()
  clock.forward(86_401)
  await background.run('evidence-links')
  assert.equal(stateOf(readings, 'evidence-links')?.end, 'failed')
})

test('a gateway that wants a credential is read in every round and never left alone for it', async (t) => {
  const hosts = await localHosts()
  failing(hosts, '/tools', 401)
  const { readings, background, clock } = await reader(t, { hosts, more: { spine: `${hosts.url}/tools` } })
  for (let round = 1; round <= 8; round += 1) {
    await background.run('neighbour-round')
    const spine = readings.spine()
    assert.deepEqual([spine?.value?.http_status, spine?.last_error, spine?.age_seconds], [401, null, 0], `${round}`)
    assert.equal(hosts.seen.filter(({ path }) => path === '/tools').length, round)
    clock.forward(60)
  }
  assert.deepEqual(stateOf(readings, 'spine'), { provider: 'spine', end: 'ok', resting: false })
})

test('a neighbour is asked with its query and shown without it', async (t) => {
  const hosts = await localHosts()
  const url = `${hosts.url}/nb?token=QUERYSECRET`
  hosts.pages.set('/nb?token=QUERYSECRET', { service: 'nb' })
  const surface = { name: 'nb', kind: 'app', group: 'Public', url } as const
  const { readings, background, store } = await reader(t, { hosts, more: { constellation: [surface] } })
  await background.run('neighbour-round')
  const [shown] = readings.constellation()
  assert.deepEqual([shown?.url, shown?.reading.value?.report.service], [`${hosts.url}/nb`, 'nb'])
  assert.doesNotMatch(JSON.stringify([shown, ...store.rows.values()]), /QUERYSECRET/)
})

test('after the clock is set back old readings have no age and are stale, and new ones replace them everywhere', async (t) => {
  const [store, clock] = [documentStore(), movedClock()]
  const { readings, background, hosts } = await reader(t, { store, clock })
  await background.run('readiness-round')
  clock.setBack(3600)
  const { age_seconds, stale } = readings.snapshot()
  assert.deepEqual([age_seconds, stale, readings.space().age_seconds], [null, true, null])
  const sha = 'd'.repeat(40)
  hosts.pages.set(PATHS.space, { ...(hosts.pages.get(PATHS.space) as object), sha })
  clock.forward(240)
  await background.run('readiness-round')
  assert.deepEqual([readings.snapshot().age_seconds, readings.snapshot().stale], [0, false])
  const next = await reader(t, { store, clock, hosts })
  assert.deepEqual([next.readings.space().sha, next.readings.space().age_seconds], [sha, 0])
  assert.equal(next.readings.repository().head.value?.sha, HEAD)
})
