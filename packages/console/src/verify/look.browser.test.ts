// Readable by everyone: both themes, narrow and wide, keyboard and screen reader.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { utf8Encode } from '@orch/core'
import { readReport, setReader, verifyFile, verifyText } from '@orch/server/testing/page-driver.ts'
import { verifyPage } from '@orch/server/testing/verify-page.ts'
import type { Page } from 'playwright-core'
import type { KeysFile } from '../../../../vectors/cases.ts'

const vector = (name: string): string => readFileSync(new URL(`../../../../vectors/${name}`, import.meta.url), 'utf8')
const keys = JSON.parse(vector('keys.json')) as KeysFile
const golden = JSON.parse(vector('golden.json'))
const ledger = vector('ledger.jsonl')
const axe = readFileSync(new URL('../../../../node_modules/axe-core/axe.min.js', import.meta.url), 'utf8')

const site = verifyPage('verify-look')
const { noBrowser } = site

const production = { pem: keys.p256.production!.pem, kind: 'production' as const }
const STATES: Record<string, (page: Page) => Promise<unknown>> = {
  empty: async () => null,
  pass: async (page) => {
    await setReader(page, { keys: [production], logKeys: [keys.ed25519.log!.vkey] })
    return verifyFile(page, utf8Encode(ledger))
  },
  fail: (page) => verifyText(page, JSON.stringify({ ...golden.record, digest: '0'.repeat(64), seq: 9 })),
  'key offered': (page) => verifyText(page, JSON.stringify(golden.pack)),
  'nothing given': (page) => verifyText(page, ''),
}

for (const colorScheme of ['light', 'dark'] as const)
  for (const width of [360, 1280])
    test(`no rule for accessible pages is broken in ${colorScheme} at ${width} px, and nothing scrolls sideways`, async (t) => {
      if (noBrowser) return t.skip(noBrowser)
      const context = { colorScheme, viewport: { width, height: 800 } }
      const page = await site.open(t, { context })
      await page.evaluate(axe)
      for (const [state, bring] of Object.entries(STATES)) {
        await bring(page)
        await page.evaluate(() => {
          for (const folded of document.querySelectorAll('details')) folded.open = true
        })
        assert.deepEqual(await violations(page), [], state)
        assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= width, state)
      }
    })

const violations = (page: Page): Promise<string[]> =>
  page.evaluate(async () => {
    type Axe = { run(options: object): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> }
    const { axe } = window as unknown as { axe: Axe }
    const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
    const { violations } = await axe.run({ runOnly: { type: 'tag', values: tags } })
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')}`)
  })

test('the whole way from evidence to verdict can be gone by keyboard', async (t) => {
  if (noBrowser) return t.skip(noBrowser)
  const page = await site.open(t)
  const tabTo = async (id: string): Promise<void> => {
    for (let press = 0; press < 60; press += 1) {
      await page.keyboard.press('Tab')
      if ((await page.evaluate(() => document.activeElement?.id)) === id) return
    }
    assert.fail(`${id} cannot be reached`)
  }
  await tabTo('evidence')
  await page.keyboard.insertText(JSON.stringify(golden.record))
  await tabTo('key-text')
  await page.keyboard.insertText(production.pem)
  await tabTo('key-add')
  await page.keyboard.press('Enter')
  await page.focus('#evidence')
  await tabTo('verify')
  assert.notEqual(await page.evaluate(() => getComputedStyle(document.activeElement!).outlineStyle), 'none')
  await page.keyboard.press('Enter')
  assert.equal((await readReport(page)).verdict, 'PARTIAL')
})

test('every verdict and every status has a shape of its own beside its word', async (t) => {
  if (noBrowser) return t.skip(noBrowser)
  const page = await site.open(t)
  const shapes = new Map<string, string>()
  for (const bring of Object.values(STATES)) {
    await bring(page)
    const seen = await page.$$eval('.checks > li', (items) =>
      items.map((item) => [
        item.className,
        item.querySelector('.status')!.textContent!,
        item.querySelector('svg')!.innerHTML,
      ]),
    )
    for (const [status, word, shape] of seen) {
      assert.equal(word, status)
      assert.equal(shapes.get(status!) ?? shape, shape)
      shapes.set(status!, shape!)
    }
  }
  assert.ok(shapes.size >= 3)
  assert.equal(new Set(shapes.values()).size, shapes.size)
})

test('a digest is short until it is asked for and then whole', async (t) => {
  if (noBrowser) return t.skip(noBrowser)
  const page = await site.open(t)
  await verifyText(page, JSON.stringify(golden.record))
  const digest = page.locator('#report-body .digest').last()
  assert.match((await digest.textContent()) ?? '', /^[0-9a-f]{10}…[0-9a-f]{10}$/)
  await digest.click()
  assert.match((await digest.textContent()) ?? '', /^[0-9a-f]{64}$/)
})
