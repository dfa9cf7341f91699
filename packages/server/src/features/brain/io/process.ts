/** Readings of this very process. */
import { loadavg } from 'node:os'
import { type Clock, isoNow } from '../../../platform/clock.ts'
import type { Runtime } from '../../../ports.ts'
import type { ProcessReadings } from '../schemas.ts'

export function readProcess(
  runtime: Pick<Runtime, 'eventLoopDelayP50' | 'eventLoopDelayP99' | 'eventLoopDelayMax'>,
  clock: Clock,
): ProcessReadings {
  const read_at = isoNow(clock)
  const gauge = <U extends string>(value: number, unit: U, source: string) => ({ value, unit, source, read_at })
  const memory = process.memoryUsage()
  const used = process.cpuUsage()
  return {
    uptime_s: gauge(Math.round(process.uptime() * 1000) / 1000, 's', 'process.uptime'),
    rss_bytes: gauge(memory.rss, 'bytes', 'process.memoryUsage'),
    heap_used_bytes: gauge(memory.heapUsed, 'bytes', 'process.memoryUsage'),
    cpu_user_ms: gauge(used.user / 1000, 'ms', 'process.cpuUsage'),
    cpu_system_ms: gauge(used.system / 1000, 'ms', 'process.cpuUsage'),
    event_loop_delay_ms: {
      p50: runtime.eventLoopDelayP50(),
      p99: runtime.eventLoopDelayP99(),
      max: runtime.eventLoopDelayMax(),
      unit: 'ms',
      source: 'monitorEventLoopDelay, since its window of 60 s began',
      read_at,
    },
    active_handles: gauge(process.getActiveResourcesInfo().length, 'handles', 'process.getActiveResourcesInfo'),
    load1: gauge(Math.round(loadavg()[0]! * 100) / 100, 'runnable tasks', 'os.loadavg'),
  }
}
