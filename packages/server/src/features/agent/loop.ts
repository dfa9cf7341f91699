/** The loop: plan, gate, tool, observe, receipt, until it ends in one of the halts. */

import { meet, type Verdict } from '../../domain/decision/verdict.ts'
import { isToolName } from '../../domain/tools/arguments.ts'
import type { DecisionOutcome } from '../../governance/contract.ts'
import type { DocumentWrite } from '../../ledger/contract.ts'
import type { Call } from '../../operation.ts'
import { goalRequest, LOOP, STALE_REVIEW } from './decision-requests.ts'
import { listPlanner, type Planner } from './planners.ts'
import type { LoopRequest } from './request.ts'
import type { HaltCode } from './rules/halts.ts'
import type { Claims } from './run-claim.ts'
import {
  account,
  type Deps,
  type PausedStep,
  type Run,
  readPausedStep,
  rememberObservation,
  resume,
  toReviewPayload,
} from './run-state.ts'
import type { Halt } from './schemas.ts'
import { type Approval, type Attempt, attemptStep, prepareStep, type StepTask } from './step.ts'
import {
  determinationsOf,
  goalReport,
  observationOf,
  recordedReport,
  reportOf,
  stepPayload,
  type Unrecorded,
} from './step-record.ts'
import { upstreamPlanner } from './upstream-planner.ts'

export interface Ended {
  run: Run
  planner: Planner
  halt: Halt
}

export async function runLoop(
  deps: Deps,
  call: Call,
  request: LoopRequest,
  id: string,
  claims: Claims,
): Promise<Ended> {
  const run = begin(deps, call, request, id)
  const paused = await pausedBy(run)
  if (paused !== null) resume(run, paused, request.reviewId as string)
  const planner =
    request.planner === 'upstream' && request.plan === null
      ? upstreamPlanner(run)
      : listPlanner(request, paused === null || paused.phase === 'goal' ? null : paused.rest)
  return { run, planner, halt: await new Loop(run, planner, claims).until(paused) }
}

const begin = (deps: Deps, call: Call, request: LoopRequest, id: string): Run => {
  const { clock } = deps
  const begun = clock.monotonic()
  return {
    deps,
    call,
    id,
    request,
    left: () => (call.signal.aborted ? 0 : request.deadlineMs - (clock.monotonic() - begun)),
    monotonic: () => clock.monotonic(),
    steps: [],
    observations: [],
    traces: [],
    notes: [],
    seen: new Set(),
    parent: null,
    lambda: undefined,
    digests: null,
    review: null,
    nextStep: 0,
    charged: 0,
    resumed: null,
  }
}

/** Only an approval of this very request, good at this moment, says where to go on. */
async function pausedBy(run: Run): Promise<PausedStep | null> {
  const { deps, request } = run
  if (request.reviewId === null) return null
  const approved = await deps.governance.approvedPayload(goalRequest(run, request.reviewId))
  return readPausedStep(approved?.payload ?? null)
}

const OVER = 'the time of the run is over'

class Loop {
  private readonly run: Run
  private readonly planner: Planner
  private readonly claims: Claims

  constructor(run: Run, planner: Planner, claims: Claims) {
    this.run = run
    this.planner = planner
    this.claims = claims
  }

  async until(paused: PausedStep | null): Promise<Halt> {
    let halt = paused === null || paused.call === null ? await this.goal(paused) : await this.resumed(paused)
    let planned = paused?.call != null
    while (halt === null) {
      if (this.run.left() <= 0) return this.halt('DEADLINE', OVER)
      const next = await this.planner.next()
      if ('error' in next) return this.failed('PLANNER_ERROR', next.error)
      if ('done' in next) return this.finished(planned)
      planned = true
      if (this.run.nextStep > this.run.request.maxSteps)
        return this.halt('MAX_STEPS', 'the plan goes on beyond max_steps')
      halt = await this.step(this.taskOf(next.call, null))
    }
    return halt
  }

  /** What was not understood is asked for, whatever else was done. */
  private finished(planned: boolean): Halt {
    const [need] = this.planner.needs
    if (need !== undefined) return this.halt('NEEDS_INPUT', `clause ${need.clause + 1} needs ${need.missing}`)
    return planned ? this.halt('DONE', 'nothing is left to do') : this.halt('PLAN_EMPTY', this.planner.empty)
  }

  private resumed(paused: PausedStep): Promise<Halt | null> {
    const approval = { reviewId: this.run.request.reviewId as string, observation: paused.observation_sha256 }
    return this.step(this.taskOf(paused.call!, approval))
  }

  private taskOf(call: StepTask['call'], approval: Approval | null): StepTask {
    const { origin } = this.planner
    return { number: this.run.nextStep, call, rest: this.planner.rest(), origin, approval }
  }

  private halt(code: HaltCode, reason: string, step = Math.max(0, this.run.nextStep - 1)): Halt {
    return { code, step, reason }
  }

  /** What fails after the time is over failed for that. */
  private failed(code: HaltCode, reason: string): Halt {
    return this.run.left() <= 0 ? this.halt('DEADLINE', OVER) : this.halt(code, reason)
  }

