import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { comparison, HEAD, json, PATHS, SPACE_SHA } from '#testing/readings/local-hosts.ts'
import { documentStore, movedClock, reader } from '#testing/readings/reader.ts'
import type { Readings } from '../contract.ts'

const modes = (readings: Readings) => {
  const { repository, head, ci, release, anchor } = readings.repository()
  return [repository, head, ci, release, anchor, readings.space()].map(({ mode }) => mode)
}

test('before anything was read every reading is unreachable with nothing in it', async (t) => {
  const { readings } = await reader(t)
  assert.deepEqual(new Set(modes(readings)), new Set(['unreachable']))
  const { head } = readings.repository()
  assert.deepEqual([head.value, head.fetched_at, head.age_seconds, head.reason], [null, null, null, 'NOT_READ'])
  assert.deepEqual(readings.snapshot(), { served_from: 'warming', fetched_at: null, age_seconds: null, stale: true })
})

test('repository, CI, release, anchor and space are read in the formats of their hosts', async (t) => {
  const { readings, background } = await reader(t)
  await background.run('readiness-round')
  const { repository, head, ci, release, anchor } = readings.repository()
  assert.deepEqual(
    [repository.value?.default_branch, repository.value?.license, repository.value?.open_issues],
    ['main', 'Apache-2.0', 7],
  )
  assert.deepEqual([head.value?.sha, head.value?.date], [HEAD, '2026-01-02T03:00:00.000Z'])
  assert.deepEqual([ci.value?.run?.conclusion, release.value?.release?.tag], ['success', 'v1.1.0'])
  assert.equal(anchor.value?.found, true)
  const space = readings.space()
  assert.deepEqual([space.sha, space.value?.stage, space.value?.private], [SPACE_SHA, 'RUNNING', false])
  assert.match(repository.bytes_sha256 ?? '', /^[0-9a-f]{64}$/)
})

test('a reading is live for the call that took it and cached for everybody after', async (t) => {
  const { readings, clock } = await reader(t)
  const { view } = await readings.take('repo')
  assert.equal(view.repository().head.mode, 'live')
  assert.equal(view.space().mode, 'unreachable')
  clock.forward(35)
  const { head } = readings.repository()
  assert.deepEqual([head.mode, head.age_seconds], ['cached', 35])
})

test('when the hosts go away the last good values stay, cached, with what failed; when they come back so do the labels', async (t) => {
  const { readings, background, clock, hosts } = await reader(t)
  await background.run('readiness-round')
  for (const path of hosts.pages.keys()) hosts.misbehaving.set(path, (request) => request.destroy())
  clock.forward(240)
  await background.run('readiness-round')
  const { repository, head } = readings.repository()
  assert.deepEqual([head.mode, head.value?.sha, head.age_seconds], ['cached', HEAD, 240])
  assert.equal(repository.last_error?.code, 'TRANSPORT_UNAVAILABLE')
  assert.equal(readings.space().last_error?.code, 'TRANSPORT_UNAVAILABLE')
  hosts.misbehaving.clear()
  clock.forward(240)
  const { view } = await readings.take('parity')
  assert.deepEqual([view.repository().head.mode, view.repository().head.last_error], ['live', null])
  assert.equal(view.space().mode, 'live')
})

test('an origin that failed is left alone for as long as it asks, within bounds', async (t) => {
  const { readings, clock, hosts } = await reader(t)
  hosts.misbehaving.set(PATHS.space, (_, response) => json(response, 429, {}, { 'retry-after': '999999' }))
  await readings.take('space')
  hosts.misbehaving.clear()
  const asked = hosts.seen.length
  clock.forward(3599)
  const { view } = await readings.take('space')
  assert.equal(view.space().reason, 'UPSTREAM_HTTP_429', 'what it failed with stays the reason')
  assert.equal(hosts.seen.length, asked)
  clock.forward(11)
  assert.equal((await readings.take('space')).view.space().mode, 'live')
})

test('a repository whose budget is spent is asked again when it said it would be filled', async (t) => {
  const { readings, clock, hosts } = await reader(t)
  const reset = String(clock.now() / 1000 + 1800)
  const spent = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': reset }
  hosts.misbehaving.set(PATHS.repository, (_, response) => json(response, 403, {}, spent))
  await readings.take('repo')
  hosts.misbehaving.clear()
  const asked = hosts.seen.length
  clock.forward(1799)
  assert.equal((await readings.take('repo')).view.repository().repository.reason, 'UPSTREAM_HTTP_403')
  assert.equal(hosts.seen.length, asked)
  clock.forward(10)
  assert.equal((await readings.take('repo')).view.repository().repository.mode, 'live')
})

