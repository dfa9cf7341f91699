/** What is asked of a model, whichever way it was asked. */
import { canonicalBytes, sha256Hex } from '@orch/core'
import type { TargetState } from '../../adapters/models/contract.ts'
import type { Finding } from '../../domain/gates/finding.ts'
import type { DecisionRequest } from '../../governance/contract.ts'
import type { Call } from '../../operation.ts'
import { askTargets, candidatesOf, type Effort } from './rules/routing.ts'

export interface Inquiry {
  operation: string
  input: DecisionRequest
  /** What was found in the input, told by where it stands in the request. */
  locate(findings: readonly Finding[]): Finding[]
  /** An answer that waits is approved under this digest: the request's, for its answer. */
  answerSha256: string
  effort: Effort
  named: readonly string[] | null
  requestedModel: string | null
  maxTokens: number
  /** What a reviewer of the request gets to see. */
  request: Record<string, unknown>
  bodyFor(target: TargetState): Record<string, unknown>
}

export interface Asking {
  operation: string
  caller: Call['caller']
  text: string
  fromTool: boolean
  context: unknown
  declared?: DecisionRequest['declared']
  severity?: number
  sessionId: string | null
  agent: string | null
  reviewId: string | null
  requestSha256: string
  named: readonly string[] | null
}

export const inputRequest = (asking: Asking, targets: readonly TargetState[]): DecisionRequest => ({
  caller: asking.caller,
  operation: asking.operation,
  surface: 'infer',
  text: asking.text,
  direction: 'input',
  // One text of a tool among the messages, and none of them is taken for the user's own words.
  origin: asking.fromTool ? 'tool' : 'user',
  effect: 'none',
  declared: asking.declared ?? 'PUBLIC',
  context: asking.context,
  tool: null,
  severity: asking.severity ?? 0,
  sessionId: asking.sessionId,
  agent: asking.agent,
  reviewId: asking.reviewId,
  inputSha256: asking.requestSha256,
  ask: askTargets(asking.caller.owner, candidatesOf(targets, asking.named)),
})

export const answerDigest = (requestSha256: string): string => sha256Hex(canonicalBytes({ answer_to: requestSha256 }))

/** The answer as the pipeline is asked about it. It is at least as sensitive as what was asked. */
export const outputRequest = (
  { input, answerSha256 }: Inquiry,
  output: { text: string; context: unknown },
  floor: DecisionRequest['declared'],
  reviewId: string | null,
): DecisionRequest => {
  const { ask: _, ...rest } = input
  return {
    ...rest,
    ...output,
    direction: 'output',
    origin: 'model',
    declared: floor,
    reviewId,
    inputSha256: answerSha256,
  }
}
