/** N18 Route: which target takes a call and why not the others; the call itself; and a drill of the way a call goes when
 *  targets fail. Scores are what was declared: nothing that was measured enters them. */
import Type, { type Static } from 'typebox'
import { exactly, Nullable, words } from '../../../domain/wire.ts'
import { type Organ, type Outcome, op, type RequestFault, type RunContext } from '../organ.ts'
import { type CallBreaker, type CallOutcome, callInOrder } from './calling.ts'
import {
  type Candidate,
  chosenOf,
  POLICIES,
  type Ranked,
  type RoutingPolicy,
  type RoutingRequest,
  rank,
} from './rank.ts'

export interface Gateway {
  /** What the operator configured; the echo where none of it can be called. */
  configured(): Candidate[]
  echo: Candidate
  /** Shared by all calls of this process. */
  breaker(id: string): CallBreaker
  drillBreaker(): CallBreaker
  call(id: string, text: string, deadlineMs: number, signal: AbortSignal): Promise<CallOutcome>
}

interface TextScreening {
  action: 'allow' | 'review' | 'deny'
  findings: readonly {
    scanner: string
    rule: string
    start: number
    end: number
    score: number
    sample_masked: string
  }[]
  faults: readonly string[]
}

interface RouteNeeds {
  gateway: Gateway
  countTokens(text: string): number
  screen(text: string, direction: 'input' | 'output'): Promise<TextScreening>
}

const MAX_TEXT = 32_768
const MAX_REPLY = 16_384
const CALL_MS = 10_000
/** The rest is for the receipt. */
const BUDGET_US = 9_000_000
const ATTEMPT_MS = 4_000
const PROBE_TEXT = 'ping'

const Share = Type.Number({ minimum: 0, maximum: 1 })
const Target = Type.Object(
  {
    id: Type.String({ minLength: 1, maxLength: 64 }),
    quality: Share,
    cost: Share,
    latency: Share,
    context: Type.Optional(Type.Integer({ minimum: 0, maximum: 10_000_000, default: 8192, description: 'tokens' })),
    latency_ms: Type.Optional(
      Type.Number({ minimum: 0, maximum: 600_000, description: 'needed where max_ms is asked for' }),
    ),
    json: Type.Optional(Type.Boolean({ description: 'needed where needs_json is asked for' })),
  },
  exactly,
)
const RouteRequest = Type.Object(
  {
    request: Type.Object(
      {
        task: Type.Optional(Type.String({ maxLength: MAX_TEXT, default: '', description: 'the text of the call' })),
        prompt_tokens: Type.Optional(
          Type.Integer({ minimum: 0, maximum: 1_000_000, description: 'counted from the task where it is not given' }),
        ),
        max_cost: Type.Optional(Share),
        max_ms: Type.Optional(Type.Number({ minimum: 0, maximum: 600_000 })),
        needs_json: Type.Optional(Type.Boolean({ default: false })),
      },
      exactly,
    ),
    policy: Type.Optional(Type.Unsafe<RoutingPolicy>(Type.Enum([...POLICIES], { default: 'Balanced' }))),
    targets: Type.Optional(Type.Array(Target, { minItems: 1, maxItems: 16 })),
    call: Type.Optional(Type.Boolean({ default: false, description: 'send the task to the winner' })),
  },
  exactly,
)
const Terms = Type.Object({ quality: Type.Number(), cost: Type.Number(), latency: Type.Number() }, exactly)
const RankedTarget = Type.Object(
  {
    id: Type.String(),
    reward: Nullable(Type.Number()),
    terms: Nullable(Terms),
    excluded_reason: Type.Optional(Type.String()),
  },
  exactly,
)
const Attempts = Type.Array(Type.Object({ id: Type.String(), outcome: Type.String() }, exactly))
const BreakerStates = Type.Record(Type.String(), words(['closed', 'open', 'half_open']))
const Screen = Type.Object(
  {
    direction: words(['input', 'output']),
    action: words(['allow', 'review', 'deny']),
    findings: Type.Array(Type.Object({})),
  },
  exactly,
)
const Reply = Type.Object(
  { by: Type.String(), text: Type.String(), truncated_from: Type.Optional(Type.Integer()) },
  exactly,
)
const Routed = Type.Object(
  {
    chosen: Nullable(Type.String()),
    ranking: Type.Array(RankedTarget),
    attempts: Attempts,
    breaker: BreakerStates,
    reply: Nullable(Reply),
    screen: Nullable(Screen),
  },
  exactly,
)
type Routed = Static<typeof Routed>

type Declared = Static<typeof Target>
const toCandidate = ({ id, quality, cost, latency, context = 8192, latency_ms, json }: Declared): Candidate => ({
  id,
  scores: { quality, cost, latency },
  context,
  latencyMs: latency_ms,
  json,
})

const repeated = (ids: readonly string[]): RequestFault[] =>
  ids.flatMap((id, at) => (ids.indexOf(id) < at ? [{ place: ['targets', at, 'id'], message: 'is there twice' }] : []))
const targetFaults = ({ targets = [] }: { targets?: readonly Declared[] }) => repeated(targets.map(({ id }) => id))