test('failures in a row double the rest, and one success ends it', async (t) => {
  const { readings, clock, hosts } = await reader(t)
  const reason = async () => (await readings.take('space')).view.space().reason
  hosts.misbehaving.set(PATHS.space, (_, response) => json(response, 503, {}))
  assert.equal(await reason(), 'UPSTREAM_HTTP_503')
  clock.forward(16)
  assert.equal(await reason(), 'UPSTREAM_HTTP_503')
  const asked = hosts.seen.length
  clock.forward(16)
  assert.equal(await reason(), 'UPSTREAM_HTTP_503')
  assert.equal(hosts.seen.length, asked, 'left alone')
  clock.forward(15)
  hosts.misbehaving.clear()
  assert.equal(await reason(), null)
})

test('a section is taken once in 10 s; inside that time nothing is asked and the wait is told', async (t) => {
  const { readings, clock, hosts } = await reader(t)
  await readings.take('space')
  const asked = hosts.seen.length
  clock.forward(4)
  const { view, retry_after_seconds } = await readings.take('space')
  assert.deepEqual([view.space().mode, retry_after_seconds, hosts.seen.length], ['cached', 6, asked])
  clock.forward(6)
  assert.equal((await readings.take('space')).retry_after_seconds, null)
})

test('whoever comes while a section is being read waits for that reading and is live with it', async (t) => {
  const { readings, hosts } = await reader(t)
  const [space, parity, round] = await Promise.all([
    readings.take('space'),
    readings.take('parity'),
    readings.refresh(),
  ])
  assert.deepEqual(
    [space.view.space().mode, parity.view.space().mode, round.view.space().mode],
    ['live', 'live', 'live'],
  )
  assert.equal(hosts.seen.filter(({ path }) => path === PATHS.space).length, 1)
})

test('a round is begun at most once in 30 s, and two that overlap are one', async (t) => {
  const { readings, background, clock, hosts } = await reader(t)
  const [first, second] = await Promise.all([readings.refresh(), readings.refresh(), background.run('readiness-round')])
  assert.deepEqual([first.refresh, second.refresh], ['DONE', 'TOO_SOON'])
  assert.equal(readings.queueRound(), 'TOO_SOON')
  assert.equal(hosts.seen.filter(({ path }) => path === PATHS.head).length, 1)
  clock.forward(31)
  assert.equal(readings.queueRound(), 'QUEUED')
})

test('the first round begins 2 s after the start and not before', async (t) => {
  mock.timers.enable({ apis: ['setTimeout'] })
  t.after(() => mock.timers.reset())
  const { readings } = await reader(t, { more: { repository: null, space: null } })
  const settle = () => new Promise((resolve) => setImmediate(resolve))
  mock.timers.tick(1999)
  await settle()
  assert.equal(readings.snapshot().served_from, 'warming')
  mock.timers.tick(1)
  await settle()
  assert.equal(readings.snapshot().served_from, 'background-snapshot')
})

test('after a restart the stored snapshot is served with its own age, and is stale after three intervals', async (t) => {
  const [store, clock] = [documentStore(), movedClock()]
  const before = await reader(t, { store, clock })
  await before.background.run('readiness-round')
  await before.stop()
  clock.forward(100)
  const { readings } = await reader(t, { store, clock, hosts: before.hosts })
  const { served_from, age_seconds, stale } = readings.snapshot()
  assert.deepEqual([served_from, age_seconds, stale], ['persisted-snapshot', 100, false])
  assert.deepEqual([readings.space().mode, readings.space().age_seconds], ['cached', 100])
  clock.forward(621)
  assert.equal(readings.snapshot().stale, true)
})

test('a snapshot of another repository is not taken for one of this', async (t) => {
  const store = documentStore()
  const before = await reader(t, { store })
  await before.background.run('readiness-round')
  const other = { name: 'acme/other', origin: before.hosts.url, token: null, anchor: 'c7c0ba17' }
  const { readings } = await reader(t, { store, hosts: before.hosts, more: { repository: other } })
  assert.equal(readings.repository().head.mode, 'unreachable')
  assert.equal(readings.space().mode, 'cached')
})

