/** What a run has done so far. */
import type { Lambda } from '@orch/core'
import type { DecisionOutcome, ReviewTicket } from '../../governance/contract.ts'
import type { LoopRequest } from './request.ts'
import type { Note } from './rules/notes.ts'
import type { PlannedCall } from './rules/planner.ts'
import type { Passage } from './rules/retrieve.ts'
import { type Trace, traceOfOutput } from './rules/taint.ts'
import type { Observation, StepReport } from './schemas.ts'

export interface Run {
  id: string
  request: LoopRequest
  /** Milliseconds left; not above zero once the time is over or the client is gone. */
  left(): number
  monotonic(): number
  steps: StepReport[]
  observations: Observation[]
  traces: Trace[]
  /** Of a run without a session. */
  notes: Note[]
  /** Calls together with what they gave, for `NO_PROGRESS`. */
  seen: Set<string>
  parent: string | null
  /** The lowest so far; null once one could not be computed. */
  lambda: Lambda | null | undefined
  digests: DecisionOutcome['digests'] | null
  review: ReviewTicket | null
  nextStep: number
  /** Micro-units, over all decisions. */
  charged: number
  resumed: { review_id: string; step: number } | null
}

/** What a step that is under review leaves for the one who resumes it. */
export interface PausedStep {
  run_id: string
  step: number
  phase: 'goal' | 'gate' | 'observe'
  call: PlannedCall | null
  rest: PlannedCall[]
  observation_sha256: string | null
  observations: Observation[]
  notes: Note[]
  seen: string[]
  parent: string | null
}

export const observedTexts = (run: Run): Passage[] =>
  run.observations.flatMap(({ step, output }) =>
    output === null ? [] : [{ source: 'observation' as const, id: `step-${step}`, text: JSON.stringify(output) }],
  )

/** What was dropped is traced as well: its text must not come back as an argument either. */
export function rememberObservation(run: Run, observation: Observation, output: Record<string, unknown> | null): void {
  run.observations.push(observation)
  if (output !== null) run.traces.push(traceOfOutput(output))
}

/** One that could not be computed is lower than any number. */
export function account(run: Run, { decision, digests }: DecisionOutcome): void {
  run.charged += decision.charge_micro
  run.digests = digests
  if (run.lambda === null) return
  const { lambda } = decision
  if (lambda === null || run.lambda === undefined || lambda.value < run.lambda.value) run.lambda = lambda
}
