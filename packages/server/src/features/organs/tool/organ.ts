/** N14 Tool: a tool called through the protocol, under the policies and the guard of the service, with drift of its
 *  definition caught. */
import Type, { type Static } from 'typebox'
import { AnyObject, Count, exactly, Hex64, Nullable, Text, Texts, words } from '../../../domain/wire.ts'
import { type Organ, type Outcome, op, type RunContext } from '../organ.ts'
import type { Limit, RunStatus } from '../schemas.ts'
import { type CallRules, type GovernedCall, governCall, toReply, unknownTool } from './govern-call.ts'
import { driftOf, type PinReader, pinsDigest, pinTool, readPins } from './pins.ts'
import { toolPrompt } from './prompt.ts'
import { type OpenSession, type ProtocolSession, REVISIONS, type Revision, type ToolHost } from './protocol.ts'
import { definitionDigest, type Tool, type ToolDefinition, type ToolWorld } from './tools.ts'

export interface OutsideAnswer {
  server: string
  mode: 'answered' | 'unreachable'
  reason: string | null
  tools: readonly Tool[]
}

interface ToolNeeds extends CallRules {
  builtIn: readonly Tool[]
  /** Ids of the servers that the operator named; a tool of one is called `<id>.<name>`. */
  outsideIds: readonly string[]
  outside(id: string): Promise<OutsideAnswer>
  openSession: OpenSession
  reader: PinReader
  worldFor(caller: RunContext['caller']): ToolWorld
}

const Name = Type.String({ minLength: 1, maxLength: 128 })
const RevisionField = Type.Optional(Type.Unsafe<Revision>(Type.Enum([...REVISIONS], { default: REVISIONS[0] })))
const Transcript = Type.Array(Type.Object({ from: words(['client', 'server']), message: AnyObject }, exactly), {
  description: 'the messages in their order; values of arguments and outputs are masked',
})
const Listed = Type.Object(
  {
    name: Type.String(),
    description: Type.String(),
    input_schema: AnyObject,
    output_schema: Nullable(AnyObject),
    definition_sha256: Hex64,
  },
  exactly,
)
const DriftItem = Type.Object({ name: Type.String(), pinned_sha256: Hex64, current_sha256: Nullable(Hex64) }, exactly)
const CallResult = Type.Object(
  {
    name: Type.String(),
    decision: words(['allow', 'review', 'deny']),
    reasons: Texts,
    allow_list: Texts,
    output: Nullable(AnyObject),
    output_text: Text,
    error: Text,
    schema_valid: Nullable(Type.Boolean()),
    definition_sha256: Nullable(Hex64),
    policy_sha256: Nullable(Hex64),
    drift: Type.Array(DriftItem),
    findings: Type.Array(Type.Object({})),
    review_ref: Nullable(Hex64),
    transcript: Transcript,
  },
  exactly,
)

const STATUS: Readonly<Record<GovernedCall['decision'], RunStatus>> = {
  allow: 'APPROVED',
  review: 'AWAITING_APPROVAL',
  deny: 'DENIED',
}
const inline = { isolation: 'inline', maxWork: 1, estimate: () => 1 } as const
/** A server of the operator has five seconds; the protocol's library is loaded by the first call. */
const OUTSIDE_MS = 6_000