test('a damaged snapshot counts as none', async (t) => {
  for (const value of ['', '{', 'null', '[]', '{"schema":"orch.readings/v1"}', '{"schema":"x","readings":{}}']) {
    const store = documentStore()
    const before = await reader(t, { store })
    await before.background.run('readiness-round')
    for (const [key, row] of store.rows) store.rows.set(key, { ...row, value })
    const { readings, background } = await reader(t, { store, hosts: before.hosts })
    assert.equal(readings.snapshot().served_from, 'warming', value)
    await background.run('readiness-round')
    assert.equal(readings.space().mode, 'cached', value)
  }
})

test('of two nodes on one store one reads a round and the other takes over what it kept', async (t) => {
  const [store, clock] = [documentStore(), movedClock()]
  const first = await reader(t, { store, clock, shared: true })
  const second = await reader(t, { store, clock, shared: true, hosts: first.hosts })
  await Promise.all([first.background.run('readiness-round'), second.background.run('readiness-round')])
  assert.equal(first.hosts.seen.filter(({ path }) => path === PATHS.space).length, 1)
  await Promise.all([first.background.run('readings-adopt'), second.background.run('readings-adopt')])
  assert.deepEqual([first.readings.space().mode, second.readings.space().mode], ['cached', 'cached'])
  assert.equal(second.readings.snapshot().fetched_at, first.readings.snapshot().fetched_at)
  clock.forward(240)
  await Promise.all([first.background.run('readiness-round'), second.background.run('readiness-round')])
  assert.equal(first.hosts.seen.filter(({ path }) => path === PATHS.space).length, 2)
})

test('a store that cannot be written leaves what was read in place and says so in the log', async (t) => {
  const store = documentStore()
  store.writeDocuments = () => Promise.reject(Object.assign(new Error('full'), { code: 'ledger_read_only' }))
  const { readings, background, warned } = await reader(t, { store })
  assert.equal((await readings.take('space')).view.space().mode, 'live')
  assert.deepEqual(warned, [{ task: 'section', code: 'ledger_read_only' }])
  await assert.rejects(background.run('readiness-round'))
  assert.equal(readings.space().mode, 'cached')
})

test('the token goes to the repository alone, and into no reading and no snapshot', async (t) => {
  const { readings, background, hosts, store } = await reader(t)
  await background.run('readiness-round')
  for (const { path, headers } of hosts.seen)
    assert.equal(headers.authorization, path.startsWith('/repos/') ? 'Bearer planted-token' : undefined, path)
  const stored = JSON.stringify([...store.rows.values(), readings.repository(), readings.space()])
  assert.doesNotMatch(stored, /planted-token/)
})

const DEPLOYED = 'b'.repeat(40)
test('a deployed commit that is not the head is compared with it, and only then', async (t) => {
  const { readings, background, hosts } = await reader(t, { deployed: DEPLOYED })
  hosts.pages.set(PATHS.compare(DEPLOYED), comparison(DEPLOYED, 'ahead', 3, 0))
  await background.run('readiness-round')
  assert.deepEqual(readings.repository().compare.value, {
    base: DEPLOYED,
    head: HEAD,
    status: 'ahead',
    ahead_by: 3,
    behind_by: 0,
  })
  const same = await reader(t, { deployed: HEAD })
  await same.background.run('readiness-round')
  assert.equal(same.readings.repository().compare.value, null)
})

test('no release and no such commit are findings; no repository makes them unread', async (t) => {
  const { readings, background, hosts } = await reader(t)
  hosts.pages.delete(PATHS.release)
  hosts.misbehaving.set(PATHS.anchor, (_, response) => json(response, 422, { message: 'No commit found' }))
  await background.run('readiness-round')
  assert.deepEqual(readings.repository().release.value, { release: null })
  assert.equal(readings.repository().anchor.value?.found, false)
  const gone = await reader(t)
  gone.hosts.pages.delete(PATHS.repository)
  await gone.background.run('readiness-round')
  const { anchor, release } = gone.readings.repository()
  assert.deepEqual([anchor.value, release.value, anchor.reason], [null, null, 'UPSTREAM_HTTP_404'])
})

test('with outgoing requests off nothing is asked and every reading says so', async (t) => {
  const { readings, background, hosts } = await reader(t, { off: true })
  await background.run('readiness-round')
  assert.equal(hosts.seen.length, 0)
  assert.deepEqual([readings.space().reason, readings.space().last_error], ['TRANSPORT_DISABLED', null])
  assert.deepEqual(new Set(readings.sources().map(({ end }) => end)), new Set(['never']), 'nobody was asked')
})
