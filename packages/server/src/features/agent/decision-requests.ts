/** What the pipeline is asked at each point of a run. */

import type { Effect, Origin, SensitivityClass } from '../../domain/gates/finding.ts'
import type { DecisionRequest } from '../../governance/contract.ts'
import type { PlannedCall } from './rules/planner.ts'
import type { Run } from './run-state.ts'

export const LOOP = 'agent.loop'
/** Names no review: whoever brings an approval that does not fit is told that it is stale wherever one would be needed. */
export const STALE_REVIEW = 'stale'

type Asking = Pick<Run, 'call' | 'request' | 'nextStep'>

const common = ({ call: { caller }, request, nextStep }: Asking, reviewId: string | null) => ({
  caller,
  operation: LOOP,
  surface: 'agent' as const,
  direction: 'input' as const,
  // Steps are recorded already.
  begun: nextStep > 0,
  declared: 'PUBLIC' as const,
  severity: 0,
  sessionId: request.sessionId,
  reviewId,
  inputSha256: request.sha256,
})

export const goalRequest = (run: Asking, reviewId: string | null): DecisionRequest => ({
  ...common(run, reviewId),
  text: run.request.goal,
  context: run.request.surplus,
  origin: 'user',
  effect: 'none',
  tool: null,
})

export interface CallFacts {
  call: PlannedCall
  /** Canonical JSON of the arguments. */
  text: string
  origin: Origin
  /** Of the server's registry; a tool it does not hold counts as the gravest. */
  effect: Effect
  tainted: boolean
}

/** The name of a tool is a caller's text as much as the arguments are. */
export const callRequest = (
  run: Asking,
  reviewId: string | null,
  { call, text, origin, effect, tainted }: CallFacts,
): DecisionRequest => ({
  ...common(run, reviewId),
  text,
  context: { tool: call.tool, args: call.args },
  origin,
  effect,
  tool: call.tool,
  tainted,
})

/** An output is at least as sensitive as what it was made from. */
export const outputRequest = (
  run: Asking,
  reviewId: string | null,
  output: { text: string; value: unknown; floor: SensitivityClass },
): DecisionRequest => ({
  ...common(run, reviewId),
  text: output.text,
  context: output.value,
  direction: 'output',
  begun: true,
  origin: 'tool',
  effect: 'read',
  declared: output.floor,
  tool: null,
})
