/** The plan, and what failures do to it: every node leaves for good after an exponential time, and what is left goes on
 *  with the best plan that it has. Also the job of the compute pool. */
import { wilson } from '../../../domain/wilson.ts'
import { randomStream, type StreamName } from '../random.ts'
import { hopMs, type MeshModel, type MeshNode, type Objective, type Plan, Planner, stageMs } from './plan.ts'

export interface MeshRequest {
  nodes: MeshNode[]
  model: MeshModel
  tokens: number
  trials: number
  objective: Objective
  stream: StreamName
}

export function planMesh(request: MeshRequest) {
  const { nodes, model, objective, tokens } = request
  const planner = new Planner(nodes, model, objective)
  const [plan, single] = [planner.plan(), planner.singleBest()]
  const usable = nodes.reduce((sum, _, node) => sum + planner.capacity(node), 0)
  const memory = { needed_gb: model.layers * model.gb_per_layer, usable_gb: usable * model.gb_per_layer }
  const single_node_best = single && { node: nodes[single.stages[0]!.node]!.id, ...ratesOf(single, tokens) }
  if (plan === null) return { ...NO_FIT, ...memory, single_node_best }
  const churn = churnOf(request, planner, plan)
  return {
    ...{ fits: true, verdict: plan.stages.length > 1 ? ('MESH' as const) : ('SINGLE_NODE' as const) },
    split: splitOf(plan, request),
    ...ratesOf(plan, tokens),
    bottleneck: bottleneckOf(plan, request),
    return_ms: plan.stages.length > 1 ? nodes[plan.stages[0]!.node]!.rtt_ms / 2 : 0,
    single_node_best,
    ...memory,
    ...churn,
  }
}

const NO_FIT = {
  ...{ fits: false, verdict: 'NO_FIT' as const, split: [], tokens_per_s: null, ttft_ms: null, run_ms: null },
  ...{ bottleneck: null, return_ms: null, availability: null, replan_cost: null },
}

const runMs = ({ latencyMs, intervalMs }: Plan, tokens: number): number => latencyMs + (tokens - 1) * intervalMs

const ratesOf = (plan: Plan, tokens: number) => ({
  tokens_per_s: 1000 / plan.intervalMs,
  ttft_ms: plan.latencyMs,
  run_ms: runMs(plan, tokens),
})

function rangesOf({ stages }: Plan) {
  let first = 0
  return stages.map(({ node, layers }) => {
    first += layers
    return { node, first: first - layers, last: first - 1, layers }
  })
}

const splitOf = (plan: Plan, { nodes, model }: MeshRequest) =>
  rangesOf(plan).map(({ node, first, last, layers }, at) => ({
    ...{ node: nodes[node]!.id, first, last },
    stage_ms: stageMs(nodes[node]!, model, layers),
    hop_ms: at === 0 ? 0 : hopMs(nodes[node]!, model),
  }))

function bottleneckOf(plan: Plan, request: MeshRequest) {
  const parts = splitOf(plan, request).flatMap(({ node, stage_ms, hop_ms }) => [
    { kind: 'stage' as const, node, ms: stage_ms },
    { kind: 'hop' as const, node, ms: hop_ms },
  ])
  return parts.reduce((worst, part) => (part.ms > worst.ms ? part : worst))
}

function churnOf(request: MeshRequest, planner: Planner, plan: Plan) {
  const { nodes, trials, tokens, stream } = request
  const total = runMs(plan, tokens)
  const rate = plan.stages.reduce((sum, { node }) => sum + 1 / (nodes[node]!.mtbf_s ?? Infinity), 0)
  if (rate === 0) return { availability: { value: 1, low: 1, high: 1, expected: 1 }, replan_cost: null }
  const known = new Map<string, Plan | null>()
  const planFor = (alive: readonly boolean[]): Plan | null => {
    const key = alive.map(Number).join('')
    if (!known.has(key))
      known.set(
        key,
        planner.plan((node) => alive[node]!),
      )
    return known.get(key)!
  }
  const outcomes = Array.from({ length: trials }, (_, trial) => {
    const random = randomStream(stream, trial)
    const fails = nodes.map(({ mtbf_s }) => {
      const ms = random.exponential(1000 * (mtbf_s ?? 1))
      return mtbf_s === undefined ? Infinity : ms
    })
    return runThrough(request, plan, fails, planFor)
  })
  const hit = outcomes.filter(({ replans }) => replans > 0)
  const quiet = trials - hit.length
  const finished = hit.filter(({ endMs }) => endMs !== null)
  const extra = finished.map(({ endMs }) => endMs! - total).sort((a, b) => a - b)
  const mean = (values: readonly number[]) =>
    values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length
  return {
    availability: { value: quiet / trials, ...wilson(quiet, trials), expected: Math.exp((-rate * total) / 1000) },
    replan_cost: {
      interrupted: hit.length,
      lost: hit.length - finished.length,
      mean_replans: mean(hit.map(({ replans }) => replans)),
      mean_extra_ms: mean(extra),
      p95_extra_ms: extra[Math.ceil(0.95 * extra.length) - 1] ?? null,
    },
  }
}

/** One run with the failures of one trial; `endMs` is null where what was left could not hold the model. */
function runThrough(
  { nodes, model, tokens }: MeshRequest,
  first: Plan,
  fails: readonly number[],
  planFor: (alive: readonly boolean[]) => Plan | null,
) {
  let [plan, begin, done, replans] = [first, 0, 0, 0]
  for (;;) {
    const failure = Math.min(...plan.stages.map(({ node }) => fails[node]!))
    const end = begin + runMs(plan, tokens - done)
    if (failure >= end) return { endMs: end, replans }
    replans += 1
    const sinceFirst = failure - begin - plan.latencyMs
    if (sinceFirst >= 0) done = Math.min(tokens - 1, done + 1 + Math.floor(sinceFirst / plan.intervalMs))
    const next = planFor(fails.map((at) => at > failure))
    if (next === null) return { endMs: null, replans }
    begin = failure + loadMs(plan, next, nodes, model) + contextMs(next, nodes, model, done)
    plan = next
  }
}

/** Layers that a node did not hold before come over its own link, all nodes at once. */
function loadMs(before: Plan, next: Plan, nodes: readonly MeshNode[], model: MeshModel): number {
  const previousRanges = new Map(rangesOf(before).map((range) => [range.node, range]))
  const times = rangesOf(next).map(({ node, first, last, layers }) => {
    const old = previousRanges.get(node)
    const overlap = old === undefined ? 0 : Math.max(0, Math.min(last, old.last) - Math.max(first, old.first) + 1)
    return ((layers - overlap) * model.gb_per_layer * 8_000_000) / nodes[node]!.net_mbps
  })
  return Math.max(...times)
}

/** The attention state was spread over the nodes: what was generated goes through the new pipeline once more. */
const contextMs = ({ stages }: Plan, nodes: readonly MeshNode[], model: MeshModel, tokens: number): number =>
  tokens === 0
    ? 0
    : stages.reduce(
        (sum, { node, layers }, at) =>
          sum + stageMs(nodes[node]!, model, layers, tokens) + (at === 0 ? 0 : hopMs(nodes[node]!, model, tokens)),
        0,
      )
