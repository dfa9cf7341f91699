/** Work that comes round by itself. One run of a task at a time; what it throws is logged and does not end it. */
import type { Background, BackgroundTask, Clock, Log } from '../ports.ts'

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
