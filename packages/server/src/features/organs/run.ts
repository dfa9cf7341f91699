/** Runs one op of an organ and makes the shared answer and the receipt of it. */
import { canonicalBytes, sha256Hex } from '@orch/core'
import type { Caller } from '../../access.ts'
import { partitionName } from '../../domain/partition.ts'
import { roundDeep } from '../../domain/rounded.ts'
import { InputError, ServiceError } from '../../errors.ts'
import type { Call } from '../../operation.ts'
import { isoNow } from '../../platform/clock.ts'
import { ComputeError, type ComputeErrorCode } from '../../platform/compute/job.ts'
import { runWaitingApart } from '../../platform/compute/wait-apart.ts'
import { type Apart, withDeadline } from '../../platform/deadline.ts'
import type { Clock, Draft } from '../../ports.ts'
import { buildEvidence, type Meter } from './evidence.ts'
import type { HealthParts } from './health/checks.ts'
import { NeedsInput, type Organ, type OrganReading, type Outcome, poolBusy, type RunContext } from './organ.ts'
import { randomStream } from './random.ts'
import type { RegisteredOrgan } from './registry.ts'
import { type ReadRequest, readRequest } from './request.ts'
import type { Limit, RunStatus } from './schemas.ts'

const MAX_RESULT_BYTES = 256 * 1024
/** For what an op loads before its own time begins; what is not there by then is there for one of the next requests. */
const LOAD_MS = 10_000
const NOT_LOADED = `what the op runs on was not loaded within ${LOAD_MS} ms; it goes on loading`
const NOT_OK: ReadonlySet<RunStatus> = new Set(['LIMIT_EXCEEDED', 'NEEDS_INPUT', 'UNAVAILABLE'])

/** Clocks and counters of the process, as a run reads them. */
interface Gauges {
  clock: Clock
  /** Nanoseconds of a clock that never goes back. */
  hrtime(): bigint
  /** Microseconds of processor time that this thread has used. */
  cpuMicros(): number
}

export interface OrganPorts {
  organs: { all: ReadonlyMap<string, RegisteredOrgan>; gauges: Gauges } & Omit<HealthParts, 'runLocally'>
}

/** Runs an op for the service itself: nothing is recorded and nothing is written. */
export type RunLocally = (
  id: string,
  body: Record<string, unknown>,
  signal: AbortSignal,
  /** Gets what its jobs wait for before they begin. */
  apart?: Apart,
) => Promise<LocalRun>

interface LocalRun {
  status: RunStatus
  deterministic: boolean
  evidence: Record<string, unknown>
  result: Record<string, unknown> | null
  result_sha256: string | null
}

/** Whom the service is for itself. */
export const SERVICE_CALLER: Caller = {
  namespace: 'service',
  owner: 'health',
  keyId: null,
  authMode: 'registry',
  scopes: new Set(),
}

export const localRunner =
  ({ all, gauges }: Pick<OrganPorts['organs'], 'all' | 'gauges'>): RunLocally =>
  async (id, body, signal, apart) => {
    const registered = all.get(id)!
    const request = await readRequest(registered.organ, body)
    const { answer } = await runOrgan(registered, request, { caller: SERVICE_CALLER, signal, apart }, gauges)
    return answer as unknown as LocalRun
  }

/** The draft of the receipt, with the answer in it. */
export async function runOrgan(
  registered: RegisteredOrgan,
  request: ReadRequest,
  call: Pick<Call, 'caller' | 'signal'> & { apart?: Apart | undefined },
  gauges: Gauges,
): Promise<Draft> {
  await registered.organ.load?.().catch((error: unknown) => {
    throw failed(error)
  })
  const inputSha256 = digestOf(normalisedInput(request))
  const meter: Meter = { startedAt: isoNow(gauges.clock), wallUs: 0, cpuUs: 0, readings: [] }
  const [wall, cpu] = [gauges.hrtime(), gauges.cpuMicros()]
  const run = {
    organ: registered.organ,
    request,
    inputSha256,
    caller: call.caller,
    gauges,
    meter,
    waiting: call.apart ?? inside,
  }
  const outcome = await outcomeOf(registered.organ, request, (...race) => contextOf(run, ...race), call.signal)
  meter.wallUs = micros(gauges.hrtime() - wall)
  meter.cpuUs += Math.round(gauges.cpuMicros() - cpu)
  return toDraft(registered, request, request.dryRun ? unwritten(outcome) : outcome, {
    inputSha256,
    meter,
    ts: isoNow(gauges.clock),
  })
}

