/** Wire shapes of N1. */
import Type, { type Static } from 'typebox'
import { closed, Nullable, words } from '../../../domain/wire.ts'

const PromptTokens = Type.Integer({ minimum: 1, maximum: 32_768 })
const OutputTokens = Type.Integer({ minimum: 1, maximum: 4096 })
const tokens = { prompt_tokens: PromptTokens, output_tokens: OutputTokens }
const Workload = Type.Union(
  [
    Type.Array(closed({ arrive_ms: Type.Number({ minimum: 0, maximum: 1e9 }), ...tokens }), {
      minItems: 1,
      maxItems: 500,
    }),
    closed({
      rate_rps: Type.Number({ minimum: 0.1, maximum: 200 }),
      n: Type.Integer({ minimum: 1, maximum: 20_000 }),
      ...tokens,
    }),
  ],
  { description: 'requests in the order of their arrival, or a Poisson process of n equal requests' },
)
const speeds = {
  prefill_tps: Type.Number({ minimum: 1, maximum: 1e6, description: 'prompt tokens a second' }),
  decode_tps: Type.Number({ minimum: 1, maximum: 1e5, description: 'tokens a second of one sequence alone' }),
  slowdown: Type.Optional(
    Type.Number({ minimum: 0, maximum: 1, default: 0.05, description: 'longer step for each further sequence' }),
  ),
  kv_blocks: Type.Integer({ minimum: 1, maximum: 1_000_000 }),
  block_size: Type.Optional(Type.Integer({ minimum: 1, maximum: 256, default: 16, description: 'tokens in a block' })),
}
const MaxBatch = Type.Integer({ minimum: 1, maximum: 256 })
const Milliseconds = Type.Number({ exclusiveMinimum: 0, maximum: 1e7 })
export type Slo = Static<typeof Slo>
const Slo = Type.Object(
  { ttft_ms: Type.Optional(Milliseconds), tpot_ms: Type.Optional(Milliseconds) },
  { additionalProperties: false, minProperties: 1 },
)
export const SimulateRequest = closed({
  workload: Workload,
  server: closed({ ...speeds, max_batch: MaxBatch }),
  slo: Type.Optional(Slo),
})
export const SweepRequest = closed({
  workload: Workload,
  server: closed({ ...speeds, max_batch: Type.Optional({ ...MaxBatch, description: 'the batches take its place' }) }),
  slo: Type.Optional(Slo),
  batches: Type.Array(MaxBatch, { minItems: 1, maxItems: 16 }),
})
export const CompleteRequest = closed({
  messages: Type.Array(
    closed({
      role: words(['system', 'user', 'assistant']),
      content: Type.String({ minLength: 1, maxLength: 32_768 }),
    }),
    { minItems: 1, maxItems: 32 },
  ),
  max_tokens: Type.Optional(Type.Integer({ minimum: 1, maximum: 256, default: 64 })),
})
export type CompleteRequest = Static<typeof CompleteRequest>

const numbers = <const Name extends string>(...names: Name[]) =>
  Object.fromEntries(names.map((name) => [name, Type.Number()])) as Record<Name, Type.TNumber>
const Spread = closed(numbers('mean', 'p50', 'p95', 'p99'))
const latencies = {
  ...{ wait_ms: Spread, ttft_ms: Spread, tpot_ms: Nullable(Spread), e2e_ms: Spread },
  ...numbers('horizon_ms', 'tokens_per_s'),
  preemptions: Type.Integer(),
  ...{ slo_attainment: Nullable(Type.Number()), goodput_rps: Nullable(Type.Number()) },
}
const counts = <const Name extends string>(...names: Name[]) =>
  Object.fromEntries(names.map((name) => [name, Type.Integer()])) as Record<Name, Type.TInteger>
export const Simulated = closed({
  ...latencies,
  queue_depth: Type.Array(closed({ t_ms: Type.Number(), ...counts('waiting', 'running') }), { maxItems: 200 }),
  ...counts('queue_peak', 'kv_blocks_peak'),
  ...numbers('utilization', 'mean_batch'),
  offered_load: Nullable(Type.Number({ description: 'of full batches; from 1 on the queue grows for ever' })),
  little: closed(numbers('arrival_rps', 'mean_in_system', 'mean_waiting')),
  conservation: closed({
    ...counts('requests_in', 'requests_out', 'prompt_tokens_in', 'prefill_tokens', 'recomputed_tokens'),
    ...counts('output_tokens_in', 'output_tokens_out', 'decode_steps'),
    busy_ms: Type.Number(),
  }),
  requests: Type.Array(
    closed({
      ...numbers('arrive_ms', 'wait_ms', 'start_ms', 'first_token_ms', 'end_ms'),
      preemptions: Type.Integer(),
    }),
  ),
  requests_truncated_from: Type.Optional(Type.Integer()),
})
export const Swept = closed({
  rows: Type.Array(closed({ max_batch: MaxBatch, ...latencies })),
  smallest_batch: Nullable(MaxBatch),
})
const Completion = closed({
  id: Type.String(),
  object: Type.Literal('chat.completion'),
  created: Type.Literal(0, { description: 'always 0: the time of the run is `ts`' }),
  model: Type.String(),
  choices: Type.Array(
    closed({
      index: Type.Integer(),
      message: closed({ role: Type.Literal('assistant'), content: Type.String() }),
      finish_reason: words(['stop', 'length']),
    }),
  ),
  usage: closed(counts('prompt_tokens', 'completion_tokens', 'total_tokens')),
})
export type Completion = Static<typeof Completion>
const Screened = closed({
  screen: closed({
    direction: words(['input', 'output']),
    action: words(['review', 'deny']),
    findings: Type.Array(Type.Object({})),
  }),
})
export type Screened = Static<typeof Screened>
export const Completed = Type.Union([Completion, Screened])
