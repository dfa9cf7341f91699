/** The program of a compute thread: it loads the module of each job it is given and runs the function. */

import { serialize } from 'node:v8'
import { parentPort } from 'node:worker_threads'
import { parseJsonText } from '@orch/core/json-text'
import type { JobContext } from './job.ts'
import type { FromThread, ToThread } from './messages.ts'

/** A job that reports in a tight loop must not bury the main thread in messages. */
const PROGRESS_MS = 50

type JobFunction = (params: unknown, context: JobContext) => unknown

const port = parentPort!
const post = (message: FromThread, transfer: ArrayBuffer[] = []) => port.postMessage(message, transfer)

port.on('message', (asked: ToThread) => {
  run(asked).catch(report)
})

async function run({ module, function: name, params, bytes: given, maxResultBytes }: ToThread): Promise<void> {
  const job: unknown = (await import(module))[name]
  if (typeof job !== 'function') throw new TypeError(`the module of this job exports no function ${name}`)
  const progress = throttledProgress()
  post({ type: 'begun' })
  const [wall, cpu] = [performance.now(), cpuMs()]
  const value = await (job as JobFunction)(parseJsonText(params), {
    progress: progress.progress,
    part: (value) => post({ type: 'part', value }),
    ...(given && { bytes: given }),
  })
  const [wallMs, usedMs] = [performance.now() - wall, cpuMs() - cpu]
  const bytes = serialize(value)
  progress.flush()
  if (bytes.length > maxResultBytes)
    post({ type: 'failed', code: 'result_too_large', message: `the result has ${bytes.length} bytes`, ...holding() })
  else post({ type: 'done', bytes, wallMs, cpuMs: usedMs, ...holding() }, [bytes.buffer as ArrayBuffer])
}

const holding = () => ({ externalBytes: process.memoryUsage().external })

function cpuMs(): number {
  const used = process.threadCpuUsage()
  return (used.user + used.system) / 1000
}

function throttledProgress(): Pick<JobContext, 'progress'> & { flush(): void } {
  let sentAt = Number.NEGATIVE_INFINITY
  let waiting: FromThread | null = null
  const send = (report: FromThread) => {
    waiting = null
    sentAt = performance.now()
    post(report)
  }
  return {
    progress(done, total) {
      const report = { type: 'progress', done: Number(done), total: Number(total) } as const
      if (performance.now() - sentAt >= PROGRESS_MS) send(report)
      else waiting = report
    },
    flush: () => waiting !== null && send(waiting),
  }
}

/** What was thrown travels as it is, or as its words where it cannot be cloned. */
function report(error: unknown): void {
  const message = error instanceof Error ? error.message : 'the job threw something that is not an error'
  const failed = { type: 'failed', code: 'job_failed', message, ...holding() } as const
  try {
    post({ ...failed, cause: error })
  } catch {
    post(failed)
  }
}
