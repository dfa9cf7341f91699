// The page about compute in a real browser: accessible in both themes and at every width, and readable without scripts.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, type TestContext, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { newCheckedPage, type PageOptions } from '#testing/checked-page.ts'
import { chromiumUnavailable, launchChromium } from '#testing/chromium.ts'
import { startApp } from '#testing/layer.ts'
import { sendJson, startStubUpstream } from '#testing/stub-upstream.ts'

const axe = readFileSync(new URL('../../../../../node_modules/axe-core/axe.min.js', import.meta.url), 'utf8')
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

for (const colorScheme of ['light', 'dark'] as const)
  for (const width of [360, 768, 1280])
    test(`no rule for accessible pages is broken in ${colorScheme} at ${width} px, and nothing scrolls sideways`, async (t) => {
      if (noBrowser) return t.skip(noBrowser)
      const page = await open(t, { context: { colorScheme, viewport: { width, height: 800 } } })
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

test('with scripts off every capability is one card with its state, its label and where it was read', async (t) => {
  if (noBrowser) return t.skip(noBrowser)
  const page = await open(t, { context: { javaScriptEnabled: false } })
  assert.equal(await page.locator('section.card[data-tier]').count(), 7)
  for (const card of await page.locator('section.card[data-tier]').all()) {
    const text = await card.innerText()
    for (const term of ['State', 'Label', 'Source', 'Read at']) assert.ok(text.includes(term), text)
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

test('the way to the same as JSON leads there, and other pages lead here', async (t) => {
  if (noBrowser) return t.skip(noBrowser)
  const page = await open(t)
  const href = await page.getByText('The same as JSON').getAttribute('href')
  const reply = await page.request.get(service.url + href!)
  assert.equal((await reply.json()).service, 'orch')
  await page.goto(`${service.url}/operator-organ`)
  await page.locator('nav a', { hasText: 'Compute' }).click()
  assert.equal(await page.locator('h1').textContent(), 'Compute')
  assert.equal(await page.title(), 'Compute - orch')
})
