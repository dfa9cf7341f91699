import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Service, startApp } from '#testing/layer.ts'
import { freshFolder } from '#testing/private-folder.ts'
import { post, send } from '#testing/raw-http.ts'
import {
  comparison,
  HEAD,
  type LocalHosts,
  localHosts,
  PATHS,
  REPOSITORY,
  SPACE,
  SPACE_SHA,
} from '#testing/readings/local-hosts.ts'
import { CLAIM_IDS } from './claims.ts'

const P = '/api/orch/v1'
const DEPLOYED = 'b'.repeat(40)

async function hosted(t: TestContext, env: Record<string, string> = {}) {
  const hosts = await localHosts()
  t.after(() => hosts.close())
  hosts.pages.set(PATHS.compare(DEPLOYED), comparison(DEPLOYED, 'ahead', 5, 0))
  const settings = {
    ORCH_STORE: 'memory',
    ORCH_GIT_SHA: DEPLOYED,
    ORCH_REPO: REPOSITORY,
    ORCH_SPACE: SPACE,
    ORCH_SOURCE_REPO_URL: hosts.url,
    ORCH_SOURCE_SPACE_URL: hosts.url,
    ORCH_READINESS_INTERVAL_S: '86400',
    ...env,
  }
  return { hosts, settings }
}

/** Whoever asks waits until his own time is up: the first reading is not over before that. */
function silent(hosts: LocalHosts): void {
  for (const path of hosts.pages.keys()) hosts.misbehaving.set(path, () => undefined)
}

const get = async ({ url }: Service, path: string) => (await send(`${url}${P}${path}`)).json
// biome-ignore lint/suspicious/noExplicitAny: each section has a shape of its own, held to its schema by the layer
const section = (panel: { sections: { id: string }[] }, id: string): any => panel.sections.find((one) => one.id === id)

async function firstRound({ app }: Service): Promise<void> {
  while (app.ports.readings.snapshot().served_from !== 'background-snapshot') await sleep(50)
}

test('with nothing configured all five sections are there, with nulls, unreachable and the reason', async (t) => {
  const service = await startApp(t, { ORCH_STORE: 'memory' })
  const panel = await get(service, '/readiness')
  assert.deepEqual(
    panel.sections.map(({ id, kind }: { id: string; kind: string }) => `${id} ${kind}`),
    ['deployment endpoints', 'identity kv', 'repo kv', 'space kv', 'parity parity'],
  )
  for (const id of ['repo', 'space'])
    for (const { v, mode, reason } of section(panel, id).fields)
      assert.deepEqual([v, mode, reason], [null, 'unreachable', 'NOT_CONFIGURED'])
  assert.deepEqual([panel.repo, panel.repo_url, panel.hosted_space], [null, null, null])
  const { build_status, build_behind_by, ci, hosted_stage, endpoints_total } = panel.summary
  assert.deepEqual(
    [build_status, build_behind_by, ci, hosted_stage, endpoints_total],
    ['unknown', -1, null, 'unknown', 4],
  )
  assert.deepEqual(
    section(panel, 'deployment').endpoints.map(({ id, role }: { id: string; role: string }) => `${id} ${role}`),
    ['apex site', 'console app', 'healthz health', 'api api'],
  )
  const { liveness } = section(panel, 'deployment').endpoints[2]
  assert.deepEqual(
    [liveness.url, liveness.reachable, liveness.http_status, liveness.mode, liveness.probe_via],
    ['/healthz', true, 200, 'live', 'in-process'],
  )
  assert.equal(section(panel, 'identity').raw_healthz.organ, 'orch')
})

test('while the first reading is to come the panel says so by values no reading has', async (t) => {
  const { settings, hosts } = await hosted(t)
  silent(hosts)
  const service = await startApp(t, settings)
  const panel = await get(service, '/readiness')
  if (panel.served_from !== 'warming') return t.skip('SKIPPED: the machine took 8 s to answer')
  assert.deepEqual([panel.snapshot_age_seconds, panel.snapshot_fetched_at, panel.stale], [-1, null, true])
  assert.equal(section(panel, 'repo').mode, 'unreachable')
})

