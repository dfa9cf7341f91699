/** A step under review: what is kept for the one who resumes it, and how a run begins again from there. */
import type { PlannedCall } from './rules/planner.ts'
import { traceOfOutput } from './rules/taint.ts'
import type { ToolUse } from './rules/tool-box.ts'
import type { PausedStep, Run } from './run-state.ts'

interface Waiting {
  number: number
  call: PlannedCall | null
  rest: PlannedCall[]
}

/** Raw text, for the reviewer and for nobody else: erased when the review closes. */
export function toReviewPayload(
  run: Run,
  waiting: Waiting,
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
