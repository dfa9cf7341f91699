import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Service, startApp } from '#testing/layer.ts'
import { freshFolder } from '#testing/private-folder.ts'
import { parsePrometheusText, seriesKey } from '#testing/prometheus-text.ts'
import { send } from '#testing/raw-http.ts'
import { HEAD, json, type LocalHosts, localHosts, PATHS, REPOSITORY, SPACE } from '#testing/readings/local-hosts.ts'
import { reader } from '#testing/readings/reader.ts'
import { endpointsSection, panelReadings } from './sections.ts'

const P = '/api/orch/v1'

async function hosted(t: TestContext, env: Record<string, string> = {}) {
  const hosts = await localHosts()
  t.after(() => hosts.close())
  const settings = {
    ORCH_STORE: 'memory',
    ORCH_REPO: REPOSITORY,
    ORCH_SPACE: SPACE,
    ORCH_SOURCE_REPO_URL: hosts.url,
    ORCH_SOURCE_SPACE_URL: hosts.url,
    ORCH_READINESS_INTERVAL_S: '86400',
    ...env,
  }
  return { hosts, settings }
}

const failing = (hosts: LocalHosts, ...paths: string[]) =>
  paths.forEach((path) => void hosts.misbehaving.set(path, (_, response) => json(response, 500, {})))
const get = async ({ url }: Service, path: string) => (await send(`${url}${P}${path}`)).json
const rollup = async ({ url }: Service) => (await send(`${url}/api/orch/healthz`)).json
// biome-ignore lint/suspicious/noExplicitAny: each section has a shape of its own, held to its schema by the layer
const section = (panel: { sections: { id: string }[] }, id: string): any => panel.sections.find((one) => one.id === id)

async function scrape({ url }: Service) {
  const families = parsePrometheusText((await send(`${url}/metrics`)).text)
  return {
    of: (name: string, labels: Record<string, string> = {}) =>
      families.get(name.replace(/_count$/, ''))?.samples.get(seriesKey(name, labels)),
    counts: (name: string) => [...(families.get(name)?.samples ?? [])],
  }
}

async function firstRound({ app }: Service): Promise<void> {
  while (app.ports.readings.snapshot().served_from !== 'background-snapshot') await sleep(50)
  // What it read is being stored now; whoever asks for a round meanwhile joins this one.
  await sleep(100)
}

test('a service that finds every source dead after a restart says so in the panel, the rollup and the metrics', async (t) => {
  const { settings, hosts } = await hosted(t, {
    ORCH_STORE: 'sqlite',
    ORCH_DATA: join(freshFolder('dead-sources'), 'data'),
  })
  const before = await startApp(t, settings)
  // Otherwise the round that every start begins could read once more, after the one that is asked for here.
  await firstRound(before)
  const { snapshot_fetched_at } = await get(before, '/readiness/refresh')
  await before.stop()
  failing(hosts, ...hosts.pages.keys())
  const service = await startApp(t, settings)
  await firstRound(service)
  const panel = await get(service, '/readiness')
  assert.deepEqual([panel.served_from, panel.snapshot_fetched_at], ['background-snapshot', snapshot_fetched_at])
  const { mode, last_error, fetched_at } = panel.summary.as_of.hosted_stage
  assert.deepEqual([panel.summary.hosted_stage, mode, last_error], ['RUNNING', 'cached', 'UPSTREAM_HTTP_500'])
  assert.equal(fetched_at, section(panel, 'space').fetched_at)
  const { status, degraded_reasons, rollup: found } = await rollup(service)
  assert.deepEqual([status, degraded_reasons, found.sources.last_failed], ['degraded', ['providers'], 2])
  const { of } = await scrape(service)
  for (const provider of ['repository', 'space']) assert.equal(of('orch_upstream_cooldown', { provider }), 1, provider)
  const age = of('orch_readiness_snapshot_age_seconds') ?? -1
  const later = await get(service, '/readiness')
  assert.ok(panel.snapshot_age_seconds <= age && age < later.snapshot_age_seconds + 1, `the age told is ${age} s`)
})

test('with nothing configured a round is the time of no reading, and no age is shown', async (t) => {
  const service = await startApp(t, { ORCH_STORE: 'memory' })
  await firstRound(service)
  const panel = await get(service, '/readiness')
  assert.deepEqual([panel.snapshot_fetched_at, panel.snapshot_age_seconds, panel.stale], [null, -1, true])
  assert.equal((await scrape(service)).of('orch_readiness_snapshot_age_seconds'), undefined)
})

test('a public address that is down degrades the rollup', async (t) => {
  const service = await startApp(t, { ORCH_STORE: 'memory', ORCH_PUBLIC_PROBE_URL: 'https://127.0.0.1:9' })
  assert.equal((await get(service, '/readiness/deployment/live')).reachable, 0)
  const { degraded_reasons, rollup: found } = await rollup(service)
  assert.deepEqual(degraded_reasons, ['providers'])
  assert.deepEqual(found.sources, { total: 1, last_ok: 0, last_failed: 1, never_asked: 0 })
})

