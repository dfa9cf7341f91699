/** The tools behind the protocol: one server for each exchange, in this process or over HTTP, in both revisions. */
import { setImmediate as turnOfLoop } from 'node:timers/promises'
import type { JSONRPCMessage, Server } from '@modelcontextprotocol/server'
import { once } from '../../../../platform/once.ts'
import type { ProtocolSession, Revision, ToolHost } from '../tools.ts'

const INFO = { name: 'orch', version: '1.0.0' }
const INVALID_PARAMS = -32602
const FORWARDED = /^(?:accept|mcp-[a-z-]+)$/

/** What the library builds while it loads takes tenths of a second: it is loaded in pieces, with turns of the event loop
 *  between them, by whoever speaks the protocol first. */
export const loadProtocol = once(async () => {
  await import('zod/v4/core')
  await turnOfLoop()
  await import('zod/v4')
  await turnOfLoop()
  const { serveStdio } = await import('@modelcontextprotocol/server/stdio')
  await turnOfLoop()
  return { ...(await import('@modelcontextprotocol/server')), serveStdio }
})
type Library = Awaited<ReturnType<typeof loadProtocol>>

function toolServer({ Server: McpServer, ProtocolError, inputRequired }: Library, host: ToolHost): Server {
  const server = new McpServer(INFO, { capabilities: { tools: {} } })
  server.setRequestHandler('tools/list', async () => ({ tools: (await host.tools()).map(toWire) }))
  server.setRequestHandler('tools/call', async ({ params }) => {
    const reply = await host.call(params.name, params.arguments ?? {})
    if (reply.kind === 'invalid') throw new ProtocolError(INVALID_PARAMS, reply.message)
    if (reply.kind === 'review')
      return inputRequired({
        inputRequests: { approval: inputRequired.elicit({ message: reply.message, requestedSchema: APPROVAL }) },
      })
    const content = [
      { type: 'text' as const, text: reply.kind === 'output' ? JSON.stringify(reply.output) : reply.message },
    ]
    const meta = reply.meta === undefined ? {} : { _meta: reply.meta }
    return reply.kind === 'output'
      ? { content, structuredContent: reply.output, ...meta }
      : { content, isError: true, ...meta }
  })
  return server
}

const APPROVAL = { type: 'object' as const, properties: { approve: { type: 'boolean' as const } } }

type WireSchema = { type: 'object' }
const toWire = ({ name, description, inputSchema, outputSchema }: Awaited<ReturnType<ToolHost['tools']>>[number]) => ({
  name,
  description,
  inputSchema: inputSchema as WireSchema,
  ...(outputSchema === null ? {} : { outputSchema: outputSchema as WireSchema }),
})

/** A client and a server in this process that exchange JSON-RPC messages; everything said is in the transcript. */
export async function openSession(host: ToolHost, revision: Revision): Promise<ProtocolSession> {
  const loaded = await loadProtocol()
  const [near, far] = loaded.InMemoryTransport.createLinkedPair()
  const served = loaded.serveStdio(() => toolServer(loaded, host), { transport: far })
  const transcript: ProtocolSession['transcript'] = []
  const waiting = new Map<unknown, (message: JSONRPCMessage) => void>()
  near.onmessage = (message) => {
    transcript.push({ from: 'server', message: message as Record<string, unknown> })
    waiting.get('id' in message ? message.id : undefined)?.(message)
  }
  await near.start()
  const send = async (message: Record<string, unknown>): Promise<void> => {
    transcript.push({ from: 'client', message })
    await near.send(message as JSONRPCMessage)
  }
  let id = 0
  const request = async (method: string, params: Record<string, unknown>): Promise<Record<string, unknown>> => {
    id += 1
    const answered = new Promise<JSONRPCMessage>((resolve) => waiting.set(id, resolve))
    const envelope = revision === '2026-07-28' ? { _meta: metaOf(loaded) } : {}
    await send({ jsonrpc: '2.0', id, method, params: { ...params, ...envelope } })
    return (await answered) as Record<string, unknown>
  }
  if (revision !== '2026-07-28') {
    await request('initialize', { protocolVersion: revision, capabilities: {}, clientInfo: INFO })
    await send({ jsonrpc: '2.0', method: 'notifications/initialized' })
  }
  return { transcript, request, close: () => served.close() }
}

const metaOf = (loaded: Library) => ({
  [loaded.PROTOCOL_VERSION_META_KEY]: '2026-07-28',
  [loaded.CLIENT_INFO_META_KEY]: INFO,
  [loaded.CLIENT_CAPABILITIES_META_KEY]: { elicitation: {} },
})

type Headers = Readonly<Record<string, string | string[] | undefined>>

/** One message that came over HTTP. Nothing is kept between two of them, and nothing is streamed. */
export async function serveMessage(message: unknown, headers: Headers, host: ToolHost): Promise<Response> {
  const loaded = await loadProtocol()
  const forwarded = Object.entries(headers).filter(([name, value]) => FORWARDED.test(name) && typeof value === 'string')
  const request = new Request('http://orch.invalid/mcp', {
    method: 'POST',
    headers: { ...Object.fromEntries(forwarded as [string, string][]), 'content-type': 'application/json' },
    body: JSON.stringify(message),
  })
  if (!(await loaded.isLegacyRequest(request, message))) {
    const handler = loaded.createMcpHandler(() => toolServer(loaded, host), {
      legacy: 'reject',
      maxSubscriptions: 0,
    })
    return handler.fetch(request, { parsedBody: message })
  }
  const server = toolServer(loaded, host)
  const transport = new loaded.WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
  await server.connect(transport)
  try {
    return await transport.handleRequest(request, { parsedBody: message })
  } finally {
    await server.close()
  }
}
