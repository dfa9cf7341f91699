// The frame of the console: addresses, keys, theme, token, states and headers, the same on every page.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { assertSound, consolePages, LOOKS } from '@orch/server/testing/console-page.ts'
import { startApp } from '@orch/server/testing/layer.ts'
import { freshFolder } from '@orch/server/testing/private-folder.ts'
import { post, send } from '@orch/server/testing/raw-http.ts'

const MEMORY = { ORCH_STORE: 'memory' }
const { noBrowser, open } = consolePages()
// Started here and not inside a test: they have to outlive its pages.
const empty = await startApp({ after }, MEMORY, [])
const fresh = await startApp({ after }, MEMORY, [])
const guarded = await withRegistry()

/** With a registry of two readers. */
async function withRegistry() {
  const file = join(freshFolder('console-registry'), 'credentials.json')
  const entry = (name: string, scopes: string[]) => ({
    key_id: name,
    namespace: 'red',
    owner_id: name,
    token_sha256: createHash('sha256').update(name).digest('hex'),
    scopes,
  })
  const credentials = [entry('reader', ['receipts:read', 'review:read']), entry('blind', ['review:read'])]
  writeFileSync(file, JSON.stringify({ credentials }), { mode: 0o600 })
  return startApp({ after }, { ...MEMORY, ORCH_CREDENTIALS: file }, [])
}

test('2h the pages of the console carry their policy, and their files are named by their content', async () => {
  const { status, headers, text } = await send(`${empty.url}/console/decisions`)
  assert.equal(status, 200)
  assert.equal(
    headers['content-security-policy'],
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'",
  )
  assert.equal(headers['cache-control'], 'no-store')
  assert.equal(headers['referrer-policy'], 'no-referrer')
  assert.equal(headers['cross-origin-opener-policy'], 'same-origin')
  assert.equal(headers['x-content-type-options'], 'nosniff')
  assert.match(String(headers['permissions-policy']), /^(?:[a-z-]+=\(\)(?:, |$))+$/)
  assert.doesNotMatch(text, /<script>|\sstyle=|\son[a-z]+=|https?:\/\/(?!www\.w3\.org)/i)
  const assets = [...text.matchAll(/(?:src|href)="(\/console\/assets\/[^"]+)"/g)].map(([, path]) => path!)
  assert.equal(assets.length, 2)
  for (const path of assets) {
    const asset = await send(empty.url + path)
    assert.deepEqual([asset.status, asset.headers['cache-control']], [200, 'public, max-age=31536000, immutable'])
  }
  assert.equal((await send(`${empty.url}/console/assets/main-00000000.js`)).status, 404)
  assert.equal((await send(`${empty.url}/console/nowhere`)).json.error.code, 'not_found')
})

test('at 360 px the page that is shown is in sight among the pages', async (t) => {
  if (noBrowser) return t.skip(noBrowser)
  const page = await open(t, empty.url, 'decisions', { context: { viewport: { width: 360, height: 900 } } })
  const edges = () =>
    page
      .locator('.nav [aria-current]')
      .evaluate((link) => [link.getBoundingClientRect().left, link.getBoundingClientRect().right] as const)
  for (const name of ['readiness', 'assurance', 'decisions']) {
    await page.goto(`${empty.url}/console/${name}`)
    await page.locator(`.nav [aria-current][href="/console/${name}"]`).waitFor()
    const [left, right] = await edges()
    assert.ok(left >= 0 && right <= 360, `${name} lies at ${left} to ${right}`)
  }
})

test('2.1 the script of the first page fits into its budget of 250 KB', async (t) => {
  if (noBrowser) return t.skip(noBrowser)
  const page = await open(t, empty.url, 'decisions')
  await page.getByRole('heading', { name: 'Decisions', exact: true }).waitFor()
  const loaded = await page.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => name))
  const scripts = await Promise.all(loaded.filter((url) => url.endsWith('.js')).map((url) => send(url)))
  const sizes = scripts.map(({ text }) => gzipSync(text).length)
  const sum = sizes.reduce((all, one) => all + one, 0)
  assert.ok(sum > 50_000 && sum <= 250_000, `${sum} bytes of script`)
})

