// The page of readiness in a real browser: why the service is not ready, what was read and how, and no green too early.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { assertSound, consolePages, LOOKS } from '@orch/server/testing/console-page.ts'
import { startApp } from '@orch/server/testing/layer.ts'
import type { Page } from 'playwright-core'

const { noBrowser, open } = consolePages()
const service = await startApp({ after }, { ORCH_STORE: 'memory' }, [])

// biome-ignore lint/suspicious/noExplicitAny: a reply is changed field by field on its way
type Change = (reply: any) => void

/** The replies of the service, changed on their way: a machine under load may be unwell by itself. */
async function altered(t: Parameters<typeof open>[0], health: Change, panel: Change = () => undefined): Promise<Page> {
  const page = await open(t, service.url, 'receipts')
  for (const [path, change] of [
    ['**/api/orch/v1/health', health],
    ['**/api/orch/v1/readiness', panel],
    ['**/api/readyz', ready],
  ] as const)
    await page.route(path, async (route) => {
      const response = await route.fetch()
      const json = await response.json()
      change(json)
      await route.fulfill({ response, status: 200, json })
    })
  await page.goto(`${service.url}/console/readiness`)
  await page.locator('.big h1').waitFor()
  return page
}

const well: Change = (health) => {
  health.status = 'ok'
}
const ready: Change = (report) => {
  Object.assign(report, { ready: true, blocking_components: [] })
  for (const part of Object.values(report.components)) Object.assign(part as object, { state: 'OK' })
}
const production: Change = (health) => {
  well(health)
  Object.assign(health.signer, { status: 'LIVE', key_kind: 'production', signing_available: true })
  Object.assign(health.ledger, { mode: 'DURABLE', production_ready: true })
}

for (const context of LOOKS)
  test(`2g readiness is accessible in ${context.colorScheme} at ${context.viewport.width} px`, async (t) => {
    if (noBrowser) return t.skip(noBrowser)
    const page = await open(t, service.url, 'readiness', { context })
    await page.locator('.big h1').waitFor()
    await assertSound(page)
  })

test('9.1 why the service is not ready is one press away, by mouse and by keyboard, with what blocks first', async (t) => {
  if (noBrowser) return t.skip(noBrowser)
  const page = await open(t, service.url, 'receipts')
  await page.locator('.nav').getByRole('link', { name: 'Readiness' }).click()
  await page.getByText('Blocks production: the signer is a demo key').waitFor()
  await page.getByText('Blocks production: the ledger is in memory').waitFor()
  const kinds = await page
    .locator('[data-reason]')
    .evaluateAll((all) => all.map((one) => one.getAttribute('data-reason')))
  const rank = ['blocks', 'unread', 'drifted']
  assert.deepEqual(
    kinds,
    kinds.toSorted((a, b) => rank.indexOf(a ?? '') - rank.indexOf(b ?? '')),
  )
  assert.equal(kinds[0], 'blocks')
  await page.goto(`${service.url}/console/receipts`)
  await page.getByRole('searchbox').waitFor()
  await page.keyboard.press('g')
  await page.keyboard.press('s')
  await page.waitForURL('**/console/readiness')
})

test('9.1 a service that is not ready says why, and every part its state and what its check saw', async (t) => {
  if (noBrowser) return t.skip(noBrowser)
  // No disk has so much room, so the real check fails and the real reply is a 503.
  const full = await startApp(t, { ORCH_STORE: 'memory', ORCH_MIN_FREE_BYTES: String(2 ** 40) }, [])
  const page = await open(t, full.url, 'receipts', { expected: [/console error: Failed to load resource.* 503/] })
  await page.locator('.nav').getByRole('link', { name: 'Readiness' }).click()
  await page.getByRole('heading', { name: /^Not ready: disk/ }).waitFor()
  assert.match(await page.locator('[data-reason]').first().innerText(), /^Fails: disk\s+[\d,]+ MiB free, 1,048,576 MiB/)
  const parts = page.locator('[data-component]')
  assert.match(await parts.first().innerText(), /Disk\s+FAILED\s+[\d,]+ MiB free/, 'what fails comes first')
  const { components } = (await (await page.request.get(`${full.url}/api/readyz`)).json()) as { components: object }
  assert.equal(await parts.count(), Object.keys(components).length)
  assert.equal(await page.locator('.big.good').count(), 0)
  await assertSound(page)
})

