/** N1 Serve: which batch size meets a latency target at this load, by a simulated server; and a completion of the embedded
 *  model. */
import type { Static } from 'typebox'
import type { Compute } from '../../../platform/compute/compute.ts'
import { type Organ, op, type RequestFault, type RunContext } from '../organ.ts'
import type { Limit } from '../schemas.ts'
import { blocksOf, type Server } from './batching.ts'
import { type CompleteNeeds, complete } from './complete.ts'
import { offeredLoad, type Simulation, simulate, sweep } from './report.ts'
import { Completed, CompleteRequest, Simulated, SimulateRequest, SweepRequest, Swept } from './shapes.ts'

const VERSION = '1.0.0'
const DEADLINE_MS = 5_000
const MAX_INLINE = 200_000
const MAX_WORK = 20_000_000

type Load = Static<typeof SimulateRequest>['workload']
type Sweep = Static<typeof SweepRequest>

const ASSUMPTIONS = [
  'an iteration admits in order of arrival, works off the prompts it admitted at prefill_tps, then gives each running sequence one token in (1 + slowdown*(running-1))/decode_tps s; whoever arrives meanwhile waits for its end',
  'TTFT ends with the first decode step after the prefill; TPOT is the mean time between later tokens; wait is the time to the first admission',
  'a sequence holds ceil(tokens/block_size) blocks and asks for the next one before its token; where none is free the newest goes back to the head of the queue and its tokens are computed again',
  'Poisson arrivals begin with an empty server and end with the n-th: there is no warm-up to leave out',
]
const NOT_REAL = [
  'no model was served: prefill, decode and memory are the three numbers of the request',
  'no chunked prefill, prefix cache, speculative decoding, swapping or several replicas',
]
const UNSTABLE: Limit = {
  code: 'UNSTABLE',
  detail: 'more work arrives than full batches can do: the queue grows with n, and so do all latencies',
}
const NO_SLO: Limit = { code: 'NO_SLO', detail: 'no target was given, so no batch can be said to meet it' }

interface ServeNeeds extends CompleteNeeds {
  compute: Pick<Compute, 'register'>
}

