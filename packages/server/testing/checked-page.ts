// A page that fails its test on what a user would never be shown: a console error, an unhandled rejection, a request
// to another origin, a violation of the content security policy, a page that was sent without one.
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'

export interface PageOptions {
  /** Console errors the test provokes on purpose, for example the browser's own line about a 404. */
  expected?: RegExp[]
  context?: BrowserContextOptions
  /** The time of the page can be handed over by `page.clock`. */
  hasClock?: boolean
}

/** Opens a page on `origin`. When the test ends the page is closed and every problem seen makes the test fail. */
export async function newCheckedPage(
  browser: Browser,
  origin: string,
  t: Pick<TestContext, 'after'>,
  options: PageOptions = {},
): Promise<Page> {
  const { page, problems } = await openWatchedPage(browser, origin, options)
  t.after(async () => {
    // A route that is still being answered would end in an error that belongs to no test.
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await page.context().close()
    assert.deepEqual(problems, [], 'the page misbehaved')
  })
  return page
}

/** The same without a verdict: the list fills while the page runs. */
export async function openWatchedPage(
  browser: Browser,
  origin: string,
  { expected = [], context: contextOptions = {}, hasClock = false }: PageOptions = {},
): Promise<{ page: Page; problems: string[] }> {
  const context = await browser.newContext({ baseURL: origin, ...contextOptions })
  const problems: string[] = []
  const note = (text: string) => {
    if (!expected.some((pattern) => pattern.test(text))) problems.push(text)
  }
  const foreign = (url: string) => {
    if (!isOwn(url, origin)) note(`request to another origin: ${url}`)
  }
  await context.addInitScript(reportPolicyViolations)
  context.on('request', (request) => foreign(request.url()))
  context.on('response', (response) => {
    const { 'content-type': type = '', 'content-security-policy': policy } = response.headers()
    if (!response.url().startsWith('http')) return
    if (isOwn(response.url(), origin) && type.startsWith('text/html') && !policy?.includes("default-src 'none'"))
      note(`a page without its policy: ${response.url()}`)
  })
  context.on('console', (message) => {
    if (message.type() === 'error') note(`console error: ${message.text()}`)
  })
  context.on('weberror', (webError) => note(`uncaught: ${webError.error().message}`))
  const page = await context.newPage()
  if (hasClock) await page.clock.install()
  page.on('websocket', (socket) => foreign(socket.url().replace(/^ws/, 'http')))
  page.on('crash', () => note('the page crashed'))
  return { page, problems }
}

// These three carry no byte over the network.
const LOCAL = new Set(['data:', 'blob:', 'about:'])

function isOwn(url: string, origin: string): boolean {
  const parsed = new URL(url)
  return LOCAL.has(parsed.protocol) || parsed.origin === new URL(origin).origin
}

// Runs inside the page. A report-only policy prints no console error, the event fires for both.
function reportPolicyViolations(): void {
  document.addEventListener('securitypolicyviolation', (event) => {
    console.error(`CSP violation: ${event.effectiveDirective} blocked ${event.blockedURI}`)
  })
}
