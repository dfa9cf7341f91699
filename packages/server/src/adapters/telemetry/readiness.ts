import { isoNow } from '../../platform/clock.ts'
import { withDeadline } from '../../platform/deadline.ts'
import { singleFlight } from '../../platform/single-flight.ts'
import type { Check, CheckResult, Clock, Finding, Readiness, ReadinessReport, StateMemory } from '../../ports.ts'
import { stateMemory } from './state-memory.ts'

const CHECK_LIMIT_MS = 500

/** Runs every check in parallel for the request that asks; callers that come meanwhile share the run. */
export function createReadiness(
  checks: () => readonly Check[],
  state: { draining: boolean },
  clock: Clock,
  productionReady: () => boolean,
  memory: StateMemory = stateMemory(clock),
): Readiness {
  const runAll = async (): Promise<ReadinessReport> => {
    const results = await Promise.all(
      checks().map(async (check) => [check.name, await runOne(check, clock, memory)] as const),
    )
    const drainingSince = memory.since('draining', String(state.draining))
    const blocking = results.filter(([, result]) => result.blocking && result.state !== 'OK').map(([name]) => name)
    return {
      ready: blocking.length === 0 && !state.draining,
      draining: state.draining,
      drainingSince: state.draining ? drainingSince : null,
      productionReady: blocking.length === 0 && productionReady(),
      components: Object.fromEntries(results),
      blocking,
      checkedAt: isoNow(clock),
    }
  }
  return { report: singleFlight(runAll) }
}

async function runOne(check: Check, clock: Clock, memory: StateMemory): Promise<CheckResult & { blocking: boolean }> {
  const started = clock.monotonic()
  const {
    state,
    detail,
    blocking = check.blocking(),
  } = await withDeadline(CHECK_LIMIT_MS, () => attempt(check), overdue)
  return {
    state,
    detail,
    blocking,
    since: memory.since(`component ${check.name}`, state),
    checked_at: isoNow(clock),
    latency_ms: Math.round((clock.monotonic() - started) * 1000) / 1000,
  }
}

async function attempt(check: Check): Promise<Finding> {
  try {
    return await check.run()
  } catch (error) {
    const code = (error as { code?: unknown } | null)?.code
    return { state: 'FAILED', detail: { code: typeof code === 'string' ? code : 'CHECK_THREW' } }
  }
}

const overdue = (): Finding => ({ state: 'FAILED', detail: { code: 'CHECK_TIMEOUT' } })