const taskFaults = ({ call, request: { task = '' } }: Static<typeof RouteRequest>): RequestFault[] =>
  call && task.trim() === ''
    ? [{ place: ['request', 'task'], message: 'is the text of the call and must not be blank' }]
    : []

const PROCESS_LOCAL = { code: 'PROCESS_LOCAL', detail: 'breakers are of this process: another node has its own' }
const BREAKER_HOW = 'monotonic clock of the process'

export const route = (needs: RouteNeeds): Organ => ({
  id: 'N18',
  version: '1.0.0',
  dependsOn: ['N3'],
  ops: {
    route: op({
      summary: 'Orders the targets by reward and, where asked, calls the best that answers',
      request: RouteRequest,
      result: Routed,
      isolation: 'inline',
      deadlineMs: CALL_MS,
      maxWork: 17,
      estimate: ({ targets = [], call }) => targets.length + (call ? 1 : 0),
      check: (request) => [...targetFaults(request), ...taskFaults(request)],
      async run({ request, targets, call, policy }, context): Promise<Outcome<Routed>> {
        const { task = '', prompt_tokens, max_cost, max_ms, needs_json = false } = request
        const promptTokens = prompt_tokens ?? context.timed('count_tokens', () => needs.countTokens(task))
        const asked: RoutingRequest = { promptTokens, maxCost: max_cost, maxMs: max_ms, needsJson: needs_json }
        const candidates = targets?.map(toCandidate) ?? needs.gateway.configured()
        const ranking = context.timed('rank', () => rank(policy!, candidates, asked))
        const routed: Routed = {
          chosen: chosenOf(ranking),
          ranking,
          attempts: [],
          breaker: {},
          reply: null,
          screen: null,
        }
        const limits = ranking.some(({ reward }) => reward === null) ? [NOT_DECLARED] : []
        if (!call || routed.chosen === null) return { result: routed, limits }
        return called(needs, routed, task, context)
      },
    }),
    probe: op({
      summary: 'Sends one short text to every target that is configured and reads how long it takes',
      request: Type.Object({}, exactly),
      result: Type.Object({ attempts: Attempts, breaker: BreakerStates }, exactly),
      isolation: 'inline',
      deadlineMs: CALL_MS,
      maxWork: 17,
      estimate: () => 1,
      volatile: 'what each target answered just now, and the state of its breaker',
      async run(_request, context) {
        const candidates = [
          ...needs.gateway.configured().filter(({ id }) => id !== needs.gateway.echo.id),
          needs.gateway.echo,
        ]
        const attempts = await Promise.all(
          candidates.map(async ({ id }) => ({ id, outcome: await measuredCall(needs, id, PROBE_TEXT, context) })),
        )
        const told = attempts.map(({ id, outcome }) => ({ id, outcome: outcome.ok ? 'OK' : outcome.code }))
        return {
          result: {
            attempts: told,
            breaker: breakerStates(
              needs,
              candidates.map(({ id }) => id),
            ),
          },
          limits: [PROCESS_LOCAL],
        }
      },
    }),
    fallback_drill: op({
      summary: 'Runs calls through retry, breaker and fallback while the named targets are made to fail',
      request: Type.Object(
        {
          fail: Type.Array(Type.String({ minLength: 1, maxLength: 64 }), { minItems: 0, maxItems: 16 }),
          policy: RouteRequest.properties.policy,
          targets: RouteRequest.properties.targets,
          calls: Type.Optional(Type.Integer({ minimum: 1, maximum: 16, default: 3 })),
        },
        exactly,
      ),
      result: Type.Object(
        {
          chosen: Nullable(Type.String()),
          ranking: Type.Array(RankedTarget),
          attempts: Type.Array(
            Type.Object({ call: Type.Integer(), id: Type.String(), outcome: Type.String() }, exactly),
          ),
          reached: Type.Record(Type.String(), Type.Integer()),
          breaker: BreakerStates,
        },
        exactly,
      ),
      isolation: 'inline',
      deadlineMs: CALL_MS,
      maxWork: 16 * 16,
      estimate: ({ targets = [], calls = 3 }) => Math.max(1, targets.length) * calls,
      check: targetFaults,
      volatile: 'whether a breaker has rested for its second is a matter of the clock',
      run: (request, context) => drilled(needs, request, context),
    }),
  },
  fromPrompt: (prompt) => ({
    op: 'route',
    request: { task: prompt, prompt_tokens: needs.countTokens(prompt) },
    policy: 'Balanced',
  }),
  example: {
    request: {
      op: 'route',
      request: { task: 'summarise a contract', prompt_tokens: 1200 },
      policy: 'Balanced',
      targets: [
        { id: 'large', quality: 0.9, cost: 0.8, latency: 0.5, context: 128_000 },
        { id: 'small', quality: 0.7, cost: 0.2, latency: 0.3, context: 32_000 },
        { id: 'tiny', quality: 0.4, cost: 0.05, latency: 0.1, context: 1000 },
      ],
    },
    prompt: 'Summarise the attached contract in five bullets.',
  },
  evidence: {},
})

