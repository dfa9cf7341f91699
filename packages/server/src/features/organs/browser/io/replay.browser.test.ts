import assert from 'node:assert/strict'
import { type AddressInfo, createServer as createSocket } from 'node:net'
import { test } from 'node:test'
import { chromiumUnavailable, launchChromium } from '#testing/chromium.ts'
import { startApp } from '#testing/layer.ts'
import { post } from '#testing/raw-http.ts'

const listening = (server: { listen(port: number, host: string, done: () => void): unknown; address(): unknown }) =>
  new Promise<number>((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port))
  })

test('a configured browser does the same steps, and says where it sees something else', async (t) => {
  const reason = chromiumUnavailable()
  if (reason) return t.skip(reason)
  const place = createSocket()
  const port = await listening(place)
  await new Promise((closed) => place.close(closed))
  const browser = await launchChromium([`--remote-debugging-port=${port}`])
  t.after(() => browser.close())
  const [plain, replaying] = await Promise.all([
    startApp(t, { ORCH_STORE: 'memory' }),
    startApp(t, { ORCH_STORE: 'memory', ORCH_ORGAN_N24_CDP: `http://127.0.0.1:${port}` }),
  ])
  const ask = async ({ url }: { url: string }, body: object) =>
    (await post(`${url}/api/orch/v1/organs/N24`, JSON.stringify(body))).json
  const replayOf = async (html: string, actions: object[], more: object = {}) => {
    const answer = await ask(replaying, { html, actions, url: 'https://shop.example/cart', ...more })
    const [{ label, mode, reason, value }] = answer.attachments
    assert.deepEqual([label, mode, reason], ['SIMULATED', 'live', null])
    return value
  }

  const [without, alongside] = [await ask(plain, {}), await ask(replaying, {})]
  assert.deepEqual([without.attachments, without.result_sha256], [[], alongside.result_sha256])
  const [{ value, source, kind }] = alongside.attachments
  assert.deepEqual([kind, source, value.agrees], ['replay', `http://127.0.0.1:${port}`, true])
  assert.match(value.browser, /Chrome/)
  assert.deepEqual(value.steps.at(-1), {
    do: 'click',
    seen: true,
    url: 'https://page.orch.invalid/session',
    agrees: true,
  })
  assert.equal(alongside.evidence_class, 'SIMULATED')

  const search = '<form action="/s"><input name="q" aria-label="Query" value="old"><button>Go</button></form>'
  const typed = await replayOf(search, [{ do: 'type', name: 'Query', value: 'a b\n' }])
  assert.deepEqual([typed.agrees, typed.steps[0].url], [true, 'https://shop.example/s?q=a+b'])

  const controls = `<label><input type="checkbox" name="c" value="1"> Yes</label>
    <form id="f" action="/o"><select name="s" aria-label="Size"><option value="s">Small<option value="l">Large</select></form>
    <a href="/new" target="_blank">New</a><a href="#part">Part</a><button form="f">Go</button>`
  const done = await replayOf(controls, [
    { do: 'check', name: 'Yes' },
    { do: 'check', name: 'Yes' },
    { do: 'select', name: 'Size', value: 'Large' },
    { do: 'extract', name: 'Size' },
    { do: 'click', name: 'Nowhere' },
    { do: 'click', name: 'New' },
    { do: 'click', name: 'Part' },
    { do: 'click', name: 'Go' },
    { do: 'click', name: 'Go' },
  ])
  assert.equal(done.agrees, true)
  assert.deepEqual(
    done.steps.map(({ url, agrees }: { url: string | null; agrees: boolean | null }) => [url, agrees]),
    [
      [null, true],
      [null, true],
      [null, true],
      [null, true],
      [null, null],
      ['https://shop.example/new', true],
      ['https://shop.example/cart#part', true],
      ['https://shop.example/o?s=l', true],
      [null, null],
    ],
  )

  // Layout is what the organ has not: another element lies on top. Names of ours in the markup change nothing.
  const covered = `<button>Go</button><div style="position:fixed;inset:0;background:#eee"></div>
    <form name="querySelectorAll"></form><img name="elementFromPoint">`
  const hidden = await replayOf(covered, [{ do: 'click', name: 'Go' }])
  assert.deepEqual([hidden.agrees, hidden.steps], [false, [{ do: 'click', seen: false, url: null, agrees: false }]])

  // What is blocked is not done there either.
  const foreign = '<form action="https://evil.example/x"><input aria-label="Mail"><button>Go</button></form>'
  const mail = await replayOf(foreign, [{ do: 'type', name: 'Mail', value: 'jane.doe@example.com' }])
  assert.deepEqual(mail.steps, [{ do: 'type', seen: null, url: null, agrees: null }])

  let connections = 0
  const site = createSocket((socket) => {
    connections += 1
    socket.destroy()
  })
  t.after(() => site.close())
  const host = `127.0.0.1:${await listening(site)}`
  const at = `http://${host}`
  const loading = `<link rel="preconnect" href="${at}"><link rel="prefetch" href="${at}/1"><link rel="stylesheet" href="${at}/2">
    <style>@import url(${at}/3); p{background:url(${at}/4)}</style><img src="${at}/5" onerror="document.title='ran'"><p>x</p>
    <script src="${at}/6"></script><script>new WebSocket('ws://127.0.0.1')</script><iframe src="${at}/7"></iframe>
    <object data="${at}/8"></object><video src="${at}/9"></video><a href="/x" ping="/p">Go</a><a href="https://${host}/y" target="_blank">New</a>`
  const quiet = await replayOf(loading, [click('New'), click('Go')], { allow_origins: [`https://${host}`] })
  assert.deepEqual([quiet.agrees, quiet.steps[0].url, connections], [true, `https://${host}/y`, 0])
  const protocol = await browser.newBrowserCDPSession()
  assert.deepEqual((await protocol.send('Target.getBrowserContexts')).browserContextIds, [])
})

const click = (name: string) => ({ do: 'click', name })
