/** Threads and the queue before them. No thread starts before the first job; threads that have nothing to do end. */
import { withDeadline } from '../deadline.ts'
import { ComputeError } from './job.ts'
import type { JobEvents, ToThread } from './messages.ts'
import { ComputeThread, type ThreadAnswer, type ThreadSettings } from './thread.ts'

export interface PoolSettings extends ThreadSettings {
  threads: number
  /** Jobs that may wait while every thread has one. */
  maxQueue: number
  /** How many of these may be of one name, so that others find room. */
  maxQueuePerJob: number
  /** How long one of them may wait; while threads are starting or loading, up to `startMs` longer. */
  waitMs: number
  /** How long a thread without a job stays. */
  idleMs: number
}

export interface Submission {
  answer: Promise<ThreadAnswer & { queueMs: number }>
  cancel(error: ComputeError): void
}

interface Entry {
  task: ToThread
  deadlineMs: number
  events: JobEvents
  queuedAt: number
  thread: ComputeThread | null
  begun: boolean
  settled: PromiseWithResolvers<ThreadAnswer & { queueMs: number }>
}

/** A thread in a native call cannot be stopped; closing does not wait for it longer than this. */
const CLOSE_MS = 5_000

export class ThreadPool {
  readonly #settings: PoolSettings
  readonly #queue: Entry[] = []
  /** Until they are gone: a thread that does not stop keeps its place, so there are never more than were allowed. */
  readonly #threads = new Set<ComputeThread>()
  readonly #idle = new Map<ComputeThread, NodeJS.Timeout>()
  readonly #entries = new Set<Entry>()
  #closed = false
  /** When a thread that had just started began its first job. */
  #loadedAt = 0
  #killed = 0
  #crashed = 0
  /** By name, which turn it had last, counted from 1. */
  readonly #lastTurns = new Map<string, number>()
  #turns = 0

  constructor(settings: PoolSettings) {
    this.#settings = settings
  }