/** The digest of the example's result; null where it depends on state, on readings or on what this build lacks, and while
 *  there is no room to run it. */
export async function exampleDigest({ organ }: RegisteredOrgan, run: RunLocally): Promise<string | null> {
  const [first] = Object.values(organ.ops)
  if (first!.writesState || first!.volatile !== undefined) return null
  try {
    const { deterministic, evidence, result_sha256 } = await run(organ.id, {}, new AbortController().signal)
    return deterministic && !('state' in evidence) ? result_sha256 : null
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'organ_pool_busy') return null
    throw error
  }
}

/** A prompt and its written-out form have the same one. */
const normalisedInput = ({ op, seed, fields }: ReadRequest) =>
  fields instanceof NeedsInput ? { op, seed, ...needed(fields) } : { op, seed, ...fields }

const needed = ({ understood, missing }: NeedsInput) => ({ understood, missing })

interface StartedRun {
  organ: Organ
  request: ReadRequest
  inputSha256: string
  caller: Caller
  gauges: Gauges
  meter: Meter
  /** Gets what a job waits for before it begins. */
  waiting: Apart
}

const inside: Apart = (wait) => wait

function contextOf(run: StartedRun, signal: AbortSignal, apart: Apart = inside): RunContext {
  const { organ, inputSha256, caller, meter, waiting } = run
  const { op, seed, dryRun, form } = run.request
  const { clock, hrtime } = run.gauges
  const waits = waitMeter(hrtime)
  const reading = (name: string, value: number, unit: string, how: string): void => {
    meter.readings.push({ name, value, unit, how } satisfies OrganReading)
  }
  return {
    seed,
    form,
    random: (trial) => randomStream({ organ: organ.id, version: organ.version, op, seed }, trial),
    caller,
    partition: partitionName(caller),
    dryRun,
    inputSha256,
    signal,
    now: () => clock.now(),
    micros: () => micros(hrtime()),
    reading,
    timed(name, work) {
      const [before, waited] = [hrtime(), waits.total()]
      const took = () => micros(hrtime() - before - (waits.total() - waited))
      const done = () => reading(name, took(), 'us', 'process.hrtime.bigint')
      const value = work()
      if (value instanceof Promise) return value.finally(done) as typeof value
      done()
      return value
    },
    async job(run, params, options = { signal }) {
      // A job waits for a thread, loads and runs under limits of its own.
      const { value, timing, origin } = await apart(
        runWaitingApart((wait) => waiting(waits.add(wait)), run, params, options),
      )
      if (timing !== null && origin === 'run') {
        meter.cpuUs += Math.round(timing.cpuMs * 1000)
        reading('worker_wall', Math.round(timing.wallMs * 1000), 'us', 'clock of the worker thread')
        reading('worker_cpu', Math.round(timing.cpuMs * 1000), 'us', 'processor time of the worker thread')
      }
      return value
    },
  }
}

/** How long jobs waited for a thread and its modules; where several waited at a time, that time counts once. */
function waitMeter(hrtime: Gauges['hrtime']) {
  let [now, since, past] = [0, 0n, 0n]
  return {
    total: () => past + (now > 0 ? hrtime() - since : 0n),
    async add<T>(wait: Promise<T>): Promise<T> {
      if (now === 0) since = hrtime()
      now += 1
      try {
        return await wait
      } finally {
        now -= 1
        if (now === 0) past += hrtime() - since
      }
    },
  }
}

/** What stopped the run, where it was stopped; what it came to otherwise. */
async function outcomeOf(
  organ: Organ,
  { op: name, fields }: ReadRequest,
  contextFor: (signal: AbortSignal, apart?: Apart) => RunContext,
  outer: AbortSignal,
): Promise<Outcome> {
  if (fields instanceof NeedsInput) return { status: 'NEEDS_INPUT', result: needed(fields) }
  const op = organ.ops[name]!
  const late = (): Outcome => limitExceeded(`the op has ${op.deadlineMs} ms`)
  try {
    const load = async (signal: AbortSignal) => op.load?.(fields as never, contextFor(signal)).then(() => null)
    const unloaded = await withDeadline(LOAD_MS, load, () => limitExceeded(NOT_LOADED), outer)
    if (unloaded) return unloaded
    // The signal of the op is that of the race: what runs or waits for it stops when nobody waits any more.
    const work = async (...race: [AbortSignal, Apart]) => op.run(fields as never, contextFor(...race))
    return await withDeadline(op.deadlineMs, work, late, outer)
  } catch (error) {
    return stopped(error)
  }
}

