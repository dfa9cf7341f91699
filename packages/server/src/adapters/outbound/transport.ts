/** One HTTP request to a configured address. Whoever answers controls every byte, the pace and the length: where it goes,
 *  how long it may take and how much is read are ours. A redirect is a status like any other and is not followed. */
import http from 'node:http'
import https from 'node:https'
import { BUILD_VERSION, JsonError } from '@orch/core'
import { checkedLookup, DestinationDenied, isDeniedLiteral, reachOf } from './addresses.ts'
import { type FailureCode, OutboundFault } from './contract.ts'

export interface Outgoing {
  url: string
  /** GET without, POST with. */
  body?: string
  headers: Record<string, string>
  /** A Unix socket of the operator's, in place of the host of the URL. */
  socketPath?: string
  /** Keeps connections of one destination; without it none is shared with what was checked under another rule. */
  agent?: http.Agent
  /** Milliseconds until the connection stands, its encryption included. */
  connectMs?: number
  /** Our public address, where the operator named one: whoever is asked can find out by whom. */
  from?: string | null
  signal: AbortSignal
}

const GONE: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE'])

/** Resolves with the head of the response. No proxy of the environment is ever in between. */
export function openExchange(outgoing: Outgoing, privateHosts: readonly string[]): Promise<http.IncomingMessage> {
  const out = startRequest(outgoing, privateHosts)
  return new Promise((resolve, reject) => {
    out.on('error', (error: NodeJS.ErrnoException) => {
      // The other side had given up a connection that was kept here: it is asked over one that is new, or kept and alive.
      const isGone = out.reusedSocket && GONE.has(error.code ?? '') && !outgoing.signal.aborted
      if (isGone) resolve(openExchange(outgoing, privateHosts))
      else reject(error)
    })
    out.on('response', (response) => {
      failWhenAborted(response, outgoing.signal)
      resolve(response)
    })
    out.end(outgoing.body)
  })
}

/** A request that is not ended yet, to an address that is checked before anything is sent. */
export function startRequest(
  { url: text, body, headers, agent, socketPath, connectMs, from = null, signal }: Outgoing,
  privateHosts: readonly string[],
): http.ClientRequest {
  const url = new URL(text)
  const reach = reachOf(url, privateHosts)
  if (isDeniedLiteral(url, reach)) throw new OutboundFault('DESTINATION_DENIED')
  const options: https.RequestOptions = {
    method: body === undefined ? 'GET' : 'POST',
    agent: agent ?? false,
    signal,
    lookup: checkedLookup(reach),
    ...(socketPath === undefined ? {} : { socketPath }),
    headers: {
      'accept-encoding': 'identity',
      'user-agent': userAgent(from),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
  }
  const out = (url.protocol === 'https:' ? https : http).request(url, options)
  if (connectMs !== undefined) limitConnect(out, url.protocol === 'https:' ? 'secureConnect' : 'connect', connectMs)
  return out
}

/** A body without a length ends with its connection, also with one that is broken off here: whoever reads it must not take
 *  what came so far for all of it. */
function failWhenAborted(response: http.IncomingMessage, signal: AbortSignal): void {
  const fail = () => response.destroy(new DOMException('the exchange was broken off', 'AbortError'))
  signal.addEventListener('abort', fail, { once: true })
  response.once('close', () => signal.removeEventListener('abort', fail))
}

const userAgent = (from: string | null): string =>
  from === null ? `orch/${BUILD_VERSION}` : `orch/${BUILD_VERSION} (+${new URL(from).origin})`

function limitConnect(out: http.ClientRequest, stands: 'connect' | 'secureConnect', ms: number): void {
  const timer = setTimeout(() => out.destroy(new OutboundFault('RESPONSE_DEADLINE')), ms)
  const stop = () => clearTimeout(timer)
  out.on('close', stop)
  out.on('socket', (socket) => socket.once(stands, stop))
}

export const CSV_TYPE = /^(?:text|application)\/csv\s*(?:;|$)/i
export const JSON_TYPE = /^application\/(?:json|[a-z0-9.+-]+\+json)\s*(?:;|$)/i

/** Throws unless the head says what was asked for. */
export function refuseUnfit(
  response: http.IncomingMessage,
  { status, type, maxBytes }: { status: number; type: RegExp; maxBytes: number },
): void {
  const { statusCode, headers } = response
  if (statusCode !== status) refuse(response, `UPSTREAM_HTTP_${statusCode ?? 0}`)
  if (!type.test(headers['content-type'] ?? '')) refuse(response, 'NON_JSON_RESPONSE')
  if ((headers['content-encoding'] ?? 'identity') !== 'identity') refuse(response, 'ENCODED_RESPONSE_DENIED')
  if (Number(headers['content-length'] ?? 0) > maxBytes) refuse(response, 'RESPONSE_TOO_LARGE')
}

function refuse(response: http.IncomingMessage, code: FailureCode): never {
  response.destroy()
  throw new OutboundFault(code)
}

/** The parts of a body as they come, no more than `maxBytes` together. */
export async function* bodyParts(response: http.IncomingMessage, maxBytes: number): AsyncGenerator<Buffer> {
  let size = 0
  for await (const part of response as AsyncIterable<Buffer>) {
    size += part.length
    if (size > maxBytes) refuse(response, 'RESPONSE_TOO_LARGE')
    yield part
  }
}

/** A whole body of no more than `maxBytes`. */
export function wholeBody(response: http.IncomingMessage, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = []
    let size = 0
    response.on('data', (part: Buffer) => {
      size += part.length
      if (size > maxBytes) response.destroy(new OutboundFault('RESPONSE_TOO_LARGE'))
      else parts.push(part)
    })
    response.once('end', () => resolve(parts.length === 1 ? parts[0]! : Buffer.concat(parts)))
    response.once('error', reject)
    // Comes last, and alone where nobody says why the connection ended.
    response.once('close', () => {
      if (!response.readableEnded) reject(new OutboundFault('TRANSPORT_UNAVAILABLE'))
    })
  })
}

/** What went wrong, in our words and never in the other side's. */
export function failureCode(error: unknown): FailureCode {
  if (error instanceof OutboundFault) return error.code
  if (error instanceof DestinationDenied) return 'DESTINATION_DENIED'
  if (error instanceof JsonError) return 'INVALID_JSON'
  const { code = '' } = error as NodeJS.ErrnoException
  return /CERT|TLS|SSL|SELF_SIGNED/.test(code) ? 'TLS_INVALID' : 'TRANSPORT_UNAVAILABLE'
}
