/** What a run has done so far. */
import type { Lambda } from '@orch/core'
import type { DecisionOutcome, ReviewTicket } from '../../governance/contract.ts'
import type { Call } from '../../operation.ts'
import type { Ports } from '../../ports.ts'
import type { LoopRequest } from './request.ts'
import type { PlannedCall } from './rules/planner.ts'
import type { Note, Passage } from './rules/retrieve.ts'
import { type Trace, traceOfOutput } from './rules/taint.ts'
import type { ToolUse } from './rules/tool-box.ts'
import type { Observation, StepReport } from './schemas.ts'

export type Deps = Pick<Ports, 'governance' | 'recorder' | 'ledger' | 'clock' | 'upstreams'>

export interface Run {
  deps: Deps
  call: Call
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

/** Raw text, for the reviewer and for nobody else: erased when the review closes. */
export function toReviewPayload(
  run: Run,
  waiting: { number: number; call: PlannedCall | null; rest: PlannedCall[] },
  phase: PausedStep['phase'],
  use: ToolUse | null,
): Record<string, unknown> {
  const paused: PausedStep = {
    run_id: run.id,
    step: waiting.number,
    phase,
    call: waiting.call,
    rest: waiting.rest,
    observation_sha256: use?.ok ? use.sha256 : null,
    observations: run.observations,
    notes: run.notes,
    seen: [...run.seen],
    parent: run.parent,
  }
  return { request: run.request.body, held: paused, ...(use?.ok ? { output: use.output } : {}) }
}

/** Null where nothing was kept, such as a payload that was too large. */
export function readPausedStep(payload: Record<string, unknown> | null): PausedStep | null {
  const paused = payload?.held as PausedStep | undefined
  return paused === undefined || typeof paused.run_id !== 'string' ? null : paused
}

export function resume(run: Run, paused: PausedStep, reviewId: string): void {
  run.id = paused.run_id
  run.resumed = { review_id: reviewId, step: paused.step }
  run.notes = paused.notes
  run.seen = new Set(paused.seen)
  run.parent = paused.parent
  run.nextStep = paused.step
  run.observations = paused.observations
  run.traces = paused.observations.flatMap(({ output }) => (output === null ? [] : [traceOfOutput(output)]))
}
