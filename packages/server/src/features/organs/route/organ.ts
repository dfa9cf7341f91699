/** N18 Route: which target takes a call and why not the others; the call itself; and a drill of the way a call goes when
 *  targets fail. Scores are what was declared: nothing that was measured enters them. */
import { cutText } from '@orch/core'
import Type, { type Static } from 'typebox'
import { closed, Nullable, words } from '../../../domain/wire.ts'
import { type Organ, type Outcome, op, type RequestFault, type RunContext } from '../organ.ts'
import type { ScreenSecrets } from '../screening.ts'
import { type CallBreaker, type CallOutcome, callInOrder } from './calling.ts'
import example from './example.json' with { type: 'json' }
import { type Candidate, eligible, POLICIES, Ranked, type RoutingPolicy, rank, Share, Target } from './rank.ts'

export interface Gateway {
  /** What the operator configured; the echo where none of it can be called. */
  configured(): Candidate[]
  echo: Candidate
  /** Shared by all calls of this process. */
  breaker(id: string): CallBreaker
  drillBreaker(): CallBreaker
  call(id: string, text: string, deadlineMs: number, signal: AbortSignal): Promise<CallOutcome>
}

type TextScreening = Awaited<ReturnType<ScreenSecrets>>

interface RouteNeeds {
  gateway: Gateway
  countTokens(text: string): Promise<number>
  screen(text: string, direction: 'input' | 'output'): Promise<TextScreening>
}

const MAX_TEXT = 32_768
const MAX_REPLY = 16_384
const CALL_MS = 10_000
/** Of a call with all its attempts; the rest is for the receipt. */
const BUDGET_MS = 9_000
const ATTEMPT_MS = 4_000
const MIN_ATTEMPT_MS = 250
const PROBE_TEXT = 'ping'

const Policy = Type.Optional(Type.Unsafe<RoutingPolicy>(Type.Enum([...POLICIES], { default: 'Balanced' })))
const Targets = Type.Optional(Type.Array(Target, { minItems: 1, maxItems: 16 }))
const RouteRequest = closed({
  request: closed({
    task: Type.Optional(Type.String({ maxLength: MAX_TEXT, default: '', description: 'the text of the call' })),
    prompt_tokens: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 1_000_000, description: 'counted from the task where it is not given' }),
    ),
    max_cost: Type.Optional(Share),
    max_ms: Type.Optional(Type.Number({ minimum: 0, maximum: 600_000 })),
    needs_json: Type.Optional(Type.Boolean({ default: false })),
  }),
  policy: Policy,
  targets: Targets,
  call: Type.Optional(Type.Boolean({ default: false, description: 'send the task to the winner' })),
})
const DrillRequest = closed({
  fail: Type.Array(Type.String({ minLength: 1, maxLength: 64 }), { minItems: 0, maxItems: 16 }),
  policy: Policy,
  targets: Targets,
  calls: Type.Optional(Type.Integer({ minimum: 1, maximum: 16, default: 3 })),
})
const Attempts = Type.Array(closed({ id: Type.String(), outcome: Type.String() }))
const BreakerStates = Type.Record(Type.String(), words(['closed', 'open', 'half_open']))
const Ranking = { chosen: Nullable(Type.String()), ranking: Type.Array(Ranked) }
const Routed = closed({
  ...Ranking,
  attempts: Attempts,
  breaker: BreakerStates,
  reply: Nullable(closed({ by: Type.String(), text: Type.String(), truncated_from: Type.Optional(Type.Integer()) })),
  screen: Nullable(
    closed({
      direction: words(['input', 'output']),
      action: words(['allow', 'review', 'deny']),
      findings: Type.Array(Type.Object({})),
    }),
  ),
})
type Routed = Static<typeof Routed>
const Drilled = closed({
  ...Ranking,
  attempts: Type.Array(closed({ call: Type.Integer(), id: Type.String(), outcome: Type.String() })),
  reached: Type.Record(Type.String(), Type.Integer()),
  breaker: BreakerStates,
})

type Declared = { targets?: Candidate[] }
const targetFaults = ({ targets = [] }: Declared): RequestFault[] =>
  targets.flatMap(({ id }, at) =>
    targets.findIndex((one) => one.id === id) < at ? [{ place: ['targets', at, 'id'], message: 'is there twice' }] : [],
  )
const taskFaults = ({ call, request: { task = '' } }: Static<typeof RouteRequest>): RequestFault[] =>
  call && task.trim() === ''
    ? [{ place: ['request', 'task'], message: 'is the text of the call and must not be blank' }]
    : []

