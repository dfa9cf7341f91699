// HTTP as a hostile or sloppy client speaks it: chosen headers, bytes that are no request, sockets kept open.
import { once as event } from 'node:events'
import { type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { once } from '../src/platform/once.ts'

export interface Answer {
  status: number
  headers: IncomingHttpHeaders
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: what a reply holds is what the test looks at
  json: any
}

export interface Sending {
  method?: string
  headers?: OutgoingHttpHeaders
  body?: string | Uint8Array
  /** Sent in chunks without a Content-Length. */
  chunked?: boolean
}

/** One request on a connection of its own. A body is JSON unless the headers say otherwise. */
export async function send(
  url: string,
  { method = 'GET', headers = {}, body, chunked }: Sending = {},
): Promise<Answer> {
  const length = body === undefined || chunked ? {} : { 'content-length': Buffer.byteLength(body) }
  const type = body === undefined || 'content-type' in headers ? {} : { 'content-type': 'application/json' }
  const outgoing = request(url, { method, agent: false, headers: { ...type, ...length, ...headers } })
  if (body !== undefined && chunked) outgoing.write(body)
  outgoing.end(chunked ? undefined : body)
  const [response] = await event(outgoing, 'response')
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk)
  const text = Buffer.concat(chunks).toString('utf8')
  const json = once(() => parsed(text))
  return {
    ...{ status: response.statusCode, headers: response.headers, text },
    // Parsed when somebody looks: most of a fuzzed service's large replies are never looked into.
    get json() {
      return json()
    },
  }
}

export const post = (url: string, body?: string | Uint8Array, headers: OutgoingHttpHeaders = {}): Promise<Answer> =>
  send(url, { method: 'POST', headers, ...(body === undefined ? {} : { body }) })

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

/** Writes the bytes and returns everything that came back until the other side closed, or `until` is satisfied. */
export async function exchange(
  port: number,
  bytes: string | Uint8Array,
  until: (soFar: string) => boolean = () => false,
): Promise<string> {
  const socket = await dial(port)
  socket.write(bytes)
  const text = await everything(socket, until)
  socket.destroy()
  return text
}

export async function dial(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  // A reset is one of the answers a test may be waiting for; `close` follows it.
  socket.on('error', () => undefined)
  await event(socket, 'connect')
  return socket
}

export function everything(socket: Socket, until: (soFar: string) => boolean = () => false): Promise<string> {
  let text = ''
  return new Promise((resolve) => {
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1')
      if (until(text)) resolve(text)
    })
    socket.on('close', () => resolve(text))
  })
}

/** The status lines in the order they came. */
export const statuses = (raw: string): number[] =>
  [...raw.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map((match) => Number(match[1]))
