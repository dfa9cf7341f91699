/** The witness over HTTP: C2SP tlog-witness, and the newest checkpoint of a log for whoever wants to compare. */
import { createServer, type IncomingMessage, type Server } from 'node:http'
import { MAX_WITNESS_REQUEST_BYTES, utf8Decode } from '@orch/core'
import type { Witness, WitnessAnswer } from './witness.ts'

const REQUEST_MS = 10_000
const MAX_CONNECTIONS = 512
const NOTE_TYPE = 'text/plain; charset=utf-8'

export function witnessServer(witness: Witness, vkey: string): Server {
  const answer = async (request: IncomingMessage): Promise<WitnessAnswer> => {
    const path = (request.url ?? '').split('?', 1)[0]!
    if (request.method === 'POST' && path === '/add-checkpoint') return addCheckpoint(witness, request)
    if (request.method !== 'GET') return { status: 405, text: 'GET, or POST /add-checkpoint\n' }
    if (path === '/livez') return { status: 200, text: 'alive\n' }
    if (path === '/key') return { status: 200, text: `${vkey}\n` }
    const hash = /^\/checkpoint\/([0-9a-f]{64})$/.exec(path)?.[1]
    const note = hash === undefined ? null : witness.newest(hash)
    return note === null ? { status: 404, text: 'there is no such checkpoint\n' } : { status: 200, text: note }
  }
  const server = createServer({ requestTimeout: REQUEST_MS, headersTimeout: REQUEST_MS }, (request, response) => {
    answer(request)
      .catch((): WitnessAnswer => ({ status: 503, text: 'the checkpoint could not be written down; retry\n' }))
      .then(({ status, text, type = NOTE_TYPE }) => {
        response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' }).end(text)
      })
  })
  server.maxConnections = MAX_CONNECTIONS
  return server
}

async function addCheckpoint(witness: Witness, request: IncomingMessage): Promise<WitnessAnswer> {
  const body = await bodyOf(request)
  if (body === null) return { status: 413, text: `at most ${MAX_WITNESS_REQUEST_BYTES} bytes are read\n` }
  const text = utf8Decode(body)
  if (text === null) return { status: 400, text: 'the request is not UTF-8\n' }
  return witness.add(text, offeredKey(request))
}

/** The rest of a body that is too large is not kept; the connection ends with the answer. */
async function bodyOf(request: IncomingMessage): Promise<Uint8Array | null> {
  const parts: Buffer[] = []
  let size = 0
  try {
    for await (const part of request as AsyncIterable<Buffer>) {
      size += part.length
      if (size > MAX_WITNESS_REQUEST_BYTES) return null
      parts.push(part)
    }
  } catch {
    return null
  }
  return Buffer.concat(parts)
}

function offeredKey({ headers }: IncomingMessage): string | null {
  const value = headers['x-orch-log-key']
  try {
    return typeof value === 'string' ? decodeURIComponent(value) : null
  } catch {
    return null
  }
}
