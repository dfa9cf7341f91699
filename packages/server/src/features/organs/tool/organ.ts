/** N14 Tool: a tool called through the protocol, under the policies and the guard of the service, with drift of its
 *  definition caught. */
import Type, { type Static } from 'typebox'
import type { ToolWorld } from '../../../domain/tools/basic.ts'
import { AnyObject, Count, closed, Hex64, Nullable, Text, Texts, words } from '../../../domain/wire.ts'
import { InputError } from '../../../errors.ts'
import { parseStrictly } from '../../../platform/shape.ts'
import { type Organ, type Outcome, op, type RunContext } from '../organ.ts'
import { REVIEW_NOT_QUEUED, ReviewRef, reviewRef } from '../review-ref.ts'
import { type CallRules, denied, type GovernedCall, governCall } from './govern-call.ts'
import { Drift, driftOf, type PinReader, pinsState, pinTool, readPins } from './pins.ts'
import { asObject, toolPrompt } from './prompt.ts'
import {
  definitionDigest,
  type Exchange,
  REVISIONS,
  type Tool,
  type ToolDefinition,
  type ToolHost,
  type ToolReply,
  Transcript,
} from './tools.ts'

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
  loadProtocol(): Promise<unknown>
  exchange: Exchange
  reader: PinReader
  worldFor(caller: RunContext['caller']): ToolWorld
}

const Name = Type.String({ minLength: 1, maxLength: 128 })
const Revision = Type.Optional(words(REVISIONS, { default: REVISIONS[0] }))
const Listed = closed({
  name: Type.String(),
  description: Type.String(),
  input_schema: AnyObject,
  output_schema: Nullable(AnyObject),
  definition_sha256: Hex64,
})
const OutsideServer = closed({
  ...{ server: Type.String(), mode: Type.String(), reason: Text },
  ...{ tools: Type.Array(Listed), truncated_from: Type.Optional(Count) },
})
const CallRequest = closed({
  name: Name,
  arguments: Type.Optional(
    // Not a union: the library copies what it tries on one, and loses properties named `constructor`.
    Type.Unsafe<Record<string, unknown> | string>({
      type: ['object', 'string'],
      default: {},
      description: 'an object, or its JSON as models write it',
    }),
  ),
  revision: Revision,
})
const CallResult = closed({
  ...{ name: Type.String(), decision: words(['allow', 'review', 'deny']), reasons: Texts, allow_list: Texts },
  ...{ output: Nullable(AnyObject), output_text: Text, error: Text, schema_valid: Nullable(Type.Boolean()) },
  ...{ definition_sha256: Nullable(Hex64), policy_sha256: Nullable(Hex64), drift: Type.Array(Drift) },
  ...{ findings: Type.Array(Type.Object({})), review_ref: Nullable(ReviewRef), transcript: Transcript },
})
type CallResult = Static<typeof CallResult>
const PinResult = closed({
  ...{ name: Type.String(), definition_sha256: Nullable(Hex64), previous_sha256: Nullable(Hex64) },
  ...{ pins: Count, allow_list: Texts },
})

const STATUS = { allow: 'APPROVED', review: 'AWAITING_APPROVAL', deny: 'DENIED' } as const
const MAX_LISTED = 64
const OUTSIDE = { volatile: 'what the servers of the operator answered just now' }

