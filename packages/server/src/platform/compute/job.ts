/** What a job is, and how it may end. */

/** A named function of a module that runs in a worker thread. It is pure, and it is JavaScript or WASM all the way down:
 *  a thread inside a native call, such as a query of `node:sqlite`, cannot be stopped. */
export interface JobSpec<Params> {
  /** Unique in its pool. */
  name: string
  /** The module is loaded in the thread only; Node strips its types there as it does here. */
  module: URL
  /** The exported function, `(params, context) => result`; the result may be a promise. */
  function: string
  /** From the moment the function begins; loading the module has a limit of its own. */
  deadlineMs: number | ((params: Params) => number)
  /** Work units of a request, computed here before anything starts. A request above `max` is refused. */
  cost?: { of: (params: Params) => number; max: number }
  /** Whether a result may answer later requests with the same parameters. */
  cache?: boolean
}

/** The second argument of a job's function. */
export interface JobContext {
  /** Those of the run, where it was given any. */
  bytes?: Uint8Array
  /** May be called as often as the job likes: the first and the last report arrive, those between only now and then. */
  progress(done: number, total: number): void
  /** A part of the result before all of it is there; every one arrives, in order and before the result. */
  part(value: unknown): void
}

export interface Progress {
  done: number
  total: number
}

/** How long the job waited for a thread, ran, and used the processor. */
export interface JobTiming {
  queueMs: number
  wallMs: number
  cpuMs: number
}

export interface Computed<Result> {
  /** A copy of the caller's own, whoever else got the same result. */
  value: Result
  /** `shared`: another caller with the same parameters had started the run. */
  origin: 'run' | 'shared' | 'cache'
  /** Null where the cache answered: nothing was measured for this caller. */
  timing: JobTiming | null
}

export interface RunOptions {
  /** A copy of them is handed to the function beside its parameters, which MUST name them by their digest: by its
   *  parameters a run is told from others. */
  bytes?: Uint8Array
  /** Whoever aborts leaves; the run itself is stopped when its last caller has left. */
  signal?: AbortSignal
  onProgress?: (progress: Progress) => void
  /** Parts that come from now on; a run that is shared may have sent others before. */
  onPart?: (value: unknown) => void
  /** The function has begun: until then the job waited for a thread, or its module was loaded. Not called where the cache
   *  answers or the job never begins. */
  onBegun?: () => void
}

export type Job<Params, Result> = (params: Params, options?: RunOptions) => Promise<Computed<Result>>

export type ComputeErrorCode =
  /** Refused before the start. `detail` holds `work` and `cap`. */
  | 'work_limit_exceeded'
  | 'queue_full'
  /** It waited for a thread as long as a job may. */
  | 'wait_exceeded'
  | 'closed'
  /** Stopped. */
  | 'aborted'
  | 'deadline_exceeded'
  | 'memory_exceeded'
  /** The job threw, or returned what cannot be sent; `cause` is what it threw. */
  | 'job_failed'
  | 'result_too_large'
  /** The thread ended while it had the job, or did not start. */
  | 'thread_crashed'

export class ComputeError extends Error {
  readonly code: ComputeErrorCode
  readonly detail: Readonly<Record<string, number>>

  constructor(
    code: ComputeErrorCode,
    message: string,
    { cause, ...detail }: { cause?: unknown; [name: string]: unknown } = {},
  ) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'ComputeError'
    this.code = code
    this.detail = detail as Record<string, number>
  }
}
