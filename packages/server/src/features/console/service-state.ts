/** Whether the service can do its work, from the checks that readiness runs for this request. */
import type { CheckResult, Readiness, ReadinessReport } from '../../ports.ts'

export type ServiceState = ReturnType<typeof serviceState>

export const readService = async (readiness: Readiness) => serviceState(await readiness.report())

function serviceState({ ready, draining, productionReady, components, blocking, checkedAt }: ReadinessReport) {
  return {
    ready,
    draining,
    production_ready: productionReady,
    blocking,
    checks: Object.entries(components).map(([name, check]) => ({
      name,
      outcome: check.state,
      blocking: check.blocking,
      reason: check.state === 'OK' ? null : whyOf(check),
    })),
    checked_at: checkedAt,
  }
}

function whyOf({ state, detail }: CheckResult): string {
  if (typeof detail.reason === 'string') return detail.reason
  return typeof detail.code === 'string' ? detail.code : state
}
