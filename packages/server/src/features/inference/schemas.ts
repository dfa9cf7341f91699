/** What is asked of a model, and what comes back. */

import Type, { type Static } from 'typebox'
import {
  AgentLabel,
  agentFields,
  decisionFields,
  Explanations,
  FindingReply,
  LambdaReply,
  ReviewTicketReply,
  SensitivityName,
  VerticalReply,
} from '../../domain/decision/wire.ts'
import { VERTICALS } from '../../domain/vertical.ts'
import { Count, Nullable, ReceiptSummary, Text, Timestamp, words } from '../../domain/wire.ts'
import { closed } from '../../platform/shape.ts'
import { EFFORTS } from './rules/routing.ts'

export const MAX_TEXT = 32_768
export const MAX_TOGETHER = 65_536
const MAX_MESSAGES = 2_048
const Name = Nullable(Type.String({ minLength: 1, maxLength: 128 }))

const Message = closed({
  role: words(['system', 'user', 'assistant', 'tool']),
  content: Type.String({ minLength: 1, maxLength: MAX_TOGETHER }),
})

export const InferBody = closed(
  {
    prompt: Type.Optional(Type.String({ minLength: 1, maxLength: MAX_TEXT })),
    messages: Type.Optional(Type.Array(Message, { minItems: 1, maxItems: 64 })),
    vertical: Type.Optional(words(VERTICALS)),
    declared: Type.Optional(SensitivityName),
    severity: Type.Optional(Type.Number({ minimum: 0, maximum: 10 })),
    session_id: Type.Optional(Name),
    review_id: Type.Optional(Name),
    agent: Type.Optional(AgentLabel),
    context: Type.Optional(Nullable(Type.Record(Type.String(), Type.Unknown()))),
    dry_run: Type.Optional(Type.Boolean()),
    effort: Type.Optional(words(EFFORTS)),
    model: Type.Optional(Name),
    max_tokens: Type.Optional(Type.Integer({ minimum: 1, maximum: 4096 })),
    temperature: Type.Optional(Type.Number({ minimum: 0, maximum: 2 })),
    seed: Type.Optional(Nullable(Type.Integer({ minimum: 0, maximum: 2 ** 32 - 1 }))),
    stream: Type.Optional(Type.Boolean()),
  },
  { $id: 'InferRequest' },
)
export type InferInput = Static<typeof InferBody>

export type Usage = Static<typeof Usage>
const Usage = Type.Object({
  prompt_tokens: Nullable(Count),
  completion_tokens: Nullable(Count),
  source: Nullable(words(['upstream', 'counted'])),
})
export type ModelNames = Static<typeof ModelNames>
const ModelNames = Type.Object({
  requested: Text,
  resolved: Text,
  returned: Nullable(
    Type.String({ description: 'a plain name as the target gave it, or sha256: and the digest of anything else' }),
  ),
  /** The target answered with another model than it was asked for; null where it did not say. */
  mismatch: Nullable(Type.Boolean()),
})
const InsteadOf = Type.Array(Type.Object({ target: Type.String(), code: Type.String(), status: Nullable(Count) }), {
  description: 'targets that were asked before the one that answered, and failed',
})
export type Route = Static<typeof Route>
const Route = Type.Object({
  chosen: Text,
  eligible: Type.Array(Type.String()),
  rejected: Type.Array(Type.Object({ id: Type.String(), why: Type.Array(Type.String()) })),
})

const { decision, reasons, sensitivity, gates, stages, budget } = decisionFields
const Milliseconds = Nullable(Type.Number({ minimum: 0 }))

export type InferReply = Static<typeof InferReply>
export const InferReply = Type.Object(
  {
    schema: Type.Literal('orch.inference/v1'),
    ok: Type.Literal(true),
    input_source: words(['CALLER', 'DEFAULT_EXAMPLE']),
    dry_run: Type.Boolean(),
    domain: VerticalReply,
    ...decisionFields,
    ...agentFields,
    input_decision: Type.Object({ decision, reasons }),
    output_decision: Nullable(
      Type.Object({ decision, reasons, sensitivity, gates, stages, budget, lambda: Nullable(LambdaReply) }),
    ),
    output_findings: Type.Array(FindingReply),
    answer: Text,
    withheld: Type.Boolean({ description: 'there is an answer and it was not told' }),
    released_chars: Nullable(Count),
    served_by: Text,
    route: Route,
    generation: Type.Object({
      label: words(['MEASURED', 'UNAVAILABLE']),
      reason: Nullable(
        words([
          'NOT_ALLOWED',
          'DRY_RUN',
          'NO_TARGET',
          'TARGET_DOWN',
          'TARGET_TIMEOUT',
          'CLIENT_LEFT',
          'HELD_FOR_REVIEW_EARLIER',
        ]),
      ),
      code: Text,
      instead_of: InsteadOf,
      model: ModelNames,
      usage: Usage,
      latency_ms: Milliseconds,
      ttft_ms: Milliseconds,
      finish_reason: Text,
      aborted: Type.Boolean(),
    }),
    energy: Type.Object({ joules: Type.Null(), label: Type.Literal('UNAVAILABLE'), reason: Type.String() }),
    review: ReviewTicketReply,
    decision_receipt: Nullable(ReceiptSummary),
    receipt: Nullable(ReceiptSummary),
    label: Type.Literal('MEASURED'),
    ts: Timestamp,
  },
  { $id: 'Inference' },
)

