/** The decision on one step: the lowest of deny < review < allow over all rows that match. Every matching code is
 *  told; those of the first row that gave the decision come first. */
import { meet, type Reason, type Stage, type Verdict } from '../../../domain/decision/verdict.ts'
import { MARGINS, remainingOf, type SessionBudget } from './budget.ts'

/** What a step can give as a reason besides those of every decision. */
export const STEP_REASONS = [
  'RISK_CEILING',
  'EXPERT_UNAVAILABLE',
  'UNKNOWN_EXPERT',
  'EXPERT_BLOCK',
  'DAY_BUDGET_EXCEEDED',
  'RISK_FLOOR',
  'NEAR_BUDGET',
  'WITHIN_BUDGET',
] as const
export type StepCode = Reason | (typeof STEP_REASONS)[number]

/** A person's approval of exactly this request in this session. */
export interface StepApproval {
  /** What the approved item was estimated at; an approved step is charged this. */
  estimate: number
  /** Rules and policies are still those it was given under. */
  current: boolean
}

export interface StepDecisionRequest {
  /** Of the pipeline; the session budget's own stage is left out here, whatever it said. */
  stages: readonly Stage[]
  estimate: number
  session: SessionBudget
  expertUnavailable: boolean
  unknownExperts: readonly string[]
  /** An expert that nobody can leave out says block. */
  mandatoryBlock: boolean
  /** What the owner's budget of the day still holds; null where the operator set none. */
  dayRemaining: number | null
  approval: StepApproval | null
}

export interface StepDecision {
  decision: Verdict
  reason_codes: StepCode[]
  /** remaining - estimate. */
  headroom: number
  /** Millionths to spend; 0 unless allowed. */
  charge: number
}

interface Row {
  verdict: Verdict
  codes: StepCode[]
}

export function decideStep(decisionRequest: StepDecisionRequest): StepDecision {
  const { estimate, session, approval } = decisionRequest
  const remaining = remainingOf(session)
  const headroom = remaining - estimate
  const final = finalRows(decisionRequest)
  if (approval && final.length === 0 && approval.current && approval.estimate <= remaining)
    return { decision: 'allow', reason_codes: ['APPROVED_BY_REVIEW'], headroom, charge: approval.estimate }
  const stale: Row[] = approval ? [{ verdict: 'review', codes: ['APPROVAL_STALE'] }] : []
  const rows = [...final, ...stale, ...liftableRows(decisionRequest, headroom)]
  if (rows.length === 0) return { decision: 'allow', reason_codes: ['WITHIN_BUDGET'], headroom, charge: estimate }
  const decision = meet(rows.map(({ verdict }) => verdict))
  return { decision, reason_codes: codesOf(rows, decision), headroom, charge: 0 }
}

/** What nobody can lift. */
function finalRows({ stages, estimate }: StepDecisionRequest): Row[] {
  const denied = reasonsOf(stages, 'deny')
  return [
    ...(denied ? [{ verdict: 'deny' as const, codes: denied }] : []),
    ...(estimate >= MARGINS.ceiling ? [{ verdict: 'deny' as const, codes: ['RISK_CEILING' as const] }] : []),
  ]
}

function liftableRows(decisionRequest: StepDecisionRequest, headroom: number): Row[] {
  const { stages, estimate, expertUnavailable, unknownExperts, mandatoryBlock, dayRemaining } = decisionRequest
  const reviewed = reasonsOf(stages, 'review')
  const unanswered: StepCode[] = expertUnavailable ? ['EXPERT_UNAVAILABLE'] : []
  const rows: [applies: boolean, verdict: Verdict, codes: StepCode[]][] = [
    [reviewed !== null || expertUnavailable, 'review', [...(reviewed ?? []), ...unanswered]],
    [unknownExperts.length > 0, 'review', ['UNKNOWN_EXPERT']],
    [headroom < -MARGINS.exceeded, 'deny', ['BUDGET_EXCEEDED']],
    [estimate >= MARGINS.floor, 'review', ['RISK_FLOOR']],
    [headroom < MARGINS.near, 'review', ['NEAR_BUDGET']],
    [mandatoryBlock, 'review', ['EXPERT_BLOCK']],
    [dayRemaining !== null && estimate > dayRemaining, 'review', ['DAY_BUDGET_EXCEEDED']],
  ]
  return rows.filter(([applies]) => applies).map(([, verdict, codes]) => ({ verdict, codes }))
}

/** Null where no stage says so; the budget of the pipeline is replaced by the session's own. */
function reasonsOf(stages: readonly Stage[], verdict: Verdict): StepCode[] | null {
  const saying = stages.filter((stage) => stage.id !== 'session-risk-budget' && stage.verdict === verdict)
  return saying.length === 0 ? null : saying.flatMap(({ reasons }) => reasons)
}

function codesOf(rows: readonly Row[], decision: Verdict): StepCode[] {
  const first = rows.findIndex(({ verdict }) => verdict === decision)
  const ordered = [rows[first] as Row, ...rows.filter((_, at) => at !== first)]
  return [...new Set(ordered.flatMap(({ codes }) => codes))]
}

/** What the session's budget alone says, for the list of gates. */
export function budgetVerdict(headroom: number): Verdict {
  if (headroom < -MARGINS.exceeded) return 'deny'
  return headroom < MARGINS.near ? 'review' : 'allow'
}
