/** The constants a step is decided by and what a step was measured to take, as they are served. */
import Type from 'typebox'
import { readJson } from '../../platform/shape.ts'
import type { Ports } from '../../ports.ts'
import type { Stepping } from './contract.ts'
import { EXPERT_DEADLINE_MS, EXPERTS, MANDATORY } from './experts/expert.ts'
import type { QuotaLimits } from './quotas.ts'
import { DEFAULT_BUDGET, MARGINS } from './rules/budget.ts'
import { LEASE_MS, MAX_ATTEMPTS } from './rules/effect-transitions.ts'
import { COMPONENTS, RISK_MODEL } from './rules/estimate.ts'
import { windowOf } from './rules/history.ts'
import { toDecimal, toDecimals } from './rules/millionths.ts'
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
    components: COMPONENTS.map(({ id, weight, source }) => ({ id, weight: toDecimal(weight), source })),
  },
  constants: {
    default_budget: toDecimal(DEFAULT_BUDGET),
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

const BenchResults = Type.Object({
  machine: Type.Object({ cores: Type.Number(), arch: Type.String(), node: Type.String() }),
  results: Type.Object({
    step: Type.Object({
      value: Type.Number(),
      unit: Type.String(),
      run_at: Type.String(),
      rounds: Type.Array(Type.Number()),
    }),
  }),
})

/** The committed result of the bench of a step. It was measured elsewhere and before: a sample with its own date. */
export function committedBench(file: Awaited<ReturnType<Ports['artifacts']['text']>>) {
  const reproduce = 'npm run bench'
  const found = file.present ? readJson(BenchResults, file.text) : null
  if (!file.present || !found?.ok) {
    const reason = file.present ? 'the committed results hold none of a step' : file.reason
    return { label: 'UNAVAILABLE', benchmark_status: 'UNMEASURED', reason, result: null, reproduce } as const
  }
  const { machine, results } = found.value
  const { value, unit, run_at: measured_at, rounds: samples } = results.step
  const where = `${machine.cores} cores, ${machine.arch}, Node ${machine.node}`
  return {
    label: 'SAMPLE' as const,
    benchmark_status: 'COMMITTED_RESULT' as const,
    reason: 'measured when it says, on the machine it names; nothing was measured for this reply',
    result: { value, unit, measured_at, rounds: samples, machine: where, file_sha256: file.sha256 },
    reproduce,
  }
}