const PROCESS_LOCAL = { code: 'PROCESS_LOCAL', detail: 'breakers are of this process: another node has its own' }
const NOT_DECLARED = {
  code: 'SCORES_NOT_DECLARED',
  detail: 'a target without declared quality, cost and latency ranks behind those that have them',
}
const OUT_OF_TIME = { code: 'OUT_OF_TIME', detail: 'the time of the call was used up before every target was tried' }
const IN_PROCESS = {
  code: 'DRILL_IN_PROCESS',
  detail: 'no target was called: stand-ins answered or failed in this process',
}
const shared = { isolation: 'inline', deadlineMs: CALL_MS } as const

export const route = (needs: RouteNeeds): Organ => ({
  id: 'N18',
  version: '1.1.0',
  dependsOn: ['N3'],
  ops: {
    route: op({
      ...shared,
      summary: 'Orders the targets by reward and, where asked, calls the best that answers',
      request: RouteRequest,
      result: Routed,
      maxWork: 17,
      estimate: ({ targets = [], call }) => targets.length + (call ? 1 : 0),
      check: (request) => [...targetFaults(request), ...taskFaults(request)],
      async run({ request: { task = '', ...asked }, targets, call, policy }, context): Promise<Outcome<Routed>> {
        const prompt_tokens =
          asked.prompt_tokens ?? (await context.timed('count_tokens', () => needs.countTokens(task)))
        const candidates = call ? callable(needs, targets) : (targets ?? needs.gateway.configured())
        const ranking = context.timed('rank', () => rank(policy!, candidates, { ...asked, prompt_tokens }))
        const routed = { chosen: eligible(ranking)[0] ?? null, ranking, attempts: [], breaker: {} }
        const limits = ranking.some(({ reward }) => reward === null) ? [NOT_DECLARED] : []
        if (!call || routed.chosen === null) return { result: { ...routed, reply: null, screen: null }, limits }
        return called(needs, routed, task, context)
      },
    }),
    probe: op({
      ...shared,
      summary: 'Sends one short text to every target that is configured and reads how long it takes',
      request: closed({}),
      result: closed({ attempts: Attempts, breaker: BreakerStates }),
      maxWork: 17,
      estimate: () => 1,
      volatile: 'what each target answered just now, and the state of its breaker',
      async run(_request, context) {
        const { echo, configured } = needs.gateway
        const ids = [...new Set([...configured().map(({ id }) => id), echo.id])]
        const attempts = await Promise.all(
          ids.map(async (id) => {
            const outcome = await measuredCall(needs, id, PROBE_TEXT, ATTEMPT_MS, context)
            return { id, outcome: outcome.ok ? 'OK' : outcome.code }
          }),
        )
        return { result: { attempts, breaker: breakerStates(needs, ids) }, limits: [PROCESS_LOCAL] }
      },
    }),
    fallback_drill: op({
      ...shared,
      deadlineMs: 1_000,
      summary: 'Runs calls through retry, breaker and fallback while the named targets are made to fail',
      request: DrillRequest,
      result: Drilled,
      maxWork: 16 * 16,
      estimate: ({ targets = [], calls = 3 }) => Math.max(1, targets.length) * calls,
      check({ fail, targets }) {
        const known = (targets ?? needs.gateway.configured()).map(({ id }) => id)
        const message = `is not the id of a target; the targets are ${known.join(', ')}`
        const unknown = fail.flatMap((id, at) => (known.includes(id) ? [] : [{ place: ['fail', at], message }]))
        return [...targetFaults({ targets: targets ?? [] }), ...unknown]
      },
      volatile: 'whether a breaker has rested for its second is a matter of the clock',
      run: (request, context) => drilled(needs, request, context),
    }),
  },
  fromPrompt: (prompt) => ({ op: 'route', request: { task: prompt }, policy: 'Balanced' }),
  example: { request: example, prompt: 'Summarise the attached contract in five bullets.' },
  evidence: {},
})

/** A caller declares what a target is worth; whether there is one to call is the operator's word. */
function callable({ gateway }: RouteNeeds, targets: readonly Candidate[] | undefined): Candidate[] {
  const known = new Map([gateway.echo, ...gateway.configured()].map((one) => [one.id, one.absent ?? null]))
  const absence = (id: string) => (known.has(id) ? known.get(id)! : 'NOT_CONFIGURED')
  return targets?.map((target) => ({ ...target, absent: absence(target.id) })) ?? gateway.configured()
}

const breakerStates = ({ gateway }: RouteNeeds, ids: readonly string[]) =>
  Object.fromEntries(ids.map((id) => [id, gateway.breaker(id).state()]))