export function serve(needs: ServeNeeds): Organ {
  const job = <Params, Result>(name: string) =>
    needs.compute.register<Params, Result>({
      ...{ name: `organ-n1-${name}`, module: new URL('./report.ts', import.meta.url), function: name },
      deadlineMs: DEADLINE_MS - 500,
    })
  const simulating = job<Simulation, ReturnType<typeof simulate>>('simulate')
  const sweeping = job<Simulation & { batches: number[] }, ReturnType<typeof sweep>>('sweep')
  const simulated = {
    isolation: `worker above ${MAX_INLINE} units, else inline`,
    deadlineMs: DEADLINE_MS,
    maxWork: MAX_WORK,
    usesSeed: true,
  } as const
  return {
    id: 'N1',
    version: VERSION,
    dependsOn: ['N3'],
    ops: {
      simulate: op({
        ...simulated,
        summary: 'Serves a workload on one server with continuous batching and tells every latency',
        request: SimulateRequest,
        result: Simulated,
        estimate: ({ workload }) => tokensOf(workload),
        check: faultsOf,
        async run({ workload, server, slo }, context) {
          const params = { workload, server: server as Server, ...(slo && { slo }), stream: streamOf(context) }
          const isHeavy = tokensOf(workload) > MAX_INLINE
          const result = isHeavy ? await context.job(simulating, params) : simulate(params)
          return { result, limits: isUnstable(workload, params.server) ? [UNSTABLE] : [] }
        },
      }),
      sweep: op({
        ...simulated,
        summary: 'The same arrivals for several batch sizes, and the smallest that meets the target for 95% of them',
        request: SweepRequest,
        result: Swept,
        estimate: ({ workload, batches }) => tokensOf(workload) * batches.length,
        check: (request) => [...faultsOf(request), ...repeatedFaults(request)],
        async run({ workload, server, slo, batches }, context) {
          const largest = { ...(server as Server), max_batch: Math.max(...batches) }
          const params = { workload, server: largest, ...(slo && { slo }), batches, stream: streamOf(context) }
          const isHeavy = tokensOf(workload) * batches.length > MAX_INLINE
          const result = isHeavy ? await context.job(sweeping, params) : sweep(params)
          return {
            result,
            limits: [...(isUnstable(workload, largest) ? [UNSTABLE] : []), ...(slo === undefined ? [NO_SLO] : [])],
          }
        },
      }),
      complete: op({
        summary: 'A chat completion of the embedded model, screened by the guard before and after',
        request: CompleteRequest,
        result: Completed,
        isolation: 'the threads of the gates and of the model',
        deadlineMs: DEADLINE_MS,
        maxWork: 256,
        estimate: ({ max_tokens }) => max_tokens!,
        run: (request, context) => complete(needs, request, context),
      }),
    },
    fromPrompt: (prompt) => ({ op: 'complete', messages: [{ role: 'user', content: prompt }] }),
    example: {
      request: {
        op: 'simulate',
        workload: { rate_rps: 4, n: 100, prompt_tokens: 512, output_tokens: 64 },
        server: { prefill_tps: 8000, decode_tps: 60, max_batch: 16, kv_blocks: 1024 },
        slo: { ttft_ms: 500, tpot_ms: 40 },
      },
      prompt: 'What is the capital of France?',
    },
    evidence: { assumptions: ASSUMPTIONS, not_real: NOT_REAL },
    backends: [
      {
        env: 'ORCH_ORGAN_N1_URL',
        configured: needs.askUpstream !== null,
        adds: 'the reply of an OpenAI-compatible server to the same messages',
      },
    ],
  }
}

/** A sweep meets the arrivals of `simulate`: its row for a batch is what `simulate` says of that batch. */
const streamOf = ({ seed }: RunContext) => ({ organ: 'N1', version: VERSION, op: 'simulate', seed })

const tokensOf = (workload: Load): number =>
  Array.isArray(workload)
    ? workload.reduce((sum, { prompt_tokens, output_tokens }) => sum + prompt_tokens + output_tokens, 0)
    : workload.n * (workload.prompt_tokens + workload.output_tokens)

const isUnstable = (workload: Load, server: Server): boolean =>
  !Array.isArray(workload) && offeredLoad(workload, server) >= 1 - 1e-9

function faultsOf({ workload, server }: Pick<Sweep, 'workload' | 'server'>): RequestFault[] {
  const { kv_blocks, block_size = 16 } = server
  const unfit = ({ prompt_tokens, output_tokens }: { prompt_tokens: number; output_tokens: number }) => {
    const blocks = blocksOf(prompt_tokens + output_tokens, block_size)
    return blocks > kv_blocks
      ? `needs ${blocks} blocks at its end and can never fit the ${kv_blocks} of the server`
      : null
  }
  if (!Array.isArray(workload)) {
    const message = unfit(workload)
    return message === null ? [] : [{ place: ['workload'], message: `each request ${message}` }]
  }
  const faults = workload.flatMap((request, at) => {
    const message = unfit(request)
    const isLate = at > 0 && request.arrive_ms < workload[at - 1]!.arrive_ms
    return [
      ...(message === null ? [] : [{ place: ['workload', at], message: `request ${at} ${message}` }]),
      ...(isLate
        ? [{ place: ['workload', at, 'arrive_ms'], message: 'must not be before that of the request before' }]
        : []),
    ]
  })
  return faults.slice(0, 20)
}

const repeatedFaults = ({ batches }: Pick<Sweep, 'batches'>): RequestFault[] =>
  batches.flatMap((batch, at) =>
    batches.indexOf(batch) < at ? [{ place: ['batches', at], message: 'is there twice' }] : [],
  )
