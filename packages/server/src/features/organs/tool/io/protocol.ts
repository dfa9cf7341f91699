/** The tools behind the protocol: one server for each exchange, in this process or over HTTP, in both revisions. */
import type { JSONRPCMessage, Server } from '@modelcontextprotocol/server'
import { inTurns } from '../../../../platform/in-turns.ts'
import { once } from '../../../../platform/once.ts'
import { type Exchange, REVISIONS, type ToolDefinition, type ToolHost, type Transcript } from '../tools.ts'

const INFO = { name: 'orch', version: '1.0.0' }
const INVALID_PARAMS = -32602
const ANY = '*/*'
/** The protocol has clients accept both, whichever comes. */
const BOTH_FORMS = 'application/json, text/event-stream'
const FORWARDED = /^(?:accept|mcp-[a-z-]+)$/

/** What the libraries build while they load takes tenths of a second: whoever speaks the protocol first loads them, in
 *  pieces of less than 50 ms of processor time. */
export const loadProtocol = once(async () => {
  await inTurns([
    () => import('zod/v4/core'),
    () => import('zod/v4'),
    () => import('@modelcontextprotocol/server/stdio'),
    () => import('ajv/dist/2020.js'),
    () => import('../../schema/validator.ts'),
  ])
  const { serveStdio } = await import('@modelcontextprotocol/server/stdio')
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
    const meta = reply.meta === undefined ? {} : { _meta: reply.meta }
    const said = (text: string) => ({ content: [{ type: 'text' as const, text }], ...meta })
    return reply.kind === 'output'
      ? { ...said(JSON.stringify(reply.output)), structuredContent: reply.output }
      : { ...said(reply.message), isError: true }
  })
  return server
}

const APPROVAL = { type: 'object' as const, properties: { approve: { type: 'boolean' as const } } }

type WireSchema = { type: 'object' }
const toWire = ({ name, description, inputSchema, outputSchema }: ToolDefinition) => ({
  name,
  description,
  inputSchema: inputSchema as WireSchema,
  ...(outputSchema === null ? {} : { outputSchema: outputSchema as WireSchema }),
})

/** One request between a client and a server in this process, with everything that was said. */
export const exchange: Exchange = async (host, revision, method, params, timed) => {
  const loaded = await loadProtocol()
  const [near, far] = loaded.InMemoryTransport.createLinkedPair()
  const served = loaded.serveStdio(() => toolServer(loaded, host), { transport: far })
  const transcript: Transcript = []
  let answered = Promise.withResolvers<void>()
  near.onmessage = (message) => {
    transcript.push({ from: 'server', message: { ...message } })
    if ('id' in message && !('method' in message)) answered.resolve()
  }
  const send = async (message: Record<string, unknown>): Promise<void> => {
    answered = Promise.withResolvers()
    transcript.push({ from: 'client', message: { jsonrpc: '2.0', ...message } })
    await near.send({ jsonrpc: '2.0', ...message } as JSONRPCMessage)
    if ('id' in message) await answered.promise
  }
  const _meta = {
    [loaded.PROTOCOL_VERSION_META_KEY]: revision,
    [loaded.CLIENT_INFO_META_KEY]: INFO,
    [loaded.CLIENT_CAPABILITIES_META_KEY]: { elicitation: {} },
  }
  const hello = { protocolVersion: revision, capabilities: {}, clientInfo: INFO }
  const isNewest = revision === REVISIONS[0]
  try {
    await near.start()
    if (!isNewest) {
      await send({ id: 1, method: 'initialize', params: hello })
      await send({ method: 'notifications/initialized' })
    }
    const request = isNewest ? { id: 1, method, params: { ...params, _meta } } : { id: 2, method, params }
    await timed('round_trip', () => send(request))
    return transcript
  } finally {
    await served.close()
  }
}

type Headers = Readonly<Record<string, string | string[] | undefined>>

/** One message that came over HTTP. Nothing is kept between two of them, and nothing is streamed. */
export async function serveMessage(message: unknown, headers: Headers, host: ToolHost): Promise<Response> {
  const loaded = await loadProtocol()
  const forwarded = Object.entries(headers).filter(([name, value]) => FORWARDED.test(name) && typeof value === 'string')
  const request = new Request('http://orch.invalid/mcp', {
    method: 'POST',
    headers: {
      ...Object.fromEntries(forwarded as [string, string][]),
      ...(String(headers.accept ?? ANY).includes(ANY) ? { accept: BOTH_FORMS } : {}),
      'content-type': 'application/json',
    },
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
