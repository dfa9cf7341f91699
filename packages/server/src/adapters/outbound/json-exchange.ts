/** One JSON request to a configured URL. Whoever answers controls every byte, the pace and the length: the deadline, the
 *  size and the form are ours. Nothing that went wrong is told in the other side’s words. */
import http from 'node:http'
import https from 'node:https'
import { BUILD_VERSION, JsonError, parseStrictJson } from '@orch/core'
import { checkedLookup, DestinationDenied, isDeniedLiteral, reachOf } from './addresses.ts'

export type ExchangeFailure =
  | 'TRANSPORT_DISABLED'
  | 'DESTINATION_DENIED'
  | 'TRANSPORT_UNAVAILABLE'
  | 'TLS_INVALID'
  | 'RESPONSE_DEADLINE'
  | 'RESPONSE_TOO_LARGE'
  | 'ENCODED_RESPONSE_DENIED'
  | 'NON_JSON_RESPONSE'
  | 'INVALID_JSON'
  | `UPSTREAM_HTTP_${number}`

export type Exchanged = { ok: true; value: unknown } | { ok: false; code: ExchangeFailure }

export interface ExchangeRequest {
  url: string
  /** GET without, POST with. */
  body?: string
  status: number
  deadlineMs: number
  maxBytes: number
}

export interface OutboundSettings {
  enabled: boolean
  /** Hosts that may resolve to a private address. */
  privateHosts: readonly string[]
}

/** Never rejects for what the other side does. */
export type JsonExchange = (request: ExchangeRequest, signal?: AbortSignal) => Promise<Exchanged>

class Refused extends Error {
  readonly code: ExchangeFailure

  constructor(code: ExchangeFailure) {
    super(code)
    this.code = code
  }
}

export const jsonExchange =
  ({ enabled, privateHosts }: OutboundSettings): JsonExchange =>
  async (request, signal) => {
    if (!enabled) return { ok: false, code: 'TRANSPORT_DISABLED' }
    const limit = AbortSignal.timeout(request.deadlineMs)
    try {
      const bytes = await send(request, privateHosts, signal ? AbortSignal.any([signal, limit]) : limit)
      return { ok: true, value: parseStrictJson(bytes) }
    } catch (error) {
      return { ok: false, code: limit.aborted ? 'RESPONSE_DEADLINE' : codeOf(error) }
    }
  }

function send(request: ExchangeRequest, privateHosts: readonly string[], signal: AbortSignal): Promise<Uint8Array> {
  const url = new URL(request.url)
  const reach = reachOf(url, privateHosts)
  if (isDeniedLiteral(url, reach)) throw new Refused('DESTINATION_DENIED')
  const options: https.RequestOptions = {
    method: request.body === undefined ? 'GET' : 'POST',
    // No agent: a connection is not shared with what was checked under another rule, and no proxy is in between.
    agent: false,
    signal,
    lookup: checkedLookup(reach),
    headers: {
      accept: 'application/json',
      'accept-encoding': 'identity',
      'user-agent': `orch/${BUILD_VERSION}`,
      ...(request.body === undefined ? {} : { 'content-type': 'application/json' }),
    },
  }
  return new Promise((resolve, reject) => {
    const out = (url.protocol === 'https:' ? https : http).request(url, options)
    out.on('error', reject)
    out.on('response', (response) => collect(response, request).then(resolve, reject))
    out.end(request.body)
  })
}

/** A redirect is a status like any other that was not asked for: it is not followed. */
async function collect(response: http.IncomingMessage, { status, maxBytes }: ExchangeRequest): Promise<Uint8Array> {
  const refuse = (code: ExchangeFailure): never => {
    response.destroy()
    throw new Refused(code)
  }
  if (response.statusCode !== status) refuse(`UPSTREAM_HTTP_${response.statusCode ?? 0}`)
  if (!/^application\/(?:json|[a-z0-9.+-]+\+json)\s*(?:;|$)/i.test(response.headers['content-type'] ?? ''))
    refuse('NON_JSON_RESPONSE')
  if ((response.headers['content-encoding'] ?? 'identity') !== 'identity') refuse('ENCODED_RESPONSE_DENIED')
  if (Number(response.headers['content-length'] ?? 0) > maxBytes) refuse('RESPONSE_TOO_LARGE')
  const parts: Buffer[] = []
  let size = 0
  for await (const part of response as AsyncIterable<Buffer>) {
    size += part.length
    if (size > maxBytes) refuse('RESPONSE_TOO_LARGE')
    parts.push(part)
  }
  return Buffer.concat(parts)
}

function codeOf(error: unknown): ExchangeFailure {
  if (error instanceof Refused) return error.code
  if (error instanceof DestinationDenied) return 'DESTINATION_DENIED'
  if (error instanceof JsonError) return 'INVALID_JSON'
  const { code = '' } = error as NodeJS.ErrnoException
  return /CERT|TLS|SSL|SELF_SIGNED/.test(code) ? 'TLS_INVALID' : 'TRANSPORT_UNAVAILABLE'
}
