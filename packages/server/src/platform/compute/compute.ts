/**
 * The compute pool: named jobs in worker threads, so that nothing heavy runs on the main thread. A job is refused before
 * it starts when its work is above its cap or the queue is full; it is stopped at its deadline, over its memory or when
 * nobody waits for it any more. Equal requests share one run, and a job may have its results cached.
 */
import { availableParallelism } from 'node:os'
import { deserialize } from 'node:v8'
import { canonicalize, sha256Hex } from '@orch/core'
import { LRUCache } from 'lru-cache'
import { type Computed, ComputeError, type Job, type JobSpec, type JobTiming } from './job.ts'
import type { ToThread } from './messages.ts'
import { aborted, SharedRun } from './shared-run.ts'
import { type PoolSettings, ThreadPool } from './thread-pool.ts'

export interface ComputeSettings extends PoolSettings {
  /** A thread refuses to send a longer result. */
  maxResultBytes: number
  cacheEntries: number
  cacheBytes: number
}

const MIB = 1024 * 1024
const DEFAULTS: ComputeSettings = {
  threads: Math.max(1, Math.min(4, availableParallelism() - 1)),
  maxQueue: 64,
  maxQueuePerJob: 16,
  // Longer than a job that a caller may make take two seconds: the next turn is for one of another name.
  waitMs: 2_500,
  memoryMb: 128,
  startMs: 10_000,
  idleMs: 30_000,
  maxResultBytes: 4 * MIB,
  cacheEntries: 512,
  cacheBytes: 32 * MIB,
}

interface Outcome {
  bytes: Uint8Array
  timing: JobTiming
}

export class Compute {
  readonly #settings: ComputeSettings
  readonly #pool: ThreadPool
  readonly #names = new Set<string>()
  readonly #runs = new Map<string, SharedRun<Outcome>>()
  /** Serialized results: their size is exact, and every caller gets a copy of his own. */
  readonly #cache: LRUCache<string, Uint8Array>
  readonly #counts = { completed: 0, refused: 0, shared: 0, cacheHits: 0 }

  constructor(settings: Partial<ComputeSettings> = {}) {
    this.#settings = { ...DEFAULTS, ...settings }
    this.#pool = new ThreadPool(this.#settings)
    const { cacheEntries: max, cacheBytes: maxSize } = this.#settings
    this.#cache = new LRUCache({ max, maxSize, sizeCalculation: (bytes) => Math.max(1, bytes.length) })
  }

  /** Returns the function that runs the job. Parameters are JSON values. */
  register<Params, Result>(spec: JobSpec<Params>): Job<Params, Result> {
    if (this.#names.has(spec.name)) throw new TypeError(`a job named ${spec.name} is registered already`)
    this.#names.add(spec.name)
    return async (params, options = {}) => {
      if (options.signal?.aborted) throw aborted(options.signal)
      this.#refuseOverCap(spec, params)
      // The thread gets this very text: what a caller does to his parameters later changes neither run nor cache.
      const text = canonicalize(params)
      const key = `${spec.name} ${sha256Hex(text)}`
      const cached = spec.cache ? this.#cache.get(key) : undefined
      if (cached !== undefined) {
        this.#counts.cacheHits += 1
        return { value: deserialize(cached) as Result, origin: 'cache', timing: null }
      }
      const limit = typeof spec.deadlineMs === 'number' ? spec.deadlineMs : spec.deadlineMs(params)
      const known = this.#runs.get(key)
      if (known !== undefined) this.#counts.shared += 1
      const { bytes, timing } = await (
        known ?? this.#start(key, spec, { params: text, bytes: options.bytes ?? null }, limit)
      ).wait(options)
      return { value: deserialize(bytes), origin: known ? 'shared' : 'run', timing } as Computed<Result>
    }
  }

  stats() {
    const cache = { entries: this.#cache.size, bytes: this.#cache.calculatedSize }
    return { ...this.#pool.stats(), ...this.#counts, cached: cache.entries, cachedBytes: cache.bytes }
  }

  /** Drains: jobs that run or wait are finished, new ones refused. When the signal aborts, what is left is stopped. */
  close(signal?: AbortSignal): Promise<void> {
    return this.#pool.close(signal)
  }

  #refuseOverCap<Params>({ name, cost }: JobSpec<Params>, params: Params): void {
    if (cost === undefined) return
    const [work, cap] = [cost.of(params), cost.max]
    // An estimate that is no number refuses the job as well.
    if (work <= cap) return
    this.#counts.refused += 1
    throw new ComputeError('work_limit_exceeded', `${name} would take ${work} work units, and ${cap} are allowed`, {
      work,
      cap,
    })
  }

  #start<Params>(
    key: string,
    spec: JobSpec<Params>,
    input: Pick<ToThread, 'params' | 'bytes'>,
    limit: number,
  ): SharedRun<Outcome> {
    const { maxResultBytes } = this.#settings
    const task = { name: spec.name, module: spec.module.href, function: spec.function, ...input, maxResultBytes }
    const run = new SharedRun<Outcome>((events) => {
      const { answer, cancel } = this.#submit(task, limit, events)
      const forget = () => this.#runs.get(key) === run && this.#runs.delete(key)
      const outcome = answer.then(({ bytes, queueMs, wallMs, cpuMs }) => {
        this.#counts.completed += 1
        if (spec.cache) this.#cache.set(key, bytes)
        return { bytes, timing: { queueMs, wallMs, cpuMs } }
      })
      outcome.then(forget, forget)
      return {
        outcome,
        cancel(error) {
          // Whoever asks from now on must not join a run that is being stopped.
          forget()
          cancel(error)
        },
      }
    })
    this.#runs.set(key, run)
    return run
  }

  #submit(...submission: Parameters<ThreadPool['submit']>): ReturnType<ThreadPool['submit']> {
    try {
      return this.#pool.submit(...submission)
    } catch (error) {
      this.#counts.refused += 1
      throw error
    }
  }
}
