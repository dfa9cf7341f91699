/** The constants a step is decided by, as they are served. */

import type { Stepping } from './contract.ts'
import { EXPERTS, MANDATORY } from './experts/expert.ts'
import { EXPERT_DEADLINE_MS } from './experts/panel.ts'
import type { QuotaLimits } from './quotas.ts'
import { DEFAULT_BUDGET, MARGINS } from './rules/budget.ts'
import { LEASE_MS, MAX_ATTEMPTS } from './rules/effect-transitions.ts'
import { COMPONENTS, RISK_MODEL } from './rules/estimate.ts'
import { windowOf } from './rules/history.ts'
import { decimalOf, toDecimals } from './rules/millionths.ts'
import { MODES } from './rules/mode.ts'
import { MAX_RECOVERIES } from './rules/recovery.ts'
import { IDLE_MS } from './store/session-documents.ts'

export const stepTerms = (limits: QuotaLimits): ReturnType<Stepping['terms']> => ({
  schema: 'orch.gdw.bench/v1',
  risk: {
    model: RISK_MODEL,
    label: 'MODELED',
    equation: 'estimate = 1 - prod(1 - weight * intensity), rounded to 6 decimals',
    note: 'the weights are chosen constants and not fitted probabilities',
    components: COMPONENTS.map(({ id, weight, source }) => ({ id, weight: decimalOf(weight), source })),
  },
  constants: {
    default_budget: decimalOf(DEFAULT_BUDGET),
    margins: toDecimals(MARGINS),
    experts: [...EXPERTS],
    mandatory_experts: [...MANDATORY],
    expert_deadline_ms: EXPERT_DEADLINE_MS,
    history_windows: Object.fromEntries(MODES.map((mode) => [mode, windowOf(mode).steps])),
    session_idle_days: IDLE_MS / 86_400_000,
    effect_lease_seconds: LEASE_MS / 1000,
    effect_attempts: MAX_ATTEMPTS,
    effect_recoveries: MAX_RECOVERIES,
  },
  quotas: limits,
  metrics_path: '/api/orch/v1/gdw/metrics',
})
