/** A step as its receipt keeps it and as it is told. Digests and masked findings, nothing of arguments or outputs. */
import { LAMBDA, sha256Hex } from '@orch/core'
import { decisionRecord } from '../../domain/decision/decision-record.ts'
import { receiptSummary, type ShownReceipt } from '../../domain/receipt-view.ts'
import type { DecisionOutcome } from '../../governance/contract.ts'
import type { Run } from './run-state.ts'
import type { Observation, StepReport } from './schemas.ts'
import type { Attempt, Prepared, StepTask } from './step.ts'

export type Unrecorded = Omit<StepReport, 'receipt'>

export const determinationsOf = ({ gate, observed }: Pick<Attempt, 'gate' | 'observed'>): DecisionOutcome[] =>
  observed === null ? [gate] : [gate, observed]

/** The smallest; null where one could not be computed. */
function lowest(determinations: readonly DecisionOutcome[]): number | null {
  const values = determinations.map(({ decision }) => decision.lambda?.value ?? null)
  return values.includes(null) ? null : Math.min(...(values as number[]))
}

export function reportOf(run: Run, task: StepTask, prepared: Prepared, attempt: Attempt, ms: number): Unrecorded {
  const { gate, use, observed } = attempt
  const outcomes = determinationsOf(attempt)
  const deciding = outcomes.filter(({ decision }) => decision.decision === attempt.decision)
  return {
    step: task.number,
    phase: 'tool',
    tool: task.call.tool,
    effect: prepared.facts.effect,
    args_sha256: prepared.args_sha256,
    tainted: prepared.facts.tainted,
    decision: attempt.decision,
    reasons: [...new Set(deciding.flatMap(({ decision }) => decision.reasons))],
    ...gateFields(gate),
    executed: attempt.executed,
    attempts: attempt.attempts,
    failure: use === null || use.ok ? null : use.failure,
    observation_sha256: use?.ok && observed !== null ? use.sha256 : null,
    lambda: lowest(outcomes),
    parent: run.parent,
    ms,
  }
}

const gateFields = ({ decision: { gates_fired, gates_passed }, examined }: DecisionOutcome) => ({
  gates_fired,
  gates_passed,
  findings: examined.examination.findings,
})

export function goalReport(run: Run, goal: DecisionOutcome, ms: number): Unrecorded {
  const { decision } = goal
  return {
    step: 0,
    phase: 'goal',
    tool: null,
    effect: null,
    args_sha256: run.request.sha256,
    tainted: false,
    decision: decision.decision,
    reasons: decision.reasons,
    ...gateFields(goal),
    executed: false,
    attempts: 0,
    failure: null,
    observation_sha256: null,
    lambda: decision.lambda?.value ?? null,
    parent: run.parent,
    ms,
  }
}

export function observationOf(report: Unrecorded, { use, observed }: Attempt): Observation | null {
  if (!use?.ok || observed === null) return null
  const { decision, reasons } = observed.decision
  const dropped = decision !== 'allow'
  return {
    step: report.step,
    tool: report.tool ?? '',
    sha256: use.sha256,
    bytes: use.bytes,
    decision,
    reasons,
    findings: observed.examined.examination.findings,
    dropped,
    output: dropped ? null : use.output,
  }
}

const shortRecord = ({ decision, examined, policy }: DecisionOutcome) => {
  const record = decisionRecord({ decision, policy, examination: examined.examination })
  const {
    decision: word,
    gates,
    reasons,
    breaches,
    lambda,
    lambda_inputs,
    sensitivity,
    findings_total,
    budget,
  } = record
  return { decision: word, gates, reasons, breaches, lambda, lambda_inputs, sensitivity, findings_total, budget }
}

/** A name the registry does not hold is a caller's text and goes into a digest. */
const toolFields = ({ tool, effect }: Unrecorded, registered: boolean) => ({
  tool: registered ? tool : null,
  tool_sha256: tool === null ? null : sha256Hex(tool),
  effect: registered ? effect : null,
})

export function stepPayload(
  run: Run,
  report: Unrecorded,
  determinations: readonly DecisionOutcome[],
  registered: boolean,
): Record<string, unknown> {
  const [decided, observed] = determinations.map(shortRecord)
  const { gates = [], ...gate } = decided ?? {}
  const { step, phase, args_sha256, tainted, reasons, gates_fired, executed, attempts, failure, lambda, parent, ms } =
    report
  const approved = determinations.some(({ decision }) => decision.reasons.includes('APPROVED_BY_REVIEW'))
  return {
    run_id: run.id,
    step,
    phase,
    ...toolFields(report, registered),
    args_sha256,
    tainted,
    decision: report.decision.toUpperCase(),
    reasons,
    gates,
    gates_fired,
    gate,
    observation: observed ?? null,
    observation_sha256: report.observation_sha256,
    executed,
    attempts,
    failure,
    lambda,
    lambda_floor: LAMBDA.floor,
    parent,
    review_id: determinations.find(({ review }) => review !== null)?.review?.review_id ?? null,
    approved_by: approved ? (run.resumed?.review_id ?? null) : null,
    // Of two decisions the later one knows what the earlier one charged.
    ...Object.assign({}, ...determinations.map(({ bound }) => bound)),
    ms,
  }
}

export const recordedReport = (report: Unrecorded, receipt: ShownReceipt | null): StepReport => ({
  ...report,
  receipt: receipt === null ? null : receiptSummary(receipt),
})
