/** What is sent to be decided, and what comes back. */
import Type, { type Static } from 'typebox'
import {
  AgentLabel,
  agentFields,
  decisionFields,
  FindingReply,
  ReviewTicketReply,
  SensitivityName,
  VerticalReply,
} from '../../domain/decision/wire.ts'
import { VERTICALS } from '../../domain/vertical.ts'
import { Hex64, Nullable, ReceiptEvidence, Timestamp, words } from '../../domain/wire.ts'

export const MAX_TEXT = 32_768
const Words = Type.String({ minLength: 1, maxLength: MAX_TEXT })
const Name = (most: number) => Nullable(Type.String({ minLength: 1, maxLength: most }))

export const GovernBody = Type.Object(
  {
    text: Type.Optional(Words),
    input: Type.Optional(Words),
    mode: Type.Optional(words(['governed', 'ungoverned_vs_governed'])),
    redact: Type.Optional(Type.Boolean()),
    dry_run: Type.Optional(Type.Boolean()),
    vertical: Type.Optional(words(VERTICALS)),
    declared: Type.Optional(SensitivityName),
    direction: Type.Optional(words(['input', 'output'])),
    origin: Type.Optional(words(['user', 'system', 'model', 'tool', 'retrieved'])),
    effect: Type.Optional(words(['none', 'read', 'write', 'external', 'destructive'])),
    tool: Type.Optional(Name(64)),
    agent: Type.Optional(AgentLabel),
    severity: Type.Optional(Type.Number({ minimum: 0, maximum: 10 })),
    session_id: Type.Optional(Name(128)),
    review_id: Type.Optional(Name(128)),
    context: Type.Optional(Nullable(Type.Record(Type.String(), Type.Unknown()))),
  },
  { additionalProperties: false, $id: 'GovernRequest' },
)
export type GovernInput = Static<typeof GovernBody>

export type DecisionReply = Static<typeof DecisionReply>
export const DecisionReply = Type.Object(
  {
    schema: Type.Literal('orch.decision/v1'),
    ok: Type.Literal(true),
    input_source: words(['CALLER', 'DEFAULT_EXAMPLE']),
    mode: words(['governed', 'ungoverned_vs_governed']),
    dry_run: Type.Boolean(),
    domain: VerticalReply,
    ...decisionFields,
    ...agentFields,
    input_sha256: Hex64,
    redacted_text: Type.Optional(Type.String()),
    ungoverned: Type.Optional(
      Type.Object({
        answer: Type.Null(),
        label: Type.Literal('UNAVAILABLE'),
        has_receipt: Type.Literal(false),
        skipped_stages: Type.Array(Type.String()),
      }),
    ),
    caught: Type.Optional(Type.Array(FindingReply)),
    review: ReviewTicketReply,
    receipt: Nullable(ReceiptEvidence),
    label: Type.Literal('MEASURED'),
    ts: Timestamp,
  },
  { $id: 'Decision' },
)