test('the background reads the outside, the panel serves it as cached, and a live section is live', async (t) => {
  const { settings, hosts } = await hosted(t)
  const service = await startApp(t, settings)
  await firstRound(service)
  const panel = await get(service, '/readiness')
  assert.deepEqual([panel.served_from, panel.stale], ['background-snapshot', false])
  assert.deepEqual([panel.repo, panel.repo_url], [REPOSITORY, `https://github.com/${REPOSITORY}`])
  const { build_status, build_behind_by, ci, hosted_stage } = panel.summary
  // Where this checkout says a commit of its own, the configured one is contested and compared with nothing.
  const isContested = service.app.ports.build.conflicts.some(({ field }) => field === 'git_sha')
  assert.deepEqual([build_status, build_behind_by], isContested ? ['unknown', -1] : ['behind', 5])
  assert.deepEqual([ci, hosted_stage], ['success', 'RUNNING'])
  const repo = section(panel, 'repo')
  assert.deepEqual([repo.mode, repo.ci.mode, repo.release.tag], ['cached', 'cached', 'v1.1.0'])
  assert.equal(section(panel, 'space').stage, 'RUNNING')
  const { build, hosted_space, doctrine_anchor } = section(panel, 'parity')
  assert.deepEqual([build.deployed_git_sha, build.repo_head_sha, build.repo_mode], [DEPLOYED, HEAD, 'cached'])
  assert.equal(hosted_space.live_hosted_space_sha, SPACE_SHA)
  assert.equal(doctrine_anchor.resolvable_in_repo, true)

  const live = await get(service, '/readiness/repo/live')
  assert.deepEqual([live.mode, live.retry_after_seconds], ['live', null])
  await hosts.close()
  const again = await get(service, '/readiness/repo/live')
  assert.equal(again.mode, 'cached')
  assert.ok(again.retry_after_seconds >= 1 && again.retry_after_seconds <= 10)
  const gone = await get(service, '/readiness/space/live')
  assert.deepEqual([gone.mode, gone.stage, gone.last_error], ['cached', 'RUNNING', 'TRANSPORT_UNAVAILABLE'])
  const after = await get(service, '/readiness')
  assert.deepEqual([section(after, 'space').mode, after.summary.hosted_stage], ['cached', 'RUNNING'])
})

test('a refresh waits for a round and is refused a second one too soon', async (t) => {
  const { settings } = await hosted(t)
  const service = await startApp(t, settings)
  await firstRound(service)
  // A round that is still being stored would be joined, and what it read before is not live.
  await sleep(100)
  const first = await get(service, '/readiness/refresh')
  assert.deepEqual([first.refresh, section(first, 'space').mode], ['DONE', 'live'])
  const second = await get(service, '/readiness/refresh')
  assert.deepEqual([second.refresh, section(second, 'space').mode], ['TOO_SOON', 'cached'])
})

test('a restart serves the stored snapshot with its own time', async (t) => {
  const { settings, hosts } = await hosted(t, {
    ORCH_STORE: 'sqlite',
    ORCH_DATA: join(freshFolder('readings'), 'data'),
  })
  const before = await startApp(t, settings)
  const refreshed = await get(before, '/readiness/refresh')
  assert.equal(refreshed.refresh, 'DONE')
  await before.stop()
  silent(hosts)
  const panel = await get(await startApp(t, settings), '/readiness')
  if (panel.served_from === 'background-snapshot') return t.skip('SKIPPED: the machine took 8 s to answer')
  assert.equal(panel.served_from, 'persisted-snapshot')
  assert.equal(panel.snapshot_fetched_at, refreshed.snapshot_fetched_at)
  assert.deepEqual([section(panel, 'space').mode, section(panel, 'space').stage], ['cached', 'RUNNING'])
})

test('an unknown section and an unknown claim are 404 and name the known ones', async (t) => {
  const service = await startApp(t, { ORCH_STORE: 'memory' })
  for (const id of ['nope', '__proto__', 'constructor', '..%2f']) {
    const missing = await send(`${service.url}${P}/readiness/${id}/live`)
    assert.deepEqual([missing.status, missing.json.error.code], [404, 'unknown_section'], id)
    assert.match(missing.json.error.message, /deployment, identity, repo, space, parity/)
    const claim = await send(`${service.url}${P}/evidence/research/${id}/live`)
    assert.deepEqual([claim.status, claim.json.error.code], [404, 'unknown_claim'], id)
  }
})