  /** Step 0: goal, reasoning, context and whatever else was sent. */
  private async goal(paused: PausedStep | null): Promise<Halt | null> {
    const { run } = this
    const { request, deps } = run
    const begun = run.monotonic()
    const stale = request.reviewId === null ? null : STALE_REVIEW
    const decisionRequest = goalRequest(run, paused === null ? stale : request.reviewId)
    const examined = await deps.governance.examine(decisionRequest)
    const waiting = { number: 0, call: null, rest: this.planner.rest() }
    const payload = toReviewPayload(run, waiting, 'goal', null)
    const step = { run_id: run.id, step: 0, tool: null }
    const attempt = async () => {
      const goal = await deps.governance.decide(examined, { dryRun: request.dryRun, payload, step })
      const report = goalReport(run, goal, elapsed(run, begun))
      return { outcomes: [goal], report, documents: goal.documents, registered: true, attempt: null }
    }
    const { report, outcomes } = await this.record(attempt)
    return this.afterDecision(report, outcomes)
  }

  private async step(task: StepTask): Promise<Halt | null> {
    const { run } = this
    const begun = run.monotonic()
    const prepared = await prepareStep(run, task)
    const { report, outcomes, attempt } = await this.record(async () => {
      const attempt = await attemptStep(run, task, prepared)
      const report = reportOf(run, task, prepared, attempt, elapsed(run, begun))
      const { documents } = attempt
      return { outcomes: determinationsOf(attempt), report, documents, registered: isToolName(task.call.tool), attempt }
    })
    if (attempt !== null) this.remember(report, attempt)
    return this.afterDecision(report, outcomes) ?? this.afterTool(report, attempt)
  }

  private afterDecision({ decision, reasons }: Unrecorded, outcomes: readonly DecisionOutcome[]): Halt | null {
    if (decision === 'deny') return this.halt('GATE_DENY', reasons.join(' '))
    this.run.review = outcomes.find(({ review }) => review !== null)?.review ?? null
    return decision === 'review' ? this.halt('REVIEW_REQUIRED', reasons.join(' ')) : null
  }

  /** A call that gives the same as before once more goes nowhere. */
  private afterTool(report: Unrecorded, attempt: Attempt | null): Halt | null {
    const { run } = this
    const use = attempt?.use ?? null
    if (use !== null && !use.ok) return this.failed('TOOL_ERROR', `${use.failure}: ${use.reason}`)
    if (report.observation_sha256 === null) return null
    const key = `${report.tool}:${report.args_sha256}:${report.observation_sha256}`
    if (run.seen.has(key)) return this.halt('NO_PROGRESS', 'the same call gave the same observation twice')
    run.seen.add(key)
    return null
  }

  private remember(report: Unrecorded, attempt: Attempt): void {
    const { use, executed } = attempt
    const observation = observationOf(report, attempt)
    if (observation !== null) rememberObservation(this.run, observation, use?.ok ? use.output : null)
    const isOfRun = this.run.request.sessionId === null
    if (isOfRun && executed && use?.ok && use.notes !== null) this.run.notes = use.notes
  }

  /** Decided on what is stored, recorded with it; a dry run records nothing. */
  private async record(work: () => Promise<Worked>): Promise<Worked> {
    const { run } = this
    const { deps, call } = run
    let worked: Worked | null = null
    if (run.request.dryRun) worked = await work()
    // A step is recorded for itself: the key of the request stands for the whole run.
    else
      await deps.recorder.record({ ...call, headers: {} }, `${LOOP}.step`, {
        decide: async () => {
          worked = await work()
          return worked
        },
        toReceipt: async (decided) => ({
          chain: 'governance',
          kind: 'agent-step',
          policy: decided.outcomes[0]!.digests,
          payload: stepPayload(run, decided.report, decided.outcomes, decided.registered),
          answer: {},
          documents: await this.claimed(decided),
        }),
        toReply: (receipt) => {
          run.steps.push(recordedReport(worked!.report, receipt))
          run.parent = receipt.digest
          // The first is about what was asked; what follows it was observed.
          for (const [at, determination] of worked!.outcomes.entries())
            deps.governance.recorded(determination, receipt.seq, at === 0 ? 'verdict' : 'output_scan')
          return {}
        },
      })
    if (run.request.dryRun) run.steps.push(recordedReport(worked!.report, null))
    for (const determination of worked!.outcomes) account(run, determination)
    run.nextStep++
    return worked!
  }

  private async claimed({ documents }: Worked): Promise<DocumentWrite[]> {
    const { run, claims } = this
    const claim = run.steps.length > 0 ? null : await claims.claim(run.deps.clock.now(), run.request.deadlineMs)
    return claim === null ? documents : [...documents, claim]
  }
}

interface Worked {
  outcomes: DecisionOutcome[]
  report: Unrecorded
  documents: DocumentWrite[]
  registered: boolean
  attempt: Attempt | null
}

const elapsed = (run: Run, begun: number): number => Math.max(0, Math.round(run.monotonic() - begun))

/** A run in which nothing was run is no permission: it is at best for a person to look at. */
export function decisionOf({ steps, request }: Run): Verdict {
  const ran = steps.some(({ executed, phase }) => executed || (request.dryRun && phase === 'tool'))
  return meet([...steps.map(({ decision }) => decision), ran ? 'allow' : 'review'])
}