/** A call with its two readings: what the target took, and what the gateway added. */
async function measuredCall(
  { gateway }: RouteNeeds,
  id: string,
  text: string,
  deadlineMs: number,
  context: RunContext,
): Promise<CallOutcome> {
  const begun = context.micros()
  const outcome = await gateway.call(id, text, deadlineMs, context.signal)
  const whole = context.micros() - begun
  if (outcome.ok) {
    const latency = Math.round(outcome.latencyMs * 1000)
    context.reading(`latency ${id}`, latency, 'us', 'monotonic clock of the process')
    context.reading(`gateway overhead ${id}`, Math.max(0, whole - latency), 'us', 'process.hrtime.bigint')
  } else context.reading(`attempt ${id}`, whole, 'us', 'process.hrtime.bigint')
  return outcome
}

const screenResult = (direction: 'input' | 'output', { action, findings }: TextScreening) => ({
  ...{ direction, action },
  findings: [...findings],
})
const screenLimits = ({ faults }: TextScreening) => faults.map((detail) => ({ code: 'SCANNER_FAILED', detail }))

/** Text that the guard does not let pass goes to no target; an answer that it does not let pass is not shown. */
async function called(
  needs: RouteNeeds,
  routed: Omit<Routed, 'reply' | 'screen'>,
  text: string,
  context: RunContext,
): Promise<Outcome<Routed>> {
  const begun = context.micros()
  const leftMs = () => BUDGET_MS - (context.micros() - begun) / 1000
  const input = await context.timed('screen_input', () => needs.screen(text, 'input'))
  const screened = { ...routed, reply: null, screen: screenResult('input', input) }
  if (input.action !== 'allow')
    return {
      status: 'DENIED',
      result: screened,
      limits: screenLimits(input),
      ...(input.faults.length > 0 ? { volatile: 'which of the gates answered in time' } : {}),
    }
  const order = eligible(routed.ranking)
  const { attempts, answer, outOfTime } = await callInOrder({
    order,
    // Half of what is left: a target that hangs leaves time for the next one.
    call: (id) => measuredCall(needs, id, text, Math.floor(Math.min(ATTEMPT_MS, leftMs() / 2)), context),
    breaker: needs.gateway.breaker,
    hasTime: () => leftMs() / 2 >= MIN_ATTEMPT_MS,
  })
  const volatile = 'what the targets answered in this request, and the state of their breakers'
  const result = { ...screened, attempts, breaker: breakerStates(needs, order) }
  if (answer === null) return { volatile, result, limits: [PROCESS_LOCAL, ...(outOfTime ? [OUT_OF_TIME] : [])] }
  const output = await context.timed('screen_output', () => needs.screen(answer.text, 'output'))
  const limits = [PROCESS_LOCAL, ...screenLimits(output)]
  if (output.action !== 'allow')
    return { volatile, status: 'DENIED', result: { ...result, screen: screenResult('output', output) }, limits }
  const cut = answer.text.length > MAX_REPLY ? { truncated_from: answer.text.length } : {}
  return {
    volatile,
    result: { ...result, reply: { ...answer, text: cutText(answer.text, MAX_REPLY), ...cut } },
    limits,
  }
}

/** Nothing leaves the process: whoever does not fail is a stand-in that answers. The breakers are of this drill alone. */
async function drilled(
  { gateway }: RouteNeeds,
  { fail, targets, calls, policy }: Static<typeof DrillRequest>,
  context: RunContext,
): Promise<Outcome<Static<typeof Drilled>>> {
  const ranking = rank(policy!, targets ?? gateway.configured(), { prompt_tokens: 0 })
  const order = eligible(ranking)
  const breakers = new Map(order.map((id) => [id, gateway.drillBreaker()]))
  const reached = new Map(order.map((id) => [id, 0]))
  const attempts: Static<typeof Drilled>['attempts'] = []
  const call = async (id: string): Promise<CallOutcome> => {
    reached.set(id, reached.get(id)! + 1)
    return fail.includes(id)
      ? { ok: false, code: 'FAILED_ON_PURPOSE', blamed: true }
      : { ok: true, text: '', latencyMs: 0 }
  }
  const calling = { order, call, breaker: (id: string) => breakers.get(id)!, hasTime: () => true }
  for (let at = 1; at <= calls!; at += 1) {
    const made = await context.timed(`call ${at}`, () => callInOrder(calling))
    attempts.push(...made.attempts.map((attempt) => ({ call: at, ...attempt })))
  }
  const breaker = Object.fromEntries([...breakers].map(([id, one]) => [id, one.state()]))
  const result = { chosen: order[0] ?? null, ranking, attempts, reached: Object.fromEntries(reached), breaker }
  return { result, limits: [IN_PROCESS] }
}
