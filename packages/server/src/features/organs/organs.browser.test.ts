// The catalog of the organs in a real browser: it needs no script, and each organ leads to its form in the console.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { consolePages } from '#testing/console-page.ts'
import { startApp } from '#testing/layer.ts'

const { noBrowser, open } = consolePages()
const service = await startApp({ after }, { ORCH_STORE: 'memory' }, [])

test('3e each organ leads to its form in the console, and the catalog holds no form of its own', async (t) => {
  if (noBrowser) return t.skip(noBrowser)
  const page = await open(t, service.url, '../organs')
  assert.equal(await page.locator('form, textarea, input').count(), 0)
  await page.getByRole('link', { name: 'Try N13', exact: true }).click()
  await page.waitForURL('**/console/organs/N13')
  await page.getByRole('region', { name: 'The selected organ' }).getByText('N13', { exact: true }).first().waitFor()
})

test('3e with scripts off the catalog shows all 25 organs with their job and their class', async (t) => {
  if (noBrowser) return t.skip(noBrowser)
  const page = await open(t, service.url, '../organs', { context: { javaScriptEnabled: false } })
  assert.equal(await page.locator('tbody tr').count(), 25)
  for (const row of (await page.locator('tbody tr').allTextContents()).slice(0, 3))
    assert.match(row, /N\d+ \w+.*(?:MEASURED|MODELED|SIMULATED|STRUCTURAL-ONLY|UNAVAILABLE|SAMPLE)/)
})
