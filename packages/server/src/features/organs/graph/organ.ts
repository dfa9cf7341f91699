/** N2 Graph: how long, how dear and how reliable a workflow of agents is, by running it many times over; a person's turn
 *  stops it with a checkpoint that anybody may take up again. */
import { canonicalBytes, sha256Hex } from '@orch/core'
import Type, { type Static } from 'typebox'
import { roundDeep } from '../../../domain/rounded.ts'
import { closed, Hex64, Nullable, words } from '../../../domain/wire.ts'
import type { Compute } from '../../../platform/compute/compute.ts'
import { type Organ, type Outcome, op, type RequestFault, type RunContext } from '../organ.ts'
import { RunState } from './engine.ts'
import { graphPrompt } from './prompt.ts'
import { type GraphRun, isReached, runGraph, VERSION } from './report.ts'
import { structureOf, unconditionalCycle, type Workflow } from './structure.ts'

const DEADLINE_MS = 5_000
/** Steps that can really happen, over all trials: some 20 ms. */
const MAX_INLINE = 20_000
const MAX_WORK = 1_000_000
const MAX_EVENTS = 5_000

const Id = Type.String({ minLength: 1, maxLength: 32 })
const Duration = (more: object) => Type.Optional(Type.Number({ minimum: 0, maximum: 1e6, default: 0, ...more }))
const workflow = {
  nodes: Type.Array(
    closed({
      id: Id,
      kind: Type.Optional(words(['agent', 'tool', 'gate', 'human'], { default: 'agent' })),
      mean_ms: Type.Number({ minimum: 0, maximum: 1e6 }),
      dist: Type.Optional(words(['fixed', 'exp'], { default: 'fixed' })),
      p_fail: Type.Optional(Type.Number({ minimum: 0, maximum: 1, default: 0, description: 'of one attempt' })),
      retries: Type.Optional(Type.Integer({ minimum: 0, maximum: 5, default: 0 })),
      backoff_ms: Duration({ description: 'before the first retry; twice as long before each further one' }),
      cost: Duration({ description: 'of one attempt, in a unit of your own' }),
    }),
    { minItems: 1, maxItems: 64 },
  ),
  edges: Type.Array(closed({ from: Id, to: Id, when: Type.Optional(words(['success', 'failure', 'always'])) }), {
    maxItems: 256,
    default: [],
  }),
  max_steps: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: 1000 })),
  trials: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: 200 })),
}
const cut_at_event = Type.Optional(
  Type.Integer({ minimum: 0, maximum: MAX_EVENTS, description: 'stop the first trial there with a checkpoint' }),
)
const Run = closed({ ...workflow, edges: Type.Optional(workflow.edges), cut_at_event })
const Decisions = Type.Record(Id, Type.Boolean(), { maxProperties: 64 })
const unsigned = {
  schema: Type.Literal('orch.graph-checkpoint/v1'),
  version: Type.String({ maxLength: 16 }),
  seed: Type.Integer({ minimum: 0, maximum: 4_294_967_295 }),
  workflow: closed(workflow),
  decisions: Decisions,
  state: RunState,
}
const Checkpoint = closed({ ...unsigned, sha256: Hex64 })
type Checkpoint = Static<typeof Checkpoint>
const Resume = closed({ checkpoint: Checkpoint, approve: Type.Optional({ ...Decisions, default: {} }), cut_at_event })

const Spread = closed({ mean: Type.Number(), p50: Type.Number(), p95: Type.Number() })
const Share = Type.Number({ minimum: 0, maximum: 1 })
const Ran = closed({
  ended: words(['succeeded', 'failed', 'max_steps', 'awaiting', 'cut']),
  awaiting: Nullable(Type.String()),
  ...{ makespan_ms: Nullable(Spread), makespan_success_ms: Nullable(Spread), cost: Nullable(Spread) },
  success_rate: Nullable(Share),
  success_interval: Nullable(closed({ low: Share, high: Share })),
  success_exact: Nullable(Share),
  ...{ stopped_by_max_steps: Nullable(Type.Integer()), undecided_trials: Nullable(Type.Integer()) },
  critical_path: Type.Array(Type.String()),
  critical_path_ms: Type.Number(),
  nodes: Type.Array(
    closed({
      ...{ id: Type.String(), expected_ms: Type.Number(), slack_ms: Type.Number() },
      criticality: Nullable({
        ...Share,
        description: 'share of trials in which the node made the run as long as it was',
      }),
      ran: Nullable({ ...Share, description: 'share of trials in which the node was started' }),
      first_trial: words(['waiting', 'running', 'succeeded', 'failed', 'skipped']),
    }),
  ),
  events: Type.Integer(),
  history: Type.Array(
    closed({
      ...{ index: Type.Integer(), t_ms: Type.Number(), node: Type.String() },
      event: words(['start', 'error', 'succeeded', 'failed', 'skipped', 'cancelled']),
      ...{ round: Type.Integer(), attempt: Type.Integer() },
    }),
  ),
  history_truncated_from: Type.Optional(Type.Integer()),
  final_state_sha256: Nullable(Hex64),
  checkpoint: Nullable(Checkpoint),
})

