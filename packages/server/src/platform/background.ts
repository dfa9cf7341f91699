/** Work that comes round by itself. One run of a task at a time; what it throws is logged and does not end it. */
import type { Clock } from './clock.ts'

interface Log {
  warn(fields: object, message: string): void
}

export interface BackgroundTask {
  name: string
  intervalMs: number
  startedAt: number
  /** When it last came to a good end; null before that. */
  lastTick: number | null
  lastError: string | null
}

/** What the process does by itself. MUST never run one task twice at the same time. */
export interface Background {
  every(name: string, intervalMs: number, work: () => Promise<void>): void
  tasks(): BackgroundTask[]
  stop(): void
}

interface Task extends BackgroundTask {
  timer: NodeJS.Timeout
}

export function createBackground(clock: Clock, log: Log): Background {
  const tasks = new Map<string, Task>()
  return {
    every(name, intervalMs, work) {
      let running = false
      const tick = async () => {
        if (running) return
        running = true
        try {
          await work()
          task.lastTick = clock.now()
          task.lastError = null
        } catch (error) {
          task.lastError = (error as { code?: string }).code ?? 'TASK_FAILED'
          log.warn({ task: name, code: task.lastError }, 'a background task failed')
        } finally {
          running = false
        }
      }
      const timer = setInterval(tick, intervalMs)
      timer.unref()
      const task: Task = { name, intervalMs, startedAt: clock.now(), lastTick: null, lastError: null, timer }
      tasks.set(name, task)
    },
    tasks: () => [...tasks.values()].map(({ timer: _, ...task }) => task),
    stop() {
      for (const { timer } of tasks.values()) clearInterval(timer)
    },
  }
}