for (const context of LOOKS)
  test(`2g an empty console is accessible in ${context.colorScheme} at ${context.viewport.width} px`, async (t) => {
    if (noBrowser) return t.skip(noBrowser)
    const page = await open(t, empty.url, 'decisions', { context })
    await page.getByText('No decisions in this window').waitFor()
    await assertSound(page)
  })

test('2.1 the empty state holds a line that makes what is missing, and it appears by itself', async (t) => {
  if (noBrowser) return t.skip(noBrowser)
  const page = await open(t, fresh.url, 'decisions')
  const line = (await page.locator('.line code').textContent())!
  const [, address, body] = /curl -sS (\S+)[\s\S]*-d '([^']+)'/.exec(line)!
  assert.equal((await post(address!, body!)).json.decision, 'deny')
  await page.locator('[data-digest]').waitFor()
  assert.equal(await page.locator('[data-digest]').count(), 1)
})

test('2.1 keys lead from page to page, open the sheet and are silent while somebody types', async (t) => {
  if (noBrowser) return t.skip(noBrowser)
  const page = await open(t, empty.url, 'decisions')
  await page.getByRole('heading', { name: 'Decisions', exact: true }).waitFor()
  await page.keyboard.press('g')
  await page.keyboard.press('r')
  await page.getByRole('heading', { name: 'Receipts', exact: true }).waitFor()
  assert.equal(new URL(page.url()).pathname, '/console/receipts')
  const focused = () => page.evaluate(() => document.activeElement?.id)
  assert.equal(await focused(), 'main')
  await page.keyboard.press('/')
  await page.keyboard.press('Enter')
  assert.equal(await focused(), 'main')
  await page.keyboard.press('/')
  await page.keyboard.type('gd?')
  assert.equal(await page.getByRole('searchbox').inputValue(), 'gd?')
  await page.keyboard.press('Tab')
  await page.keyboard.press('?')
  await page.getByRole('dialog', { name: 'Keys and labels' }).waitFor()
  await assertSound(page)
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.goBack()
  await page.getByRole('heading', { name: 'Decisions', exact: true }).waitFor()
})

test('2.1 the theme is remembered, and times can be had relative, in UTC and local', async (t) => {
  if (noBrowser) return t.skip(noBrowser)
  const page = await open(t, fresh.url, 'decisions', { context: { colorScheme: 'light' } })
  const ground = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor)
  const light = await ground()
  await page.getByRole('button', { name: 'Theme: system. Change' }).click()
  await page.getByRole('button', { name: 'Theme: light. Change' }).click()
  assert.notEqual(await ground(), light)
  await page.reload()
  await page.getByRole('button', { name: 'Theme: dark. Change' }).waitFor()
  await post(`${fresh.url}/api/orch/v1/wow/govern`, JSON.stringify({ text: 'What is the time?' }))
  await page.goto(`${fresh.url}/console/decisions`)
  const time = page.locator('[data-digest] time').first()
  assert.match((await time.textContent()) ?? '', /^\d+ s ago$/)
  assert.match((await time.getAttribute('title')) ?? '', /^\d{4}-.*Z$/)
  await page.getByRole('button', { name: 'Times: relative. Change' }).click()
  await page.getByRole('button', { name: 'Times: UTC. Change' }).waitFor()
  assert.match((await time.textContent()) ?? '', /^\d\d:\d\d:\d\dZ$/)
  await page.getByRole('button', { name: 'Times: UTC. Change' }).click()
  await page.getByRole('button', { name: 'Times: local. Change' }).waitFor()
  assert.match((await time.textContent()) ?? '', /^\d\d:\d\d:\d\d$/)
})

