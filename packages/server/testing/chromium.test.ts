import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { newCheckedPage, openWatchedPage } from './checked-page.ts'
import { browserSource, chromiumUnavailable, launchChromium } from './chromium.ts'

const POLICY = "default-src 'none'; script-src 'self'; img-src * data:"

async function serve(t: TestContext, body: string, script = '', policy = POLICY): Promise<string> {
  const server = createServer((request, reply) => {
    if (request.url === '/') reply.setHeader('content-security-policy', policy)
    reply.setHeader('content-type', request.url === '/script.js' ? 'text/javascript' : 'text/html')
    reply.end(request.url === '/script.js' ? script : `<!doctype html><link rel=icon href=data:,>${body}`)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

test('Chromium renders a page from 127.0.0.1 and every kind of misbehaviour is noticed', async (t) => {
  const reason = chromiumUnavailable()
  if (reason) return t.skip(reason)
  const browser = await launchChromium()
  t.after(() => browser.close())

  await t.test('a clean page passes', async (t) => {
    const page = await newCheckedPage(browser, await serve(t, '<h1>orch</h1>'), t)
    await page.goto('/')
    assert.equal(await page.textContent('h1'), 'orch')
    assert.equal(await page.evaluate(() => 1 + 1), 2)
  })

  const planted: [name: string, body: string, script: string, expected: RegExp][] = [
    ['a console error', '<script src=/script.js></script>', 'console.error("boom")', /console error: boom/],
    [
      'an unhandled rejection',
      '<script src=/script.js></script>',
      'Promise.reject(new Error("lost"))',
      /uncaught: lost/,
    ],
    [
      'a request to another origin',
      '<img src="http://127.0.0.1:9/x.png">',
      '',
      /another origin: http:\/\/127\.0\.0\.1:9/,
    ],
    ['a policy violation', '<script>document.title = "inline"</script>', '', /CSP violation: script-src-elem/],
  ]
  for (const [name, body, script, expected] of planted) {
    await t.test(`${name} is named`, async (t) => {
      const { page, problems } = await openWatchedPage(browser, await serve(t, body, script))
      await page.goto('/')
      await page.waitForTimeout(200)
      await page.context().close()
      assert.match(problems.join('\n'), expected)
    })
  }

  await t.test('2h a page that is sent without its policy is named', async (t) => {
    const origin = await serve(t, '<h1>orch</h1>', '', 'img-src data:')
    const { page, problems } = await openWatchedPage(browser, origin)
    await page.goto('/')
    await page.context().close()
    assert.deepEqual(problems, [`a page without its policy: ${origin}/`])
  })

  await t.test('the verdict falls when the test ends, unless the problem was expected', async (t) => {
    const origin = await serve(t, '<script src=/script.js></script>', 'console.error("boom")')
    const cleanups: (() => Promise<void>)[] = []
    const later = { after: (end: () => Promise<void>) => cleanups.push(end) } as unknown as TestContext
    for (const expected of [[], [/boom/]]) {
      const page = await newCheckedPage(browser, origin, later, { expected })
      await page.goto('/')
      await page.waitForTimeout(200)
    }
    await assert.rejects(cleanups[0]!(), /the page misbehaved/)
    await assert.doesNotReject(cleanups[1]!())
  })
})

test('a browser named by the environment wins, a wrong name is said aloud, and none at all is a reason to skip', () => {
  assert.deepEqual(browserSource({ ORCH_CHROMIUM: process.execPath }), { kind: 'path', path: process.execPath })
  assert.match(JSON.stringify(browserSource({ ORCH_CHROMIUM: '/nowhere' })), /SKIPPED: ORCH_CHROMIUM=\/nowhere/)
  assert.match(
    JSON.stringify(browserSource({ PATH: '' }, 'linux-riscv64')),
    /SKIPPED: no Chromium package for linux-riscv64/,
  )
  assert.deepEqual(browserSource({ PATH: '' }, 'linux-x64'), { kind: 'package' })
})
