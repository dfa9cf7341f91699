// The page of the model in a real browser: readable without scripts, and a box that really asks the model.
import assert from 'node:assert/strict'
import { after, before, type TestContext, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { newCheckedPage, type PageOptions } from '#testing/checked-page.ts'
import { chromiumUnavailable, launchChromium } from '#testing/chromium.ts'
import { startApp } from '#testing/layer.ts'

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

test('the box asks the model and shows its text as text, with the receipt', async (t) => {
  if (noBrowser) return t.skip(noBrowser)
  const page = await open(t)
  await page.locator('#m1-prompt').fill('<b>A receipt is</b>')
  await page.locator('#m1-tokens').fill('4')
  await page.locator('#m1-form button').click()
  await page.locator('#m1-answer').waitFor({ state: 'visible' })
  assert.ok((await page.locator('#m1-answer').textContent())?.startsWith('<b>A receipt is</b>'))
  assert.equal(await page.locator('#m1-answer b').count(), 0)
  assert.match((await page.locator('#m1-state').textContent()) ?? '', /^4 tokens, .*\.$/)
  assert.match((await page.locator('#m1-receipt').getAttribute('href')) ?? '', /^\/console\/receipts\/[0-9a-f]{64}$/)
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
