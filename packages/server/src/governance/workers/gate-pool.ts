/** A few threads that examine long texts, so that the event loop never waits for one. Bounded in every direction: how
 *  many threads, how many texts wait, for how long, and how long one may take. Whatever goes wrong, `examine` resolves. */
import type { Examination } from '../../domain/decision/examine.ts'
import type { RuleDocuments } from '../../domain/gates/rules.ts'
import type { GateRequest } from '../contract.ts'
import { type ExaminationFailure, unanswered } from './failed-examination.ts'
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

interface Job {
  requests: readonly GateRequest[]
  settle(outcome: Examination[] | ExaminationFailure): void
}

export class GatePool {
  private readonly idle: GateThread[] = []
  private readonly threads = new Set<GateThread>()
  private readonly queue: Job[] = []
  private readonly rules: RuleDocuments
  private readonly digest: string
  private readonly settings: PoolSettings
  private readonly first = Promise.withResolvers<void>()
  private lost = 0
  private lastLoss: string | null = null
  private fault: string | null = null
  private closing = false

  constructor(rules: RuleDocuments, digest: string, settings: PoolSettings) {
    this.rules = rules
    this.digest = digest
    this.settings = settings
  }

  state(): PoolState {
    const { lost, lastLoss, fault } = this
    return { running: this.threads.size, waiting: this.queue.length, lost, last_loss: lastLoss, fault }
  }

  /** Has one thread ready before the first long text comes, or tries again where none could be started. */
  warm(): void {
    if (this.threads.size === 0 && !this.closing) this.start()
  }

  /** Once the first thread is ready or over; the sentence of its failure. */
  async started(): Promise<string | null> {
    await this.first.promise
    return this.fault
  }

  /** Before all that waits, so that a busy pool can still show that it works. */
  async attempt(request: GateRequest): Promise<Examination | ExaminationFailure> {
    return only(await this.enqueued([request], 'first'))
  }

  async examine(request: GateRequest): Promise<Examination> {
    const outcome = only(await this.enqueued([request]))
    return typeof outcome === 'string' ? unanswered(request, outcome) : outcome
  }

  /** Null where no thread can begin at once. */
  examineTogether(requests: readonly GateRequest[]): Promise<Examination[] | ExaminationFailure> | null {
    return this.idle.length === 0 || this.queue.length > 0 ? null : this.enqueued(requests)
  }

  /** What was asked is still answered; then the threads end. */
  retire(): void {
    this.closing = true
    this.endIdle()
  }

  close(): void {
    this.closing = true
    this.first.resolve()
    for (const job of this.queue.splice(0)) job.settle('crashed')
    for (const thread of [...this.threads]) thread.end()
  }

  private enqueued(
    requests: readonly GateRequest[],
    place: 'first' | 'last' = 'last',
  ): Promise<Examination[] | ExaminationFailure> {
    const { waiting, waitMs } = this.settings
    if (this.closing) return Promise.resolve('crashed')
    if (place === 'last' && this.queue.length >= waiting) return Promise.resolve('queue_full')
    const { promise, resolve } = Promise.withResolvers<Examination[] | ExaminationFailure>()
    const job: Job = { requests, settle: resolve }
    if (place === 'first') this.queue.unshift(job)
    else this.queue.push(job)
    const patience = setTimeout(() => this.giveUp(job), waitMs)
    this.dispatch()
    return promise.finally(() => clearTimeout(patience))
  }

  /** A text that is being examined is not given up here: its thread has a limit of its own. */
  private giveUp(job: Job): void {
    const at = this.queue.indexOf(job)
    if (at < 0) return
    this.queue.splice(at, 1)
    job.settle('queue_full')
  }

  private dispatch(): void {
    while (this.queue.length > 0 && this.idle.length > 0) void this.give(this.idle.pop()!, this.queue.shift()!)
    if (this.queue.length > 0 && this.threads.size < this.settings.threads) this.start()
  }

  private async give(thread: GateThread, job: Job): Promise<void> {
    job.settle(await thread.examine(job.requests, this.settings.hangMs).catch(() => 'crashed' as const))
    if (this.threads.has(thread)) this.idle.push(thread)
    else this.warm()
    this.dispatch()
    if (this.closing) this.endIdle()
  }

  private endIdle(): void {
    if (this.queue.length === 0) for (const thread of this.idle.splice(0)) thread.end()
  }

  private start(): void {
    let isReady = false
    const thread = startThread(this.settings.program, this.rules, {
      ready: (digest) => {
        // A thread with other rules than those the receipt will name must not examine anything.
        if (digest !== this.digest) return thread.end()
        isReady = true
        clearTimeout(patience)
        this.fault = null
        this.first.resolve()
        this.idle.push(thread)
        this.dispatch()
        if (this.closing) this.endIdle()
      },
      ended: (reason) => {
        clearTimeout(patience)
        this.forget(thread, isReady, reason)
        this.first.resolve()
      },
    })
    const patience = setTimeout(() => thread.end('took too long'), this.settings.startMs).unref()
    this.threads.add(thread)
  }

  /** Another one is started when a text needs it or ended this one, never by itself: a thread that dies at once would be
   *  started for ever. */
  private forget(thread: GateThread, wasReady: boolean, reason: string): void {
    this.threads.delete(thread)
    const at = this.idle.indexOf(thread)
    if (at >= 0) this.idle.splice(at, 1)
    if (this.closing) return
    this.lost += 1
    this.lastLoss = reason
    if (wasReady) return
    this.fault = `a gate worker did not start: it ${reason}`
    if (this.threads.size === 0) for (const job of this.queue.splice(0)) job.settle('crashed')
  }
}

const only = (outcome: Examination[] | ExaminationFailure): Examination | ExaminationFailure =>
  typeof outcome === 'string' ? outcome : outcome[0]!
