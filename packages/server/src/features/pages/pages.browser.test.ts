// The pages that the server makes, in a real browser: accessible, readable without scripts, and of one look.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { assertSound, consolePages, LOOKS } from '#testing/console-page.ts'
import { startApp } from '#testing/layer.ts'
import { send } from '#testing/raw-http.ts'
import { PAGE_POLICY } from '../../domain/page/headers.ts'

const { noBrowser, open } = consolePages()
const service = await startApp({ after }, { ORCH_STORE: 'memory' }, [])
const MADE_HERE = ['', 'organs', 'sovereign-compute', 'operator-organ', 'models/m1']
const PAGES = ['verify', ...MADE_HERE]
const NOT_FOUND = [/status of 404/]

for (const context of LOOKS)
  test(`3e the pages and a refusal are accessible in ${context.colorScheme} at ${context.viewport.width} px`, async (t) => {
    if (noBrowser) return t.skip(noBrowser)
    const page = await open(t, service.url, '../verify', { context, expected: NOT_FOUND })
    for (const path of [...PAGES, 'nowhere', 'metrics']) {
      await page.goto(`${service.url}/${path}`)
      for (const fold of await page.locator('footer details').all())
        await fold.evaluate((found) => found.setAttribute('open', ''))
      await assertSound(page)
    }
  })

test('3e with scripts off every page can be read and shows no control that does nothing', async (t) => {
  if (noBrowser) return t.skip(noBrowser)
  const page = await open(t, service.url, '../organs', { context: { javaScriptEnabled: false }, expected: NOT_FOUND })
  for (const path of [...MADE_HERE, 'nowhere']) {
    await page.goto(`${service.url}/${path}`)
    const text = (await page.locator('main').innerText()).trim()
    assert.ok(text.length > 60, `${path}: ${text}`)
    assert.equal(await page.locator('header button:visible').count(), 0)
  }
})

test('3e the pages share one style sheet and the header and footer of the console', async (t) => {
  if (noBrowser) return t.skip(noBrowser)
  const page = await open(t, service.url, 'decisions', { expected: NOT_FOUND })
  await page.locator('header.top').waitFor()
  const links = (part: string) =>
    page.locator(part).evaluateAll((found) => found.map((one) => `${one.textContent} ${one.getAttribute('href')}`))
  const [navigation, footer] = [await links('header nav a'), await links('footer a')]
  for (const path of [...MADE_HERE, 'nowhere']) {
    await page.goto(`${service.url}/${path}`)
    const sheets = await page.evaluate(() => [...document.styleSheets].map(({ href }) => new URL(href!).pathname))
    assert.deepEqual(sheets, ['/pages/style.css'], path)
    assert.deepEqual(await links('header nav a'), navigation)
    assert.deepEqual(await links('footer a'), footer)
    assert.match(await page.locator('footer').innerText(), /orch \d[\s\S]*doctrine v[\s\S]*build commit \w+/)
  }
})

test('3e the pages answer HTML, and JSON where the specification declares it, by Accept', async () => {
  const asked = (path: string, accept: string) => send(`${service.url}/${path}`, { headers: { accept } })
  for (const path of PAGES) {
    const { status, headers } = await asked(path, 'text/html')
    assert.deepEqual([status, headers['content-type']], [200, 'text/html; charset=utf-8'], path)
    if (path !== 'verify') assert.equal(headers['content-security-policy'], PAGE_POLICY)
  }
  for (const path of ['operator-organ', 'operator-organ/app.js', 'models/m1']) {
    const { headers, json } = await asked(path, 'application/json')
    assert.match(String(headers['content-type']), /^application\/json/, path)
    assert.equal(typeof json, 'object')
    assert.match(String(headers.vary), /Accept/)
  }
})
