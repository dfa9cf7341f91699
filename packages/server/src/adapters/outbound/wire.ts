/** The head of a reply, within the limits of time and on the origin that was asked. */
import type { IncomingMessage } from 'node:http'
import { OutboundFault, type Provider } from './contract.ts'
import type { OutboundSettings } from './json-exchange.ts'
import { openExchange } from './transport.ts'

const MAX_REDIRECTS = 2
const REDIRECTS = new Set([301, 302, 303, 307, 308])

export interface Times {
  connectMs: number
  firstByteMs: number
  /** Of the whole exchange, its redirects and its body included. */
  wholeMs: number
}
export const TIMES: Times = { connectMs: 3_000, firstByteMs: 6_000, wholeMs: 12_000 }

/** One request that may be sent. */
export interface Target {
  provider: Provider
  url: URL
  accept: string
  deadlineMs: number
  unauthorizedIsAnswer: boolean
}

export class Wire {
  readonly #settings: Omit<OutboundSettings, 'enabled'>
  readonly #times: Times

  constructor(settings: Omit<OutboundSettings, 'enabled'>, times: Times) {
    this.#settings = settings
    this.#times = times
  }

  async open(
    { provider, accept, url: first }: Target,
    signal: AbortSignal,
    url: URL = first,
  ): Promise<IncomingMessage> {
    const { privateHosts, from = null } = this.#settings
    const { connectMs, firstByteMs } = this.#times
    const late = new AbortController()
    const timer = setTimeout(() => late.abort(), firstByteMs)
    const headers = { accept, ...provider.headers }
    const limit = AbortSignal.any([signal, late.signal])
    try {
      return await openExchange({ url: url.href, headers, connectMs, from, signal: limit }, privateHosts)
    } catch (error) {
      throw late.signal.aborted ? new OutboundFault('RESPONSE_DEADLINE') : error
    } finally {
      clearTimeout(timer)
    }
  }

  /** A credential travels with the request, so a redirect may lead nowhere but to the same origin, and not for long. */
  async follow(target: Target, signal: AbortSignal): Promise<IncomingMessage> {
    let at = target.url
    for (let hops = 0; ; hops++) {
      const response = await this.open(target, signal, at)
      if (!REDIRECTS.has(response.statusCode ?? 0)) return response
      response.destroy()
      const next = URL.parse(response.headers.location ?? '', at)
      if (next === null || next.origin !== target.url.origin || hops === MAX_REDIRECTS)
        throw new OutboundFault('REDIRECT_DENIED')
      at = next
    }
  }
}
