/** A run as its master receipt keeps it, and as it is told. */
import { CONJECTURES, explainAll, LAMBDA, sha256Hex } from '@orch/core'
import { receiptSummary } from '../../domain/receipt-view.ts'
import type { DocumentWrite } from '../../ledger/contract.ts'
import type { Compose, Draft } from '../../ports.ts'
import { decisionOf, type Ended } from './loop.ts'
import { HALTS } from './rules/halts.ts'
import { stepsRoot } from './rules/steps-root.ts'
import type { LoopReply } from './schemas.ts'

const digestsOf = ({ run }: Ended): string[] => run.steps.flatMap(({ receipt }) => receipt?.digest ?? [])

/** A run that ended early is explained by why it ended: that every check of its earlier steps passed explains nothing. */
function codesOf({ run, halt }: Ended): string[] {
  const reasons = run.steps.flatMap(({ reasons }) => reasons)
  return halt.code === 'DONE' ? reasons : [halt.code, ...reasons.filter((reason) => reason !== 'ALL_STAGES_PASSED')]
}

/** The answer apart from its receipt: plain JSON, so that a replay gives it again. */
export function toAnswer(ended: Ended): Omit<LoopReply, 'master_receipt' | 'receipt'> {
  const { run, planner, halt } = ended
  const { id, clauses, needs, target } = planner
  return {
    schema: 'orch.agent-run/v1',
    status: HALTS[halt.code],
    decision: decisionOf(run),
    explanations: explainAll(codesOf(ended)),
    halt,
    run_id: run.id,
    resumed: run.resumed,
    dry_run: run.request.dryRun,
    planner: { id, clauses, unmatched: needs.map(({ clause }) => clause), needs: [...needs], target },
    steps: run.steps,
    observations: run.observations,
    steps_root: run.request.dryRun ? null : stepsRoot(digestsOf(ended)),
    lambda: run.lambda ?? null,
    ignored: run.request.ignored,
    review: run.review,
    liveness: CONJECTURES.liveness,
    label: 'MEASURED',
  }
}

export function draftOf(ended: Ended, end: DocumentWrite | null): Draft {
  const { run, planner, halt } = ended
  const { request } = run
  const steps = digestsOf(ended)
  return {
    chain: 'governance',
    kind: 'agent-run',
    policy: run.digests,
    payload: {
      run_id: run.id,
      goal_sha256: sha256Hex(request.goal),
      request_sha256: request.sha256,
      session_sha256: request.sessionId === null ? null : sha256Hex(request.sessionId),
      step_count: steps.length,
      steps,
      steps_root: stepsRoot(steps),
      decision: decisionOf(run).toUpperCase(),
      lambda: run.lambda?.value ?? null,
      lambda_floor: LAMBDA.floor,
      halt,
      status: HALTS[halt.code],
      planner: planner.id,
      needs: planner.needs.map(({ clause, tool }) => ({ clause, tool })),
      planner_target: planner.target,
      resumed: run.resumed,
      review_id: run.review?.review_id ?? null,
      ignored: request.ignored.length,
    },
    answer: toAnswer(ended),
    ...(end === null ? {} : { documents: [end] }),
  }
}

export const withMaster: Compose = (receipt, answer) => {
  const shown = receiptSummary(receipt)
  return { ...answer, master_receipt: shown, receipt: shown }
}
