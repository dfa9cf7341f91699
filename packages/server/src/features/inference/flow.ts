/** The life of an inference: decide on the request, choose and call a target, decide on the answer, record both. */

import { assertPortable, LAMBDA, sha256Hex } from '@orch/core'
import { agentOf } from '../../domain/decision/agent.ts'
import { meet, type Reason, type Verdict } from '../../domain/decision/verdict.ts'
import { codePoints } from '../../domain/text/code-points.ts'
import type { DecisionOutcome } from '../../governance/contract.ts'
import type { DocumentWrite } from '../../ledger/contract.ts'
import type { Call } from '../../operation.ts'
import { isoNow } from '../../platform/clock.ts'
import { once } from '../../platform/once.ts'
import type { Draft } from '../../ports.ts'
import { type Answered, answered, judgedAnswer, NO_ANSWER, routeFor, type Steps } from './answering.ts'
import type { Generation } from './generation.ts'
import type { Inquiry } from './inquiry.ts'
import { type Completion, outputText } from './rules/completion.ts'
import { modelNames, reportedName } from './rules/model-names.ts'
import type { Route, Usage } from './schemas.ts'
import {
  type Deps,
  examinedInput,
  type Judged,
  judgedOf,
  readApprovedAnswer,
  requestFacts,
  type Settled,
  type Waiting,
} from './settle.ts'

/** What happened, as plain JSON: every answer is made from it, and so is a replay. */
export interface Outcome {
  decision: Verdict
  reasons: Judged['view']['reasons']
  input: Judged
  output: Judged | null
  decisionReceipt: Settled['receipt']
  route: Route
  generation: Omit<Generation, 'completion' | 'remaining'>
  /** Of a stream: what was on the wire, or will be with this answer. */
  releasedChars: number
  /** An answer that waited was told, and no target called. */
  fromReview: boolean
  /** What may be told; null where nothing may, or there is nothing. */
  completion: Completion | null
  withheld: boolean
  outputSha256: string | null
  outputLength: number | null
  model: ReturnType<typeof modelNames>
  finishReason: string | null
  usage: Usage
  /** Stated by the caller. */
  agent: string | null
  ts: string
}

/** Made once per request: what must not happen twice is kept between two runs of `work`. */
export function inferenceWork(deps: Deps, call: Call, inquiry: Inquiry, steps: Steps): () => Promise<Draft> {
  const findApprovedAnswer = once(() => readApprovedAnswer(deps, inquiry))
  let answering: Promise<Answered> | null = null
  let settled: Settled | null = null
  return async () => {
    const waiting = await findApprovedAnswer()
    if (settled === null || !settled.final) settled = await steps.settle(waiting)
    const { judged: input } = settled
    const route = await routeFor(deps, inquiry, input)
    const unanswered = outcomeOf(inquiry, { input, settled, route, answer: NO_ANSWER, output: null }, now(deps))
    const begin = () => {
      // An answer that could not be recorded is not asked for.
      assertPortable(inferencePayload(inquiry, unanswered, steps.streamed))
      return answered(deps, call, inquiry, { input, route, waiting, steps })
    }
    if (input.decision === 'allow') answering ??= begin()
    const answer = await (answering ?? begin())
    const output = await judgedAnswer(deps, inquiry, input, answer)
    const outcome = outcomeOf(inquiry, { input, settled, route, answer, output }, now(deps))
    const used = await approvalUse(waiting, outcome, output)
    return draftOf(deps, inquiry, { settled, output, outcome, used, streamed: steps.streamed })
  }
}

const now = ({ clock }: Pick<Deps, 'clock'>): string => isoNow(clock)

interface Facts {
  input: Judged
  settled: Settled
  route: Route
  answer: Answered
  output: DecisionOutcome | null
}

export function outcomeOf(inquiry: Inquiry, { input, settled, route, answer, output }: Facts, ts: string): Outcome {
  const { generation, fromReview, usage } = answer
  const judged = output === null ? null : judgedOf(output)
  const decision = meet([input.decision, judged?.decision ?? 'allow', generation.deniedFor === null ? 'allow' : 'deny'])
  const { completion, remaining: _, ...facts } = generation
  const text = completion === null ? null : outputText(completion)
  const released = decision === 'allow' && judged !== null
  const named = completion?.model ?? null
  const returned = reportedName(named, generation.resolved, released ? (output?.examined.examination ?? null) : null)
  return {
    decision,
    reasons: reasonsOf(decision, input, judged, generation.deniedFor ?? []),
    input,
    output: judged,
    decisionReceipt: settled.receipt,
    route,
    generation: facts,
    releasedChars: released && !generation.aborted ? codePoints(text!) : generation.releasedChars,
    fromReview,
    completion: released && completion !== null ? { ...completion, model: returned } : null,
    withheld: completion !== null && !released,
    outputSha256: text === null ? null : sha256Hex(new TextEncoder().encode(text)),
    outputLength: text === null ? null : codePoints(text),
    model: modelNames(inquiry.requestedModel, generation.resolved, { named, returned }),
    finishReason: completion?.choices[0]?.finishReason ?? null,
    usage,
    agent: inquiry.input.agent ?? null,
    ts,
  }
}