export function tool(needs: ToolNeeds): Organ {
  const { builtIn, outsideIds, reader } = needs
  const house = { isolation: 'inline', maxWork: 1, estimate: () => 1, deadlineMs: 1_000 }
  /** A server of the operator has five seconds. */
  const anywhere = { ...house, deadlineMs: outsideIds.length > 0 ? 6_000 : 1_000 }
  const listing: ToolHost = {
    tools: async () => builtIn,
    call: async () => ({ kind: 'error', message: 'only listed here' }),
  }
  return {
    id: 'N14',
    version: '1.2.0',
    dependsOn: ['N3', 'N12', 'N25'],
    load: needs.loadProtocol,
    ops: {
      list: op({
        ...house,
        summary: 'The tools of the house, as the protocol lists them, each with the digest of its definition',
        request: closed({ revision: Revision }),
        result: closed({ tools: Type.Array(Listed), transcript: Transcript }),
        async run({ revision }, context) {
          const transcript = await needs.exchange(listing, revision!, 'tools/list', {}, context.timed)
          return { result: { tools: builtIn.map(toListed), transcript: transcript.map(masked) } }
        },
      }),
      discover: op({
        ...anywhere,
        summary: 'What the server of the house and those of the operator say of themselves',
        request: closed({ revision: Revision }),
        result: closed({ answer: AnyObject, outside: Type.Array(OutsideServer), transcript: Transcript }),
        async run({ revision }, context) {
          const answers = await Promise.all(
            outsideIds.map((id) => context.timed(`discover ${id}`, () => needs.outside(id))),
          )
          const outside = answers.map(({ tools, ...answer }) => ({
            ...answer,
            tools: tools.slice(0, MAX_LISTED).map(toListed),
            ...(tools.length > MAX_LISTED ? { truncated_from: tools.length } : {}),
          }))
          // The older revision says it when a session begins.
          const method = revision === REVISIONS[0] ? 'server/discover' : 'tools/list'
          const transcript = await needs.exchange(listing, revision!, method, {}, context.timed)
          const answer = (transcript[1]!.message.result ?? {}) as Record<string, unknown>
          return {
            result: { answer, outside, transcript: transcript.map(masked) },
            ...(answers.length > 0 ? OUTSIDE : {}),
          }
        },
      }),
      call: op({
        ...anywhere,
        summary: 'Calls a tool, if its pin, the policies and the guard let it',
        request: CallRequest,
        result: CallResult,
        run: (request, context) => called(needs, request as Required<typeof request>, context),
      }),
      pin: op({
        ...anywhere,
        writesState: true,
        summary: 'Holds a tool to its present definition: one that changes is refused until it is pinned again',
        request: closed({ name: Name }),
        result: PinResult,
        async run({ name }, context) {
          const { found, names, remarks } = await context.timed('find', () => find(needs, name))
          if (found === undefined) {
            const pins = (await readPins(reader, context.partition)).length
            const nothing = { definition_sha256: null, previous_sha256: null, pins, allow_list: names }
            return { status: 'DENIED', result: { name, ...nothing }, ...remarks }
          }
          const { previous, before, after, writes } = await pinTool(reader, context.partition, found, context.now())
          const pinned = { definition_sha256: definitionDigest(found), previous_sha256: previous, pins: after.length }
          return { result: { name, ...pinned, allow_list: [] }, state: pinsState(before, after), ...writes }
        },
      }),
      drift: op({
        ...anywhere,
        summary: 'The pinned tools whose definition is another one now',
        request: closed({}),
        result: closed({ checked: Count, drift: Type.Array(Drift) }),
        async run(_request, context) {
          const pins = await readPins(reader, context.partition)
          const servers = [...new Set(pins.flatMap(({ name }) => serverOf(needs, name) ?? []))]
          const answers = await Promise.all(servers.map((id) => needs.outside(id)))
          const tools = [...builtIn, ...answers.flatMap((answer) => answer.tools)]
          const unreachable = answers.filter(({ mode }) => mode === 'unreachable')
          return {
            result: { checked: pins.length, drift: context.timed('compare', () => driftOf(pins, tools)) },
            state: pinsState(pins),
            limits: unreachable.map(({ server }) => ({
              code: 'SERVER_UNREACHABLE',
              detail: `${server} did not answer: its tools count as gone`,
            })),
            ...(servers.length > 0 ? OUTSIDE : {}),
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
        configured: outsideIds.length > 0,
        adds: 'the tools of other MCP servers, by <server>.<tool>',
      },
    ],
  }
}

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

/** What nobody can tell while the server does not answer is not called unknown. */
async function find(needs: ToolNeeds, name: string) {
  const server = serverOf(needs, name)
  const answer = server === undefined ? null : await needs.outside(server)
  const tools = [...needs.builtIn, ...(answer?.tools ?? [])]
  const isSilent = answer?.mode === 'unreachable'
  return {
    found: tools.find((one) => one.name === name),
    names: tools.map((one) => one.name).slice(0, MAX_LISTED),
    reasons: isSilent ? ['SERVER_UNREACHABLE', ...(answer.reason === null ? [] : [answer.reason])] : ['UNKNOWN_TOOL'],
    remarks: {
      limits: isSilent ? [{ code: 'SERVER_UNREACHABLE', detail: `${server} did not answer` }] : [],
      ...(answer === null ? {} : OUTSIDE),
    },
  }
}

async function called(
  needs: ToolNeeds,
  { name, arguments: given, revision }: Required<Static<typeof CallRequest>>,
  context: RunContext,
): Promise<Outcome<CallResult>> {
  const args = asObject(typeof given === 'string' ? parseStrictly(given) : given)
  const pins = await readPins(needs.reader, context.partition)
  const { found, names, reasons, remarks } = await find(needs, name)
  const own = pins.filter((pin) => pin.name === name)
  const facts = {
    agent: context.caller.owner,
    pinned: own[0]?.definition_sha256,
    world: needs.worldFor(context.caller),
    signal: context.signal,
  }
  let governed = denied(...reasons)
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
  const params = { name, arguments: args ?? {} }
  const transcript = await needs.exchange(host, revision, 'tools/call', params, context.timed)
  if (fault !== undefined) governed = unfitPrompt(fault, context)
  const { faults, ...said } = governed
  const { decision } = said
  return {
    status: STATUS[decision],
    result: {
      name,
      ...said,
      findings: [...said.findings],
      allow_list: found === undefined || fault !== undefined ? names : [],
      definition_sha256: found === undefined ? null : definitionDigest(found),
      drift: found === undefined ? [] : driftOf(own, [found]),
      review_ref: decision === 'review' ? reviewRef('N14', context) : null,
      transcript: transcript.map(masked),
    },
    state: pinsState(pins),
    exact: ['output'],
    ...remarks,
    limits: [
      ...remarks.limits,
      ...faults.map((detail) => ({ code: 'SCANNER_FAILED', detail })),
      ...(decision === 'review' ? [REVIEW_NOT_QUEUED] : []),
    ],
    ...(faults.length > 0 ? { volatile: 'which of the gates answered in time' } : {}),
    ...(faults.length === 0 && found?.volatile !== undefined ? { volatile: found.volatile } : {}),
  }
}

/** The transcript masks what is said, so the kind is enough. */
function toReply({ decision, output }: GovernedCall): ToolReply {
  if (output !== null) return { kind: 'output', output }
  return { kind: decision === 'review' ? 'review' : 'error', message: decision }
}

/** Every prompt has an answer: where its arguments do not fit, it says which. Anybody else is refused. */
function unfitPrompt(fault: unknown, { form }: RunContext) {
  if (!(fault instanceof InputError) || form !== 'prompt') throw fault
  return denied('ARGUMENTS_INVALID', ...fault.detail.map(({ loc, msg }) => `${loc.slice(1).join('.')} ${msg}`))
}

const MASK = '***'
type Message = Record<string, unknown>

/** What a caller or a tool wrote is not repeated here. */
function masked({ from, message }: Awaited<ReturnType<Exchange>>[number]) {
  const { params, result } = message as { params?: Message; result?: Message }
  const hidden = (part: Message) =>
    Object.fromEntries(
      ['arguments', 'content', 'structuredContent'].filter((name) => name in part).map((name) => [name, MASK]),
    )
  return {
    from,
    message: {
      ...message,
      ...(params === undefined ? {} : { params: { ...params, ...hidden(params) } }),
      ...(result === undefined ? {} : { result: { ...result, ...hidden(result) } }),
    },
  }
}
