// One fuzzed request on the wire and what came of it.
import { once } from 'node:events'
import { Agent, type ClientRequest, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import type { Fuzzed } from './requests.ts'

export interface Outcome {
  /** Null where the connection ended without an answer. */
  status: number | null
  headers: IncomingHttpHeaders
  text: string
  ms: number
  /** A stream that was opened and closed, or a request that was called off: what there is of it is not the whole. */
  partial: boolean
}

export interface Wire {
  port: number
  agent: Agent
  /** After this the client gives up. */
  patienceMs: number
}

export const openWire = (port: number, patienceMs: number, connections: number): Wire => ({
  port,
  patienceMs,
  agent: new Agent({ keepAlive: true, maxSockets: connections }),
})

export async function deliver(fuzzed: Fuzzed, wire: Wire): Promise<Outcome> {
  const started = performance.now()
  const got = fuzzed.raw === null ? await deliverHttp(fuzzed, wire) : await deliverRaw(fuzzed, wire)
  return { ...got, ms: performance.now() - started }
}

type Got = Omit<Outcome, 'ms'>
const NOTHING: Got = { status: null, headers: {}, text: '', partial: false }

/** How long an open stream is listened to. */
const STREAM_MS = 40

async function deliverHttp(fuzzed: Fuzzed, { port, agent, patienceMs }: Wire): Promise<Got> {
  const { method, path, query, body, chunked } = fuzzed
  // A GET with a body is framed by nobody else: its bytes would be read as the next request of the connection.
  const framing = chunked ? { 'transfer-encoding': 'chunked' } : { 'content-length': String(body?.length ?? 0) }
  const headers = { ...(body ? { 'content-type': 'application/json', ...framing } : {}), ...fuzzed.headers }
  const target = query === '' ? path : `${path}?${query}`
  const outgoing = request({ host: '127.0.0.1', port, agent, method, path: target, headers })
  // What breaks after the answer, or after nobody waits for it any more, is told to nobody.
  outgoing.on('error', () => undefined)
  try {
    if (body) outgoing.write(body)
    if (fuzzed.kind === 'cut') return await cutOff(outgoing)
    outgoing.end()
    const [response] = await once(outgoing, 'response', { signal: AbortSignal.timeout(patienceMs) })
    return await read(response as IncomingMessage, fuzzed.target.streams, patienceMs)
  } catch (error) {
    outgoing.destroy()
    if (isBroken(error)) return NOTHING
    throw error
  }
}

/** A client that leaves while it is being served. */
async function cutOff(outgoing: ClientRequest): Promise<Got> {
  outgoing.end()
  await new Promise((resolve) => setTimeout(resolve, 2))
  outgoing.destroy()
  return { ...NOTHING, partial: true }
}

async function read(response: IncomingMessage, streams: boolean, patienceMs: number): Promise<Got> {
  const { statusCode = null, headers } = response
  const stream = streams || String(headers['content-type']).startsWith('text/event-stream')
  const endless = stream && statusCode === 200
  const chunks: Buffer[] = []
  const over = setTimeout(() => response.destroy(), endless ? STREAM_MS : patienceMs)
  try {
    for await (const chunk of response) chunks.push(chunk)
  } catch (error) {
    if (!isBroken(error)) throw error
    if (!endless) return NOTHING
  } finally {
    clearTimeout(over)
  }
  return { status: statusCode, headers, text: Buffer.concat(chunks).toString('utf8'), partial: endless }
}

const BROKEN = new Set(['ECONNRESET', 'EPIPE', 'ABORT_ERR', 'ERR_STREAM_PREMATURE_CLOSE'])
const isBroken = (error: unknown): boolean => {
  const { code } = error as NodeJS.ErrnoException
  return code !== undefined && (BROKEN.has(code) || code.startsWith('HPE_'))
}

function deliverRaw({ raw, whole }: Fuzzed, { port, patienceMs }: Wire): Promise<Got> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    const socket = connect(port, '127.0.0.1')
    const over = setTimeout(() => socket.destroy(), patienceMs)
    // A reset is one of the answers; `close` follows it.
    socket.on('error', () => undefined)
    socket.on('data', (chunk) => chunks.push(Buffer.from(chunk)))
    socket.on('close', () => {
      clearTimeout(over)
      resolve(readRaw(Buffer.concat(chunks).toString('latin1')))
    })
    socket.write(raw ?? '', 'latin1')
    if (!whole) socket.end()
  })
}

function readRaw(text: string): Got {
  const status = /^HTTP\/1\.1 (\d{3})/.exec(text)?.[1]
  return { ...NOTHING, status: status === undefined ? null : Number(status), text, partial: true }
}

/** A line of JSON after another is of another type, whose name begins the same. */
export const isJson = (headers: IncomingHttpHeaders): boolean =>
  headers['content-type']?.split(';', 1)[0] === 'application/json'
