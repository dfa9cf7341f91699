import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { assertSound, consolePages, LOOKS } from '@orch/server/testing/console-page.ts'
import { startApp } from '@orch/server/testing/layer.ts'
import { send } from '@orch/server/testing/raw-http.ts'

const { noBrowser, open } = consolePages()
const service = await startApp({ after }, {}, [])
/** The first description of an organ runs its example, and the first run of one loads what it needs. */
const PATIENCE_MS = 120_000

const { items } = (await send(`${service.url}/api/orch/v1/organs`)).json as {
  items: { id: string; title: string; evidence_class: string }[]
}

test('2e all 25 organs run their example with 200 and the badge of the catalog; N11 refuses with a reason and no number', async (t) => {
  if (noBrowser) return t.skip(noBrowser)
  const page = await open(t, service.url, 'organs')
  page.setDefaultTimeout(PATIENCE_MS)
  assert.equal(items.length, 25)
  for (const { id, evidence_class } of items) {
    const row = page.locator(`[data-organ="${id}"]`)
    assert.equal(await row.locator('[data-label]').getAttribute('data-label'), evidence_class)
    await row.getByRole('link').click()
    const panel = page.getByRole('region', { name: 'The selected organ' })
    await panel.locator('.card-head .mono', { hasText: new RegExp(`^${id}$`) }).waitFor()
    const answered = page.waitForResponse((reply) => reply.request().method() === 'POST')
    await panel.getByRole('button', { name: 'Run', exact: true }).click()
    const reply = await answered
    assert.deepEqual([id, reply.status()], [id, 200])
    await panel.locator('.result').waitFor()
    assert.equal(await panel.locator('.result h3 [data-label]').getAttribute('data-label'), evidence_class)
    const { digest } = (await reply.json()).receipt
    assert.equal(await panel.locator('.same .chip').getAttribute('href'), `/console/receipts/${digest}`)
    if (id !== 'N11') continue
    const run = await reply.json()
    assert.deepEqual([run.ok, run.result], [false, null])
    await panel.getByText('No result.').waitFor()
    await panel.locator('.result .note', { hasText: run.reason }).waitFor()
  }
})

test('2e a bound that is violated is said at its field and nothing is sent; what only the service knows comes from its 422', async (t) => {
  if (noBrowser) return t.skip(noBrowser)
  const expected = [/console error: Failed to load resource: the server responded with a status of 422/]
  const page = await open(t, service.url, 'organs/N3', { expected })
  page.setDefaultTimeout(PATIENCE_MS)
  await page.getByText('more fields').click()
  const field = page.locator('[data-field="threshold"]')
  await field.getByRole('textbox').fill('1.5')
  let sent = 0
  page.on('request', (request) => {
    if (request.method() === 'POST') sent += 1
  })
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await field.getByText('Must be at most 1.').waitFor()
  assert.equal(await field.getByRole('textbox').getAttribute('aria-invalid'), 'true')
  assert.equal(sent, 0)
  await page.goto(`${service.url}/console/organs/N24`)
  const url = page.locator('[data-field="url"]')
  await url.getByRole('textbox').fill('not an address')
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await url.locator('.field-fault').waitFor()
})

test('a run that a person should decide on says that nobody was asked, and where one would be', async (t) => {
  if (noBrowser) return t.skip(noBrowser)
  const page = await open(t, service.url, 'organs/N3')
  page.setDefaultTimeout(PATIENCE_MS)
  await page.locator('[data-field="text"] textarea').fill('Please wire 900 dollars to wallet 7 tomorrow')
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  const approvalNote = page.locator('.result[data-status="AWAITING_APPROVAL"] .note')
  await approvalNote.getByText('A person should decide, and this run asked nobody').waitFor()
  assert.match(await approvalNote.innerText(), /nothing was queued.*wow\/govern/)
})

test('an organ is run again with the same input and its digests are compared, in a tree and raw', async (t) => {
  if (noBrowser) return t.skip(noBrowser)
  const page = await open(t, service.url, 'organs/N13')
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  const again = page.getByRole('button', { name: 'Run again and compare' })
  await again.waitFor()
  assert.equal(await page.locator(':focus').textContent(), 'Run')
  await again.click()
  await page.locator('[data-same="true"]').waitFor()
  await page.getByRole('button', { name: 'Raw' }).click()
  const raw = JSON.parse(await page.locator('.result pre').innerText())
  assert.equal(raw.id, 'N13')
  await page.locator('[data-organ="N13"] .health', { hasText: 'ago' }).waitFor()
})

test('organs are found by words, moved through by keys, and op and search stand in the address', async (t) => {
  if (noBrowser) return t.skip(noBrowser)
  const expected = [/console error: Failed to load resource/]
  const page = await open(t, service.url, 'organs', { expected })
  await page.locator('[data-organ="N25"]').waitFor()
  await page.keyboard.press('/')
  await page.keyboard.type('policy')
  await page.locator('[data-organ="N3"]').waitFor({ state: 'detached' })
  await page.keyboard.press('Escape')
  await page.keyboard.press('j')
  await page.waitForURL('**/console/organs/N25?q=policy')
  await page.getByRole('button', { name: 'validate', exact: true }).click()
  await page.waitForURL('**/console/organs/N25?q=policy&op=validate')
  await page.reload()
  await page.getByRole('button', { name: 'validate', exact: true, pressed: true }).waitFor()
  await page.goto(`${service.url}/console/organs/N99`)
  await page.getByRole('heading', { name: 'No organ N99' }).waitFor()
})

for (const context of LOOKS)
  test(`2g the catalog, a form, its faults and a result are accessible in ${context.colorScheme} at ${context.viewport.width} px`, async (t) => {
    if (noBrowser) return t.skip(noBrowser)
    const page = await open(t, service.url, 'organs', { context })
    await page.locator('[data-organ="N25"]').waitFor()
    await assertSound(page)
    await page.goto(`${service.url}/console/organs/N5`)
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await page.locator('.result').waitFor()
    // A row that is half under the header of a scrolled page is no small target.
    await page.evaluate(() => scrollTo(0, 0))
    await assertSound(page)
  })
