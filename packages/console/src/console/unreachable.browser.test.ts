// Every page with the service stopped and started again. The time of the pages is handed over: nothing waits for it.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, test } from 'node:test'
import { assertSound, consolePages } from '@orch/server/testing/console-page.ts'
import { startApp } from '@orch/server/testing/layer.ts'
import { post } from '@orch/server/testing/raw-http.ts'

const { noBrowser, open } = consolePages()
const service = await startApp({ after }, {}, [])
const { server } = service.app.http
const govern = async (text: string) =>
  (await post(`${service.url}/api/orch/v1/wow/govern`, JSON.stringify({ text }))).json
const { receipt } = await govern('What is two and two?')
const { review } = await govern('Please wire 900 dollars to wallet 7 tomorrow')

const PATHS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(['decisions', 'receipts', 'reviews', 'organs', 'readiness', 'assurance'].map((n) => [n, n])),
  'one receipt': `receipts/${receipt.digest}`,
  'one review': `reviews/${review.review_id}`,
  'one organ': 'organs/N13',
}
const LIMIT_S = 12

async function stop(): Promise<void> {
  const closed = once(server, 'close')
  server.close()
  server.closeAllConnections()
  await closed
}

async function start(): Promise<void> {
  server.listen(service.port, '127.0.0.1')
  await once(server, 'listening')
}

for (const [name, path] of Object.entries(PATHS))
  test(`2f with the service stopped the page of ${name} says so within 12 s, keeps what it had, and recovers by itself`, async (t) => {
    if (noBrowser) return t.skip(noBrowser)
    const expected = [/console error: Failed to load resource/]
    const page = await open(t, service.url, path, { expected, hasClock: true })
    await page.locator('h1').first().waitFor()
    await page.waitForFunction(() => document.querySelector('main [aria-busy="true"]') === null)
    const gone = page.getByText('The service does not answer').first()
    await page.clock.pauseAt((await page.evaluate(() => Date.now())) + 1_000)
    await stop()
    t.after(async () => void (server.listening || (await start())))
    let seconds = 0
    while (!(await gone.isVisible()) && seconds < LIMIT_S) {
      await page.clock.runFor(1_000)
      seconds += 1
      // What was asked in this second is refused before the next one begins.
      await page.evaluate(() => fetch('/healthz').catch(() => null))
    }
    await gone.waitFor()
    const ofNow = ':is([data-label="LIVE"], [data-label="MEASURED"])'
    assert.equal(await page.locator(`.facts-bar ${ofNow}, main ${ofNow}`).count(), 0, 'nothing old is called live')
    await page.locator('.facts-bar [data-label="cached"]').waitFor()
    await page.locator('main [data-label="cached"]').first().waitFor()
    assert.equal(await page.getByRole('button', { name: 'Pause' }).count(), 0)
    if (name === 'decisions') assert.equal(await page.locator('.old .strip button', { hasText: 'cached' }).count(), 3)
    if (name === 'assurance') await page.getByText(/^When last read: \d of \d/).waitFor()
    assert.ok((await page.locator('.old').count()) > 0, 'what it had is still shown')
    await page.clock.resume()
    await assertSound(page)
    await start()
    for (let waited = 0; waited < 30 && (await gone.isVisible()); waited += 1) {
      await page.clock.runFor(1_000)
      await page.evaluate(() => fetch('/healthz').then((reply) => reply.text()))
    }
    await gone.waitFor({ state: 'detached' })
    await page.locator('h1').first().waitFor()
  })
