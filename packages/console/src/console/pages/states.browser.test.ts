// The six states as the work pages show them, in a real browser: each comes from the shared component, says what happened
// and what to do, and leaves by itself when it is over.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { assertSound, consolePages, LOOKS } from '@orch/server/testing/console-page.ts'
import { startApp } from '@orch/server/testing/layer.ts'
import { freshFolder } from '@orch/server/testing/private-folder.ts'
import type { Route } from 'playwright-core'

const { noBrowser, open } = consolePages()
const service = await startApp({ after }, { ORCH_STORE: 'memory' }, [])

/** Each page with the operation it cannot do without. */
const PAGES = [
  ['reviews', '**/api/orch/v1/reviews?*'],
  ['organs', '**/api/orch/v1/organs'],
  ['readiness', '**/api/orch/v1/readiness'],
  ['assurance', '**/api/orch/v1/assurance/matrix'],
] as const
const expected = [/console error: Failed to load resource/]
const FAULT = { error: { code: 'internal_error', message: 'something broke here', request_id: 'req-7' } }
const fail = (route: Route) => route.fulfill({ status: 500, json: FAULT })

for (const context of LOOKS)
  test(`2g an error and an empty page are accessible in ${context.colorScheme} at ${context.viewport.width} px`, async (t) => {
    if (noBrowser) return t.skip(noBrowser)
    const page = await open(t, service.url, 'reviews#decided', { context, expected })
    await page.getByRole('heading', { name: 'Nothing was decided yet' }).waitFor()
    await assertSound(page)
    await page.goto(`${service.url}/console/organs?q=nothing+has+this+name`)
    await page.getByText('No organ has these words').waitFor()
    await assertSound(page)
    for (const [name, operation] of PAGES) {
      await page.route(operation, fail)
      await page.goto(`${service.url}/console/${name}`)
      await page.getByRole('heading', { name: FAULT.error.message }).waitFor()
      await page.getByText('internal_error').waitFor()
      await page.getByText('req-7').first().waitFor()
      await assertSound(page)
    }
  })

test('failed: the page tries again when it is told to and shows what came', async (t) => {
  if (noBrowser) return t.skip(noBrowser)
  const page = await open(t, service.url, 'receipts', { expected })
  const [name, operation] = PAGES[3]
  await page.route(operation, fail)
  await page.goto(`${service.url}/console/${name}`)
  await page.getByRole('heading', { name: FAULT.error.message }).waitFor()
  await page.getByText('Not accredited.').waitFor()
  await page.unroute(operation)
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.locator('[data-requirement="MC-1"]').waitFor()
})

test('loading: a skeleton stands there once a reply takes longer than a moment', async (t) => {
  if (noBrowser) return t.skip(noBrowser)
  const page = await open(t, service.url, 'receipts', { expected })
  for (const [name, operation] of PAGES) {
    const pendingRoutes: Route[] = []
    await page.route(operation, (route) => void pendingRoutes.push(route))
    await page.goto(`${service.url}/console/${name}`)
    await page.getByRole('status').getByText('Loading').first().waitFor()
    await assertSound(page)
    await Promise.all(pendingRoutes.map((route) => route.abort()))
    await page.unroute(operation)
  }
})

test('refused: without a token, or with one that may not, the missing scope is named and another can be given', async (t) => {
  if (noBrowser) return t.skip(noBrowser)
  const token = 'reader-token-0123456789'
  const file = join(freshFolder('readers'), 'credentials.json')
  const credential = {
    key_id: 'reader-key',
    namespace: 'team',
    owner_id: 'reader',
    token_sha256: createHash('sha256').update(token).digest('hex'),
    scopes: ['receipts:read'],
  }
  writeFileSync(file, JSON.stringify({ credentials: [credential] }), { mode: 0o600 })
  const guarded = await startApp(t, { ORCH_STORE: 'memory', ORCH_CREDENTIALS: file }, [])
  const page = await open(t, guarded.url, 'reviews', { expected })
  await page.getByRole('heading', { name: 'A token is needed here' }).waitFor()
  await page.getByText('review:read', { exact: true }).waitFor()
  await assertSound(page)
  await page.getByRole('button', { name: 'Enter a token', exact: true }).click()
  await page.getByLabel('Token of your credential').fill(token)
  await page.getByRole('button', { name: 'Use this token' }).click()
  await page.getByRole('heading', { name: 'This token may not do that' }).waitFor()
  assert.doesNotMatch(await page.locator('main').innerText(), /lacks the scope/)
  assert.match(await page.locator('main').innerText(), /It needs the scope review:read/)
  await page.getByRole('button', { name: 'Use another token' }).click()
  const field = page.getByLabel('Token of your credential')
  await field.fill('no header carries this')
  await page.getByRole('button', { name: 'Use this token' }).click()
  assert.equal(await field.evaluate((input: HTMLInputElement) => input.validity.patternMismatch), true)
  await field.fill('nobody-has-this-one')
  await page.getByRole('button', { name: 'Use this token' }).click()
  await page.getByRole('heading', { name: 'The service does not know this token' }).waitFor()
  await assertSound(page)
})

test('a filter that is refused is taken away by a press, and is not tried again', async (t) => {
  if (noBrowser) return t.skip(noBrowser)
  const page = await open(t, service.url, 'receipts?decision=perhaps', { expected })
  await page.getByText('invalid_input').waitFor()
  assert.equal(await page.getByRole('button', { name: 'Try again' }).count(), 0)
  await page.getByRole('link', { name: 'Remove the filters' }).click()
  await page.getByText('invalid_input').waitFor({ state: 'detached' })
})

test('readiness whose service stops before its first answer has its title and claims nothing below', async (t) => {
  if (noBrowser) return t.skip(noBrowser)
  const page = await open(t, service.url, 'receipts', { expected })
  await page.route('**/api/readyz', (route) => route.abort())
  await page.goto(`${service.url}/console/readiness`)
  await page.getByText('Nothing was read yet.').waitFor()
  await page.getByRole('heading', { name: 'Readiness', level: 1 }).waitFor()
  assert.equal(await page.getByText('What you see below').count(), 0)
})
