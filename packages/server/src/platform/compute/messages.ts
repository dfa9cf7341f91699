import type { Progress } from './job.ts'

/** What passes between the pool and its threads. A thread has one job at a time, so no message names one. */
export interface ToThread {
  /** Of the job: no name gets more than its share of the queue. */
  name: string
  module: string
  function: string
  /** Canonical JSON. */
  params: string
  bytes: Uint8Array | null
  maxResultBytes: number
}

/** What is told of a job while it runs. */
export interface JobEvents {
  onBegun(): void
  onProgress(progress: Progress): void
  onPart(value: unknown): void
}

/** With every outcome: what the thread holds outside its heap, where it may be garbage of the job. */
export interface Holding {
  externalBytes: number
}

export type FromThread =
  /** The module is loaded and the function is about to be called. */
  | { type: 'begun' }
  | { type: 'progress'; done: number; total: number }
  | { type: 'part'; value: unknown }
  /** The result in the serialized form of the structured clone: its size is known before it is read. */
  | ({ type: 'done'; bytes: Uint8Array; wallMs: number; cpuMs: number } & Holding)
  | ({ type: 'failed'; code: 'job_failed' | 'result_too_large'; message: string; cause?: unknown } & Holding)