test('2.1 with a registry the reader types a token once: it is sent as Authorization, refused by its scope and in no address', async (t) => {
  if (noBrowser) return t.skip(noBrowser)
  const expected = [/console error: Failed to load resource.*(?:401|403)/]
  const page = await open(t, guarded.url, 'decisions', { expected })
  const cookies: (string | undefined)[] = []
  page.on('request', (request) => cookies.push(request.headers().cookie))
  await page.getByText('A token is needed here').waitFor()
  await assertSound(page)
  const enter = async (token: string, button: string) => {
    await page.getByRole('button', { name: button }).first().click()
    await page.getByLabel('Token of your credential').fill(token)
    await page.keyboard.press('Enter')
  }
  await enter('blind', 'Enter a token')
  await page.getByText('This token may not do that').waitFor()
  await page.getByText('receipts:read').first().waitFor()
  await enter('reader', 'Use another token')
  await page.getByText('No decisions in this window').waitFor()
  assert.doesNotMatch(page.url(), /reader/)
  assert.deepEqual(new Set(cookies), new Set([undefined]))
  assert.deepEqual(await page.evaluate(() => [sessionStorage.length, document.cookie]), [0, ''])
  await page.goto(`${guarded.url}/operator-organ`)
  await page.goto(`${guarded.url}/console/decisions`)
  await page.getByText('A token is needed here').waitFor()
  await page.getByRole('button', { name: 'Enter a token' }).first().click()
  await page.getByText('every link that leaves the console').waitFor()
  await page.getByLabel('Keep it for this tab, until the tab is closed').check()
  await page.getByLabel('Token of your credential').fill('reader')
  await page.keyboard.press('Enter')
  await page.getByText('No decisions in this window').waitFor()
  await page.goto(`${guarded.url}/operator-organ`)
  await page.goto(`${guarded.url}/console/decisions`)
  await page.getByText('No decisions in this window').waitFor()
})

test('2j a form, an image and a fetch of another site change nothing', async (t) => {
  if (noBrowser) return t.skip(noBrowser)
  const govern = `${empty.url}/api/orch/v1/wow/govern`
  const hostile = createServer((_, response) => {
    response.setHeader('content-type', 'text/html').end(`<!doctype html><title>another site</title>
<img src="${empty.url}/api/orch/v1/finance/signed-prices/BTC" alt="">
<form id="form" action="${govern}" method="post" enctype="text/plain" target="_blank">
<input name='{"text":"from another site","x":"' value='"}'></form>`)
  }).listen(0, '127.0.0.1')
  t.after(() => void hostile.close())
  await once(hostile, 'listening')
  const { port } = hostile.address() as { port: number }
  const size = async () => (await send(`${empty.url}/api/orch/khipu/ledger`)).json.ledger_size as number
  const before = await size()
  const page = await open(t, empty.url, 'decisions', { expected: [/console error/, /request to another origin/] })
  // Another port is another origin of the same site, another name another site.
  for (const site of [`http://127.0.0.1:${port}/`, `http://localhost:${port}/`]) {
    await page.goto(site)
    const popup = page.waitForEvent('popup')
    await page.evaluate(() => document.querySelector('form')?.submit())
    await (await popup).waitForLoadState()
    for (const mode of ['cors', 'no-cors'] as const)
      for (const type of ['application/json', 'text/plain'])
        await page.evaluate(
          async ([url, mode, type]) => {
            const body = JSON.stringify({ text: 'from another site' })
            const headers = { 'content-type': type as string }
            await fetch(url as string, { method: 'POST', mode: mode as RequestMode, headers, body }).catch(() => null)
          },
          [govern, mode, type],
        )
  }
  assert.equal(await size(), before)
})