test('no handler but a live section and the refresh opens a socket', async (t) => {
  const { settings } = await hosted(t, { ORCH_EVIDENCE_PROBE: 'off' })
  const service = await startApp(t, settings)
  await firstRound(service)
  const opened: unknown[] = []
  const spy = (socket: unknown) => void opened.push(socket)
  subscribe('net.client.socket', spy)
  t.after(() => unsubscribe('net.client.socket', spy))
  // Without a socket of its own, so that every one that is seen is a handler's.
  const ask = (path: string) => service.app.http.inject({ method: 'GET', url: path })
  const { paths } = (await ask('/openapi.json')).json()
  const own = Object.keys(paths).filter(
    (path) =>
      /readiness|evidence\/research|health|version|well-known|livez|readyz|build-info|honest/.test(path) &&
      !path.includes('{'),
  )
  assert.ok(own.includes(`${P}/readiness`) && own.includes(`${P}/evidence/research`))
  for (const path of own.filter((one) => !one.endsWith('/refresh'))) {
    await ask(path)
    assert.equal(opened.length, 0, path)
  }
  for (const id of CLAIM_IDS) await ask(`${P}/evidence/research/${id}/live`)
  assert.equal(opened.length, 0)
  await ask(`${P}/readiness/space/live`)
  assert.equal(opened.length, 1)
})

test('with the network gone every operation still answers, with nulls and the reason', async (t) => {
  const { settings, hosts } = await hosted(t)
  await hosts.close()
  const service = await startApp(t, settings)
  const live = await get(service, '/readiness/parity/live')
  assert.deepEqual([live.build.status, live.build.behind_by, live.build.repo_mode], ['unknown', null, 'unreachable'])
  const { fields } = section(await get(service, '/readiness'), 'space')
  for (const { v, mode, reason } of fields)
    assert.deepEqual([v, mode, reason], [null, 'unreachable', 'TRANSPORT_UNAVAILABLE'])
})

test('every claim names its file with a digest read now, and links nobody looked at are neither good nor bad', async (t) => {
  const service = await startApp(t, { ORCH_STORE: 'memory' })
  const { count, claims, sources_reachable, sources_total } = await get(service, '/evidence/research')
  assert.deepEqual(
    claims.map(({ id }: { id: string }) => id),
    CLAIM_IDS,
  )
  assert.deepEqual([count, sources_reachable], [12, 0])
  assert.ok(sources_total > 10)
  for (const { id, artifact, sources, maturity } of claims) {
    assert.match(artifact.sha256 ?? '', /^[0-9a-f]{64}$/, id)
    for (const { liveness } of sources)
      assert.deepEqual([liveness.reachable, liveness.mode, liveness.reason], [null, 'unreachable', 'NOT_PROBED'])
    if (id.endsWith('-conjecture')) assert.equal(maturity, 'CONJECTURE')
  }
})

const recorded = ['signed-receipts', 'hash-chain', 'offline-verification', 'policy-gates', 'claim-integrity']
test('the check behind a claim runs when it is asked for, finds nothing before the first receipt, and appends nothing', async (t) => {
  const service = await startApp(t, { ORCH_STORE: 'memory' })
  const state = async (id: string) => (await get(service, `/evidence/research/${id}/live`)).check
  assert.deepEqual((await state('hash-chain')).detail, { code: 'NOTHING_RECORDED' })
  await post(`${service.url}/api/orch/khipu/sign`, JSON.stringify({ n: 1 }))
  const size = service.app.ports.ledger.state().size
  for (const id of [...recorded, 'lambda-conjecture', 'consensus-conjecture', 'liveness-conjecture'])
    assert.equal((await state(id)).state, 'OK', id)
  assert.deepEqual((await state('energy-accounting')).detail, { code: 'NOT_CONFIGURED' })
  assert.notEqual((await state('transparency-log')).state, 'FAILED')
  assert.equal(service.app.ports.ledger.state().size, size)
})
