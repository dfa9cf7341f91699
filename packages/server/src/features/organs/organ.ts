/** What an organ is: a few operations on one question, each a pure or measured computation behind the shared envelope.
 *  An organ knows nothing of HTTP, receipts or the catalog. */
import { sha256Hex } from '@orch/core'
import type { Static, TObject, TSchema } from 'typebox'
import type { Caller } from '../../access.ts'
import { ServiceError } from '../../errors.ts'
import type { Job, RunOptions } from '../../platform/compute/job.ts'
import type { PendingWrites } from '../../ports.ts'
import type { Random } from './random.ts'
import type { Attachment, Limit, RunStatus } from './schemas.ts'

export type { Attachment } from './schemas.ts'

/** One number that was read in this request. */
export interface OrganReading {
  name: string
  value: number
  unit: string
  /** The clock or counter that it was read from. */
  how: string
}

/** What a run may use. Time and randomness come from here alone. */
export interface RunContext {
  seed: number
  /** How the request was written. */
  form: 'structured' | 'prompt' | 'empty'
  /** A stream of its own for each (organ, version, op, seed, trial): the order of threads cannot matter. */
  random(trial?: number): Random
  caller: Caller
  /** `<namespace>/<owner>`: what state is kept under. */
  partition: string
  /** What the run would write is computed and not written. */
  dryRun: boolean
  inputSha256: string
  signal: AbortSignal
  /** Milliseconds since the epoch, for state that has a date. Never part of a deterministic result. */
  now(): number
  /** Microseconds of a clock that never goes back. */
  micros(): number
  /** Adds a number that was read just now to the evidence. */
  reading(name: string, value: number, unit: string, how: string): void
  /** Runs the work and adds how long it took, in microseconds, to the evidence. What a job waited for a thread, and until
   *  its module was loaded, is left out. */
  timed<T>(name: string, work: () => T): T
  /** Runs a job of the compute pool for this request; its wall and processor time become readings. It stops when the
   *  request does, where no other signal is given. */
  job<Params, Result>(run: Job<Params, Result>, params: Params, options?: RunOptions): Promise<Result>
}

/** What a run came to. */
export interface Outcome<Result = unknown> extends PendingWrites {
  /** `EXECUTED` where nothing is said. */
  status?: RunStatus
  result: Result | null
  limits?: readonly Limit[]
  /** Fields, at any depth, that are not ours to round: what a guest, a tool or the caller made. */
  exact?: readonly string[]
  /** The result holds a reading of the moment, which `why` names. */
  volatile?: string
  attachments?: readonly Attachment[]
  /** Digests of the state that the run read and left, for organs that keep state. */
  state?: { before_sha256: string; after_sha256: string }
  /** Of this run, on top of what the organ declares: MODELED inputs, coefficients and interval; UNAVAILABLE probes. */
  evidence?: Record<string, unknown>
  /** Put into the receipt in place of the digests of input and result, where these would tell too much. */
  commitments?: { input_sha256: string; result_sha256: string }
}

/** A fault that the schema cannot express, at its place below the request. */
export interface RequestFault {
  place: (string | number)[]
  message: string
  type?: string
}

export interface Op {
  summary: string
  /** The fields of this op alone, closed, with their defaults. */
  request: TObject
  result: TSchema
  /** In plain words: `inline`, `worker`, or when it is which. */
  isolation: string
  deadlineMs: number
  maxWork: number
  /** Work units, computed before anything runs; above `maxWork` the request is refused. */
  estimate(request: never): number
  writesState?: true
  /** Its answer shows what may have to be forgotten: none is kept for an Idempotency-Key. */
  keepsNoAnswer?: true
  /** Why the result is not the same every time; absent for an op that is deterministic. */
  volatile?: string
  /** Whether the seed changes the result. */
  usesSeed?: true
  /** Loads what the op runs on, where that is heavy; the deadline begins when it is there. */
  load?(request: never, context: RunContext): Promise<unknown>
  /** Everything that is wrong and that the schema did not find. */
  check?(request: never): RequestFault[]
  run(request: never, context: RunContext): Outcome | Promise<Outcome>
}

interface TypedOp<Request extends TObject, Result extends TSchema>
  extends Omit<Op, 'estimate' | 'load' | 'check' | 'run'> {
  request: Request
  result: Result
  estimate(request: Static<Request>): number
  load?(request: Static<Request>, context: RunContext): Promise<unknown>
  check?(request: Static<Request>): RequestFault[]
  run(request: Static<Request>, context: RunContext): Outcome<Static<Result>> | Promise<Outcome<Static<Result>>>
}

/** Types `run`, `estimate` and `check` by the schemas of the op. */
export const op = <Request extends TObject, Result extends TSchema>(spec: TypedOp<Request, Result>): Op =>
  spec as unknown as Op

/** A prompt that leaves out what is needed: nothing is computed and nothing is made up. */
export class NeedsInput {
  readonly understood: Record<string, unknown>
  readonly missing: { field: string; type: string; example: unknown }[]

  constructor(understood: Record<string, unknown>, missing: NeedsInput['missing']) {
    this.understood = understood
    this.missing = missing
  }
}

/** The request, unless the text of the prompt is longer than its field takes: a text that was cut would be another one. */
export const fitting = (
  text: string,
  { field, max, example }: { field: string; max: number; example: string },
  request: (text: string) => Structured,
): Structured | NeedsInput =>
  text.length <= max
    ? request(text)
    : new NeedsInput({ prompt_sha256: sha256Hex(text.toWellFormed()), prompt_length: text.length }, [
        { field, type: `text of at most ${max} UTF-16 units`, example },
      ])

/** A structured request: the op and its fields. */
export type Structured = { op: string } & Record<string, unknown>

export interface Organ {
  /** `N1` to `N25`. */
  id: string
  /** Counts with the input and the seed: a change of any result is a new version. */
  version: string
  /** The first is the default. */
  ops: Readonly<Record<string, Op>>
  /** Pure. Every prompt has a meaning: a request that its written-out form would equal, or what is missing. */
  fromPrompt(prompt: string): Structured | NeedsInput | Promise<Structured | NeedsInput>
  /** Loads what the organ needs, once, before its time is counted: no piece of it may hold the event loop for long. */
  load?(): Promise<unknown>
  /** What `{}` runs: a request of the default op, and a prompt for the form. */
  example: { request: Structured; prompt: string }
  /** The part of `evidence` that every run shares, by class. */
  evidence: Record<string, unknown>
  /** Ids of the organs whose rules or answers it uses. */
  dependsOn?: readonly string[]
  /** Settings that add attachments. */
  backends?: readonly { env: string; configured: boolean; adds: string }[]
}

/** There is no room for the run: nothing was computed, and nothing is recorded. */
export const poolBusy = (message: string): ServiceError => new ServiceError('organ_pool_busy', message)
