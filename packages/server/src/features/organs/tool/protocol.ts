/** What the organ needs of the protocol. */
import type { Call } from '../../../operation.ts'
import type { ToolDefinition } from './tools.ts'

export const REVISIONS = ['2026-07-28', '2025-11-25'] as const
export type Revision = (typeof REVISIONS)[number]

export type ToolReply = { meta?: Record<string, unknown> } & (
  | { kind: 'output'; output: Record<string, unknown> }
  | { kind: 'error'; message: string }
  /** A person decides first. */
  | { kind: 'review'; message: string }
  /** The arguments do not fit. */
  | { kind: 'invalid'; message: string }
)

/** Whose tools the server lists and calls. */
export interface ToolHost {
  tools(): Promise<readonly ToolDefinition[]>
  call(name: string, args: Record<string, unknown>): Promise<ToolReply>
}

export interface ProtocolSession {
  /** Messages in their order. */
  transcript: { from: 'client' | 'server'; message: Record<string, unknown> }[]
  /** The response, whichever it is. */
  request(method: string, params: Record<string, unknown>): Promise<Record<string, unknown>>
  close(): Promise<void>
}

export type OpenSession = (host: ToolHost, revision: Revision) => Promise<ProtocolSession>

/** The tools for clients of the protocol. */
export interface McpPorts {
  mcp: {
    tools(): Promise<readonly ToolDefinition[]>
    /** Answers one message of the protocol. */
    serve(message: unknown, headers: Call['headers'], host: ToolHost): Promise<Response>
  }
}
