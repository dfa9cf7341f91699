/** A few threads that examine long texts, so that the event loop never waits for one. Bounded in every direction: how
 *  many threads, how many texts wait, for how long, and how long one may take. Whatever goes wrong, `examine` resolves, to the failure. */
import type { Examination } from '../../domain/decision/examine.ts'
import type { RuleDocuments } from '../../domain/gates/rules.ts'
import type { GateRequest } from '../contract.ts'
import type { ExaminationFailure } from './examination.ts'
import { type GateThread, startThread } from './gate-thread.ts'

export interface PoolSettings {
  /** What the threads run. */
  program: URL
  threads: number
  /** Texts that may wait for a thread. */
  waiting: number
  waitMs: number
  hangMs: number
  /** What a thread may take to get ready. */
  startMs: number
}

export interface PoolState {
  running: number
  waiting: number
  /** Threads that ended before their time, and what the last of them did. */
  lost: number
  last_loss: string | null
  /** Why the last thread did not start; null once one has. */
  fault: string | null
}

type Outcome = Examination[] | ExaminationFailure

interface Job {
  requests: readonly GateRequest[]
  settle(outcome: Outcome): void
}

export type GatePool = ReturnType<typeof createGatePool>

export function createGatePool(rules: RuleDocuments, digest: string, settings: PoolSettings) {
  const idle: GateThread[] = []
  const threads = new Set<GateThread>()
  const queue: Job[] = []
  const first = Promise.withResolvers<void>()
  let lost = 0
  let last_loss: string | null = null
  let fault: string | null = null
  let closing = false

  /** Has one thread ready before the first long text comes, or tries again where none could be started. */
  const warm = (): void => {
    if (threads.size === 0 && !closing) start()
  }
  const endIdle = (): void => {
    if (queue.length === 0) for (const thread of idle.splice(0)) thread.end()
  }

  function dispatch(): void {
    while (queue.length > 0 && idle.length > 0) void give(idle.pop()!, queue.shift()!)
    if (queue.length > 0 && threads.size < settings.threads) start()
  }

  async function give(thread: GateThread, job: Job): Promise<void> {
    job.settle(await thread.examine(job.requests, settings.hangMs).catch(() => 'crashed' as const))
    if (threads.has(thread)) idle.push(thread)
    else warm()
    dispatch()
    if (closing) endIdle()
  }

  const isFull = (): boolean => !closing && queue.length >= settings.waiting

  function enqueued(requests: readonly GateRequest[], place: 'first' | 'last' = 'last'): Promise<Outcome> {
    if (closing) return Promise.resolve('crashed')
    if (place === 'last' && isFull()) return Promise.resolve('queue_full')
    const { promise, resolve } = Promise.withResolvers<Outcome>()
    const job: Job = { requests, settle: resolve }
    if (place === 'first') queue.unshift(job)
    else queue.push(job)
    // A text that is being examined is not given up here: its thread has a limit of its own.
    const patience = setTimeout(() => {
      const at = queue.indexOf(job)
      if (at < 0) return
      queue.splice(at, 1)
      job.settle('queue_full')
    }, settings.waitMs)
    dispatch()
    return promise.finally(() => clearTimeout(patience))
  }

  function start(): void {
    let isReady = false
    const thread = startThread(settings.program, rules, {
      ready: (found) => {
        // A thread with other rules than those the receipt will name must not examine anything.
        if (found !== digest) return thread.end()
        isReady = true
        clearTimeout(patience)
        fault = null
        first.resolve()
        idle.push(thread)
        dispatch()
        if (closing) endIdle()
      },
      ended: (reason) => {
        clearTimeout(patience)
        forget(thread, isReady, reason)
        first.resolve()
      },
    })
    const patience = setTimeout(() => thread.end('took too long'), settings.startMs).unref()
    threads.add(thread)
  }

  /** Another one is started when a text needs it or ended this one, never by itself: a thread that dies at once would be
   *  started for ever. */
  function forget(thread: GateThread, wasReady: boolean, reason: string): void {
    threads.delete(thread)
    const at = idle.indexOf(thread)
    if (at >= 0) idle.splice(at, 1)
    if (closing) return
    lost += 1
    last_loss = reason
    if (wasReady) return
    fault = `a gate worker did not start: it ${reason}`
    if (threads.size === 0) for (const job of queue.splice(0)) job.settle('crashed')
  }

  return {
    state: (): PoolState => ({ running: threads.size, waiting: queue.length, lost, last_loss, fault }),
    warm,
    /** Once the first thread is ready or over; the sentence of its failure. */
    async started(): Promise<string | null> {
      await first.promise
      return fault
    },
    /** Before all that waits, so that a busy pool can still show that it works. */
    attempt: async (request: GateRequest) => only(await enqueued([request], 'first')),
    examine: async (request: GateRequest) => only(await enqueued([request])),
    /** Null where no thread can begin at once. */
    examineTogether: (requests: readonly GateRequest[]): Promise<Outcome> | null =>
      idle.length === 0 || queue.length > 0 ? null : enqueued(requests),
    /** What was asked is still answered; then the threads end. */
    retire(): void {
      closing = true
      endIdle()
    },
    close(): void {
      closing = true
      first.resolve()
      for (const job of queue.splice(0)) job.settle('crashed')
      for (const thread of [...threads]) thread.end()
    },
  }
}

const only = (outcome: Outcome): Examination | ExaminationFailure =>
  typeof outcome === 'string' ? outcome : outcome[0]!
