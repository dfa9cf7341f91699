import { createInterface } from 'node:readline'
import { command, SERVICE_FLAGS } from '../command.ts'
import { EXIT } from '../exit.ts'
import { connect } from '../service.ts'

const PROTOCOL_VERSION = 'io.modelcontextprotocol/protocolVersion'
const [PARSE_ERROR, SERVICE_ERROR] = [-32700, -32000]
const TIMEOUT_MS = 30_000

type Json = Record<string, unknown>
type Forward = (message: Json) => Promise<Json | null>

/** The service answers; this only carries messages, one to a line, so that nothing is decided in two places. */
export default command({
  name: 'mcp',
  summary: 'Serve the tools of the service over stdin and stdout (Model Context Protocol)',
  usage: '',
  flags: SERVICE_FLAGS,
  example: `echo '{"jsonrpc":"2.0","id":1,"method":"tools/list"}' | orch mcp`,
  async run({ settings, terminal, signal }) {
    const { baseUrl } = connect(settings)
    const token = settings.get('token')?.value
    const forward = forwarder(`${baseUrl}/api/orch/v1/mcp`, token, signal)
    const pending = new Set<Promise<void>>()
    for await (const line of createInterface({ input: process.stdin, signal })) {
      if (line.trim() === '') continue
      const answering = answer(line, forward).then(async (reply) => {
        if (reply !== null) await terminal.out(`${JSON.stringify(reply)}\n`)
      })
      pending.add(answering)
      void answering.finally(() => pending.delete(answering))
    }
    await Promise.all(pending)
    return EXIT.done
  },
})

/** A message without an id gets no answer, whatever came of it. */
async function answer(line: string, forward: Forward): Promise<Json | null> {
  const message = parsed(line)
  if (message === null) return failure(null, PARSE_ERROR, 'a line must hold one JSON object')
  const { id } = message
  try {
    const reply = await forward(message)
    return id === undefined ? null : (reply ?? failure(id, SERVICE_ERROR, 'the service gave no answer'))
  } catch (error) {
    return id === undefined ? null : failure(id, SERVICE_ERROR, (error as Error).message)
  }
}

function parsed(line: string): Json | null {
  try {
    const value: unknown = JSON.parse(line)
    return value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as Json) : null
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}

const failure = (id: unknown, code: number, message: string): Json => ({ jsonrpc: '2.0', id, error: { code, message } })

const forwarder =
  (url: string, token: string | undefined, signal: AbortSignal): Forward =>
  async (message) => {
    const response = await fetch(url, {
      method: 'POST',
      // A redirect would carry the message, and perhaps the token, to wherever the answer says.
      redirect: 'error',
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...protocolHeaders(message),
      },
      body: JSON.stringify(message),
    })
    const text = await response.text()
    const body = text === '' ? null : parsed(text)
    if (body === null || 'jsonrpc' in body) return body
    const { error } = body as { error?: { code?: string; message?: string } }
    throw new Error(
      `HTTP status ${response.status}${error?.code === undefined ? '' : ` ${error.code}: ${error.message}`}`,
    )
  }

/** Over HTTP a message of the newer revisions says in headers what its body says: proxies route by them. */
function protocolHeaders({ method, params }: Json): Record<string, string> {
  const { _meta, name, uri } = (params ?? {}) as { _meta?: Json; name?: unknown; uri?: unknown }
  const version = _meta?.[PROTOCOL_VERSION]
  if (typeof version !== 'string' || typeof method !== 'string') return {}
  const named = name ?? uri
  return {
    'mcp-protocol-version': version,
    'mcp-method': method,
    ...(typeof named === 'string' ? { 'mcp-name': headerValue(named) } : {}),
  }
}

const headerValue = (text: string): string =>
  /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !text.startsWith('=?')
    ? text
    : `=?base64?${Buffer.from(text).toString('base64')}?=`
