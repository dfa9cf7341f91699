/** What is asked of a model, whichever way it was asked. */
import { canonicalBytes, sha256Hex } from '@orch/core'
import type { TargetState } from '../../adapters/models/contract.ts'
import type { Finding } from '../../domain/gates/finding.ts'
import type { DecisionRequest } from '../../governance/contract.ts'
import { joined, originOf, type Part, partsOf } from './rules/message-pointers.ts'
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
  request: Record<string, unknown>
  bodyFor(target: TargetState): Record<string, unknown>
}

type Asked = Omit<DecisionRequest, 'surface' | 'direction' | 'effect' | 'tool' | 'text' | 'parts' | 'origin' | 'ask'>

/** `roles` are those of the messages and `parts` their texts. With one of a tool among them the request as a whole, and all of
 *  it that is no text of a message, is of that origin; the words of the others are still read as their own. */
export const inputRequest = (
  asked: Asked,
  roles: readonly unknown[],
  parts: readonly Part[],
  named: readonly string[] | null,
  targets: readonly TargetState[],
): DecisionRequest => ({
  ...asked,
  surface: 'infer',
  direction: 'input',
  text: joined(parts),
  origin: roles.some((role) => originOf(role) === 'tool') ? 'tool' : 'user',
  ...partsOf(parts),
  effect: 'none',
  tool: null,
  ask: askTargets(asked.caller, candidatesOf(targets, named)),
})

export const answerDigest = (requestSha256: string): string => sha256Hex(canonicalBytes({ answer_to: requestSha256 }))

/** The answer as the pipeline is asked about it. It is at least as sensitive as what was asked. */
export const outputRequest = (
  { input, answerSha256 }: Inquiry,
  output: { text: string; context: unknown },
  floor: DecisionRequest['declared'],
  reviewId: string | null,
): DecisionRequest => {
  const { ask: _, parts: __, ...rest } = input
  return {
    ...rest,
    ...output,
    direction: 'output',
    begun: true,
    origin: 'model',
    declared: floor,
    reviewId,
    inputSha256: answerSha256,
  }
}
