/** N17 Mesh: whether a model is better split over several machines, where its layers go, and what failures cost. */
import Type, { type Static } from 'typebox'
import { closed, Nullable, words } from '../../../domain/wire.ts'
import type { Compute } from '../../../platform/compute/compute.ts'
import { type Organ, op, type RequestFault } from '../organ.ts'
import { type MeshRequest, planMesh } from './churn.ts'
import { meshPrompt, PROFILES, profileAssumption, withProfile } from './prompt.ts'

const VERSION = '1.1.0'
const DEADLINE_MS = 5_000
const MAX_INLINE = 200_000

const positive = (maximum: number, description?: string) =>
  Type.Number({ minimum: 1e-6, maximum, ...(description === undefined ? {} : { description }) })
const PROFILED = 'may be left out where a profile is named'
const Plan = closed({
  nodes: Type.Array(
    closed({
      id: Type.String({ minLength: 1, maxLength: 64 }),
      mem_gb: positive(1e6),
      tflops: Type.Optional(positive(1e6, PROFILED)),
      mem_bw_gbs: Type.Optional(positive(1e6, PROFILED)),
      net_mbps: Type.Optional(positive(1e6, PROFILED)),
      rtt_ms: Type.Optional(Type.Number({ minimum: 0, maximum: 1e5, description: PROFILED })),
      mtbf_s: Type.Optional(positive(1e12, 'mean time to its failure; left out, the node never fails')),
    }),
    { minItems: 1, maxItems: 32 },
  ),
  model: closed({
    layers: Type.Integer({ minimum: 1, maximum: 200 }),
    gb_per_layer: positive(1e4),
    gflop_per_layer: Type.Optional(positive(1e6, PROFILED)),
    hidden: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000, description: PROFILED })),
  }),
  profile: Type.Optional(words(PROFILES)),
  tokens: Type.Optional(Type.Integer({ minimum: 1, maximum: 2048, default: 256, description: 'to generate' })),
  trials: Type.Optional(Type.Integer({ minimum: 1, maximum: 500, default: 100 })),
  objective: Type.Optional(words(['latency', 'throughput'], { default: 'latency' })),
})
export type PlanRequest = Static<typeof Plan>

const Milliseconds = Nullable(Type.Number())
const rates = { tokens_per_s: Milliseconds, ttft_ms: Milliseconds, run_ms: Milliseconds }
const Share = Type.Number({ minimum: 0, maximum: 1 })
const Planned = closed({
  fits: Type.Boolean(),
  verdict: words(['MESH', 'SINGLE_NODE', 'NO_FIT']),
  split: Type.Array(
    closed({
      node: Type.String(),
      ...{ first: Type.Integer({ description: 'layer, from 0' }), last: Type.Integer() },
      ...{ stage_ms: Type.Number(), hop_ms: Type.Number() },
    }),
  ),
  ...rates,
  bottleneck: Nullable(closed({ kind: words(['stage', 'hop']), node: Type.String(), ms: Type.Number() })),
  return_ms: { ...Milliseconds, description: 'of a token from the last stage to the first; no part of the rates' },
  single_node_best: Nullable(closed({ node: Type.String(), ...rates })),
  ...{ needed_gb: Type.Number(), usable_gb: Type.Number({ description: 'of whole layers' }) },
  availability: Nullable(closed({ value: Share, low: Share, high: Share, expected: Share })),
  replan_cost: Nullable(
    closed({
      ...{ interrupted: Type.Integer(), lost: Type.Integer() },
      ...{ mean_replans: Milliseconds, mean_extra_ms: Milliseconds, p95_extra_ms: Milliseconds },
    }),
  ),
})

const ASSUMPTIONS = [
  'a stage takes the longer of reading its weights once and computing one token; a hop takes half a round trip and 2*hidden bytes over the link of the node that it leads to',
  'latency: one sequence, a token after the other, the sum of stages and hops; throughput: as many sequences as keep every stage and link busy, one activation on a link at a time, the slowest stage or hop',
  'nodes are taken in the given order, any may be left out, and each holds whole layers; of equal plans the one with fewer stages',
  'a node leaves for good after an exponential time; the others are planned anew, missing layers come over the link of each node, all at once, and the tokens so far go through the new pipeline once more',
  'availability is the share of trials in which no node of the plan fails before its run_ms are over, with its Wilson interval; expected is prod exp(-T/mtbf)',
]
const NOT_REAL = [
  'no node was asked: speeds, links and failures are the numbers of the request or of its profile',
  'no tensor parallelism, attention cache in memory, congestion, or nodes that come back',
]
const RETURN_PATH = {
  code: 'RETURN_PATH',
  detail: 'the next token of a sequence needs the last one back at the first stage: return_ms is not in tokens_per_s',
}
const CHURN_OFF = { code: 'CHURN_OFF', detail: 'no node of the plan states a mean time to failure: none fails' }