test('2.1 an unknown id is named, and what is no page of the console is a page that says so', async (t) => {
  if (noBrowser) return t.skip(noBrowser)
  const expected = [/console error: Failed to load resource.*404/]
  const page = await open(t, empty.url, 'nowhere', { expected })
  await page.getByRole('heading', { name: 'There is no such page' }).waitFor()
  await page.locator('header.top').getByRole('link', { name: 'Decisions' }).waitFor()
  for (const [path, words] of [
    [`receipts/${'f'.repeat(64)}`, /No receipt ffffff/],
    ['reviews/rev_nobody', /No review rev_nobody/],
    ['organs/N99', /No organ N99/],
  ] as const) {
    await page.goto(`${empty.url}/console/${path}`)
    await page.getByRole('heading', { name: words }).waitFor()
  }
})

test('2.1 the first tab stop skips to the content, and a dialog holds the focus and gives it back', async (t) => {
  if (noBrowser) return t.skip(noBrowser)
  const page = await open(t, guarded.url, 'decisions', { expected: [/console error: Failed to load.*401/] })
  await page.getByText('A token is needed here').waitFor()
  const focused = () =>
    page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.id)
  await page.keyboard.press('Tab')
  assert.equal(await page.locator(':focus').textContent(), 'Skip to the content')
  await page.keyboard.press('Enter')
  assert.equal(await focused(), 'main')
  const help = page.getByRole('button', { name: 'Keyboard help' })
  await help.press('Enter')
  const sheet = page.getByRole('dialog')
  await sheet.waitFor()
  for (let tab = 0; tab < 40; tab += 1) {
    await page.keyboard.press('Tab')
    const outside = await page.evaluate(
      () => document.activeElement !== document.body && document.activeElement?.closest('dialog') === null,
    )
    assert.equal(outside, false)
  }
  await sheet.getByRole('button', { name: 'Close' }).click()
  await sheet.waitFor({ state: 'detached' })
  assert.equal(await focused(), 'Keyboard help')
  await page.getByRole('button', { name: 'Token: none. Enter one' }).press('Enter')
  await sheet.waitFor()
  assert.equal(await page.locator(':focus').getAttribute('name'), 'token')
  await page.keyboard.type('reader')
  await page.keyboard.press('Enter')
  await sheet.waitFor({ state: 'detached' })
  assert.equal(await focused(), 'Token: set. Change')
})

test('2.1 open on this machine is said on every page, and each key of the sheet has a visible control', async (t) => {
  if (noBrowser) return t.skip(noBrowser)
  const page = await open(t, fresh.url, 'decisions')
  for (const name of ['decisions', 'receipts', 'reviews', 'organs', 'readiness', 'assurance']) {
    await page.goto(`${fresh.url}/console/${name}`)
    await page.locator('.facts-bar').getByText('Open on this machine: tokens are not checked').waitFor()
  }
  await page.keyboard.press('?')
  const rows = await page.getByRole('dialog').locator('.sheet:not(.labels) > div').allInnerTexts()
  await page.keyboard.press('Escape')
  const jumps = rows.flatMap((row) => /^G\s*\w\s*(\w+)$/.exec(row)?.[1] ?? [])
  assert.deepEqual(jumps.slice(0, 6), ['decisions', 'receipts', 'reviews', 'organs', 'readiness', 'assurance'])
  const nav = page.getByRole('navigation', { name: 'Console' })
  for (const jump of jumps) await nav.getByRole('link', { name: new RegExp(`^${jump}`, 'i') }).waitFor()
  await page.getByRole('button', { name: 'Keyboard help' }).waitFor()
  await page.goto(`${fresh.url}/console/decisions`)
  await page.getByRole('searchbox').waitFor()
})

test('2.1 every page of the list has its folder, and the sprite has every shape that a component names', () => {
  const html = readFileSync(new URL('./index.html', import.meta.url), 'utf8')
  for (const shape of ['allow', 'review', 'deny', 'tick', 'cross', 'half', 'gap', 'warn', 'demo', 'unlabelled'])
    assert.ok(html.includes(`id="i-${shape}"`), shape)
})