const ASSUMPTIONS = [
  'a node starts when every edge to it is decided and taken; where one is not taken it is skipped; an edge without `when` is taken on success, `always` also behind a node that was skipped',
  'an edge that leads back to a node before it starts that node, and all that lies behind it, once more; whatever of that was running is cancelled',
  'each attempt fails with p_fail by itself and takes as long as one that succeeds; retry k waits backoff_ms*2^(k-1)',
  'a run succeeds that comes to its end, in which every node that failed for good has an edge for `failure`, and in which a node succeeded that hands over to no other',
  'a person takes mean_ms and does what `approve` says, in every trial; times are whole microseconds, other numbers six decimals',
  'critical_path is the longest way by expected times, retries and pauses included, with every node run once',
]
const NOT_REAL = [
  'no agent, tool or person acted: durations, failures and costs are the numbers of the request',
  'no queues: any number of nodes runs at once, and none slows another one down',
]
const AWAITING = {
  code: 'AWAITING_APPROVAL',
  detail:
    'the figures over all trials follow when a person has decided: send the checkpoint to `resume` with `approve`',
}

const UNDECIDED = {
  code: 'UNDECIDED_TRIALS',
  detail: 'some trials came to a person who has not decided; they are left out of all figures',
}

const neverRan = (nodes: ReturnType<typeof runGraph>['nodes']) => {
  const idle = nodes.flatMap(({ id, ran }) => (ran === 0 ? [id] : []))
  return idle.length === 0 ? [] : [{ code: 'NEVER_RAN', detail: `in no trial: ${idle.join(', ')}` }]
}

type Prepared = Pick<GraphRun, 'workflow' | 'seed' | 'decisions' | 'from' | 'cutAt'>

export const graph = ({ compute }: { compute: Pick<Compute, 'register'> }): Organ => {
  const running = compute.register<GraphRun, ReturnType<typeof runGraph>>({
    ...{ name: 'organ-n2-run', module: new URL('./report.ts', import.meta.url), function: 'runGraph' },
    deadlineMs: DEADLINE_MS - 500,
  })
  async function answered(run: Prepared, { job }: RunContext): Promise<Outcome<Static<typeof Ran>>> {
    const isHeavy = possibleSteps(run.workflow) > MAX_INLINE
    const { state, ...result } = isHeavy ? await job(running, run) : runGraph(run)
    const { workflow: of, seed, decisions } = run
    const parts = { schema: 'orch.graph-checkpoint/v1' as const, version: VERSION, seed, workflow: of, decisions }
    const checkpoint = state === null ? null : sealed({ ...parts, state })
    return {
      status: result.ended === 'awaiting' ? 'AWAITING_APPROVAL' : 'EXECUTED',
      result: { ...result, checkpoint },
      limits: [
        ...(result.ended === 'awaiting' ? [AWAITING] : []),
        ...(result.undecided_trials ? [UNDECIDED] : []),
        ...neverRan(result.nodes),
      ],
    }
  }
  const shared = {
    result: Ran,
    isolation: `worker above ${MAX_INLINE} steps that can happen over all trials, else inline`,
    deadlineMs: DEADLINE_MS,
    maxWork: MAX_WORK,
  }
  return {
    id: 'N2',
    version: VERSION,
    ops: {
      run: op({
        ...shared,
        summary: 'Runs a workflow many times over: how long, how dear, how reliable, and what holds it up',
        request: Run,
        usesSeed: true,
        estimate: workOf,
        check: (request) => workflowFaults(request as Workflow, []),
        run({ cut_at_event: cutAt, ...asked }, context) {
          const run = { workflow: roundDeep(asked) as Workflow, seed: context.seed, decisions: {} }
          return answered({ ...run, ...(cutAt === undefined ? {} : { cutAt }) }, context)
        },
      }),
      resume: op({
        ...shared,
        summary: 'Takes up a run where its checkpoint stands, with what a person has decided',
        request: Resume,
        estimate: ({ checkpoint }) => workOf(checkpoint.workflow),
        check: resumeFaults,
        run({ checkpoint, approve, cut_at_event: cutAt }, context) {
          const { workflow: of, seed, decisions, state } = checkpoint
          const run = { workflow: of as Workflow, seed, decisions: { ...decisions, ...approve }, from: state }
          return answered({ ...run, ...(cutAt === undefined ? {} : { cutAt }) }, context)
        },
      }),
    },
    fromPrompt: graphPrompt,
    example: {
      request: {
        op: 'run',
        nodes: [
          { id: 'plan', mean_ms: 800, dist: 'exp', p_fail: 0.02, retries: 2, backoff_ms: 200, cost: 0.004 },
          {
            id: 'search',
            kind: 'tool',
            mean_ms: 1200,
            dist: 'exp',
            p_fail: 0.1,
            retries: 2,
            backoff_ms: 500,
            cost: 0.001,
          },
          { id: 'code', mean_ms: 3000, dist: 'exp', p_fail: 0.05, retries: 1, backoff_ms: 500, cost: 0.02 },
          { id: 'check', kind: 'gate', mean_ms: 50 },
        ],
        edges: [
          { from: 'plan', to: 'search' },
          { from: 'plan', to: 'code' },
          { from: 'search', to: 'check' },
          { from: 'code', to: 'check' },
        ],
      },
      prompt: 'plan > search, code > review!',
    },
    evidence: { assumptions: ASSUMPTIONS, not_real: NOT_REAL },
  }
}

