/** One run that any number of callers wait for. Each may leave on its own; when the last one has left, the run stops. */
import { ComputeError, type Progress, type RunOptions } from './job.ts'

export class SharedRun<T> {
  readonly #outcome: Promise<T>
  readonly #cancel: (error: ComputeError) => void
  readonly #waiting = new Set<(progress: Progress) => void>()

  constructor(
    start: (onProgress: (progress: Progress) => void) => { outcome: Promise<T>; cancel: (error: ComputeError) => void },
  ) {
    const { outcome, cancel } = start((progress) => {
      for (const report of this.#waiting) report(progress)
    })
    this.#outcome = outcome
    this.#cancel = cancel
  }

  async wait({ signal, onProgress }: RunOptions): Promise<T> {
    const left = Promise.withResolvers<never>()
    // What the callback throws is its caller's own: it must not reach the other callers or the message loop.
    const report = (progress: Progress) => {
      try {
        onProgress?.(progress)
      } catch (error) {
        leave(error)
      }
    }
    // At once, so that nobody joins a run that is about to be stopped. A run that has ended is not stopped by this.
    const leave = (reason: unknown) => {
      left.reject(reason)
      this.#waiting.delete(report)
      if (this.#waiting.size === 0) this.#cancel(aborted(signal))
    }
    const onAbort = () => leave(aborted(signal))
    signal?.addEventListener('abort', onAbort, { once: true })
    this.#waiting.add(report)
    try {
      return await Promise.race([this.#outcome, left.promise])
    } finally {
      signal?.removeEventListener('abort', onAbort)
      this.#waiting.delete(report)
    }
  }
}

export const aborted = (signal?: AbortSignal): ComputeError =>
  new ComputeError('aborted', 'nobody waits for this job any more', { cause: signal?.reason })
