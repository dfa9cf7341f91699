/** The wire shape of a decision, shared by every surface that decides. */
import Type, { type Static } from 'typebox'
import { CLASSES } from '../gates/sensitivity.ts'
import { VERTICALS } from '../vertical.ts'
import { Count, Hex64, Nullable, Text, Timestamp, words } from '../wire.ts'
import { GATE_NAMES, REASONS } from './verdict.ts'

const ExplanationReply = Type.Object(
  { code: Type.String(), title: Type.String(), sentence: Type.String({ maxLength: 120 }) },
  { $id: 'Explanation', additionalProperties: false, description: 'A reason code or rule in words' },
)
export const Explanations = Type.Array(ExplanationReply)

/** Stated by whoever sends it; it names the agent in lists and proves nothing. */
export const AgentLabel = Type.String({
  pattern: '^[A-Za-z0-9._:@/-]{1,64}$',
  description: 'name of the agent, 1 to 64 of A-Z a-z 0-9 . _ : @ / -, stated by the caller; in clear in the receipt',
  examples: ['billing-agent'],
})
/** What a reply says of the agent: its label and that the caller stated it, or twice null. */
export const agentFields = { agent: Nullable(AgentLabel), agent_source: Nullable(Type.Literal('CALLER')) }

export const Verdict = words(['allow', 'review', 'deny'])
export const SensitivityName = words(CLASSES)
/** Which line of business the text speaks about. */
export const VerticalReply = Type.Object({
  id: words(VERTICALS),
  confidence: Type.Number({ minimum: 0, maximum: 1 }),
  hits: Type.Array(Type.String()),
  label: Type.Literal('MODELED'),
})

const Span = Type.Object({ start: Count, end: Count })

/** Of the learned scorer alone: what its score is made of. */
export type ScoreExplanation = Static<typeof ScoreExplanation>
const ScoreExplanation = Type.Object({
  score: Type.Number(),
  threshold: Type.Number(),
  /** Calibrated on texts of sets the models never saw: that this is an attack, where attacks are as common as other texts. */
  probability: Type.Number({ minimum: 0, maximum: 1 }),
  /** The words that weigh most, each with what the n-grams that begin in it add to the score. */
  ngrams: Type.Array(Type.Object({ ngram: Type.String(), adds: Type.Number() }), { maxItems: 5 }),
})

/** What a rule found: where, how grave, and a sample that gives nothing away. Safe to store in a receipt. */
export type Finding = Static<typeof FindingReply>
export const FindingReply = Type.Object(
  {
    gate: words(['threat-signature-scan', 'pii-egress-guard']),
    rule: Type.String(),
    rule_version: Count,
    severity: words(['block', 'hold', 'note']),
    /** The severity's weight in lambda. */
    score: Type.Number(),
    view: Type.String(),
    path: Type.Array(Type.String()),
    /** JSON Pointer into the context; null for the text itself. */
    pointer: Text,
    start: Count,
    end: Count,
    sample_masked: Type.String(),
    validator: Text,
    explanation: Type.Optional(ScoreExplanation),
  },
  { $id: 'Finding' },
)

export type Sensitivity = Static<typeof SensitivityReply>
export const SensitivityReply = Type.Object({
  class: SensitivityName,
  rank: Type.Integer({ minimum: 0, maximum: 3 }),
  inferred: SensitivityName,
  declared: SensitivityName,
  signals: Type.Array(
    Type.Object({ rule: Type.String(), class: SensitivityName, span: Span, path: Type.Array(Type.String()) }),
  ),
})

export const LambdaReply = Type.Object(
  {
    value: Type.Number({ minimum: 0, maximum: 0.97 }),
    raw: Type.Number({ minimum: 0, maximum: 1 }),
    floor: Type.Number(),
    trust_ceiling: Type.Number(),
    passed: Type.Boolean(),
    status: Type.Literal('Conjecture 1'),
    is_theorem: Type.Literal(false),
    label: Type.Literal('MODELED'),
    formula: Type.Literal('orch.lambda/v1'),
    axes: Type.Array(
      Type.Object({
        name: Type.String(),
        weight: Type.Number(),
        value: Type.Number(),
        inputs: Type.Record(Type.String(), Type.Unknown()),
      }),
    ),
  },
  { $id: 'Lambda' },
)

export const BudgetReply = Nullable(Type.Object({ spent_micro: Count, charge_micro: Count, limit_micro: Count }))

export const PolicyReply = Type.Object({
  decision: Verdict,
  determining: Type.Array(Type.String()),
  policy_digest: Hex64,
  engine: Type.String(),
  hint: Nullable(Type.String({ description: 'of a default deny: what had no permit, and which file to edit' })),
})

export type ReviewTicket = NonNullable<Static<typeof ReviewTicketReply>>
export const ReviewTicketReply = Nullable(
  Type.Object({ review_id: Type.String(), expires_at: Timestamp, url: Type.String() }),
)

export const decisionFields = {
  decision: Verdict,
  reasons: Type.Array(words(REASONS)),
  explanations: Explanations,
  sensitivity: SensitivityReply,
  findings: Type.Array(FindingReply),
  findings_total: Count,
  gates: Type.Array(
    Type.Object({
      name: words(GATE_NAMES),
      fired: Type.Boolean(),
      verdict: Verdict,
      planned: Count,
      completed: Count,
      ms: Nullable(Type.Number({ minimum: 0 })),
      digest: Hex64,
    }),
  ),
  gates_fired: Type.Array(words(GATE_NAMES)),
  gates_passed: Type.Array(words(GATE_NAMES)),
  policy: PolicyReply,
  budget: BudgetReply,
  lambda: Nullable(LambdaReply),
  stages: Type.Array(Type.Object({ id: Type.String(), verdict: Verdict, ms: Nullable(Type.Number({ minimum: 0 })) })),
}
