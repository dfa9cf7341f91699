/** MCP servers that the operator named. Whoever answers there controls every byte: where a request goes, how long it may
 *  take and how much is read are ours, and no redirect is followed. */
import { Readable } from 'node:stream'
import type { Client, ClientOptions, Tool as ListedTool } from '@modelcontextprotocol/client'
import { bodyParts, failureCode, openExchange } from '../../../../adapters/outbound/transport.ts'
import type { OutsideAnswer } from '../organ.ts'
import type { Tool } from '../tools.ts'

const INFO = { name: 'orch', version: '1.0.0' }
const SERVER_MS = 5_000
const MAX_BYTES = 256 * 1024
const MAX_TOOLS = 128
const MAX_SCHEMA = 16_384
const TOOL_NAME = /^[A-Za-z0-9_-]{1,64}$/

export interface OutsideSettings {
  enabled: boolean
  privateHosts: readonly string[]
  servers: Readonly<Record<string, string>>
}

export function openOutsideServers({ enabled, privateHosts, servers }: OutsideSettings) {
  return {
    ids: Object.keys(servers),
    async tools(id: string): Promise<OutsideAnswer> {
      const ask: Ask = (work) => withClient(servers[id]!, privateHosts, work)
      if (!enabled) return { server: id, mode: 'unreachable', reason: 'TRANSPORT_DISABLED', tools: [] }
      try {
        const { tools } = await ask((client, options) => client.request({ method: 'tools/list' }, options))
        const fitting = tools.flatMap((listed) => toTool(id, listed, ask) ?? [])
        return { server: id, mode: 'answered', reason: null, tools: fitting.slice(0, MAX_TOOLS) }
      } catch (error) {
        return { server: id, mode: 'unreachable', reason: reasonOf(error), tools: [] }
      }
    },
  }
}

type Work<T> = (client: Client, options: { timeout: number; signal: AbortSignal }) => Promise<T>
type Ask = <T>(work: Work<T>) => Promise<T>

/** Null where the definition is beyond what anybody would pin. */
function toTool(id: string, listed: ListedTool, ask: Ask): Tool | null {
  const { name, description = '', inputSchema, outputSchema = null } = listed
  const isFit =
    TOOL_NAME.test(name) &&
    description.length <= 4096 &&
    JSON.stringify([inputSchema, outputSchema]).length <= MAX_SCHEMA
  if (!isFit) return null
  return {
    ...{ name: `${id}.${name}`, description, inputSchema, outputSchema },
    ...{ volatile: `what the server ${id} answered`, outside: true, timeoutMs: SERVER_MS },
    async run(args) {
      try {
        const call = { name, arguments: args }
        const answer = await ask((client, options) => client.callTool(call, { ...options, toolDefinition: listed }))
        const { structuredContent, content, isError } = answer
        if (isError) return 'the server reported an error'
        return (structuredContent as Record<string, unknown> | undefined) ?? { content }
      } catch (error) {
        return reasonOf(error)
      }
    },
  }
}

/** In our words and never in the other side's. What came and was no answer of the protocol is not our failure. */
function reasonOf(error: unknown): string {
  if (!(error instanceof ExchangeFailed)) return 'PROTOCOL_ERROR'
  return (error.cause as Error).name === 'TimeoutError' ? 'RESPONSE_DEADLINE' : failureCode(error.cause)
}

class ExchangeFailed extends Error {}

/** Schemas from outside are checked by our own validator, whose patterns cannot run away. */
const unchecked: ClientOptions['jsonSchemaValidator'] = {
  getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
}

async function withClient<T>(url: string, privateHosts: readonly string[], work: Work<T>): Promise<T> {
  const failed = new AbortController()
  const signal = AbortSignal.any([AbortSignal.timeout(SERVER_MS), failed.signal])
  const options = { timeout: SERVER_MS, signal }
  // Loaded where somebody named a server: most do not.
  const { Client: McpClient, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client')
  const client = new McpClient(INFO, { jsonSchemaValidator: unchecked, versionNegotiation: { mode: 'auto' } })
  const fetch = guardedFetch(url, privateHosts, signal, (cause) => failed.abort(cause))
  const transport = new StreamableHTTPClientTransport(new URL(url), { fetch })
  try {
    await client.connect(transport, options)
    return await work(client, options)
  } catch (error) {
    // The library keeps some failures to itself and tries again, or wraps them.
    if (!signal.aborted) throw error
    throw new ExchangeFailed('the exchange failed', { cause: signal.reason })
  } finally {
    await client.close()
  }
}

/** Sends to the configured address and nowhere else; a standing stream is not opened. */
const guardedFetch =
  (url: string, privateHosts: readonly string[], limit: AbortSignal, onFailure: (cause: unknown) => void) =>
  async (asked: string | URL, init: RequestInit = {}): Promise<Response> => {
    if (init.method !== 'POST' || String(asked) !== new URL(url).href) return new Response(null, { status: 405 })
    const headers = Object.fromEntries(new Headers(init.headers as HeadersInit))
    const signal = init.signal ? AbortSignal.any([limit, init.signal]) : limit
    const report = (error: unknown): never => {
      if (!signal.aborted) onFailure(error)
      throw error
    }
    const response = await openExchange({ url, body: String(init.body), headers, signal }, privateHosts).catch(report)
    const forwarded = ['content-type', 'mcp-session-id'].flatMap((name) => {
      const value = response.headers[name]
      return typeof value === 'string' ? [[name, value] as [string, string]] : []
    })
    const status = response.statusCode ?? 502
    const isEmpty = status === 202 || status === 204
    if (isEmpty) response.destroy()
    const body = Readable.from(bodyParts(response, MAX_BYTES)).on('error', (error) => onFailure(error))
    return new Response(isEmpty ? null : (Readable.toWeb(body) as BodyInit), { status, headers: forwarded })
  }
