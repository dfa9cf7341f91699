/** The tools of the house: what each is called with, what it gives, and what it does. */
import { canonicalBytes, sha3_256Hex, sha256Hex, utf8Encode } from '@orch/core'
import Type, { type TSchema } from 'typebox'
import { type ArgumentsOf, TOOL_ARGUMENTS, TOOL_DESCRIPTIONS, type ToolName } from '../../../domain/tools/arguments.ts'
import { calculate } from '../../../domain/tools/calc.ts'
import { queryJson } from '../../../domain/tools/json-query.ts'
import { localTime, zoneOf } from '../../../domain/tools/places.ts'
import { Count, exactly, Hex64, Text } from '../../../domain/wire.ts'

export interface ToolDefinition {
  name: string
  description: string
  inputSchema: object
  outputSchema: object | null
}

type Output = Record<string, unknown>
export type ToolOutput = { ok: true; output: Output } | { ok: false; reason: string }

/** What a tool gets of the outside, for this caller alone. */
export interface ToolWorld {
  now(): number
  receipt(digest: string): Promise<Output | null>
}

export interface Tool extends ToolDefinition {
  /** Why two calls may differ; absent for a function of its arguments. */
  volatile?: string
  /** Of another server: what it gives is screened. */
  outside?: true
  /** Milliseconds; a second where nothing is said. */
  timeoutMs?: number
  run(args: Output, world: ToolWorld): ToolOutput | Promise<ToolOutput>
}

const ok = (output: Output): ToolOutput => ({ ok: true, output })
const refused = (reason: string): ToolOutput => ({ ok: false, reason })

const tool = <Name extends ToolName>(
  name: Name,
  outputSchema: TSchema,
  run: (args: ArgumentsOf<Name>, world: ToolWorld) => ToolOutput | Promise<ToolOutput>,
  volatile?: string,
): Tool => ({
  name,
  description: TOOL_DESCRIPTIONS[name],
  inputSchema: TOOL_ARGUMENTS[name],
  outputSchema,
  run: run as Tool['run'],
  ...(volatile === undefined ? {} : { volatile }),
})

const LookedUp = Type.Object(
  {
    found: Type.Boolean(),
    kind: Type.Optional(Type.String()),
    chain: Type.Optional(Type.String()),
    seq: Type.Optional(Count),
    ts_utc: Type.Optional(Type.String()),
    decision: Type.Optional(Text),
    signed: Type.Optional(Type.Boolean()),
  },
  exactly,
)

export const BUILT_IN: readonly Tool[] = [
  tool(
    'hash',
    Type.Object({ algorithm: Type.String(), digest: Hex64, bytes: Count }, exactly),
    ({ text, algorithm = 'sha256' }) =>
      ok({
        algorithm,
        digest: algorithm === 'sha256' ? sha256Hex(text) : sha3_256Hex(text),
        bytes: utf8Encode(text).length,
      }),
  ),
  tool(
    'time',
    Type.Object(
      { utc: Type.String(), zone: Type.Optional(Type.String()), local: Type.Optional(Type.String()) },
      exactly,
    ),
    ({ zone }, { now }) => {
      const utc = new Date(now()).toISOString()
      if (zone === undefined) return ok({ utc })
      const known = zoneOf(zone)
      return known === null
        ? refused('the zone is none of the time zone database')
        : ok({ utc, zone: known, local: localTime(now(), known) })
    },
    'the time of the service',
  ),
  tool(
    'json_query',
    Type.Object({ count: Count, matches: Type.Array(Type.Unknown()) }, exactly),
    ({ document, query }) => {
      const answered = queryJson(document, query)
      return answered.ok ? ok({ count: answered.matches.length, matches: answered.matches }) : refused(answered.reason)
    },
  ),
  tool(
    'calc',
    Type.Object({ value: Type.String(), exact: Type.Boolean(), rounding: Text }, exactly),
    ({ expression }) => {
      const { ok: isDone, ...result } = calculate(expression)
      return isDone ? ok(result) : refused((result as { reason: string }).reason)
    },
  ),
  tool(
    'ledger_lookup',
    LookedUp,
    async ({ digest }, { receipt }) => {
      const found = await receipt(digest)
      return ok({ found: found !== null, ...found })
    },
    'what the ledger holds',
  ),
]

/** What a pin holds on to: a tool that is described otherwise is another tool to whoever reads the description. */
export const definitionDigest = ({ name, description, inputSchema, outputSchema }: ToolDefinition): string =>
  sha256Hex(
    canonicalBytes(
      JSON.parse(JSON.stringify({ name, description, input_schema: inputSchema, output_schema: outputSchema })),
    ),
  )
