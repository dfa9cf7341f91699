// The page about compute in a real browser: readable without scripts.
import assert from 'node:assert/strict'
import { after, before, type TestContext, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { newCheckedPage, type PageOptions } from '#testing/checked-page.ts'
import { chromiumUnavailable, launchChromium } from '#testing/chromium.ts'
import { startApp } from '#testing/layer.ts'
import { sendJson, startStubUpstream } from '#testing/stub-upstream.ts'

const noBrowser = chromiumUnavailable()
const EVIL = '<script>document.title = "changed"</script>'
const stub = await startStubUpstream({ after }, (_, response) => sendJson(response, { data: [{ id: EVIL }] }))
const targets = [
  { id: 'own', base_url: stub.url, model: EVIL, zone: 'local' },
  { id: 'away', base_url: 'http://127.0.0.1:9/v1', model: 'x', zone: 'external' },
]
const service = await startApp({ after }, { ORCH_STORE: 'memory', ORCH_UPSTREAMS: JSON.stringify(targets) }, [])
let browser: Browser | undefined
before(async () => {
  if (!noBrowser) browser = await launchChromium()
})
after(async () => browser?.close())

async function open(t: TestContext, options: PageOptions = {}): Promise<Page> {
  const page = await newCheckedPage(browser!, service.url, t, options)
  await page.goto(`${service.url}/sovereign-compute`)
  return page
}

test('with scripts off every capability is one card with its state, its label and where it was read', async (t) => {
  if (noBrowser) return t.skip(noBrowser)
  const page = await open(t, { context: { javaScriptEnabled: false } })
  assert.equal(await page.locator('section.card[data-tier]').count(), 7)
  for (const card of await page.locator('section.card[data-tier]').all()) {
    const text = await card.innerText()
    assert.match(
      text,
      /^.+\s+(?:MEASURED|SAMPLE|UNAVAILABLE)[\s\S]*(?:Answers|Configured|Not configured)[\s\S]*Source: .+, read \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/,
    )
  }
  assert.equal(
    await page.locator('section[aria-labelledby="capability-external_model"]').getAttribute('data-tier'),
    'LIVE-SOVEREIGN',
  )
  assert.equal(await page.locator('nav a[aria-current="page"]').getAttribute('href'), '/sovereign-compute')
})

test('a model whose name is a script is text on the page, and nothing of it runs', async (t) => {
  if (noBrowser) return t.skip(noBrowser)
  const page = await open(t)
  const card = page.locator('section[aria-labelledby="capability-external_model"]')
  assert.ok((await card.innerText()).includes(EVIL))
  assert.equal(await page.locator('main script').count(), 0)
  assert.equal(await page.title(), 'Compute - orch')
})

test('the page names where the same is had as JSON, and other pages lead here', async (t) => {
  if (noBrowser) return t.skip(noBrowser)
  const page = await open(t)
  const named = await page.locator('.toolbar code').textContent()
  const reply = await page.request.get(service.url + named!.slice('GET '.length))
  assert.equal((await reply.json()).service, 'orch')
  await page.goto(`${service.url}/operator-organ`)
  await page.locator('nav a', { hasText: 'Compute' }).click()
  assert.equal(await page.locator('h1').textContent(), 'Compute')
  assert.equal(await page.title(), 'Compute - orch')
})