const STOPPED: Partial<Record<ComputeErrorCode, string>> = {
  deadline_exceeded: 'the computation was stopped at its deadline',
  memory_exceeded: 'the computation was stopped at its memory limit',
}

const limitExceeded = (detail: string): Outcome => ({
  status: 'LIMIT_EXCEEDED',
  result: null,
  limits: [{ code: 'LIMIT_EXCEEDED', detail }],
})

/** What a limit stopped is an answer; a pool without room and a computation that failed are refusals. */
function stopped(error: unknown): Outcome {
  if (error instanceof ServiceError || error instanceof InputError) throw error
  if (!(error instanceof ComputeError)) throw failed(error)
  const detail = STOPPED[error.code]
  if (detail !== undefined) return limitExceeded(detail)
  if (error.code === 'queue_full') throw poolBusy('as many computations wait as may wait; retry in a second')
  if (error.code === 'wait_exceeded')
    throw poolBusy('no thread was free for the computation in time; retry in a second')
  throw failed(error)
}

function failed(cause: unknown): ServiceError {
  const error = new ServiceError('organ_failed', 'the organ failed on this request, so nothing was recorded')
  error.cause = cause
  return error
}

const DRY_RUN: Limit = {
  code: 'DRY_RUN',
  detail: 'nothing was written: what the result says was added or removed is what this request would add or remove',
}

/** The outcome without its writes, and with the state that it found. */
function unwritten({ documents = [], counters = [], ...outcome }: Outcome): Outcome {
  const { state, limits = [] } = outcome
  return {
    ...outcome,
    ...(state === undefined ? {} : { state: { ...state, after_sha256: state.before_sha256 } }),
    limits: documents.length + counters.length === 0 ? limits : [...limits, DRY_RUN],
  }
}

interface Facts {
  inputSha256: string
  meter: Meter
  ts: string
}

function toDraft({ organ, item }: RegisteredOrgan, request: ReadRequest, outcome: Outcome, facts: Facts): Draft {
  const { op, seed, dryRun, form, sessionId } = request
  const status = outcome.status ?? 'EXECUTED'
  const result = roundDeep(outcome.result as Record<string, unknown> | null, notFinite, new Set(outcome.exact))
  const resultSha256 = result === null ? null : digestOf(result)
  if (result !== null && JSON.stringify(result).length > MAX_RESULT_BYTES)
    throw failed(new Error('the result is too long'))
  const evidence = buildEvidence({ organ, item, seed, op }, outcome, facts.meter)
  const attachments = [...(outcome.attachments ?? [])]
  const inputSource = form === 'empty' ? 'DEFAULT_EXAMPLE' : 'CALLER'
  const digests = { input_sha256: facts.inputSha256, result_sha256: resultSha256 }
  const { run: _, ...identity } = item
  return {
    chain: organ.id.toLowerCase(),
    kind: 'organ-run',
    payload: {
      organ: organ.id,
      op,
      version: organ.version,
      status,
      class: item.evidence_class,
      seed,
      input_source: inputSource,
      ...digests,
      ...outcome.commitments,
      evidence_sha256: digestOf(evidence),
      attachments_sha256: digestOf(attachments),
      ...(dryRun ? { dry_run: true } : {}),
      ...(sessionId === null ? {} : { session_sha256: sha256Hex(sessionId) }),
    },
    documents: outcome.documents ?? [],
    counters: outcome.counters ?? [],
    answer: {
      schema: 'orch.organ-run/v1',
      ok: !NOT_OK.has(status),
      ...identity,
      op,
      version: organ.version,
      status,
      deterministic: (outcome.volatile ?? organ.ops[op]!.volatile) === undefined,
      input_source: inputSource,
      input_form: form,
      ...(dryRun ? { dry_run: true } : {}),
      ...digests,
      result,
      evidence,
      attachments,
      limits: [...(outcome.limits ?? [])],
      ...(status === 'UNAVAILABLE' ? { label: 'UNAVAILABLE', reason: evidence.reason ?? null } : {}),
      formula_grants_authority: false,
      ts: facts.ts,
    },
  }
}

export const digestOf = (value: unknown): string => sha256Hex(canonicalBytes(value))

const notFinite = () => failed(new Error('a result is not finite'))

const micros = (nanoseconds: bigint): number => Number(nanoseconds / 1000n)
