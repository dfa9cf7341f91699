// The operator page in a real browser: read without scripts, reloaded with them, by keyboard, in both themes.
import assert from 'node:assert/strict'
import { after, before, type TestContext, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { newCheckedPage, type PageOptions } from '#testing/checked-page.ts'
import { chromiumUnavailable, launchChromium } from '#testing/chromium.ts'
import { startApp } from '#testing/layer.ts'
import { post } from '#testing/raw-http.ts'
import { NODE_IDS } from './nodes.ts'

const noBrowser = chromiumUnavailable()
const service = await startApp({ after }, { ORCH_STORE: 'memory' }, [])
let browser: Browser | undefined
before(async () => {
  if (!noBrowser) browser = await launchChromium()
})
after(async () => browser?.close())

async function open(t: TestContext, options: PageOptions = {}): Promise<Page> {
  const page = await newCheckedPage(browser!, service.url, t, options)
  await page.goto(`${service.url}/operator-organ`)
  return page
}
const stateOf = (page: Page, id: string) => page.locator(`td[data-node="${id}"]`).textContent()

for (const width of [768, 1920])
  test(`nothing scrolls sideways at ${width} px`, async (t) => {
    if (noBrowser) return t.skip(noBrowser)
    const page = await open(t, { context: { viewport: { width, height: 800 } } })
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= width)
  })

test('with scripts off every fact can be read, and no button stands there that does nothing', async (t) => {
  if (noBrowser) return t.skip(noBrowser)
  const page = await open(t, { context: { javaScriptEnabled: false } })
  assert.equal(await page.locator('svg g.state').count(), NODE_IDS.length + 1)
  for (const id of NODE_IDS) assert.match((await stateOf(page, id)) ?? '', /^(healthy|failing|not checked)$/)
  assert.equal(await page.locator('button:visible').count(), 0)
})

test('checking again by keyboard puts what was found now in the graph and in the tables', async (t) => {
  if (noBrowser) return t.skip(noBrowser)
  const page = await open(t)
  assert.equal(await stateOf(page, 'receipts'), 'not checked')
  await post(`${service.url}/api/orch/v1/wow/govern`, JSON.stringify({ text: 'What is the capital of France?' }))
  await page.focus('#reload')
  await page.keyboard.press('Enter')
  await page.getByText(/^Checked again: Ready since .* UTC\. 8 healthy, 0 failing, 1 not checked\.$/).waitFor()
  assert.equal(await stateOf(page, 'receipts'), 'healthy')
  assert.equal(await page.locator('g[data-node="receipts"] use').getAttribute('href'), '#state-true')
  assert.equal(await page.locator('[data-fact="operator-gate.label"]').textContent(), '1 call')
  assert.equal(await page.locator('[data-edge="operator-gate"]').getAttribute('data-observed'), 'true')
  assert.equal(await page.evaluate(() => document.activeElement?.id), 'reload')
})

test('a service that does not answer leaves the old facts and says that they are old', async (t) => {
  if (noBrowser) return t.skip(noBrowser)
  const page = await open(t, { expected: [/Failed to load resource|503/] })
  await page.route('**/topology.json', (route) => route.fulfill({ status: 503, body: '{}' }))
  const before = await page.locator('table').first().textContent()
  await page.click('#reload')
  await page.getByText('Not read: the service answered 503. What stands here is older.').waitFor()
  assert.equal(await page.locator('table').first().textContent(), before)
})

test('a part that no node stands for heads the page, with its name and since when, before and after a reload', async (t) => {
  if (noBrowser) return t.skip(noBrowser)
  const { readiness } = service.app.ports
  const { report } = readiness
  t.after(() => {
    readiness.report = report
  })
  const since = '2026-01-02T03:04:05.006Z'
  readiness.report = async () => {
    const found = await report()
    const signer = { ...found.components.signer!, state: 'FAILED' as const, since }
    return { ...found, ready: false, blocking: ['signer'], components: { ...found.components, signer } }
  }
  const page = await open(t)
  const head = () => page.locator('.toolbar p').first().textContent()
  assert.match(
    (await head()) ?? '',
    /^Not ready: blocked by signer, since 2026-01-02 03:04:05 UTC\. \d healthy, 1 failing/,
  )
  readiness.report = report
  await page.click('#reload')
  await page.getByText(/^Checked again: Ready since/).waitFor()
  assert.match((await head()) ?? '', /^Ready since .* 0 failing/)
})

test('2.1 the choice of a theme changes the page and is kept for the next one, the console included', async (t) => {
  if (noBrowser) return t.skip(noBrowser)
  const page = await open(t, { context: { colorScheme: 'light' } })
  const ground = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor)
  const light = await ground()
  await page.click('#theme')
  await page.click('#theme')
  assert.equal(await page.locator('#theme').getAttribute('aria-label'), 'Theme: dark. Change')
  const dark = await ground()
  assert.notEqual(dark, light)
  await page.reload()
  assert.equal(await ground(), dark)
  await page.goto(`${service.url}/console/decisions`)
  await page.getByRole('button', { name: 'Theme: dark. Change' }).waitFor()
  assert.equal(await ground(), dark)
})

test('text from a check is text on the page, whatever it looks like', async (t) => {
  if (noBrowser) return t.skip(noBrowser)
  const { outbox } = service.app.ports
  const { stats } = outbox
  t.after(async () => {
    outbox.stats = stats
  })
  outbox.stats = async () => ({
    ...(await stats()),
    pending: '<img src=x onerror=alert(1)>' as unknown as number,
  })
  const page = await open(t)
  const cell = page.locator('[data-fact="fleet.evidence"]')
  assert.match((await cell.textContent()) ?? '', /pending: <img src=x/)
  await page.click('#reload')
  await page.getByText(/^Checked again/).waitFor()
  assert.match((await cell.textContent()) ?? '', /pending: <img src=x/)
  assert.equal(await page.locator('main img').count(), 0)
})
