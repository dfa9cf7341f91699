/** Wire shapes of the embedded model: its gate, what is asked of it and what it answers. */
import Type, { type Static } from 'typebox'
import {
  AnyObject,
  Count,
  closed,
  Hex64,
  Nullable,
  named,
  ReceiptSummary,
  Text,
  Timestamp,
  words,
} from '../../domain/wire.ts'
import { closed as closedBody } from '../../platform/shape.ts'

export const PROVIDER_ID = 'orch.m1.local/v1'
export const TIER = 'EXPERIMENTAL_LOCAL_ONLY'
export const CHECK_NAMES = [
  'manifest',
  'weights',
  'tokenizer',
  'config',
  'training_script',
  'corpus_manifest',
  'training_receipt',
  'evaluation',
  'offline_reload',
  'provider_identity',
] as const
export type CheckName = (typeof CHECK_NAMES)[number]

export type GateCheck = Static<typeof GateCheck>
const GateCheck = closed({
  state: words(['PASS', 'BLOCKED', 'UNAVAILABLE']),
  reason: Text,
  sha256: Type.Optional(Hex64),
  bytes: Type.Optional(Count),
})

const Disabled = Type.Literal('DISABLED')

const releaseStatus = {
  release_state: Type.Literal('NOT_PROMOTED'),
  quality_claim: Type.Literal('NOT_ESTABLISHED'),
  production_eligible: Type.Literal(false),
}

export type Gate = Static<typeof Gate>
export const Gate = named('M1Gate', {
  schema: Type.Literal('orch.m1-operational-gate/v1'),
  candidate_id: Type.String(),
  provider_id: Type.Literal(PROVIDER_ID),
  checked_at: Timestamp,
  operational_state: words(['READY_EXPERIMENTAL', 'BLOCKED', 'UNAVAILABLE']),
  ...releaseStatus,
  inference_mode: words([TIER, 'DISABLED']),
  effectors: closed({ network: Disabled, download: Disabled, training: Disabled, publishing: Disabled }),
  checks: closed(
    Object.fromEntries(CHECK_NAMES.map((name) => [name, GateCheck])) as Record<CheckName, typeof GateCheck>,
  ),
  evaluation: Nullable(AnyObject),
  label: Type.Literal('MEASURED'),
})

export type InferBody = Static<typeof InferBody>
export const InferBody = closedBody(
  {
    schema: Type.Literal('orch.m1-experimental-inference-request/v1'),
    prompt: Type.String({ minLength: 1, maxLength: 2048 }),
    max_new_tokens: Type.Integer({ minimum: 1, maximum: 128 }),
    temperature: Type.Number({ minimum: 0, maximum: 1 }),
    requested_tier: words([TIER]),
    provider_id: words([PROVIDER_ID]),
    seed: Type.Optional(Type.Integer({ minimum: 0, maximum: 2_147_483_647, default: 0 })),
    top_k: Type.Optional(Type.Integer({ minimum: 0, maximum: 100, default: 0, description: '0 is off' })),
    top_logprobs: Type.Optional(Type.Integer({ minimum: 0, maximum: 10, default: 5 })),
    stop: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 32 }), { maxItems: 4 })),
  },
  { $id: 'M1InferRequest' },
)

const LogProbability = Type.Number({ maximum: 0, description: 'natural logarithm, of the model itself' })
const token = { id: Count, text: Type.String(), logprob: LogProbability }

export type Inference = Static<typeof Inference>
const Inference = closed({
  text: Type.String(),
  tokens: Type.Array(closed({ ...token, top: Type.Array(closed(token)) })),
  finish_reason: words(['length', 'stop', 'end']),
  prompt_tokens: Count,
  prompt_truncated: Type.Boolean({ description: 'the beginning of the prompt did not fit and was not read' }),
  completion_tokens: Count,
  prompt_bits_per_byte: Nullable(Type.Number({ minimum: 0 })),
  seed: Count,
})

const Milliseconds = Type.Number({ minimum: 0 })

export const InferReply = named('M1InferReply', {
  schema: Type.Literal('orch.m1-experimental-inference-result/v1'),
  state: Type.Literal('RESULT'),
  ...releaseStatus,
  inference: Inference,
  basis: Type.String(),
  label: Type.Literal('MODELED'),
  input_source: words(['CALLER', 'DEFAULT_EXAMPLE']),
  input_sha256: Hex64,
  output_sha256: Hex64,
  weights_sha256: Hex64,
  timing: closed({ wall_ms: Milliseconds, cpu_ms: Milliseconds, queue_ms: Milliseconds }),
  receipt: ReceiptSummary,
})