test('nothing is green overall while anything is unreachable, and all is when everything was read live', async (t) => {
  if (noBrowser) return t.skip(noBrowser)
  const page = await altered(t, production)
  await page.getByRole('heading', { name: 'Ready, with something unread or drifted' }).waitFor()
  assert.equal(await page.locator('.big.good').count(), 0)
  assert.ok((await page.locator('[data-label="unreachable"]').count()) > 0)
  const repository = page.locator('section[aria-labelledby="repo-title"]')
  await repository.getByText('not configured', { exact: false }).first().waitFor()
  assert.equal(await repository.locator('.badge-unreachable').count(), 0, 'nothing was tried, so nothing is broken')
  assert.equal(await page.locator('.pair .badge-unreachable').count(), 0)
  const read = await altered(t, production, (panel) => {
    const [deployment, , repo, space] = panel.sections
    for (const { liveness } of deployment.endpoints)
      Object.assign(liveness, { reachable: true, http_status: 200, mode: 'live' })
    for (const section of [repo, space]) {
      section.mode = 'live'
      for (const field of section.fields) Object.assign(field, { v: 'read', mode: 'live', reason: undefined })
    }
  })
  await read.locator('.big.good').waitFor()
})

test('old readings are called cached with their age, and what drifted says from what to what', async (t) => {
  if (noBrowser) return t.skip(noBrowser)
  const page = await altered(t, well, (panel) => {
    const at = '2026-01-01T00:00:00.000Z'
    Object.assign(panel, { stale: true, snapshot_fetched_at: at, snapshot_age_seconds: 9_000 })
    const { build, release } = panel.sections[4]
    const old = { mode: 'cached', fetched_at: at, age_seconds: 9_000 }
    Object.assign(build, { ...old, status: 'current', repo_head_sha: build.deployed_git_sha })
    Object.assign(release, { ...old, status: 'drift', deployed_version: '1.1.0', latest_release_tag: 'v1.1.1' })
  })
  await page.getByText(/^No news for /).waitFor()
  await page.getByText('Running 1.1.0, the newest tag is v1.1.1.').waitFor()
  await page.getByText('SAME 2 H AGO').waitFor()
  assert.equal(await page.locator('.pair.good').filter({ hasText: 'Build' }).count(), 0)
  await assertSound(page)
})

test('the readings are asked for anew, shown as raw JSON under an address of its own, and each leads to its probe', async (t) => {
  if (noBrowser) return t.skip(noBrowser)
  const page = await open(t, service.url, 'readiness#raw')
  await page.locator('.raw pre').waitFor()
  assert.equal(JSON.parse(await page.locator('.raw pre').innerText()).layer, 'operational-readiness')
  await assertSound(page)
  await page.getByRole('link', { name: 'Hide raw JSON' }).click()
  await page.locator('.raw').waitFor({ state: 'detached' })
  assert.deepEqual(
    await page.locator('[data-endpoint] a').evaluateAll((links) => links.map((link) => link.getAttribute('href'))),
    ['/', '/console', '/healthz', '/api/orch/v1/evidence/research'],
  )
  const asked = page.waitForRequest('**/api/orch/v1/readiness/refresh')
  await page.getByRole('button', { name: 'Check again' }).click()
  await asked
  await page
    .locator('.checked')
    .getByText(/Read just now|goes on|less than 30 s|No end after/)
    .waitFor()
  for (const title of ['Deployed identity', 'Repository', 'Hosted space'])
    assert.match(
      await page.getByRole('region', { name: title }).locator('[data-reading]').innerText(),
      /(?:ago|never read|not configured)\s+(?:LIVE|cached|unreachable)\b/,
    )
})

test('a check that does not end is given up before the limit of a request, and the page goes on', async (t) => {
  if (noBrowser) return t.skip(noBrowser)
  const page = await open(t, service.url, 'readiness')
  await page.locator('.big h1').waitFor()
  await page.clock.install()
  await page.route('**/api/orch/v1/readiness/refresh', () => new Promise(() => undefined))
  await page.getByRole('button', { name: 'Check again' }).click()
  await page.locator('.checked').getByText('Asking').waitFor()
  await page.clock.runFor(8_000)
  await page.locator('.checked').getByText('No end after 8 s').waitFor()
  await page.getByRole('button', { name: 'Check again', disabled: false }).waitFor()
})