test('a status is told with the time at which it was seen, and what failed since with a time of its own', async (t) => {
  const hosts = await localHosts()
  hosts.pages.set('/', {})
  const { readings, clock } = await reader(t, { hosts, more: { probe: hosts.url } })
  const look = async () => endpointsSection(await panelReadings(readings, null)).endpoints[0]?.liveness
  await readings.take('deployment')
  const seen = await look()
  assert.deepEqual([seen?.http_status, seen?.age_seconds, seen?.last_error], [200, 0, undefined])
  await hosts.close()
  clock.forward(22)
  await readings.take('deployment')
  const failed = new Date(clock.now()).toISOString()
  clock.forward(11)
  await readings.take('deployment')
  const gone = await look()
  assert.deepEqual([gone?.reachable, gone?.http_status, gone?.mode, gone?.age_seconds], [false, 200, 'cached', 33])
  assert.deepEqual([gone?.checked_at, gone?.last_error], [seen?.checked_at, 'TRANSPORT_UNAVAILABLE'])
  assert.equal(gone?.last_error_at, failed, 'inside the rest nothing was sent, so the failure keeps its time')
})

test('one part of the repository that fails is told with its code and its age, and parity names it', async (t) => {
  const { settings, hosts } = await hosted(t, { ORCH_GIT_SHA: HEAD })
  const service = await startApp(t, settings)
  await firstRound(service)
  failing(hosts, PATHS.head)
  const repo = await get(service, '/readiness/repo/live')
  assert.deepEqual([repo.mode, repo.last_error], ['cached', 'UPSTREAM_HTTP_500'])
  const field = (k: string) => repo.fields.find((one: { k: string }) => one.k === k)
  const { v, mode, age_seconds, last_error } = field('HEAD commit')
  assert.deepEqual([v, mode, last_error], [HEAD, 'cached', 'UPSTREAM_HTTP_500'])
  assert.ok(age_seconds >= 0)
  assert.deepEqual([field('license').mode, field('license').last_error], ['live', undefined])
  const { build, release } = section(await get(service, '/readiness'), 'parity')
  assert.equal(build.last_error, 'UPSTREAM_HTTP_500')
  assert.match(build.detail, /head a{12} \(cached, \d+ s old, then UPSTREAM_HTTP_500\)/)
  assert.ok(release.age_seconds >= 0 && release.fetched_at !== null)
})

test('an own record that cannot be read says why in the section of the identity', async (t) => {
  const service = await startApp(t, { ORCH_STORE: 'memory', ORCH_PUBLIC_PROBE_URL: 'https://127.0.0.1:9' })
  const identity = await get(service, '/readiness/identity/live')
  assert.deepEqual([identity.last_error, identity.fetched_at], ['TRANSPORT_UNAVAILABLE', null])
  for (const { v, last_error } of identity.fields) assert.deepEqual([v, last_error], [null, 'TRANSPORT_UNAVAILABLE'])
})

test('a run of the CI that is of a commit before the head is told as such', async (t) => {
  const { settings, hosts } = await hosted(t)
  const older = 'd'.repeat(40)
  const { workflow_runs: runs } = hosts.pages.get(PATHS.ci) as { workflow_runs: object[] }
  hosts.pages.set(PATHS.ci, { workflow_runs: [{ ...runs[0], head_sha: older }] })
  const service = await startApp(t, settings)
  const panel = await get(service, '/readiness/refresh')
  assert.deepEqual([panel.summary.ci, panel.summary.ci_is_of_head], ['success', false])
  const { ci } = section(panel, 'repo')
  assert.deepEqual([ci.head_sha, ci.is_of_head], [older, false])
})

test('what is counted and timed is what was sent, and a reading counts as served where it is shown', async (t) => {
  const { settings, hosts } = await hosted(t)
  failing(hosts, PATHS.repository)
  const service = await startApp(t, settings)
  await firstRound(service)
  await get(service, '/readiness/repo/live')
  await get(service, '/readiness/parity/live')
  await get(service, '/readiness/refresh')
  const sent = (prefix: string) => hosts.seen.filter(({ path }) => path.startsWith(prefix)).length
  const { of, counts } = await scrape(service)
  const name = 'orch_upstream_duration_seconds_count'
  assert.deepEqual(
    [of(name, { provider: 'repository' }), of(name, { provider: 'space' })],
    [sent('/repos/'), sent('/api/spaces/')],
  )
  assert.doesNotMatch(counts('orch_upstream_requests_total').join(), /PROVIDER_COOLDOWN/)
  assert.ok((of('orch_upstream_cache_total', { provider: 'space', state: 'live' }) ?? 0) >= 1)
  const before = of('orch_upstream_cache_total', { provider: 'space', state: 'cached' }) ?? 0
  for (let n = 0; n < 5; n += 1) await rollup(service)
  const after = (await scrape(service)).of('orch_upstream_cache_total', { provider: 'space', state: 'cached' }) ?? 0
  assert.equal(after, before)
})