  stats() {
    const queued = this.#queue.length
    const running = this.#entries.size - queued
    return { threads: this.#threads.size, running, queued, killed: this.#killed, crashed: this.#crashed }
  }

  /** Throws where the job cannot even wait. */
  submit(task: ToThread, deadlineMs: number, events: JobEvents): Submission {
    if (this.#closed) throw new ComputeError('closed', 'the compute pool is closed')
    const mayStart = this.#idleThread() !== undefined || this.#threads.size < this.#settings.threads
    if (!mayStart) this.#refuseWithoutRoom(task.name)
    const settled = Promise.withResolvers<ThreadAnswer & { queueMs: number }>()
    const entry: Entry = { task, deadlineMs, events, queuedAt: performance.now(), thread: null, begun: false, settled }
    this.#entries.add(entry)
    this.#queue.push(entry)
    this.#dispatch()
    if (entry.thread === null) this.#limitWait(entry)
    return { answer: settled.promise, cancel: (error) => this.#cancel(entry, error) }
  }

  /** Takes nothing more, and ends once every job has. When the signal aborts, those that are left are stopped. */
  async close(signal?: AbortSignal): Promise<void> {
    this.#closed = true
    const stop = () => {
      for (const entry of this.#entries) this.#cancel(entry, new ComputeError('closed', 'the compute pool was closed'))
    }
    if (signal?.aborted) stop()
    signal?.addEventListener('abort', stop, { once: true })
    await Promise.allSettled([...this.#entries].map(({ settled }) => settled.promise))
    signal?.removeEventListener('abort', stop)
    const threads = [...this.#threads]
    for (const thread of threads) this.#end(thread)
    const gone = Promise.all(threads.map(({ exited }) => exited))
    await withDeadline(
      CLOSE_MS,
      () => gone,
      () => undefined,
    )
  }

  #dispatch(): void {
    while (this.#queue.length > 0) {
      const thread = this.#takeIdle() ?? this.#start()
      if (thread === null) return
      void this.#give(thread, this.#takeNext())
    }
  }

  #refuseWithoutRoom(name: string): void {
    const { maxQueue, maxQueuePerJob } = this.#settings
    if (this.#queue.length >= maxQueue)
      throw new ComputeError('queue_full', `${maxQueue} jobs are waiting, and no more may`, { maxQueue })
    if (this.#queue.filter(({ task }) => task.name === name).length >= maxQueuePerJob)
      throw new ComputeError('queue_full', `${maxQueuePerJob} jobs of this name are waiting, and no more may`, {
        maxQueuePerJob,
      })
  }

  /** The first of the name that has the fewest threads, and of those the one whose turn is the longest ago, so that many of one
   *  name do not keep another one waiting. */
  #takeNext(): Entry {
    const threadCounts = new Map<string, number>()
    for (const { task, thread } of this.#entries)
      if (thread !== null) threadCounts.set(task.name, (threadCounts.get(task.name) ?? 0) + 1)
    const rankOf = ({ task }: Entry) => [threadCounts.get(task.name) ?? 0, this.#lastTurns.get(task.name) ?? 0] as const
    const isBefore = (one: Entry, other: Entry) => {
      const [[threads, turn], [otherThreads, otherTurn]] = [rankOf(one), rankOf(other)]
      return threads < otherThreads || (threads === otherThreads && turn < otherTurn)
    }
    const next = this.#queue.reduce((best, entry) => (isBefore(entry, best) ? entry : best))
    this.#queue.splice(this.#queue.indexOf(next), 1)
    this.#lastTurns.set(next.task.name, ++this.#turns)
    return next
  }

  /** One that has failed since is on its way out and takes no job. */
  #idleThread(): ComputeThread | undefined {
    return [...this.#idle.keys()].findLast((thread) => !thread.isOver)
  }

  #takeIdle(): ComputeThread | null {
    const thread = this.#idleThread()
    if (thread === undefined) return null
    clearTimeout(this.#idle.get(thread))
    this.#idle.delete(thread)
    return thread
  }

  #start(): ComputeThread | null {
    if (this.#threads.size >= this.#settings.threads) return null
    const thread = new ComputeThread(this.#settings)
    this.#threads.add(thread)
    void thread.exited.then(() => {
      this.#end(thread)
      this.#threads.delete(thread)
      this.#dispatch()
    })
    return thread
  }

  async #give(thread: ComputeThread, entry: Entry): Promise<void> {
    const queueMs = performance.now() - entry.queuedAt
    entry.thread = thread
    const isCold = !thread.hasWorked
    try {
      const onBegun = () => {
        entry.begun = true
        this.#loadedAt = Math.max(this.#loadedAt, isCold ? performance.now() : 0)
        entry.events.onBegun()
      }
      const answer = await thread.run(entry.task, entry.deadlineMs, { ...entry.events, onBegun })
      entry.settled.resolve({ ...answer, queueMs })
    } catch (error) {
      this.#count(error as ComputeError)
      entry.settled.reject(error)
    }
    this.#entries.delete(entry)
    if (thread.isOver) return
    this.#idle.set(thread, setTimeout(() => this.#end(thread), this.#settings.idleMs).unref())
    this.#dispatch()
  }

  #count({ code }: ComputeError): void {
    if (code === 'thread_crashed') this.#crashed += 1
    else if (code !== 'job_failed' && code !== 'result_too_large') this.#killed += 1
  }

  #cancel(entry: Entry, error: ComputeError): void {
    // The thread of a job that has ended may have another one by now.
    if (!this.#entries.has(entry)) return
    if (entry.thread !== null) {
      entry.thread.kill(error)
      return
    }
    this.#queue.splice(this.#queue.indexOf(entry), 1)
    this.#entries.delete(entry)
    entry.settled.reject(error)
  }

  /** Counted from when a thread last had loaded its job: threads that start late are no sign of too much work. */
  #limitWait(entry: Entry): void {
    const { waitMs, startMs } = this.#settings
    const left = () => {
      const areLoading = [...this.#entries].some(({ thread, begun }) => thread !== null && !begun)
      const now = performance.now()
      const since = areLoading ? now : Math.max(entry.queuedAt, this.#loadedAt)
      return Math.min(since + waitMs, entry.queuedAt + startMs + waitMs) - now
    }
    const look = () => {
      if (entry.thread !== null) return
      const ms = left()
      if (ms > 0) patience = setTimeout(look, ms)
      else this.#cancel(entry, new ComputeError('wait_exceeded', `no thread was free within ${waitMs} ms`, { waitMs }))
    }
    let patience = setTimeout(look, waitMs)
    const stop = () => clearTimeout(patience)
    entry.settled.promise.then(stop, stop)
  }

  #end(thread: ComputeThread): void {
    clearTimeout(this.#idle.get(thread))
    this.#idle.delete(thread)
    thread.kill(new ComputeError('closed', 'the thread was ended'))
  }
}
