// The verifier page as a reader has it, saved to disk, and a real Chromium to open it in: for one file of tests.
import { rmSync } from 'node:fs'
import { after, before, type TestContext } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { newCheckedPage, type PageOptions } from './checked-page.ts'
import { chromiumUnavailable, launchChromium } from './chromium.ts'
import { savePage } from './page-driver.ts'
import { freshFolder } from './private-folder.ts'

interface VerifyPage {
  /** Why no browser can be started here, for `t.skip`. */
  readonly noBrowser: string | undefined
  /** Where the page lies; gone when the tests have ended. */
  readonly folder: string
  /** Known once the tests run. */
  readonly address: string
  /** A page that went nowhere yet. */
  blank(t: Pick<TestContext, 'after'>, options?: PageOptions): Promise<Page>
  open(t: Pick<TestContext, 'after'>, options?: PageOptions): Promise<Page>
}

/** Call it once, at the top of the file: it saves the page before its tests and removes it after them. */
export function verifyPage(name: string): VerifyPage {
  const noBrowser = chromiumUnavailable()
  const folder = freshFolder(name)
  let browser: Browser | undefined
  let address = ''
  before(async () => {
    address = await savePage(folder)
    if (!noBrowser) browser = await launchChromium()
  })
  after(async () => {
    await browser?.close()
    rmSync(folder, { recursive: true, force: true })
  })
  const blank: VerifyPage['blank'] = (t, options) => newCheckedPage(browser!, address, t, options)
  return {
    noBrowser,
    folder,
    get address() {
      return address
    },
    blank,
    async open(t, options) {
      const page = await blank(t, options)
      await page.goto(address)
      return page
    },
  }
}
