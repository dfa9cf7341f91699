/** A step under review: what is kept for the one who resumes it, and how a run begins again from there. */
import type { PlannedCall } from './rules/planner.ts'
import { traceOfOutput } from './rules/taint.ts'
import type { ToolUse } from './rules/tool-box.ts'
import type { Held, Run } from './run-state.ts'

interface Waiting {
  number: number
  call: PlannedCall | null
  rest: PlannedCall[]
}

/** Raw text, for the reviewer and for nobody else: erased when the review closes. */
export function heldFor(
  run: Run,
  waiting: Waiting,
  phase: Held['phase'],
  use: ToolUse | null,
): Record<string, unknown> {
  const held: Held = {
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
  return { request: run.request.body, held, ...(use?.ok ? { output: use.output } : {}) }
}

/** Null where nothing was kept, such as a payload that was too large. */
export function heldIn(payload: Record<string, unknown> | null): Held | null {
  const held = payload?.held as Held | undefined
  return held === undefined || typeof held.run_id !== 'string' ? null : held
}

export function resume(run: Run, held: Held, reviewId: string): void {
  run.id = held.run_id
  run.resumed = { review_id: reviewId, step: held.step }
  run.notes = held.notes
  run.seen = new Set(held.seen)
  run.parent = held.parent
  run.nextStep = held.step
  run.observations = held.observations
  run.traces = held.observations.flatMap(({ output }) => (output === null ? [] : [traceOfOutput(output)]))
}
