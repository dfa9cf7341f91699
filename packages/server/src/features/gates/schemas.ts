/** What is told of the gates, and what is sent to try one. */
import Type, { type Static } from 'typebox'
import { GATE_NAMES, REASONS } from '../../domain/decision/verdict.ts'
import {
  BudgetReply,
  Explanations,
  FindingReply,
  LambdaReply,
  PolicyReply,
  SensitivityName,
  SensitivityReply,
  Verdict,
} from '../../domain/decision/wire.ts'
import { Count, exactly, Hex64, Nullable, ReceiptSummary, Text, Texts, Timestamp, words } from '../../domain/wire.ts'

const Name = words(GATE_NAMES)
const Severity = words(['block', 'hold', 'note'])

export const GatePath = Type.Object({ name: Type.String({ minLength: 1, maxLength: 64, description: 'of a gate' }) })

const gate = {
  name: Name,
  version: Type.String(),
  stage: words(['S2', 'S3', 'S4', 'S5', 'S6']),
  rule_count: Count,
  digest: Hex64,
  engine: Type.String(),
  deadline_ms: Nullable(Count),
  evaluated: Count,
  fired: Count,
  timed_out: Count,
  errors: Count,
  since: Timestamp,
  label: Type.Literal('MEASURED'),
}

export type GateRow = Static<typeof GateRow>
export const GateRow = Type.Object(gate, {
  ...exactly,
  $id: 'Gate',
  description: 'A gate and what it did in this process: recorded decisions of the caller’s namespace alone',
})

export const GateList = Type.Object(
  { count: Count, gates: Type.Array(GateRow), reload_failed: Text },
  { ...exactly, $id: 'GateList' },
)

const GateRule = Type.Object(
  {
    id: Type.String(),
    version: Count,
    title: Type.String(),
    severity: Type.Object({ input: Severity, output: Severity }, exactly),
    validator: Text,
    pattern_sha256: Hex64,
    fired: Count,
    match: Texts,
    no_match: Texts,
  },
  { ...exactly, $id: 'GateRule' },
)

export const GateDetail = Type.Object(
  {
    ...gate,
    rules: Type.Optional(Type.Array(GateRule)),
    policies: Type.Optional(
      Type.Array(Type.Object({ name: Type.String(), sha256: Hex64, text: Type.String() }, exactly)),
    ),
  },
  { ...exactly, $id: 'GateDetail', description: 'A gate with its rules, or with the policies in charge' },
)

export const TrialBody = Type.Object(
  {
    text: Type.String({ minLength: 1, maxLength: 32_768 }),
    direction: Type.Optional(words(['input', 'output'])),
    declared: Type.Optional(SensitivityName),
    origin: Type.Optional(words(['user', 'system', 'model', 'tool', 'retrieved'])),
    effect: Type.Optional(words(['none', 'read', 'write', 'external', 'destructive'])),
    severity: Type.Optional(Type.Number({ minimum: 0, maximum: 10 })),
    context: Type.Optional(Nullable(Type.Record(Type.String(), Type.Unknown()))),
  },
  { ...exactly, $id: 'GateTestRequest' },
)
export type TrialInput = Static<typeof TrialBody>

export const TrialReply = Type.Object(
  {
    gate: Name,
    test: Type.Literal(true),
    input_source: words(['CALLER', 'DEFAULT_EXAMPLE']),
    verdict: Verdict,
    reasons: Type.Array(words(REASONS)),
    explanations: Explanations,
    findings: Type.Array(FindingReply),
    planned: Count,
    completed: Count,
    ms: Nullable(Type.Number({ minimum: 0 })),
    sensitivity: SensitivityReply,
    policy: Nullable(PolicyReply),
    budget: BudgetReply,
    lambda: Nullable(LambdaReply),
    receipt: ReceiptSummary,
    label: Type.Literal('MEASURED'),
  },
  { ...exactly, $id: 'GateTest', description: 'One gate tried on one text; nothing was counted, charged or queued' },
)
