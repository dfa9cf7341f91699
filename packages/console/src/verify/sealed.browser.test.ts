// What the page cannot do, even when a script inside it is made to try.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { newCheckedPage } from '@orch/server/testing/checked-page.ts'
import { chromiumUnavailable, launchChromium } from '@orch/server/testing/chromium.ts'
import type { Browser } from 'playwright-core'
import { buildVerifyPage } from '../../build-pages.ts'

const noBrowser = chromiumUnavailable()
const { html } = await buildVerifyPage()
const script = /<script>([\s\S]*)<\/script>/.exec(html)![1]!
const arrived: string[] = []
// Without a header: the policy inside the page has to be enough, as it is for a file on disk.
const server = createServer((request, reply) => {
  arrived.push(request.url!)
  reply.setHeader('content-type', 'text/html; charset=utf-8').end(html)
})
let browser: Browser
let origin = ''
before(async () => {
  if (noBrowser) return
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  browser = await launchChromium()
})
after(async () => {
  await browser?.close()
  server.close()
})

// Each runs inside the page and tries to get a byte out or a foreign script in.
const ATTEMPTS: Record<string, [directive: string, attempt: () => unknown]> = {
  fetch: ['connect-src', () => fetch('/out').catch(() => null)],
  XMLHttpRequest: [
    'connect-src',
    () => {
      const request = new XMLHttpRequest()
      request.open('GET', '/out')
      request.send()
    },
  ],
  WebSocket: ['connect-src', () => void new WebSocket(`ws://${location.host}/out`)],
  EventSource: ['connect-src', () => void new EventSource('/out')],
  sendBeacon: ['connect-src', () => navigator.sendBeacon('/out', 'secret')],
  'an image': ['img-src', () => Object.assign(new Image(), { src: '/out' })],
  'a form': [
    'form-action',
    () => {
      const form = document.createElement('form')
      form.action = '/out'
      document.body.append(form)
      form.submit()
    },
  ],
  'a frame': [
    'frame-src',
    () => document.body.append(Object.assign(document.createElement('iframe'), { src: '/out' })),
  ],
  'a style sheet': [
    'style-src-elem',
    () => document.head.append(Object.assign(document.createElement('link'), { rel: 'stylesheet', href: '/out' })),
  ],
  'a foreign script': [
    'script-src-elem',
    () => document.head.append(Object.assign(document.createElement('script'), { src: '/out' })),
  ],
  'an inline script': [
    'script-src-elem',
    () => document.head.append(Object.assign(document.createElement('script'), { textContent: 'window.pwned = 1' })),
  ],
  'an event handler in markup': [
    'script-src-attr',
    () => {
      document.body.insertAdjacentHTML('beforeend', '<p onclick="window.pwned = 1">x</p>')
      ;(document.body.lastElementChild as HTMLElement).click()
    },
  ],
  'a worker': ['worker-src', () => void new Worker(URL.createObjectURL(new Blob(['1'])))],
  'a base address': [
    'base-uri',
    () => document.head.append(Object.assign(document.createElement('base'), { href: 'http://127.0.0.1:9/' })),
  ],
}

for (const [name, [directive, attempt]] of Object.entries(ATTEMPTS))
  test(`3b: ${name} forced onto the page is blocked by its policy`, async (t) => {
    if (noBrowser) return t.skip(noBrowser)
    const page = await newCheckedPage(browser, origin, t, {
      expected: [/CSP violation|Content Security Policy|without its policy/],
    })
    await page.goto('/')
    arrived.length = 0
    const blocked = page.evaluate(
      () =>
        new Promise<string>((resolve) => {
          document.addEventListener('securitypolicyviolation', (event) => resolve(event.effectiveDirective))
          setTimeout(() => resolve('nothing was blocked'), 5000)
        }),
    )
    // A refusal by exception is a refusal too; the violation is what counts.
    await page.evaluate(`(() => { try { (${attempt})() } catch (error) { console.info(String(error)) } })()`)
    assert.equal(await blocked, directive)
    assert.equal(await page.evaluate(() => 'pwned' in window), false)
    assert.deepEqual(arrived, [])
  })

const NAVIGATION: Record<string, RegExp> = {
  'an assignment to location': /\blocation(?:\.(?:href|hash|search|pathname|host|port|protocol))?\s*=[^=]/,
  'a method of location': /\blocation\.(?:assign|replace|reload)\b/,
  'a new window': /\bopen\s*\(/,
  'the history or navigation interface': /\b(?:history|navigation)\.\w/,
  'a script address': /javascript:/i,
  'a form that is sent': /\.(?:submit|requestSubmit)\s*\(/,
  'markup made of data': /\.(?:innerHTML|outerHTML|insertAdjacentHTML|srcdoc)\b|\bdocument\.write/,
  'a request': /\bfetch\s*\(|XMLHttpRequest|WebSocket|EventSource|sendBeacon|RTCPeerConnection|\bimport\s*\(/,
  'code made of text': /\beval\s*\(|\bnew Function\b|\bFunction\s*\(/,
}
for (const [name, pattern] of Object.entries(NAVIGATION))
  test(`3b: the script of the page holds no trace of ${name}`, () => {
    assert.ok(script.length > 50_000)
    assert.equal(pattern.exec(script)?.[0] ?? null, null)
  })

test('3b: the one link the script follows is a download it made itself', () => {
  assert.equal([...script.matchAll(/\.click\(\)/g)].length, 1)
  assert.match(script, /createObjectURL\(\w+\);\w+\("a",\{href:\w+,download:"verification-report\.json"\}\)\.click\(\)/)
})
