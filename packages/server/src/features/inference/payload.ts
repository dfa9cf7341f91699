/** An inference as its receipt keeps it: digests, numbers and both decisions; neither the question nor the answer. */

import { LAMBDA, sha256Hex } from '@orch/core'
import { agentOf } from '../../domain/decision/agent.ts'
import { codePoints } from '../../domain/text/code-points.ts'
import type { Outcome } from './flow.ts'
import type { Inquiry } from './inquiry.ts'

export function inferencePayload({ operation, input }: Inquiry, outcome: Outcome, streamed: boolean) {
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
    operation,
    action: 'infer',
    request_sha256: input.inputSha256,
    input_sha256: sha256Hex(new TextEncoder().encode(input.text)),
    input_length: codePoints(input.text),
    output_sha256: outcome.outputSha256,
    output_length: outcome.outputLength,
    session_sha256: input.sessionId === null ? null : sha256Hex(input.sessionId),
    ...agentOf(input),
    target: generation.target,
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
