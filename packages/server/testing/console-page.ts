// The console as a reader has it, in a real Chromium: one browser for a file of tests, pages that fail on what a reader
// would never be shown, and the checks that hold for every page.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, type TestContext } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { newCheckedPage, type PageOptions } from './checked-page.ts'
import { chromiumUnavailable, launchChromium } from './chromium.ts'

interface ConsolePages {
  /** Why no browser can be started here, for `t.skip`. */
  readonly noBrowser: string | undefined
  /** `path` is below /console/. */
  open(t: Pick<TestContext, 'after'>, origin: string, path: string, options?: PageOptions): Promise<Page>
}

/** Call it once, at the top of the file. */
export function consolePages(): ConsolePages {
  const noBrowser = chromiumUnavailable()
  let browser: Browser | undefined
  before(async () => {
    if (!noBrowser) browser = await launchChromium()
  })
  after(async () => browser?.close())
  return {
    noBrowser,
    async open(t, origin, path, options) {
      const page = await newCheckedPage(browser!, origin, t, options)
      await page.goto(`${origin}/console/${path}`)
      return page
    },
  }
}

const AXE = readFileSync(new URL('../../../node_modules/axe-core/axe.min.js', import.meta.url), 'utf8')

/** No rule of WCAG 2.2 A and AA is broken, landmarks have names of their own, nothing scrolls sideways, on a phone what is
 *  folded and linked is large enough to touch, and every value has its label. */
export async function assertSound(page: Page): Promise<void> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(AXE)
  // What the header that stays in place covers while a page is scrolled counts as too small to touch.
  await page.evaluate(() => scrollTo(0, 0))
  assert.deepEqual(await violations(page), [])
  const [wide, shown] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth] as const)
  assert.ok(wide <= shown, `the page is ${wide} px wide in a window of ${shown} px`)
  assert.deepEqual(await smallTargets(page), [])
  assert.equal(await page.locator('[data-label="unlabelled"]').count(), 0)
}

/** What opens, leads to a receipt or narrows a list, and is lower than 44 px or narrower than 24 px on a phone. */
const smallTargets = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    if (innerWidth > 640) return []
    const targets = document.querySelectorAll<HTMLElement>('summary, .chip, .pick, .foot a')
    return [...targets]
      .filter((target) => target.checkVisibility())
      .map((target) => ({ target, size: target.getBoundingClientRect() }))
      .filter(({ size }) => size.height < 44 || size.width < 24)
      .map(({ target, size }) => `${target.outerHTML.slice(0, 80)} is ${size.width} by ${size.height} px`)
  })

const violations = (page: Page): Promise<string[]> =>
  page.evaluate(async () => {
    type Axe = { run(options: object): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> }
    const { axe } = window as unknown as { axe: Axe }
    const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']
    const { violations } = await axe.run({
      runOnly: { type: 'tag', values: tags },
      resultTypes: ['violations'],
      rules: { 'landmark-unique': { enabled: true } },
    })
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`)
  })

/** The page as it stands, in both themes at both widths. */
export async function assertSoundInEveryLook(page: Page): Promise<void> {
  for (const { colorScheme, viewport } of LOOKS) {
    await page.emulateMedia({ colorScheme })
    await page.setViewportSize(viewport)
    await page.evaluate(() =>
      Promise.all(
        document
          .getAnimations()
          .filter((one) => one instanceof CSSTransition)
          .map(({ finished }) => finished.catch(() => undefined)),
      ),
    )
    await assertSound(page)
  }
}

/** Both themes at the width of a phone and of a desk. */
export const LOOKS = (['light', 'dark'] as const).flatMap((colorScheme) =>
  [360, 1280].map((width) => ({ colorScheme, viewport: { width, height: 900 } })),
)
