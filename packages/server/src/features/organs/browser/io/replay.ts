/** The steps of a run once more, in the operator's own browser: with layout, and still without script and without a network.
 *  Every request of the page is answered here, what would get past that meets a proxy that is not there, and the page lives
 *  in a profile of its own that ends with the connection. */
import Type from 'typebox'
import type { Converse, JsonExchange, TextSocket } from '../../../../adapters/outbound/contract.ts'
import { read } from '../../../../platform/shape.ts'
import type { Attachment } from '../../organ.ts'
import type { Replay, ReplayPage, ReplayStep } from '../organ.ts'
import { Cdp, type CdpEvent, shaped } from './cdp.ts'
import { lookAt } from './look-at.ts'

export const REPLAY_MS = 8_000
const FIND = { status: 200, deadlineMs: 1500, maxBytes: 16_384 }
const MAX_BYTES = 4 * 2 ** 20
const MAX_URL = 4096
/** Pauses of 20 ms: for what should come, and for what should not. */
const [PATIENCE, NOTHING_MORE] = [50, 3]
const NO_NETWORK = { proxyServer: 'http://127.0.0.1:1', proxyBypassList: '<-loopback>' }
const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
  'x-dns-prefetch-control': 'off',
}

const Id = Type.String({ minLength: 1, maxLength: 128 })
const Any = Type.Object({})
const Socket = Type.Object({ webSocketDebuggerUrl: Type.String({ maxLength: 512 }) })
const Paused = Type.Object({
  requestId: Id,
  resourceType: Type.String(),
  request: Type.Object({ url: Type.String() }),
})
const Opened = Type.Object({ url: Type.String() })
const Looked = Type.Object({
  result: Type.Object({
    value: Type.Union([
      Type.Null(),
      Type.Object({ seen: Type.Boolean(), x: Type.Number(), y: Type.Number(), checked: Type.Boolean() }),
    ]),
  }),
})

interface RealBrowser {
  url: string
  exchange: JsonExchange
  converse: Converse
}

export const realBrowser =
  (browser: RealBrowser): Replay =>
  async (page, { signal, now }) => {
    // The rest of the address may hold a token.
    const about = { kind: 'replay', source: new URL(browser.url).origin, read_at: new Date(now()).toISOString() }
    const missing = (reason: string): Attachment => ({
      ...about,
      ...{ label: 'UNAVAILABLE', mode: 'unreachable', value: null, reason },
    })
    const found = await socketAddress(browser, signal)
    if (!found.ok) return missing(found.code)
    const limits = { url: found.url, deadlineMs: REPLAY_MS, maxBytes: MAX_BYTES }
    const answer = await browser.converse(limits, (socket) => new Run(socket, page).replay(), signal)
    if (!answer.ok) return missing(answer.code)
    // What the page is and whom it talks to stay made up: the browser alone is real.
    return { ...about, label: 'SIMULATED', mode: 'live', value: answer.value, reason: null }
  }

/** The browser says under which path it listens; where, only the operator says. */
async function socketAddress({ url, exchange }: RealBrowser, signal: AbortSignal) {
  const { origin, pathname, href } = new URL(url)
  if (pathname !== '/') return { ok: true as const, url: href }
  const answer = await exchange({ url: `${origin}/json/version`, ...FIND }, signal)
  if (!answer.ok) return answer
  const shape = read(Socket, answer.value)
  const path = shape.ok ? URL.parse(shape.value.webSocketDebuggerUrl)?.pathname : undefined
  if (path === undefined) return { ok: false as const, code: 'INVALID_SOURCE_SCHEMA' as const }
  return { ok: true as const, url: `${origin}${path}` }
}

class Run {
  readonly #cdp: Cdp
  readonly #page: ReplayPage
  readonly #loaded = Promise.withResolvers<void>()
  #session = ''
  #isServed = false
  /** Where the page went since the step began. */
  #asked: string[] = []

  constructor(socket: TextSocket, page: ReplayPage) {
    this.#page = page
    this.#cdp = new Cdp(socket, (event) => this.#hear(event))
  }

