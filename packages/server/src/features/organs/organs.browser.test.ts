// The page of the organs in a real browser: accessible, and a form for each organ that really runs it.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, type TestContext, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { newCheckedPage, type PageOptions } from '#testing/checked-page.ts'
import { chromiumUnavailable, launchChromium } from '#testing/chromium.ts'
import { startApp } from '#testing/layer.ts'

const axe = readFileSync(new URL('../../../../../node_modules/axe-core/axe.min.js', import.meta.url), 'utf8')
const noBrowser = chromiumUnavailable()
const service = await startApp({ after }, { ORCH_STORE: 'memory' }, [])
let browser: Browser | undefined
before(async () => {
  if (!noBrowser) browser = await launchChromium()
})
after(async () => browser?.close())

async function open(t: TestContext, at: string, options: PageOptions = {}): Promise<Page> {
  const page = await newCheckedPage(browser!, service.url, t, options)
  await page.goto(`${service.url}/organs${at}`)
  return page
}

for (const [colorScheme, width] of [
  ['light', 1280],
  ['dark', 360],
] as const)
  test(`no rule for accessible pages is broken in ${colorScheme} at ${width} px, with every form open`, async (t) => {
    if (noBrowser) return t.skip(noBrowser)
    const page = await open(t, '', { context: { colorScheme, viewport: { width, height: 800 } } })
    await page.evaluate(axe)
    const broken = await page.evaluate(async () => {
      for (const one of document.querySelectorAll('details')) one.open = true
      type Axe = { run(options: object): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> }
      const { axe } = window as unknown as { axe: Axe }
      const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
      const { violations } = await axe.run({ runOnly: { type: 'tag', values: tags } })
      return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')}`)
    })
    assert.deepEqual(broken, [])
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= width)
  })

test('a link opens the form of its organ, which runs the prompt and the written-out example and tells a fault', async (t) => {
  if (noBrowser) return t.skip(noBrowser)
  const page = await open(t, '', { expected: [/status of 422/] })
  await page.getByRole('link', { name: 'Try N13', exact: true }).click()
  const form = page.locator('#try-N13')
  await form.locator('textarea').waitFor({ state: 'visible' })
  await form.getByRole('button', { name: 'Run N13', exact: true }).click()
  await form.locator('pre').waitFor({ state: 'visible' })
  const said = form.locator('[role=status]')
  assert.match((await said.textContent()) ?? '', /^EXECUTED, MODELED\. Result [0-9a-f]{64}\. Receipt [0-9a-f]{64}\.$/)
  await form.getByRole('button', { name: /^Written-out example/ }).click()
  await page.waitForFunction(() => /cpu_s/.test((document.querySelector('#request-N13') as HTMLTextAreaElement).value))
  await form.locator('textarea').fill('{"op": "estimate", "cpu_s": -1}')
  await form.getByRole('button', { name: 'Run N13', exact: true }).click()
  await page.waitForFunction(() =>
    document.querySelector('#try-N13 [role=status]')?.textContent?.startsWith('Refused: cpu_s'),
  )
})

test('with scripts off a link still leads to the form, which says where to send what it holds', async (t) => {
  if (noBrowser) return t.skip(noBrowser)
  const page = await open(t, '#try-N7', { context: { javaScriptEnabled: false } })
  const form = page.locator('#try-N7')
  await form.locator('textarea').waitFor({ state: 'visible' })
  assert.match((await form.locator('[role=status]').textContent()) ?? '', /POST to \/api\/orch\/v1\/organs\/N7/)
})
