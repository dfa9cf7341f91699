/** A session's budget in millionths. 0 <= spent <= budget + granted holds after every function here, and no function
 *  lets a caller raise what he may spend: only a person's approval grants more. */
import { spend as spendWithin } from '@orch/core'
import { exactly, microBelow, ONE } from './millionths.ts'

export interface SessionBudget {
  budget: number
  granted: number
  spent: number
}

export const DEFAULT_BUDGET = 350_000
export const MARGINS = { near: 20_000, exceeded: 100_000, floor: 500_000, ceiling: 900_000 } as const

export const remainingOf = ({ budget, granted, spent }: SessionBudget): number => budget + granted - spent

export type BudgetCode = 'BUDGET_LOWERED' | 'BUDGET_RAISE_IGNORED'

export interface Budgeted {
  session: SessionBudget
  codes: BudgetCode[]
}

/** `before` is null for the first recorded step, which fixes the budget; `requested` is null when left out. */
export function budgetFor(before: SessionBudget | null, requested: number | null): Budgeted {
  const asked = requested === null ? null : microBelow(exactly(requested))
  if (before === null) return { session: { budget: asked ?? DEFAULT_BUDGET, granted: 0, spent: 0 }, codes: [] }
  if (asked === null || asked === before.budget) return { session: before, codes: [] }
  if (asked > before.budget) return { session: before, codes: ['BUDGET_RAISE_IGNORED'] }
  // After a grant `spent` may lie above the budget: lowering never raises it to there.
  const budget = Math.min(before.budget, Math.max(asked, before.spent))
  if (budget === before.budget) return { session: before, codes: [] }
  return { session: { ...before, budget }, codes: ['BUDGET_LOWERED'] }
}

/** Only an allowed step spends. F19 refuses a charge that lowers what was spent or that the budget does not cover. */
export function spend(session: SessionBudget, charge: number): SessionBudget {
  const account = { spent: BigInt(session.spent), cap: BigInt(session.budget + session.granted) }
  return { ...session, spent: Number(spendWithin(account, BigInt(charge)).spent) }
}

export type Grant = { ok: true; missing: number; session: SessionBudget } | { ok: false; missing: number }

/** Approval grants exactly what is missing; beyond a whole of risk nobody can grant. */
export function grantFor(session: SessionBudget, estimate: number): Grant {
  const missing = Math.max(0, estimate - remainingOf(session))
  if (session.budget + session.granted + missing > ONE) return { ok: false, missing }
  return { ok: true, missing, session: { ...session, granted: session.granted + missing } }
}
