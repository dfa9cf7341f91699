/** What is sent to run an agent loop, and what comes back. */

import Type, { type Static } from 'typebox'
import { Explanations, FindingReply, LambdaReply, ReviewTicketReply, Verdict } from '../../domain/decision/wire.ts'
import { Count, Hex64, Nullable, ReceiptSummary, Text, words } from '../../domain/wire.ts'
import { closed } from '../../platform/shape.ts'
import { HALTS, type HaltCode } from './rules/halts.ts'

const Goal = Type.String({ minLength: 1, maxLength: 8192 })
const Name = (max: number) => Nullable(Type.String({ minLength: 1, maxLength: max }))

export const LoopBody = Type.Object(
  {
    goal: Type.Optional(Goal),
    task: Type.Optional(Goal),
    action: Type.Optional(Goal),
    max_steps: Type.Optional(Type.Integer({ minimum: 1, maximum: 20, default: 10 })),
    tools: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
        maxItems: 16,
        description: 'of the server’s own; the run uses no others',
      }),
    ),
    plan: Type.Optional(
      Type.Array(
        closed({
          tool: Type.String({ minLength: 1, maxLength: 64 }),
          args: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
        }),
        { maxItems: 20 },
      ),
    ),
    context: Type.Optional(Type.Unknown({ description: 'at most 32768 canonical bytes' })),
    reasoning: Type.Optional(Nullable(Type.String({ maxLength: 32_768 }))),
    planner: Type.Optional(words(['builtin', 'upstream'])),
    session_id: Type.Optional(Name(128)),
    deadline_ms: Type.Optional(Type.Integer({ minimum: 100, maximum: 30_000, default: 15_000 })),
    review_id: Type.Optional(Name(128)),
    dry_run: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: true, $id: 'AgentLoopRequest' },
)
export type LoopInput = Static<typeof LoopBody>

const HaltName = words(Object.keys(HALTS) as HaltCode[])

/** `step` is the one it ended at; `reason` is one sentence or a code, never text of the caller or of an observation. */
const Halt = closed({ code: HaltName, step: Count, reason: Type.String() })
export type Halt = Static<typeof Halt>

export type StepReport = Static<typeof StepReport>
const StepReport = closed(
  {
    step: Count,
    phase: words(['goal', 'tool']),
    tool: Text,
    effect: Text,
    args_sha256: Hex64,
    tainted: Type.Boolean(),
    decision: Verdict,
    reasons: Type.Array(Type.String()),
    gates_fired: Type.Array(Type.String()),
    gates_passed: Type.Array(Type.String()),
    findings: Type.Array(FindingReply),
    executed: Type.Boolean(),
    attempts: Count,
    failure: Text,
    observation_sha256: Nullable(Hex64),
    lambda: Nullable(Type.Number()),
    parent: Nullable(Hex64),
    ms: Count,
    receipt: Nullable(ReceiptSummary),
  },
  { $id: 'AgentStep' },
)

export type Observation = Static<typeof Observation>
const Observation = closed(
  {
    step: Count,
    tool: Type.String(),
    sha256: Hex64,
    bytes: Count,
    decision: Verdict,
    reasons: Type.Array(Type.String()),
    findings: Type.Array(FindingReply),
    dropped: Type.Boolean(),
    output: Nullable(Type.Record(Type.String(), Type.Unknown())),
  },
  { $id: 'AgentObservation' },
)

export type LoopReply = Static<typeof LoopReply>
export const LoopReply = closed(
  {
    schema: Type.Literal('orch.agent-run/v1'),
    status: words(['completed', 'denied', 'review', 'halted']),
    decision: Verdict,
    explanations: Explanations,
    halt: Halt,
    run_id: Type.String(),
    resumed: Nullable(closed({ review_id: Type.String(), step: Count })),
    dry_run: Type.Boolean(),
    planner: closed({
      id: Type.String(),
      clauses: Nullable(Count),
      unmatched: Type.Array(Count),
      needs: Type.Array(closed({ clause: Count, tool: Text, missing: Type.String() }), {
        description: 'what clauses of the goal leave open; the run ends with NEEDS_INPUT where there are any',
      }),
      target: Text,
    }),
    steps: Type.Array(StepReport),
    observations: Type.Array(Observation),
    steps_root: Nullable(Hex64),
    lambda: Nullable(LambdaReply),
    ignored: Type.Array(
      closed({ field: Type.String(), reason: words(['NOT_PART_OF_THE_CONTRACT', 'LAMBDA_NOT_CALLER_SUPPLIED']) }),
    ),
    review: ReviewTicketReply,
    liveness: Type.Literal('Conjecture 3'),
    label: Type.Literal('MEASURED'),
    master_receipt: Nullable(ReceiptSummary),
    receipt: Nullable(ReceiptSummary),
  },
  { $id: 'AgentRun' },
)