/** Of the decision that was the lowest, of both where both were, and of a part of the stream that was denied. */
function reasonsOf(
  decision: Verdict,
  input: Judged,
  output: Judged | null,
  parts: readonly Reason[],
): Outcome['reasons'] {
  const whole = [input, output].flatMap((judged) => (judged?.decision === decision ? judged.view.reasons : []))
  const found = [...whole, ...parts]
  const released = [...new Set(found.length === 0 ? (output ?? input).view.reasons : found)]
  return released.length > 1 ? released.filter((reason) => reason !== 'ALL_STAGES_PASSED') : released
}

/** An approved answer is told once, also where nothing of it would be held back any more. */
async function approvalUse(
  waiting: Waiting | null,
  { decision }: Outcome,
  output: DecisionOutcome | null,
): Promise<Used> {
  if (waiting === null || decision !== 'allow' || output?.bound.approval !== undefined) return NOT_USED
  return { documents: await waiting.use(), bound: { approval: waiting.approval } }
}

/** An approval that no decision of the request used. */
type Used = Required<Pick<Settled, 'bound'>> & { documents: DocumentWrite[] }
const NOT_USED: Used = { documents: [], bound: {} }

interface Recorded {
  settled: Settled
  output: DecisionOutcome | null
  outcome: Outcome
  used: Used
  streamed: boolean
}

function draftOf({ governance }: Deps, inquiry: Inquiry, recorded: Recorded): Draft {
  const { settled, output, outcome, used, streamed } = recorded
  return {
    chain: 'governance',
    kind: 'inference',
    policy: outcome.input.digests,
    payload: { ...inferencePayload(inquiry, outcome, streamed), ...settled.bound, ...output?.bound, ...used.bound },
    documents: [...(output?.documents ?? []), ...(settled.documents ?? []), ...used.documents],
    answer: outcome as unknown as Record<string, unknown>,
    recorded({ seq }) {
      if (settled.determination !== null) governance.recorded(settled.determination, seq, 'verdict')
      if (output !== null) governance.recorded(output, seq, 'output_scan')
    },
  }
}

/** Decided and routed as it would be; nobody is called, nothing is recorded. */
export async function dryOutcome(deps: Deps, inquiry: Inquiry): Promise<Outcome> {
  const determination = await deps.governance.decide(await examinedInput(deps, inquiry), { dryRun: true })
  const input = judgedOf(determination)
  const route = await routeFor(deps, inquiry, input)
  const settled = { judged: input, determination, receipt: null, documents: [], bound: {}, final: true }
  const shortfall = route.chosen === null ? NO_ANSWER.generation.shortfall : null
  const answer = { ...NO_ANSWER, generation: { ...NO_ANSWER.generation, shortfall } }
  return outcomeOf(inquiry, { input, settled, route, answer, output: null }, now(deps))
}

/** An inference as its receipt keeps it: digests, numbers and both decisions; neither the question nor the answer. */
function inferencePayload(inquiry: Inquiry, outcome: Outcome, streamed: boolean) {
  const { input } = inquiry
  const { generation } = outcome
  const records = [outcome.input.record, ...(outcome.output === null ? [] : [outcome.output.record])]
  const union = (field: 'breaches' | 'gates_fired') => [...new Set(records.flatMap((record) => record[field]))]
  return {
    decision: outcome.decision.toUpperCase(),
    reasons: outcome.reasons,
    lambda: smallest(records.map(({ lambda }) => lambda)),
    lambda_floor: LAMBDA.floor,
    breaches: union('breaches'),
    gates_fired: union('gates_fired'),
    ...requestFacts(inquiry),
    output_sha256: outcome.outputSha256,
    output_length: outcome.outputLength,
    session_sha256: input.sessionId === null ? null : sha256Hex(input.sessionId),
    ...agentOf(input),
    target: generation.target,
    instead_of: generation.insteadOf,
    route: outcome.route,
    model: outcome.model,
    usage: outcome.usage,
    latency_ms: generation.latencyMs,
    ttft_ms: generation.ttftMs,
    finish_reason: outcome.finishReason,
    shortfall: generation.shortfall,
    upstream: generation.code === null ? null : { code: generation.code, status: generation.status },
    aborted: generation.aborted,
    withheld: outcome.withheld,
    streamed,
    released_chars: streamed ? outcome.releasedChars : null,
    from_review: outcome.fromReview,
    decision_receipt: outcome.decisionReceipt?.digest ?? null,
    review_id: (outcome.output ?? outcome.input).review?.review_id ?? null,
    approved_by: [outcome.input.approvedBy, outcome.output?.approvedBy].filter((id) => id != null),
    input: outcome.input.record,
    output: outcome.output?.record ?? null,
  }
}

/** Null where one of them could not be computed: then no number vouches for the whole. */
export const smallest = (values: readonly (number | null)[]): number | null =>
  values.includes(null) ? null : Math.min(...(values as number[]))
