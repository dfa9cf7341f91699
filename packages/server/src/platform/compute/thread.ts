/** One worker thread of the pool. It has one job at a time, and whatever it does, the job settles exactly once: by its
 *  answer, at its deadline, over its memory, or with the end of the thread. */
import { Worker } from 'node:worker_threads'
import { onlyCompileCache } from '../compile-cache.ts'
import { ownLimits } from '../thread-memory.ts'
import { ComputeError } from './job.ts'
import type { FromThread, JobEvents, ToThread } from './messages.ts'

export interface ThreadSettings {
  memoryMb: number
  /** For starting the thread and loading the module of a job. */
  startMs: number
}

export interface ThreadAnswer {
  bytes: Uint8Array
  wallMs: number
  cpuMs: number
}

interface Running {
  deadlineMs: number
  timer: NodeJS.Timeout
  events: JobEvents
  settle(outcome: ThreadAnswer | ComputeError): void
}

const PROGRAM = new URL('./worker.ts', import.meta.url)
const MEMORY_CHECK_MS = 100
const MEGABYTE = 1024 * 1024

export class ComputeThread {
  readonly #settings: ThreadSettings
  readonly #worker: Worker
  #running: Running | null = null
  #over = false
  /** It has begun a job. */
  hasWorked = false
  /** Resolves when the thread is gone, which a thread in a native call may never be. */
  readonly exited: Promise<void>

  constructor(settings: ThreadSettings) {
    this.#settings = settings
    this.#worker = new Worker(PROGRAM, { env: onlyCompileCache(), resourceLimits: limitsFor(settings.memoryMb) })
    this.exited = new Promise((resolve) => this.#worker.once('exit', () => resolve()))
    this.#worker.on('message', (message: FromThread) => this.#take(message))
    this.#worker.on('error', (error) => this.kill(failureOf(error, settings.memoryMb)))
    this.#worker.on('messageerror', () => this.kill(crashed('the thread sent what cannot be read')))
    this.#worker.on('exit', () => this.kill(crashed('the thread ended while it had the job')))
  }

  get isOver(): boolean {
    return this.#over
  }

  run(task: ToThread, deadlineMs: number, events: JobEvents): Promise<ThreadAnswer> {
    const { promise, resolve, reject } = Promise.withResolvers<ThreadAnswer>()
    const watch = setInterval(() => void this.#checkMemory(), MEMORY_CHECK_MS)
    const settle = (outcome: ThreadAnswer | ComputeError) => {
      clearTimeout(this.#running?.timer)
      clearInterval(watch)
      this.#running = null
      // An idle thread does not keep the process alive, and one at work does.
      this.#worker.unref()
      if (outcome instanceof ComputeError) reject(outcome)
      else resolve(outcome)
    }
    const { startMs } = this.#settings
    const timer = this.#killAfter(startMs, () => notLoaded(startMs))
    this.#running = { deadlineMs, timer, events, settle }
    this.#worker.ref()
    this.#worker.postMessage(task)
    return promise
  }

  /** The job gets this error at once, whenever the thread itself is gone. */
  kill(error: ComputeError): void {
    if (this.#over) return
    this.#over = true
    void this.#worker.terminate()
    this.#running?.settle(error)
  }

  #take(message: FromThread): void {
    const running = this.#running
    if (this.#over || running === null) return
    if (message.type === 'progress') running.events.onProgress({ done: message.done, total: message.total })
    else if (message.type === 'part') running.events.onPart(message.value)
    else if (message.type === 'begun') {
      clearTimeout(running.timer)
      running.timer = this.#killAfter(running.deadlineMs, () => deadlineExceeded(running.deadlineMs))
      running.events.onBegun()
      this.hasWorked = true
    } else {
      if (message.type === 'done') running.settle(message)
      else running.settle(new ComputeError(message.code, message.message, { cause: message.cause }))
      // The next job is not to be stopped for the garbage of this one.
      if (message.externalBytes > (this.#settings.memoryMb * MEGABYTE) / 2) this.kill(crashed('the thread is used up'))
    }
  }

  /** An answer that waits in the queue while the main thread was busy is read first: the job was in time. */
  #killAfter(ms: number, error: () => ComputeError): NodeJS.Timeout {
    const timer = setTimeout(() => setImmediate(() => this.#running?.timer === timer && this.kill(error())), ms)
    return timer
  }

  /** The limits of V8 count the heap alone. Array buffers lie outside it and are read here, between two instructions of
   *  the job. Of a thread that has ended nothing can be read, and nothing has to be. */
  async #checkMemory(): Promise<void> {
    const watched = this.#running
    const { external_memory: bytes } = await this.#worker.getHeapStatistics().catch(() => ({ external_memory: 0 }))
    const { memoryMb } = this.#settings
    if (this.#running === watched && bytes > memoryMb * MEGABYTE) this.kill(memoryExceeded(memoryMb))
  }
}

const limitsFor = (memoryMb: number) =>
  ownLimits({ maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: Math.max(1, Math.ceil(memoryMb / 4)) })

const crashed = (message: string, cause?: unknown) => new ComputeError('thread_crashed', message, { cause })
const notLoaded = (startMs: number) =>
  new ComputeError('thread_crashed', `the job was not loaded within ${startMs} ms`, { startMs })
const deadlineExceeded = (deadlineMs: number) =>
  new ComputeError('deadline_exceeded', `the job was stopped after ${deadlineMs} ms`, { deadlineMs })
const memoryExceeded = (memoryMb: number) =>
  new ComputeError('memory_exceeded', `the job was stopped at ${memoryMb} MiB of memory`, { memoryMb })

const failureOf = (error: unknown, memoryMb: number): ComputeError =>
  (error as { code?: unknown } | null)?.code === 'ERR_WORKER_OUT_OF_MEMORY'
    ? memoryExceeded(memoryMb)
    : crashed('the thread failed while it had the job', error)