/** A short model over many nodes that fail again and again is little work by its layers, and many plans. */
const MAX_INLINE_FATES = 1_500
const isHeavy = (request: PlanRequest): boolean =>
  workOf(request) > MAX_INLINE || request.nodes.length * request.trials! > MAX_INLINE_FATES
const workOf = ({ nodes, model, trials }: PlanRequest): number => model.layers ** 2 * nodes.length * (1 + trials! / 10)

export const mesh = ({ compute }: { compute: Pick<Compute, 'register'> }): Organ => {
  const planning = compute.register<MeshRequest, ReturnType<typeof planMesh>>({
    ...{ name: 'organ-n17-plan', module: new URL('./churn.ts', import.meta.url), function: 'planMesh' },
    deadlineMs: DEADLINE_MS - 500,
  })
  return {
    id: 'N17',
    version: VERSION,
    ops: {
      plan: op({
        summary: 'The best split of the layers, what it gains over one machine, and what failures do to it',
        request: Plan,
        result: Planned,
        isolation: `worker above ${MAX_INLINE} units or ${MAX_INLINE_FATES} nodes times trials, else inline`,
        deadlineMs: DEADLINE_MS,
        maxWork: 70_000_000,
        usesSeed: true,
        estimate: workOf,
        check: faultsOf,
        async run(request, { seed, job }) {
          const { profile, tokens, trials, objective } = request
          const stream = { organ: 'N17', version: VERSION, op: 'plan', seed }
          const filled = withProfile(request.nodes, request.model, profile)
          const asked = { ...filled, tokens: tokens!, trials: trials!, objective: objective!, stream }
          const result = isHeavy(request) ? await job(planning, asked) : planMesh(asked)
          return {
            result,
            limits: [
              ...(result.verdict === 'MESH' ? [RETURN_PATH] : []),
              ...(result.fits && result.replan_cost === null ? [CHURN_OFF] : []),
            ],
            ...(profile === undefined
              ? {}
              : { evidence: { assumptions: [...ASSUMPTIONS, profileAssumption(profile)] } }),
          }
        },
      }),
    },
    fromPrompt: meshPrompt,
    example: {
      request: {
        op: 'plan',
        nodes: [
          { id: 'a', mem_gb: 24, tflops: 71, mem_bw_gbs: 936, net_mbps: 10_000, rtt_ms: 0.3, mtbf_s: 3600 },
          { id: 'b', mem_gb: 24, tflops: 71, mem_bw_gbs: 936, net_mbps: 10_000, rtt_ms: 0.3, mtbf_s: 3600 },
          { id: 'c', mem_gb: 48, tflops: 155, mem_bw_gbs: 768, net_mbps: 10_000, rtt_ms: 0.3, mtbf_s: 600 },
        ],
        model: { layers: 60, gb_per_layer: 1.2, gflop_per_layer: 1.2, hidden: 8192 },
        tokens: 1024,
      },
      prompt: '70 layers 1.2 GB on 24,24,48 profile lan',
    },
    evidence: { assumptions: ASSUMPTIONS, not_real: NOT_REAL },
  }
}

function faultsOf({ nodes, model, profile }: PlanRequest): RequestFault[] {
  const lacking = (given: Record<string, unknown>, fields: readonly string[], place: (string | number)[]) =>
    fields.flatMap((field) =>
      profile === undefined && given[field] === undefined
        ? [{ place: [...place, field], message: 'is missing, and no profile is named', type: 'missing' }]
        : [],
    )
  const ofNodes = nodes.flatMap((node, at) => [
    ...lacking(node, ['tflops', 'mem_bw_gbs', 'net_mbps', 'rtt_ms'], ['nodes', at]),
    ...(nodes.findIndex(({ id }) => id === node.id) < at
      ? [{ place: ['nodes', at, 'id'], message: 'is there twice' }]
      : []),
  ])
  return [...ofNodes, ...lacking(model, ['gflop_per_layer', 'hidden'], ['model'])].slice(0, 20)
}