const workOf = ({ trials, max_steps }: { trials?: number; max_steps?: number }): number => trials! * max_steps!

/** Without an edge that leads back every node makes as many attempts as it may, at most. */
function possibleSteps({ nodes, edges, trials, max_steps }: Workflow): number {
  const isLooped = structureOf({ nodes, edges }).loops.some(({ length }) => length > 0)
  const attempts = nodes.reduce((sum, { retries }) => sum + retries + 1, 0)
  return trials * (isLooped ? max_steps : Math.min(max_steps, attempts))
}

const sealed = (parts: Omit<Checkpoint, 'sha256'>): Checkpoint => ({ ...parts, sha256: digestOf(parts) })
const digestOf = (value: unknown): string => sha256Hex(canonicalBytes(value))

function workflowFaults({ nodes, edges }: Workflow, place: (string | number)[]): RequestFault[] {
  const ids = new Map(nodes.map(({ id }, at) => [id, at]))
  const ofNodes = nodes.flatMap(({ id, kind, p_fail, retries }, at) => [
    ...(ids.get(id)! > at
      ? [{ place: [...place, 'nodes', at, 'id'], message: 'is the id of another node as well' }]
      : []),
    ...(kind === 'human' && (p_fail > 0 || retries > 0)
      ? [{ place: [...place, 'nodes', at], message: 'a person decides: no p_fail and no retries' }]
      : []),
  ])
  const ofEdges = edges.flatMap((edge, at) =>
    (['from', 'to'] as const).flatMap((end) =>
      ids.has(edge[end]) ? [] : [{ place: [...place, 'edges', at, end], message: 'is not the id of a node' }],
    ),
  )
  const seen = new Set<string>()
  const twice = edges.flatMap(({ from, to, when }, at) =>
    seen.size === seen.add(JSON.stringify([from, to, when])).size
      ? [{ place: [...place, 'edges', at], message: 'is there already' }]
      : [],
  )
  const faults = [...ofNodes, ...ofEdges, ...twice]
  if (faults.length > 0) return faults.slice(0, 20)
  const cycle = unconditionalCycle({ nodes, edges })
  if (cycle === null) return []
  return [
    { place: [...place, 'edges'], message: `a cycle needs an edge with \`when\`: ${cycle.join(' > ')}`, type: 'cycle' },
  ]
}

/** A checkpoint counts that is as it was sealed and that its workflow really comes to: a digest alone anybody can make. */
function resumeFaults({ checkpoint, approve = {} }: Static<typeof Resume>): RequestFault[] {
  const { sha256, ...parts } = checkpoint
  const { workflow: of, seed, decisions, state, version } = parts
  const at = (place: string[], message: string) => [{ place: ['checkpoint', ...place], message, type: 'altered' }]
  if (digestOf(parts) !== sha256) return at(['sha256'], 'is not the digest of this checkpoint: it was altered')
  if (version !== VERSION) return at(['version'], `was made by version ${version}; this is ${VERSION}`)
  // A reply carries six decimals: with more of them the next checkpoint would not be the one that was sealed.
  if (digestOf(roundDeep(of)) !== digestOf(of)) return at(['workflow'], 'has numbers of more than six decimals')
  const found = workflowFaults(of as Workflow, ['checkpoint', 'workflow'])
  if (found.length > 0) return found
  const run = { workflow: of as Workflow, seed, decisions }
  if (state.nodes.length !== of.nodes.length || !isReached(run, state))
    return at(['state'], 'is no state that this workflow comes to')
  const people = of.nodes.flatMap(({ id, kind }) => (kind === 'human' ? [id] : []))
  return Object.entries(approve).flatMap(([id, approved]) => {
    const place = ['approve', id]
    if (!people.includes(id)) return [{ place, message: 'is not the id of a human node' }]
    const isOther = Object.hasOwn(decisions, id) && decisions[id] !== approved
    return isOther ? [{ place, message: 'was decided already, and otherwise' }] : []
  })
}
