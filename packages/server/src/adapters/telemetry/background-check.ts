/** Whether what the process does by itself is still being done. */

import { statfs } from 'node:fs/promises'
import type { Background, BackgroundTask, Check, Clock, Runtime } from '../../ports.ts'

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

/** The data folder has room: what cannot be recorded must not be decided. */
export const diskCheck = (folder: string, minFreeBytes: number): Check => ({
  name: 'disk',
  blocking: () => true,
  async run() {
    const { bavail, bsize } = await statfs(folder)
    const free = bavail * bsize
    return { state: free >= minFreeBytes ? 'OK' : 'FAILED', detail: { free_bytes: free, min_free_bytes: minFreeBytes } }
  },
})
