import { statfs } from 'node:fs/promises'
import { isoNow } from '../../platform/clock.ts'
import { runCheck } from '../../platform/run-check.ts'
import { singleFlight } from '../../platform/single-flight.ts'
import type {
  Background,
  BackgroundTask,
  Check,
  CheckResult,
  Clock,
  Finding,
  Readiness,
  ReadinessReport,
  Runtime,
  StateMemory,
} from '../../ports.ts'

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

const MISSED_TICKS = 3
const LATE_LIMIT_MS = 30_000

export const backgroundCheck = (
  background: Pick<Background, 'tasks'>,
  runtime: Pick<Runtime, 'eventLoopLateMs' | 'eventLoopDelayP99'>,
  clock: Clock,
): Check => ({
  name: 'background',
  blocking: () => false,
  async run() {
    const tasks = background.tasks().map((task) => shown(task, clock.now()))
    const late = tasks.filter(({ state }) => state !== 'OK').map(({ task }) => task)
    const isLoopLate = runtime.eventLoopLateMs() >= LATE_LIMIT_MS
    const detail = { tasks, event_loop_delay_ms_p99: runtime.eventLoopDelayP99() }
    if (isLoopLate) return { state: 'FAILED', detail: { ...detail, code: 'EVENT_LOOP_LATE' } }
    if (late.length > 0) return { state: 'FAILED', detail: { ...detail, code: 'TASK_LATE', late } }
    return { state: 'OK', detail }
  },
})

/** A task that has never ended well is as old as its start. */
function shown({ name, lastTick, startedAt, intervalMs }: BackgroundTask, now: number) {
  const age = Math.max(0, now - (lastTick ?? startedAt))
  return {
    task: name,
    last_tick: lastTick === null ? null : new Date(lastTick).toISOString(),
    age_seconds: Math.round(age) / 1000,
    state: age <= MISSED_TICKS * intervalMs ? 'OK' : 'LATE',
  }
}

/** The operator's switch and nothing else: nobody is called to find out whether somebody could be. */
export const outboundCheck = (enabled: boolean): Check => ({
  name: 'outbound',
  blocking: () => false,
  run: async () => ({ state: 'OK', detail: { switch: enabled ? 'on' : 'off' } }),
})

/** Read from the file system at every call. */
export const freeBytes = (folder: string, least: number) => async () => {
  const { bavail, bsize } = await statfs(folder)
  return { free: bavail * bsize, least }
}

/** The data folder has room: what cannot be recorded must not be decided. */
export const diskCheck = (folder: string, minFreeBytes: number): Check => ({
  name: 'disk',
  blocking: () => true,
  async run() {
    const { free } = await freeBytes(folder, minFreeBytes)()
    return { state: free >= minFreeBytes ? 'OK' : 'FAILED', detail: { free_bytes: free, min_free_bytes: minFreeBytes } }
  },
})