const NOT_DECLARED = {
  code: 'SCORES_NOT_DECLARED',
  detail: 'a target without declared quality, cost and latency ranks behind those that have them',
}

const breakerStates = ({ gateway }: RouteNeeds, ids: readonly string[]) =>
  Object.fromEntries(ids.map((id) => [id, gateway.breaker(id).state()]))

/** A call with its two readings: what the target took, and what the gateway added. */
async function measuredCall(
  { gateway }: RouteNeeds,
  id: string,
  text: string,
  context: RunContext,
): Promise<CallOutcome> {
  const begun = context.micros()
  const outcome = await gateway.call(id, text, ATTEMPT_MS, context.signal)
  const whole = context.micros() - begun
  if (!outcome.ok) {
    context.reading(`attempt ${id}`, whole, 'us', 'process.hrtime.bigint')
    return outcome
  }
  const latency = Math.round(outcome.latencyMs * 1000)
  context.reading(`latency ${id}`, latency, 'us', BREAKER_HOW)
  context.reading(`gateway overhead ${id}`, Math.max(0, whole - latency), 'us', 'process.hrtime.bigint')
  return outcome
}

const screenResult = (direction: 'input' | 'output', { action, findings }: TextScreening) => ({
  direction,
  action,
  findings: [...findings],
})
const screenLimits = ({ faults }: TextScreening) => faults.map((detail) => ({ code: 'SCANNER_FAILED', detail }))

/** Text that the guard does not let pass goes to no target; an answer that it does not let pass is not shown. */
async function called(needs: RouteNeeds, routed: Routed, text: string, context: RunContext): Promise<Outcome<Routed>> {
  const volatile = 'what the targets answered in this request, and the state of their breakers'
  const input = await context.timed('screen_input', () => needs.screen(text, 'input'))
  if (input.action !== 'allow')
    return {
      status: 'DENIED',
      result: { ...routed, screen: screenResult('input', input) },
      limits: screenLimits(input),
      ...(input.faults.length > 0 ? { volatile: 'which of the gates answered in time' } : {}),
    }
  const order = routed.ranking.filter(isEligible).map(({ id }) => id)
  const begun = context.micros()
  const { attempts, answeredBy, answer } = await callInOrder({
    order,
    call: (id) => measuredCall(needs, id, text, context),
    breaker: (id) => needs.gateway.breaker(id),
    hasTime: () => context.micros() - begun < BUDGET_US - ATTEMPT_MS * 1000,
  })
  const result = { ...routed, attempts, breaker: breakerStates(needs, order), screen: screenResult('input', input) }
  if (answer === null) return { volatile, result, limits: [PROCESS_LOCAL] }
  const output = await context.timed('screen_output', () => needs.screen(answer.text, 'output'))
  const limits = [PROCESS_LOCAL, ...screenLimits(output)]
  if (output.action !== 'allow')
    return { volatile, status: 'DENIED', result: { ...result, screen: screenResult('output', output) }, limits }
  return { volatile, result: { ...result, reply: replyOf(answeredBy, answer.text) }, limits }
}

const isEligible = ({ excluded_reason }: Ranked): boolean => excluded_reason === undefined

const replyOf = (by: string, text: string): Static<typeof Reply> =>
  text.length <= MAX_REPLY ? { by, text } : { by, text: text.slice(0, MAX_REPLY), truncated_from: text.length }

interface Drill {
  fail: readonly string[]
  policy?: RoutingPolicy
  targets?: readonly Declared[]
  calls?: number
}

/** Nothing leaves the process: whoever does not fail is a stand-in that answers. The breakers are of this drill alone. */
async function drilled(needs: RouteNeeds, { fail, targets, calls, policy }: Drill, context: RunContext) {
  const candidates = targets?.map(toCandidate) ?? needs.gateway.configured()
  const ranking = rank(policy!, candidates, { promptTokens: 0, needsJson: false })
  const order = ranking.filter(isEligible).map(({ id }) => id)
  const breakers = new Map(order.map((id) => [id, needs.gateway.drillBreaker()]))
  const reached = new Map(order.map((id) => [id, 0]))
  const attempts: { call: number; id: string; outcome: string }[] = []
  const call = async (id: string): Promise<CallOutcome> => {
    reached.set(id, reached.get(id)! + 1)
    return fail.includes(id)
      ? { ok: false, code: 'FAILED_ON_PURPOSE', blamed: true }
      : { ok: true, text: '', latencyMs: 0 }
  }
  for (let at = 1; at <= calls!; at += 1) {
    const calling = { order, call, breaker: (id: string) => breakers.get(id)!, hasTime: () => true }
    const made = await context.timed(`call ${at}`, () => callInOrder(calling))
    attempts.push(...made.attempts.map((attempt) => ({ call: at, ...attempt })))
  }
  const breaker = Object.fromEntries([...breakers].map(([id, one]) => [id, one.state()]))
  const result = { chosen: chosenOf(ranking), ranking, attempts, reached: Object.fromEntries(reached), breaker }
  const limits = [
    { code: 'DRILL_IN_PROCESS', detail: 'no target was called: stand-ins answered or failed in this process' },
  ]
  return { result, limits }
}