export const tool = (needs: ToolNeeds): Organ => ({
  id: 'N14',
  version: '1.0.0',
  dependsOn: ['N3', 'N25'],
  ops: {
    list: op({
      ...inline,
      deadlineMs: OUTSIDE_MS,
      summary: 'The tools of the house, as the protocol lists them, each with the digest of its definition',
      request: Type.Object({ revision: RevisionField }, exactly),
      result: Type.Object({ tools: Type.Array(Listed), transcript: Transcript }, exactly),
      async run({ revision }, context) {
        const { transcript } = await asked(needs, listingOnly(needs.builtIn), revision!, 'tools/list', {}, context)
        return { result: { tools: needs.builtIn.map(toListed), transcript } }
      },
    }),
    discover: op({
      ...inline,
      deadlineMs: OUTSIDE_MS,
      summary: 'What the server of the house and those of the operator say of themselves',
      request: Type.Object({ revision: RevisionField }, exactly),
      result: Type.Object(
        {
          answer: AnyObject,
          outside: Type.Array(
            Type.Object(
              {
                server: Type.String(),
                mode: Type.String(),
                reason: Text,
                tools: Type.Array(Listed),
                truncated_from: Type.Optional(Count),
              },
              exactly,
            ),
          ),
          transcript: Transcript,
        },
        exactly,
      ),
      async run({ revision }, context) {
        const answers = await Promise.all(
          needs.outsideIds.map((id) => context.timed(`discover ${id}`, () => needs.outside(id))),
        )
        const outside = answers.map(({ tools, ...answer }) => ({ ...answer, ...capped(tools.map(toListed)) }))
        const method = revision === '2026-07-28' ? 'server/discover' : 'tools/list'
        const { answer, transcript } = await asked(needs, listingOnly(needs.builtIn), revision!, method, {}, context)
        const said = method === 'tools/list' ? transcript[1]!.message : answer
        const volatile = answers.length > 0 ? { volatile: 'what the servers of the operator answered just now' } : {}
        return { result: { answer: (said.result ?? {}) as Record<string, unknown>, outside, transcript }, ...volatile }
      },
    }),
    call: op({
      ...inline,
      deadlineMs: OUTSIDE_MS,
      summary: 'Calls a tool, if its pin, the policies and the guard let it',
      request: Type.Object(
        {
          name: Name,
          arguments: Type.Optional(Type.Unsafe<Record<string, unknown>>({ ...AnyObject, default: {} })),
          revision: RevisionField,
        },
        exactly,
      ),
      result: CallResult,
      run: ({ name, arguments: args, revision }, context) => called(needs, name, args ?? {}, revision!, context),
    }),
    pin: op({
      ...inline,
      deadlineMs: OUTSIDE_MS,
      writesState: true,
      summary: 'Holds a tool to its present definition: one that changes is refused until it is pinned again',
      request: Type.Object({ name: Name }, exactly),
      result: Type.Object(
        {
          name: Type.String(),
          definition_sha256: Nullable(Hex64),
          previous_sha256: Nullable(Hex64),
          pins: Count,
          allow_list: Texts,
        },
        exactly,
      ),
      async run({ name }, context) {
        const { found, names } = await context.timed('find', () => find(needs, name))
        if (found === undefined) {
          const pins = (await readPins(needs.reader, context.partition)).length
          const nothing = { definition_sha256: null, previous_sha256: null, pins, allow_list: names }
          return { status: 'DENIED', result: { name, ...nothing } }
        }
        const { previous, before, after, writes } = await pinTool(needs.reader, context.partition, found, context.now())
        return {
          result: {
            name,
            definition_sha256: definitionDigest(found),
            previous_sha256: previous,
            pins: after.length,
            allow_list: [],
          },
          state: { before_sha256: pinsDigest(before), after_sha256: pinsDigest(after) },
          ...writes,
        }
      },
    }),
    drift: op({
      ...inline,
      deadlineMs: OUTSIDE_MS,
      summary: 'The pinned tools whose definition is another one now',
      request: Type.Object({}, exactly),
      result: Type.Object({ checked: Count, drift: Type.Array(DriftItem) }, exactly),
      async run(_request, context) {
        const pins = await readPins(needs.reader, context.partition)
        const servers = [...new Set(pins.flatMap(({ name }) => serverOf(needs, name) ?? []))]
        const answers = await Promise.all(servers.map((id) => needs.outside(id)))
        const tools = [...needs.builtIn, ...answers.flatMap((answer) => answer.tools)]
        const drift = context.timed('compare', () => driftOf(pins, tools))
        const digest = pinsDigest(pins)
        const unreachable = answers.filter(({ mode }) => mode === 'unreachable')
        return {
          result: { checked: pins.length, drift },
          state: { before_sha256: digest, after_sha256: digest },
          limits: unreachable.map(({ server }) => ({
            code: 'SERVER_UNREACHABLE',
            detail: `${server} did not answer: its tools count as gone`,
          })),
          ...(servers.length > 0 ? { volatile: 'what the servers of the operator answered just now' } : {}),
        }
      },
    }),
  },
  fromPrompt: toolPrompt,
  example: { request: { op: 'list' }, prompt: 'hash abc' },
  evidence: {},
  backends: [
    {
      env: 'ORCH_MCP_SERVERS',
      configured: needs.outsideIds.length > 0,
      adds: 'the tools of other MCP servers, by <server>.<tool>',
    },
  ],
})

const MAX_LISTED = 64
const capped = <T>(tools: T[]) =>
  tools.length <= MAX_LISTED ? { tools } : { tools: tools.slice(0, MAX_LISTED), truncated_from: tools.length }

const toListed = (one: ToolDefinition): Static<typeof Listed> => ({
  name: one.name,
  description: one.description,
  input_schema: one.inputSchema as Record<string, unknown>,
  output_schema: one.outputSchema as Record<string, unknown> | null,
  definition_sha256: definitionDigest(one),
})

