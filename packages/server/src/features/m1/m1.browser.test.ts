// The page of the model in a real browser: accessible, readable without scripts, and a box that really asks the model.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, type TestContext, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { newCheckedPage, type PageOptions } from '#testing/checked-page.ts'
import { chromiumUnavailable, launchChromium } from '#testing/chromium.ts'
import { startApp } from '#testing/layer.ts'

const axe = readFileSync(new URL('../../../../../node_modules/axe-core/axe.min.js', import.meta.url), 'utf8')
const noBrowser = chromiumUnavailable()
const service = await startApp({ after }, { ORCH_STORE: 'memory', ORCH_M1: 'on' }, [])
let browser: Browser | undefined
before(async () => {
  if (!noBrowser) browser = await launchChromium()
})
after(async () => browser?.close())

async function open(t: TestContext, options: PageOptions = {}): Promise<Page> {
  const page = await newCheckedPage(browser!, service.url, t, options)
  await page.goto(`${service.url}/models/m1`)
  return page
}

const violations = (page: Page): Promise<string[]> =>
  page.evaluate(async () => {
    type Axe = { run(options: object): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> }
    const { axe } = window as unknown as { axe: Axe }
    const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
    const { violations } = await axe.run({ runOnly: { type: 'tag', values: tags } })
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')}`)
  })

for (const [colorScheme, width] of [
  ['light', 1280],
  ['dark', 360],
] as const)
  test(`no rule for accessible pages is broken in ${colorScheme} at ${width} px, and nothing scrolls sideways`, async (t) => {
    if (noBrowser) return t.skip(noBrowser)
    const page = await open(t, { context: { colorScheme, viewport: { width, height: 800 } } })
    await page.evaluate(axe)
    assert.deepEqual(await violations(page), [])
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= width)
  })

test('the box asks the model and shows its text as text, with the receipt', async (t) => {
  if (noBrowser) return t.skip(noBrowser)
  const page = await open(t)
  await page.locator('#m1-prompt').fill('<b>A receipt is</b>')
  await page.locator('#m1-tokens').fill('4')
  await page.locator('#m1-form button').click()
  await page.locator('#m1-answer').waitFor({ state: 'visible' })
  assert.ok((await page.locator('#m1-answer').textContent())?.startsWith('<b>A receipt is</b>'))
  assert.equal(await page.locator('#m1-answer b').count(), 0)
  assert.match((await page.locator('#m1-state').textContent()) ?? '', /^4 tokens, .* Receipt [0-9a-f]{64}\.$/)
})

test('where only the end of a prompt was read the box says so', async (t) => {
  if (noBrowser) return t.skip(noBrowser)
  const page = await open(t)
  const reply = { inference: { text: 'x', finish_reason: 'length', completion_tokens: 1, prompt_truncated: true } }
  await page.route('**/models/m1/infer', (route) => route.fulfill({ json: reply }))
  await page.locator('#m1-form button').click()
  await page.locator('#m1-answer').waitFor({ state: 'visible' })
  assert.match((await page.locator('#m1-state').textContent()) ?? '', /Only the end of the prompt was read\./)
})

test('with scripts off the gate and the figures can be read', async (t) => {
  if (noBrowser) return t.skip(noBrowser)
  const page = await open(t, { context: { javaScriptEnabled: false } })
  assert.equal(await page.locator('section[aria-labelledby="gate"] tbody tr').count(), 10)
  assert.equal(await page.locator('section[aria-labelledby="evaluation"] tbody tr').count(), 4)
})