  async replay() {
    const { product } = await this.#cdp.call(Type.Object({ product: Type.String() }), 'Browser.getVersion')
    const browserContextId = await this.#open()
    const steps = []
    for (const step of this.#page.steps) steps.push(await this.#step(step))
    await this.#cdp.call(Any, 'Target.disposeBrowserContext', { browserContextId })
    const agrees = steps.every((step) => step.agrees !== false)
    return { browser: product.slice(0, 128).toWellFormed(), agrees, steps }
  }

  async #open(): Promise<string> {
    const profile = { disposeOnDetach: true, ...NO_NETWORK }
    const made = await this.#cdp.call(Type.Object({ browserContextId: Id }), 'Target.createBrowserContext', profile)
    const size = { width: 1280, height: 720 }
    const target = { url: 'about:blank', ...size, ...made }
    const { targetId } = await this.#cdp.call(Type.Object({ targetId: Id }), 'Target.createTarget', target)
    const attach = { targetId, flatten: true }
    const attached = await this.#cdp.call(Type.Object({ sessionId: Id }), 'Target.attachToTarget', attach)
    this.#session = attached.sessionId
    await this.#cdp.call(Any, 'Browser.setDownloadBehavior', { behavior: 'deny', ...made })
    await this.#call('Fetch.enable', { patterns: [{ urlPattern: '*' }] })
    await this.#call('Page.enable')
    await this.#call('Emulation.setFocusEmulationEnabled', { enabled: true })
    await this.#call('Page.navigate', { url: this.#page.url })
    await this.#cdp.orClosed(this.#loaded.promise)
    return made.browserContextId
  }

  #call(method: string, params: object = {}) {
    return this.#cdp.call(Any, method, params, this.#session)
  }

  #hear({ method, sessionId, params }: CdpEvent): void {
    if (sessionId !== this.#session) return
    if (method === 'Page.loadEventFired') this.#loaded.resolve()
    if (method === 'Page.windowOpen' || method === 'Page.navigatedWithinDocument')
      this.#asked.push(shaped(Opened, params).url)
    if (method !== 'Fetch.requestPaused') return
    const { requestId, resourceType, request } = shaped(Paused, params)
    if (this.#isServed) {
      if (resourceType === 'Document') this.#asked.push(request.url)
      // An aborted navigation leaves the page where it is.
      this.#cdp.tell('Fetch.failRequest', { requestId, errorReason: 'Aborted' }, this.#session)
      return
    }
    this.#isServed = true
    const responseHeaders = Object.entries(HEADERS).map(([name, value]) => ({ name, value }))
    const body = Buffer.from(this.#page.html.toWellFormed()).toString('base64')
    const answer = { requestId, responseCode: 200, responseHeaders, body }
    this.#cdp.tell('Fetch.fulfillRequest', answer, this.#session)
  }

  /** Only what was done is done again: what was refused stays undone. */
  async #step({ do: doing, at, name, value, isDone, url }: ReplayStep) {
    if (!isDone || at === null) return { do: doing, seen: null, url: null, agrees: null }
    const looked = await this.#look(at, name, doing, value)
    const seen = looked?.seen ?? false
    this.#asked = []
    if (looked !== null && seen) await this.#act(doing, value, looked)
    const patience = url === null ? NOTHING_MORE : PATIENCE
    const mayLead = seen && ['click', 'type', 'check'].includes(doing)
    for (let n = 0; mayLead && n < patience && this.#asked.length === 0; n += 1) await this.#pause()
    const led = this.#asked.at(-1) ?? null
    const shown = led?.slice(0, MAX_URL).toWellFormed() ?? null
    return { do: doing, seen, url: shown, agrees: seen && bare(led) === bare(url) }
  }

  async #look(at: number, name: string, doing: string, value: string) {
    const given = JSON.stringify([at, name, doing, value])
    const params = { expression: `(${lookAt.toString()})(...${given})`, returnByValue: true }
    return (await this.#cdp.call(Looked, 'Runtime.evaluate', params, this.#session)).result.value
  }

  async #act(doing: string, value: string, { x, y, checked }: { x: number; y: number; checked: boolean }) {
    if (doing === 'click' || (doing === 'check' && checked !== (value !== 'false'))) {
      const pointer = { x, y, button: 'left', clickCount: 1 }
      await this.#call('Input.dispatchMouseEvent', { type: 'mousePressed', ...pointer })
      await this.#call('Input.dispatchMouseEvent', { type: 'mouseReleased', ...pointer })
    }
    if (doing !== 'type') return
    const [first = '', ...others] = value.split(/\r\n?|\n/)
    if (first !== '') await this.#call('Input.insertText', { text: first })
    for (const line of others) {
      const key = { key: 'Enter', code: 'Enter', windowsVirtualKeyCode: 13 }
      await this.#call('Input.dispatchKeyEvent', { type: 'keyDown', text: '\r', ...key })
      await this.#call('Input.dispatchKeyEvent', { type: 'keyUp', ...key })
      if (line !== '') await this.#call('Input.insertText', { text: line })
    }
  }

  async #pause(): Promise<void> {
    const expression = 'new Promise((done) => setTimeout(done, 20))'
    await this.#call('Runtime.evaluate', { expression, awaitPromise: true })
  }
}

/** A form that sends nothing leaves the question mark. */
const bare = (url: string | null): string | null => url?.replace(/\?$/, '') ?? null