/** The server of the operator whose tool this would be. */
const serverOf = ({ outsideIds }: ToolNeeds, name: string): string | undefined =>
  outsideIds.find((id) => name.startsWith(`${id}.`))

async function find(needs: ToolNeeds, name: string): Promise<{ found: Tool | undefined; names: string[] }> {
  const server = serverOf(needs, name)
  const tools = [...needs.builtIn, ...(server === undefined ? [] : (await needs.outside(server)).tools)]
  return { found: tools.find((one) => one.name === name), names: tools.map((one) => one.name).slice(0, MAX_LISTED) }
}

const listingOnly = (tools: readonly ToolDefinition[]): ToolHost => ({
  tools: async () => tools,
  call: async () => ({ kind: 'error', message: 'only listed here' }),
})

/** One request in a session of its own. */
async function asked(
  { openSession }: ToolNeeds,
  host: ToolHost,
  revision: Revision,
  method: string,
  params: Record<string, unknown>,
  context: RunContext,
) {
  const session = await openSession(host, revision)
  try {
    const answer = await context.timed('round_trip', () => session.request(method, params))
    return { answer, transcript: session.transcript.map(masked) }
  } finally {
    await session.close()
  }
}

async function called(
  needs: ToolNeeds,
  name: string,
  args: Record<string, unknown>,
  revision: Revision,
  context: RunContext,
): Promise<Outcome<Static<typeof CallResult>>> {
  const [pins, { found, names }] = [await readPins(needs.reader, context.partition), await find(needs, name)]
  const facts = {
    agent: context.caller.owner,
    pinned: pins.find((pin) => pin.name === name)?.definition_sha256,
    world: needs.worldFor(context.caller),
    signal: context.signal,
  }
  let governed: GovernedCall = unknownTool
  let fault: unknown
  const host: ToolHost = {
    tools: async () => (found === undefined ? [] : [found]),
    async call() {
      try {
        if (found !== undefined) governed = await governCall(needs, found, args, facts)
        return toReply(governed)
      } catch (error) {
        fault = error
        return { kind: 'invalid', message: 'the call was not made' }
      }
    },
  }
  const { transcript } = await asked(needs, host, revision, 'tools/call', { name, arguments: args }, context)
  if (fault !== undefined) throw fault
  const { decision, reasons, output, outputText, error, schemaValid, policySha256, findings, faults } = governed
  const digest = pinsDigest(pins)
  return {
    status: STATUS[decision],
    result: {
      ...{ name, decision, reasons, allow_list: found === undefined ? names : [] },
      ...{ output, output_text: outputText, error, schema_valid: schemaValid },
      ...{ definition_sha256: found === undefined ? null : definitionDigest(found), policy_sha256: policySha256 },
      drift:
        found === undefined
          ? []
          : driftOf(
              pins.filter((pin) => pin.name === name),
              [found],
            ),
      findings,
      review_ref: decision === 'review' ? context.inputSha256 : null,
      transcript,
    },
    state: { before_sha256: digest, after_sha256: digest },
    limits: limitsOf(decision, faults),
    ...volatileOf(found, faults),
  }
}

function limitsOf(decision: GovernedCall['decision'], faults: readonly string[]): Limit[] {
  const held = {
    code: 'REVIEW_NOT_QUEUED',
    detail: 'the call was not made, and no entry of the review queue was opened for it',
  }
  return [...faults.map((detail) => ({ code: 'SCANNER_FAILED', detail })), ...(decision === 'review' ? [held] : [])]
}

function volatileOf(found: Tool | undefined, faults: readonly string[]): { volatile?: string } {
  if (faults.length > 0) return { volatile: 'which of the gates answered in time' }
  return found?.volatile === undefined ? {} : { volatile: found.volatile }
}

const MASK = '***'
type Message = ProtocolSession['transcript'][number]['message']

/** What a caller or a tool wrote is not repeated here. */
function masked({ from, message }: ProtocolSession['transcript'][number]) {
  const { params, result } = message as { params?: Message; result?: Message }
  return {
    from,
    message: {
      ...message,
      ...(params?.arguments === undefined ? {} : { params: { ...params, arguments: MASK } }),
      ...(result?.content === undefined ? {} : { result: resultMasked(result) }),
    },
  }
}

const resultMasked = ({ content: _, structuredContent, ...rest }: Message): Message => ({
  ...rest,
  content: MASK,
  ...(structuredContent === undefined ? {} : { structuredContent: MASK }),
})