export type HealthReply = Static<typeof HealthReply>
export const HealthReply = Type.Object(
  {
    status: words(['ready', 'no_target']),
    targets: Type.Array(
      Type.Object({
        id: Type.String(),
        model: Text,
        zone: words(['local', 'external']),
        tier: Count,
        context_tokens: Count,
        timeout_ms: Count,
        embedded: Type.Boolean(),
        breaker: words(['closed', 'open', 'half_open']),
        in_flight: Count,
        calls: Count,
        errors: Count,
        last_success_at: Nullable(Timestamp),
        last_error_code: Text,
        last_error_at: Nullable(Timestamp),
        label: words(['MEASURED', 'UNAVAILABLE']),
        reason: Text,
      }),
    ),
    probed: Type.Literal(false),
    read_at: Timestamp,
    label: Type.Literal('MEASURED'),
  },
  { $id: 'InferenceHealth' },
)

export const ChatHeaders = Type.Object({ 'x-orch-agent': Type.Optional(AgentLabel) })

/** Everything else a client sends goes on to the target as it is. */
/** Whose words a message holds decides how they are examined, so no other role is taken. */
const ChatMessage = Type.Object(
  {
    role: words(['system', 'developer', 'user', 'assistant', 'tool', 'function'], {
      description: 'Whose words the message holds',
    }),
    content: Type.Optional(Type.Unknown({ description: 'A text, a list of parts, or null beside tool calls' })),
  },
  { additionalProperties: true },
)

export const ChatBody = Type.Object(
  {
    model: Type.String({ minLength: 1, maxLength: 256 }),
    messages: Type.Array(ChatMessage, { minItems: 1, maxItems: MAX_MESSAGES }),
    stream: Type.Optional(Nullable(Type.Boolean())),
    max_tokens: Type.Optional(Nullable(Type.Integer({ minimum: 1, maximum: 10_000_000 }))),
    max_completion_tokens: Type.Optional(Nullable(Type.Integer({ minimum: 1, maximum: 10_000_000 }))),
    n: Type.Optional(Nullable(Type.Integer({ minimum: 1, maximum: 16 }))),
  },
  { additionalProperties: true, $id: 'ChatCompletionRequest' },
)
export type ChatInput = Static<typeof ChatBody> & Record<string, unknown>

const Orch = Type.Object({
  decision,
  reasons,
  explanations: Explanations,
  review: ReviewTicketReply,
  decision_receipt: Nullable(ReceiptSummary),
  receipt: ReceiptSummary,
  model: ModelNames,
  usage: Usage,
  served_by: Text,
  instead_of: InsteadOf,
  aborted: Type.Boolean(),
})

export type ToolCall = Static<typeof ToolCall>
const ToolCall = Type.Object({
  id: Type.String(),
  type: Type.Literal('function'),
  function: Type.Object({ name: Type.String(), arguments: Type.String() }),
})

const chance = {
  token: Type.String(),
  logprob: Type.Number({ maximum: 0 }),
  bytes: Nullable(Type.Array(Count)),
}

export type ChatReply = Static<typeof ChatReply>
export const ChatReply = Type.Object(
  {
    id: Type.String(),
    object: Type.Literal('chat.completion'),
    created: Count,
    model: Type.String(),
    choices: Type.Array(
      Type.Object({
        index: Count,
        message: Type.Object({
          role: Type.Literal('assistant'),
          content: Text,
          refusal: Text,
          tool_calls: Type.Optional(Type.Array(ToolCall)),
        }),
        logprobs: Nullable(
          Type.Object({
            content: Type.Array(Type.Object({ ...chance, top_logprobs: Type.Array(Type.Object(chance)) })),
          }),
        ),
        finish_reason: Text,
      }),
    ),
    usage: Nullable(Type.Object({ prompt_tokens: Count, completion_tokens: Count, total_tokens: Count })),
    orch: Orch,
  },
  { $id: 'ChatCompletion' },
)

export type ModelsReply = Static<typeof ModelsReply>
export const ModelsReply = Type.Object(
  {
    object: Type.Literal('list'),
    data: Type.Array(
      Type.Object({
        id: Type.String(),
        object: Type.Literal('model'),
        created: Count,
        owned_by: Type.String(),
        orch: Type.Object({
          target: Type.String(),
          zone: words(['local', 'external']),
          label: Type.Literal('STRUCTURAL-ONLY'),
        }),
      }),
    ),
  },
  { $id: 'ModelList' },
)
