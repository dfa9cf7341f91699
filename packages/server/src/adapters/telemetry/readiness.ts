import { isoNow } from '../../platform/clock.ts'
import { runCheck } from '../../platform/run-check.ts'
import { singleFlight } from '../../platform/single-flight.ts'
import type { Check, CheckResult, Clock, Finding, Readiness, ReadinessReport, StateMemory } from '../../ports.ts'

const CHECK_LIMIT_MS = 500

/** Runs every check in parallel for the request that asks; callers that come meanwhile share the run. */
export function createReadiness(
  checks: () => readonly Check[],
  state: { draining: boolean },
  clock: Clock,
  productionReady: () => boolean,
  memory: StateMemory = stateMemory(clock),
  limitMs = CHECK_LIMIT_MS,
): Readiness {
  const runAll = async (): Promise<ReadinessReport> => {
    const results = await Promise.all(
      checks().map(async (check) => [check.name, await runOne(check, clock, memory, limitMs)] as const),
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

async function runOne(
  check: Check,
  clock: Clock,
  memory: StateMemory,
  ms: number,
): Promise<CheckResult & { blocking: boolean }> {
  const { found, checked_at, latency_ms } = await runCheck(() => check.run(), { clock, ms, failed })
  const { state, detail, blocking = check.blocking() } = found
  return { state, detail, blocking, since: memory.since(`component ${check.name}`, state), checked_at, latency_ms }
}

function failed(code: string, error: unknown): Finding {
  if (code === 'CHECK_TIMEOUT') return { state: 'FAILED', detail: { code } }
  const own = (error as { code?: unknown } | null)?.code
  return { state: 'FAILED', detail: { code: typeof own === 'string' ? own : 'CHECK_THREW' } }
}

export function stateMemory(clock: Pick<Clock, 'now'>): StateMemory {
  const states = new Map<string, { state: string; since: string }>()
  return {
    since(name, state) {
      const known = states.get(name)
      if (known?.state === state) return known.since
      const since = isoNow(clock)
      states.set(name, { state, since })
      return since
    },
  }
}
