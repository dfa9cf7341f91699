/** One run that any number of callers wait for. Each may leave on its own; when the last one has left, the run stops. */
import { ComputeError, type RunOptions } from './job.ts'
import type { JobEvents } from './messages.ts'

export class SharedRun<T> {
  readonly #outcome: Promise<T>
  readonly #cancel: (error: ComputeError) => void
  readonly #waiting = new Set<JobEvents>()
  #begun = false

  constructor(start: (events: JobEvents) => { outcome: Promise<T>; cancel: (error: ComputeError) => void }) {
    const { outcome, cancel } = start({
      onBegun: () => {
        this.#begun = true
        for (const { onBegun } of this.#waiting) onBegun()
      },
      onProgress: (progress) => {
        for (const { onProgress } of this.#waiting) onProgress(progress)
      },
      onPart: (value) => {
        for (const { onPart } of this.#waiting) onPart(value)
      },
    })
    this.#outcome = outcome
    this.#cancel = cancel
  }

  async wait({ signal, onProgress, onPart, onBegun }: RunOptions): Promise<T> {
    const left = Promise.withResolvers<never>()
    // What a callback throws is its caller's own: it must not reach the other callers or the message loop.
    const guarded = (call: () => void) => {
      try {
        call()
      } catch (error) {
        leave(error)
      }
    }
    const events: JobEvents = {
      onBegun: () => guarded(() => onBegun?.()),
      onProgress: (progress) => guarded(() => onProgress?.(progress)),
      onPart: (value) => guarded(() => onPart?.(value)),
    }
    // At once, so that nobody joins a run that is about to be stopped. A run that has ended is not stopped by this.
    const leave = (reason: unknown) => {
      left.reject(reason)
      this.#waiting.delete(events)
      if (this.#waiting.size === 0) this.#cancel(aborted(signal))
    }
    const onAbort = () => leave(aborted(signal))
    signal?.addEventListener('abort', onAbort, { once: true })
    this.#waiting.add(events)
    if (this.#begun) events.onBegun()
    try {
      return await Promise.race([this.#outcome, left.promise])
    } finally {
      signal?.removeEventListener('abort', onAbort)
      this.#waiting.delete(events)
    }
  }
}

export const aborted = (signal?: AbortSignal): ComputeError =>
  new ComputeError('aborted', 'nobody waits for this job any more', { cause: signal?.reason })
