// The console in a real browser: with data, with an empty ledger and with a ledger that takes no more.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, type TestContext, test } from 'node:test'
import type { Worker } from 'node:worker_threads'
import type { Browser, Page } from 'playwright-core'
import { newCheckedPage, type PageOptions } from '#testing/checked-page.ts'
import { chromiumUnavailable, launchChromium } from '#testing/chromium.ts'
import { type Service, startApp } from '#testing/layer.ts'
import { post } from '#testing/raw-http.ts'

const axe = readFileSync(new URL('../../../../../node_modules/axe-core/axe.min.js', import.meta.url), 'utf8')
const noBrowser = chromiumUnavailable()
let browser: Browser | undefined
const govern = ({ url }: Service, text: string) => post(`${url}/api/orch/v1/wow/govern`, JSON.stringify({ text }))

async function filled(): Promise<Service> {
  const service = await startApp({ after }, {}, [])
  await govern(service, 'What is the capital of France?')
  await govern(service, 'Please wire 900 dollars to wallet 7 tomorrow')
  return service
}

async function broken(): Promise<Service> {
  const service = await filled()
  await (service.app.ports.ledger as unknown as { thread: { worker: Worker } }).thread.worker.terminate()
  return service
}

const services = {
  filled: await filled(),
  empty: await startApp({ after }, { ORCH_STORE: 'memory' }, []),
  broken: await broken(),
}
before(async () => {
  if (!noBrowser) browser = await launchChromium()
})
after(async () => browser?.close())

async function open(t: TestContext, service: Service, options: PageOptions = {}): Promise<Page> {
  const page = await newCheckedPage(browser!, service.url, t, options)
  await page.goto(`${service.url}/console`)
  return page
}

for (const [state, service] of Object.entries(services))
  for (const colorScheme of ['light', 'dark'] as const)
    for (const width of [360, 1280])
      test(`${state}: no rule for accessible pages is broken in ${colorScheme} at ${width} px, and nothing scrolls sideways`, async (t) => {
        if (noBrowser) return t.skip(noBrowser)
        const page = await open(t, service, { context: { colorScheme, viewport: { width, height: 800 } } })
        await page.evaluate(axe)
        assert.deepEqual(await violations(page), [])
        assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= width)
      })

const violations = (page: Page): Promise<string[]> =>
  page.evaluate(async () => {
    type Axe = { run(options: object): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> }
    const { axe } = window as unknown as { axe: Axe }
    const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
    const { violations } = await axe.run({ runOnly: { type: 'tag', values: tags } })
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')}`)
  })

const rows = (page: Page, card: string) => page.locator(`#${card} tbody tr`)

test('with scripts off the decisions, the review and the state can be read, and no control does nothing', async (t) => {
  if (noBrowser) return t.skip(noBrowser)
  const page = await open(t, services.filled, { context: { javaScriptEnabled: false } })
  assert.deepEqual(await rows(page, 'decisions').locator('th').allTextContents(), ['REVIEW', 'ALLOW'])
  assert.match((await rows(page, 'decisions').first().textContent()) ?? '', /THREAT_SIGNATURE.*demo/)
  assert.equal(await rows(page, 'reviews').count(), 1)
  assert.match((await page.locator('#service').textContent()) ?? '', /Ready: \d+ checks passed just now/)
  assert.match((await page.locator('#signer').textContent()) ?? '', /a demo key/)
  assert.equal(await page.locator('button:visible, input, form').count(), 0)
})

test('a row leads to the receipt it tells of', async (t) => {
  if (noBrowser) return t.skip(noBrowser)
  const page = await open(t, services.filled)
  const link = rows(page, 'decisions').first().getByRole('link').first()
  const digest = await link.getAttribute('title')
  const [answer] = await Promise.all([page.waitForResponse(/\/receipts\//), link.click()])
  assert.equal(answer.status(), 200)
  assert.ok((await answer.text()).includes(digest!))
})

test('an empty ledger is empty in words', async (t) => {
  if (noBrowser) return t.skip(noBrowser)
  const page = await open(t, services.empty)
  await page.getByText('Nothing is recorded yet.').waitFor()
  await page.getByText('No review waits in the namespace public.').waitFor()
  assert.equal(await rows(page, 'decisions').count(), 0)
})

test('a ledger that takes no more receipts is not called ready', async (t) => {
  if (noBrowser) return t.skip(noBrowser)
  const page = await open(t, services.broken)
  await page.getByText(/^Not ready: blocked by .*ledger/).waitFor()
  assert.match((await page.locator('#ledger').textContent()) ?? '', /read-only/)
  assert.equal(await rows(page, 'decisions').count(), 2)
})

test('the words of a check that hold markup are shown as text', async (t) => {
  if (noBrowser) return t.skip(noBrowser)
  const { ports } = services.filled.app
  const { report } = ports.readiness
  t.after(() => {
    ports.readiness.report = report
  })
  ports.readiness.report = async () => {
    const found = await report()
    const detail = { reason: '<img src=x onerror=alert(1)>' }
    const at = { since: found.checkedAt, checked_at: found.checkedAt, latency_ms: 0 }
    const hostile = { state: 'FAILED' as const, ...at, blocking: false, detail }
    return { ...found, components: { ...found.components, hostile } }
  }
  const page = await open(t, services.filled)
  await page.locator('#service').getByText('<img src=x onerror=alert(1)>').waitFor()
  assert.equal(await page.locator('main img').count(), 0)
})
