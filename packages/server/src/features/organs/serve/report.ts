/** What a run of the server comes to: percentiles, rates and the sums that must agree. Also the job of the compute pool. */
import { randomStream, type StreamName } from '../random.ts'
import { type Arrival, blocksOf, type ServedRun, type Server, serve } from './batching.ts'
import type { Slo } from './shapes.ts'

export interface PoissonLoad {
  rate_rps: number
  n: number
  prompt_tokens: number
  output_tokens: number
}

export interface Simulation {
  workload: Arrival[] | PoissonLoad
  server: Server
  slo?: Slo
  stream: StreamName
}

const MAX_REQUESTS = 500

/** Arrivals of a Poisson process: exponential times between them, the first of them included. */
function arrivalsOf(workload: Simulation['workload'], stream: StreamName): Arrival[] {
  if (Array.isArray(workload)) return workload
  const { rate_rps, n, ...tokens } = workload
  const random = randomStream(stream)
  let clock = 0
  return Array.from({ length: n }, () => {
    clock += random.exponential(1000 / rate_rps)
    return { arrive_ms: clock, ...tokens }
  })
}

/** Nearest rank: the smallest value that at least this share of the values does not exceed. */
function spread(values: Float64Array) {
  const sorted = values.toSorted()
  const rank = (share: number) => sorted[Math.ceil(share * sorted.length) - 1]!
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  return { mean, p50: rank(0.5), p95: rank(0.95), p99: rank(0.99) }
}

/** What follows for whoever waits: the same in a row of a sweep. */
function latenciesOf(load: readonly Arrival[], run: ServedRun, slo: Slo | undefined) {
  const each = (value: (request: Arrival, at: number) => number) => Float64Array.from(load, value)
  const ttft = each(({ arrive_ms }, at) => run.firstToken[at]! - arrive_ms)
  const gaps = load.flatMap(({ output_tokens }, at) =>
    output_tokens > 1 ? [(run.end[at]! - run.firstToken[at]!) / (output_tokens - 1)] : [],
  )
  const horizonMs = run.end.reduce((last, end) => Math.max(last, end), 0) - load[0]!.arrive_ms
  const met = (request: Arrival, at: number): boolean =>
    ttft[at]! <= (slo?.ttft_ms ?? Infinity) &&
    (request.output_tokens === 1 ||
      (run.end[at]! - run.firstToken[at]!) / (request.output_tokens - 1) <= (slo?.tpot_ms ?? Infinity))
  const good = slo === undefined ? null : load.filter(met).length
  return {
    horizon_ms: horizonMs,
    wait_ms: spread(each(({ arrive_ms }, at) => run.start[at]! - arrive_ms)),
    ttft_ms: spread(ttft),
    tpot_ms: gaps.length === 0 ? null : spread(Float64Array.from(gaps)),
    e2e_ms: spread(each(({ arrive_ms }, at) => run.end[at]! - arrive_ms)),
    tokens_per_s: (run.outputTokens * 1000) / horizonMs,
    preemptions: run.preemptions.reduce((sum, count) => sum + count, 0),
    slo_attainment: good === null ? null : good / load.length,
    goodput_rps: good === null ? null : (good * 1000) / horizonMs,
  }
}

const total = (load: readonly Arrival[], field: 'prompt_tokens' | 'output_tokens'): number =>
  load.reduce((sum, request) => sum + request[field], 0)

/** Seconds of work that arrive in a second when every batch is as full as `max_batch` and the blocks of the prompts let it
 *  be, which is the cheapest: from 1 on no queue is stable. */
export function offeredLoad({ rate_rps, prompt_tokens, output_tokens }: PoissonLoad, server: Server): number {
  const { prefill_tps, decode_tps, slowdown, max_batch, kv_blocks, block_size } = server
  const batch = Math.min(max_batch, Math.floor(kv_blocks / blocksOf(prompt_tokens + 1, block_size)))
  const perToken = (1 + slowdown * (batch - 1)) / (batch * decode_tps)
  return rate_rps * (prompt_tokens / prefill_tps + output_tokens * perToken)
}

export function simulate({ workload, server, slo, stream }: Simulation) {
  const load = arrivalsOf(workload, stream)
  const run = serve(load, server)
  const latencies = latenciesOf(load, run, slo)
  const { horizon_ms } = latencies
  const shown = load.slice(0, MAX_REQUESTS).map(({ arrive_ms }, at) => ({
    ...{ arrive_ms, wait_ms: run.start[at]! - arrive_ms, start_ms: run.start[at]! },
    ...{ first_token_ms: run.firstToken[at]!, end_ms: run.end[at]!, preemptions: run.preemptions[at]! },
  }))
  return {
    ...latencies,
    queue_depth: run.queue,
    queue_peak: run.peakQueue,
    kv_blocks_peak: run.peakBlocks,
    utilization: run.busyMs / horizon_ms,
    mean_batch: run.busyMs === 0 ? 0 : run.runningMs / run.busyMs,
    offered_load: Array.isArray(workload) ? null : offeredLoad(workload, server),
    little: {
      arrival_rps: (load.length * 1000) / horizon_ms,
      mean_in_system: run.inSystemMs / horizon_ms,
      mean_waiting: run.waitingMs / horizon_ms,
    },
    conservation: {
      requests_in: load.length,
      requests_out: run.end.reduce((count, end) => count + (end > 0 ? 1 : 0), 0),
      prompt_tokens_in: total(load, 'prompt_tokens'),
      prefill_tokens: run.prefillTokens,
      recomputed_tokens: run.recomputedTokens,
      output_tokens_in: total(load, 'output_tokens'),
      output_tokens_out: run.outputTokens,
      decode_steps: run.decodeSteps,
      busy_ms: run.busyMs,
    },
    requests: shown,
    ...(load.length > MAX_REQUESTS ? { requests_truncated_from: load.length } : {}),
  }
}

const ENOUGH = 0.95

/** The same arrivals for every batch. */
export function sweep({ batches, ...simulation }: Simulation & { batches: number[] }) {
  const load = arrivalsOf(simulation.workload, simulation.stream)
  const rows = batches.map((max_batch) => {
    const run = serve(load, { ...simulation.server, max_batch })
    return { max_batch, ...latenciesOf(load, run, simulation.slo) }
  })
  const enough = rows.filter(({ slo_attainment }) => slo_attainment !== null && slo_attainment >= ENOUGH)
  const smallest = enough.reduce((least, { max_batch }) => Math.min(least, max_batch), Infinity)
  return { rows, smallest_batch: Number.isFinite(smallest) ? smallest : null }
}
