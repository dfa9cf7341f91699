/** The head of a reply, within the limits of time and on the origin that was asked. */
import type { IncomingMessage } from 'node:http'
import { parseStrictJson } from '@orch/core'
import { type Converse, type ExchangeRequest, type JsonExchange, OutboundFault, type Provider } from './contract.ts'
import { openSocket } from './socket.ts'
import { bodyParts, failureCode, JSON_TYPE, openExchange, refuseUnfit } from './transport.ts'

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

export function openWire({ privateHosts, from = null }: Omit<OutboundSettings, 'enabled'>, times: Times) {
  const open = async ({ provider, accept }: Target, signal: AbortSignal, url: URL): Promise<IncomingMessage> => {
    const late = new AbortController()
    const timer = setTimeout(() => late.abort(), times.firstByteMs)
    const headers = { accept, ...provider.headers }
    const limit = AbortSignal.any([signal, late.signal])
    try {
      const { connectMs } = times
      return await openExchange({ url: url.href, headers, connectMs, from, signal: limit }, privateHosts)
    } catch (error) {
      throw late.signal.aborted ? new OutboundFault('RESPONSE_DEADLINE') : error
    } finally {
      clearTimeout(timer)
    }
  }
  return {
    open: (target: Target, signal: AbortSignal) => open(target, signal, target.url),
    /** A credential travels with the request, so a redirect may lead nowhere but to the same origin, and not for long. */
    async follow(target: Target, signal: AbortSignal): Promise<IncomingMessage> {
      let at = target.url
      for (let hops = 0; ; hops++) {
        const response = await open(target, signal, at)
        if (!REDIRECTS.has(response.statusCode ?? 0)) return response
        response.destroy()
        const next = URL.parse(response.headers.location ?? '', at)
        const isSame = next !== null && next.origin === target.url.origin && next.username + next.password === ''
        if (!isSame || hops === MAX_REDIRECTS) throw new OutboundFault('REDIRECT_DENIED')
        at = next
      }
    },
  }
}

export interface OutboundSettings {
  enabled: boolean
  /** Hosts that may resolve to a private address. */
  privateHosts: readonly string[]
  /** Our public address, sent to whoever is asked, where the operator named one. */
  from?: string | null
}

export const jsonExchange =
  ({ enabled, ...settings }: OutboundSettings): JsonExchange =>
  async (request, signal) => {
    if (!enabled) return { ok: false, code: 'TRANSPORT_DISABLED' }
    const limit = AbortSignal.timeout(request.deadlineMs)
    try {
      const bytes = await send(request, settings, signal ? AbortSignal.any([signal, limit]) : limit)
      return { ok: true, value: parseStrictJson(bytes) }
    } catch (error) {
      return { ok: false, code: limit.aborted ? 'RESPONSE_DEADLINE' : failureCode(error) }
    }
  }

export const conversation =
  ({ enabled, privateHosts, from = null }: OutboundSettings): Converse =>
  async ({ url, deadlineMs, maxBytes }, work, signal) => {
    if (!enabled) return { ok: false, code: 'TRANSPORT_DISABLED' }
    const limit = AbortSignal.timeout(deadlineMs)
    const asked = { url, from, signal: signal ? AbortSignal.any([signal, limit]) : limit }
    let close = (): void => undefined
    try {
      const socket = await openSocket(asked, privateHosts, maxBytes)
      close = socket.close
      return { ok: true, value: await work(socket) }
    } catch (error) {
      return { ok: false, code: limit.aborted ? 'RESPONSE_DEADLINE' : failureCode(error) }
    } finally {
      close()
    }
  }

async function send(
  { url, body, headers, status, maxBytes }: ExchangeRequest,
  { privateHosts, from = null }: Omit<OutboundSettings, 'enabled'>,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const asked = { url, headers: { accept: 'application/json', ...headers }, from, signal }
  const response = await openExchange(body === undefined ? asked : { ...asked, body }, privateHosts)
  refuseUnfit(response, { status, type: JSON_TYPE, maxBytes })
  return Buffer.concat(await Array.fromAsync(bodyParts(response, maxBytes)))
}
