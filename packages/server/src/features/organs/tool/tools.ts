/** The tools of the house, each with what it takes and gives, and what the protocol is told of tools. */
import { canonicalBytes, sha256Hex } from '@orch/core'
import Type, { type Static, type TSchema } from 'typebox'
import { TOOL_ARGUMENTS, TOOL_DESCRIPTIONS } from '../../../domain/tools/arguments.ts'
import { BASIC_TOOLS, type BasicName, type ToolOutput, type ToolWorld } from '../../../domain/tools/basic.ts'
import { AnyObject, Count, closed, Hex64, Text, words } from '../../../domain/wire.ts'
import type { Call } from '../../../operation.ts'

export interface ToolDefinition {
  name: string
  description: string
  inputSchema: object
  outputSchema: object | null
}

export interface Tool extends ToolDefinition {
  /** Why two calls may differ; absent for a function of its arguments. */
  volatile?: string
  /** Of another server: what it gives is screened. */
  outside?: true
  /** Milliseconds; a second where nothing is said. */
  timeoutMs?: number
  /** A sentence in place of an output is a refusal. */
  run(args: ToolOutput, world: ToolWorld): ToolOutput | string | Promise<ToolOutput | string>
}

const builtIn = (name: BasicName, outputSchema: TSchema, more: Pick<Tool, 'volatile'> = {}): Tool => ({
  name,
  description: TOOL_DESCRIPTIONS[name],
  inputSchema: TOOL_ARGUMENTS[name],
  outputSchema,
  run: BASIC_TOOLS[name] as Tool['run'],
  ...more,
})
const May = Type.Optional

export const BUILT_IN: readonly Tool[] = [
  builtIn('hash', closed({ algorithm: Type.String(), digest: Hex64, bytes: Count })),
  builtIn('time', closed({ utc: Type.String(), zone: May(Type.String()), local: May(Type.String()) }), {
    volatile: 'the time of the service',
  }),
  builtIn('json_query', closed({ count: Count, matches: Type.Array(Type.Unknown()) })),
  builtIn('calc', closed({ value: Type.String(), exact: Type.Boolean(), rounding: Text })),
  builtIn(
    'ledger_lookup',
    closed({
      ...{ found: Type.Boolean(), kind: May(Type.String()), chain: May(Type.String()), seq: May(Count) },
      ...{ ts_utc: May(Type.String()), decision: May(Text), signed: May(Type.Boolean()) },
    }),
    { volatile: 'what the ledger holds' },
  ),
]

/** What a pin holds on to: a tool that is described otherwise is another tool to whoever reads the description. */
export const definitionDigest = ({ name, description, inputSchema, outputSchema }: ToolDefinition): string =>
  sha256Hex(
    canonicalBytes(
      JSON.parse(JSON.stringify({ name, description, input_schema: inputSchema, output_schema: outputSchema })),
    ),
  )

export const REVISIONS = ['2026-07-28', '2025-11-25'] as const
type Revision = (typeof REVISIONS)[number]

/** `review`: a person would have to decide, and the caller is who asks one. `invalid`: the arguments do not fit. */
export type ToolReply = { meta?: Record<string, unknown> } & (
  | { kind: 'output'; output: ToolOutput }
  | { kind: 'error' | 'review' | 'invalid'; message: string }
)

/** Whose tools the server lists and calls. */
export interface ToolHost {
  tools(): Promise<readonly ToolDefinition[]>
  call(name: string, args: Record<string, unknown>): Promise<ToolReply>
}

/** Messages in their order. */
export type Transcript = Static<typeof Transcript>
export const Transcript = Type.Array(closed({ from: words(['client', 'server']), message: AnyObject }), {
  description: 'the messages in their order; values of arguments and outputs are masked',
})

/** One request through the protocol; `timed` gets its round trip. */
export type Exchange = (
  host: ToolHost,
  revision: Revision,
  method: string,
  params: Record<string, unknown>,
  timed: <T>(name: string, work: () => T) => T,
) => Promise<Transcript>

/** The tools for clients of the protocol. */
export interface McpPorts {
  mcp: {
    tools(): Promise<readonly ToolDefinition[]>
    /** Answers one message of the protocol. */
    serve(message: unknown, headers: Call['headers'], host: ToolHost): Promise<Response>
  }
}
