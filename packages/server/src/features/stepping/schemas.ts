/** What is sent to be stepped, and what comes back. */
import Type, { type Static } from 'typebox'
import { AgentLabel, agentFields, Explanations, LambdaReply, Verdict } from '../../domain/decision/wire.ts'
import { Count, Hex64, Nullable, ReceiptSummary, Text, Timestamp, words } from '../../domain/wire.ts'
import { EXPERT_VERDICTS, EXPERTS } from './experts/expert.ts'
import { EFFECT_KINDS } from './rules/effects.ts'
import { type ComponentId, RISK_MODEL } from './rules/estimate.ts'
import { MODE_REASONS, MODES } from './rules/mode.ts'

export const Closed = { additionalProperties: false } as const
export const Unit = Type.Number({ minimum: 0, maximum: 1 })
export const Modes = words(MODES)
export const SessionId = Type.String({ minLength: 1, maxLength: 128 })

export const StepInput = Type.Object(
  {
    session_id: SessionId,
    request: Type.String({ minLength: 1, maxLength: 4096 }),
    allowed_experts: Type.Optional(Type.Array(Type.String(), { maxItems: 16 })),
    risk_budget: Type.Optional(
      Type.Number({ minimum: 0, maximum: 1, description: '0.35 where the first step of a session leaves it out' }),
    ),
    mode_hint: Type.Optional(words(['auto', ...MODES])),
    dry_run: Type.Optional(Type.Boolean()),
    novelty: Type.Optional(Nullable(Unit)),
    disagreement: Type.Optional(Nullable(Unit)),
    context_tokens: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000 })),
    active_tool_count: Type.Optional(Type.Integer({ minimum: 0, maximum: 64 })),
    memory_pressure: Type.Optional(Nullable(Unit)),
    agent: Type.Optional(AgentLabel),
  },
  { ...Closed, $id: 'StepRequest' },
)
export type StepInput = Static<typeof StepInput>

/** A request to step with its defaults filled. */
export interface StepBody extends Required<Omit<StepInput, 'risk_budget' | 'agent'>>, Pick<StepInput, 'agent'> {
  /** Null when left out: a session keeps its budget then. */
  risk_budget: number | null
}

export const StepHeaders = Type.Object({
  'x-request-id': Type.Optional(
    Type.String({
      pattern: '^[A-Za-z0-9._:-]{1,128}$',
      description: 'The idempotency key of the step, unless Idempotency-Key is given',
      examples: ['step-0001'],
    }),
  ),
})

const Amount = Type.Number({ minimum: 0 })

/** A number of the caller's beside our own: the caller's steers the mode, the larger counts as risk. */
export const Weighted = Type.Object(
  { supplied: Nullable(Unit), measured: Unit, used_for_mode: Unit, used_for_risk: Unit },
  Closed,
)
export type Weighted = Static<typeof Weighted>

const Routing = Type.Object(
  {
    mode: Modes,
    score: Nullable(Unit),
    probabilities: Type.Object({ kda_local: Unit, laguna_hybrid: Unit, mla_global: Unit }, Closed),
    reason: words(MODE_REASONS),
    history_steps: Count,
    guard_would_apply: Type.Boolean(),
    context_estimated: Type.Boolean(),
  },
  Closed,
)

export const Component = Type.Object(
  {
    id: Type.String(),
    weight: Unit,
    intensity: Unit,
    contribution: Unit,
    source: Type.String(),
    evidence: Type.Array(Type.String()),
  },
  Closed,
)
export type Component = Static<typeof Component>

const Risk = Type.Object(
  {
    model: Type.Literal(RISK_MODEL),
    preliminary: Unit,
    estimate: Unit,
    components: Type.Array(Component),
    budget: Unit,
    granted: Unit,
    spent_before: Unit,
    spent_after: Unit,
    remaining_after: Unit,
    headroom: Type.Number({ minimum: -1, maximum: 1 }),
    charged: Unit,
    day: Nullable(
      Type.Object(
        { date: Type.String(), budget: Amount, spent_before: Amount, spent_after: Amount },
        { ...Closed, description: 'what the owner may risk on this UTC day; null unless the operator sets a budget' },
      ),
    ),
    margins: Type.Object({ near: Unit, exceeded: Unit, floor: Unit, ceiling: Unit }, Closed),
  },
  Closed,
)

export const ExpertFinding = Type.Object(
  {
    code: Type.String(),
    /** The component it adds to; null where it only informs. */
    weight_id: Type.Unsafe<ComponentId | null>(Text),
    /** Code points of the request; null where it is about a number or the session. */
    span: Nullable(Type.Object({ start: Count, end: Count }, Closed)),
    /** Masked: never a value and never a name of the caller's choosing. */
    evidence: Type.String(),
  },
  Closed,
)
export type ExpertFinding = Static<typeof ExpertFinding>

export const ExpertReport = Type.Object(
  {
    expert: words(EXPERTS),
    version: Type.String(),
    ran_as: words(['DEFAULT', 'REQUESTED', 'MANDATORY', 'RISK_ONLY']),
    verdict: words(EXPERT_VERDICTS),
    findings: Type.Array(ExpertFinding),
  },
  Closed,
)
export type ExpertReport = Static<typeof ExpertReport>

export const EffectKindName = words(EFFECT_KINDS)

export const StepReply = Type.Object(
  {
    schema: Type.Literal('orch.gdw.step/v1'),
    label: Type.Literal('MODELED'),
    request_id: Type.String(),
    request_digest: Hex64,
    session_id: Type.String(),
    principal: Type.Object({ namespace: Type.String(), owner_id: Type.String(), key_id: Text }, Closed),
    decision: Verdict,
    reason_codes: Type.Array(Type.String()),
    explanations: Explanations,
    ...agentFields,
    step: Count,
    dry_run: Type.Boolean(),
    scheduler_mode: Modes,
    routing: Routing,
    novelty: Weighted,
    disagreement: Weighted,
    risk: Risk,
    experts: Type.Array(ExpertReport),
    unknown_experts: Type.Array(Type.String()),
    gates: Type.Array(
      Type.Object({ gate: Type.String(), verdict: Verdict, fired: Type.Boolean(), passed: Type.Boolean() }, Closed),
    ),
    policy: Type.Object({ sha256: Hex64, decision: Verdict, rules: Type.Array(Type.String()) }, Closed),
    lambda: Nullable(LambdaReply),
    state_before_hash: Hex64,
    state_hash: Hex64,
    review: Nullable(Type.Object({ review_id: Type.String(), expires_at: Timestamp, url: Type.String() }, Closed)),
    effects: Type.Array(
      Type.Object({ effect_id: Hex64, kind: EffectKindName, state: Type.Literal('PENDING') }, Closed),
    ),
    would_be: Type.Optional(
      Type.Object(
        {
          step: Count,
          state_hash: Hex64,
          spent_after: Unit,
          effects: Type.Array(Type.Object({ kind: EffectKindName, state: Type.Literal('PENDING') }, Closed)),
          review: Type.Boolean(),
        },
        Closed,
      ),
    ),
    kernel_execution: Type.Literal('NOT_EXECUTED'),
    note: Type.String(),
    receipt: Nullable(ReceiptSummary),
    receipt_status: words(['SIGNED', 'UNSIGNED', 'SIGNER_UNAVAILABLE', 'NOT_WRITTEN_DRY_RUN']),
    created_at: Timestamp,
  },
  { ...Closed, $id: 'StepDecision' },
)
export type StepReply = Static<typeof StepReply>
