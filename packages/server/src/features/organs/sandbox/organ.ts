/** N21 Sandbox: runs code that cannot touch the host, and says what it came to. */
import { sha256Hex } from '@orch/core'
import Type, { type Static } from 'typebox'
import { closed, words } from '../../../domain/wire.ts'
import type { Compute } from '../../../platform/compute/compute.ts'
import { ComputeError, type Job, type RunOptions } from '../../../platform/compute/job.ts'
import { type Organ, op, poolBusy, type RunContext } from '../organ.ts'
import { type CodeOutcome, type CodeRun, RunResult } from './code.ts'
import { toEnd } from './guest.ts'
import { isContained, PAYLOADS, PROBE_KILL_MS, PROBE_LIMITS, toCode } from './payloads.ts'

const MAX_CODE = 16_384
const MAX_INPUT_BYTES = 16_384
const MAX_TIMEOUT_MS = 2000
const MAX_CONCURRENT = 2
/** From the limit that the engine keeps by itself to the kill from outside. */
const KILL_MS = 300
/** For starting an engine, which is no part of the time of the code. */
const START_MS = 2000

const Run = closed({
  language: Type.Optional(Type.Literal('javascript', { default: 'javascript' })),
  code: Type.String({ minLength: 1, maxLength: MAX_CODE }),
  input: Type.Optional(Type.Unknown({ description: `JSON of at most ${MAX_INPUT_BYTES} bytes; the global \`input\`` })),
  timeout_ms: Type.Optional(Type.Integer({ minimum: 10, maximum: MAX_TIMEOUT_MS, default: 500 })),
  memory_mb: Type.Optional(Type.Integer({ minimum: 1, maximum: 64, default: 16 })),
  caps: Type.Optional(
    Type.Array(words(['log']), { maxItems: 1, default: [], description: '`log` gives the code a console' }),
  ),
})

const Probed = closed({
  id: Type.String(),
  group: Type.String(),
  tries: Type.String(),
  outcome: words(['contained', 'breached']),
})
const ProbeResult = closed({
  total: Type.Integer(),
  contained: Type.Integer(),
  breached: Type.Integer(),
  payloads: Type.Array(Probed),
})

type RunRequest = Static<typeof Run>
type Runner = Job<CodeRun, CodeOutcome>

export function sandbox({ compute }: { compute: Compute }, killMs = KILL_MS): Organ {
  const job: Runner = compute.register({
    name: 'organ-sandbox',
    module: new URL('./io/run-code.ts', import.meta.url),
    function: 'runCode',
    // The net under the kill, which counts from the moment the code begins.
    deadlineMs: ({ timeoutMs }) => START_MS + timeoutMs + killMs,
  })
  const running = new Map<string, number>()
  let tickets = 0
  const nextTicket = () => (tickets += 1)
  return {
    id: 'N21',
    version: '1.1.0',
    ops: {
      run: op({
        summary: 'Runs JavaScript in an engine of its own, without any access to the host',
        request: Run,
        result: RunResult,
        isolation: `QuickJS in WebAssembly in a worker, fresh for each run; killed from outside at timeout_ms + ${killMs}`,
        deadlineMs: MAX_TIMEOUT_MS + killMs,
        maxWork: MAX_TIMEOUT_MS,
        usesSeed: true,
        estimate: ({ timeout_ms }) => timeout_ms!,
        check: ({ input }) =>
          Buffer.byteLength(JSON.stringify(input ?? null)) <= MAX_INPUT_BYTES
            ? []
            : [{ place: ['input'], message: `must have at most ${MAX_INPUT_BYTES} bytes of JSON`, type: 'maxLength' }],
        run: (request, context) =>
          withSlot(running, context.partition, () =>
            runRequest(job, request, { ticket: nextTicket(), killMs }, context),
          ),
      }),
      probe: op({
        summary: 'Runs the bundled list of escapes and exhaustions against the sandbox of this very service',
        request: closed({}),
        result: ProbeResult,
        isolation: `as run, one payload after the other with ${PROBE_LIMITS.timeoutMs} ms and ${PROBE_LIMITS.memoryMb} MiB each`,
        deadlineMs: 30_000,
        maxWork: PAYLOADS.length,
        estimate: () => PAYLOADS.length,
        run: (_request, context) => withSlot(running, context.partition, () => probe(job, nextTicket, context)),
      }),
    },
    fromPrompt: (code) => ({ op: 'run', code, caps: ['log'] }),
    example: {
      request: {
        op: 'run',
        code: '({ total: input.prices.reduce((sum, price) => sum + price, 0), sample: Math.random() })',
        input: { prices: [1, 2, 3] },
      },
      prompt: '2*(3+4)',
    },
    evidence: {},
  }
}

async function withSlot<T>(running: Map<string, number>, partition: string, work: () => Promise<T>): Promise<T> {
  const before = running.get(partition) ?? 0
  if (before >= MAX_CONCURRENT) throw poolBusy(`${MAX_CONCURRENT} runs of yours are in the sandbox; retry in a second`)
  running.set(partition, before + 1)
  try {
    return await work()
  } finally {
    const left = running.get(partition)! - 1
    if (left === 0) running.delete(partition)
    else running.set(partition, left)
  }
}

async function runRequest(
  job: Runner,
  { code, input, timeout_ms, memory_mb, caps }: RunRequest,
  { ticket, killMs }: { ticket: number; killMs: number },
  context: RunContext,
) {
  const params: CodeRun = {
    code,
    input: input === undefined ? null : JSON.stringify(input),
    timeoutMs: timeout_ms!,
    memoryMb: memory_mb!,
    log: caps!.includes('log'),
    randomSeed: context.random().integer(1, 2 ** 42),
    ticket,
  }
  const asked = context.micros()
  const run = (options: RunOptions) => context.job(job, params, options)
  const { end, fuel, memoryBytes, begun } = await killable(run, params.timeoutMs + killMs, context)
  context.reading('start', begun - asked, 'us', 'process.hrtime.bigint, until the code began')
  context.reading('run', context.micros() - begun, 'us', 'process.hrtime.bigint, since the code began')
  if (end.exit !== 'killed' || fuel > 0) {
    context.reading('fuel', fuel, 'checks', 'calls of the interrupt handler')
    context.reading('memory', memoryBytes, 'bytes', 'size of the WebAssembly memory at the end')
  }
  const value = end.value_json === null ? null : JSON.parse(end.value_json, wellFormed)
  const isStopped = end.exit === 'timeout' || end.exit === 'killed'
  return {
    result: { ...end, value, code_sha256: sha256Hex(code) },
    exact: ['value'],
    ...(isStopped ? { volatile: VOLATILE } : {}),
  }
}

const VOLATILE = 'whether the code ended before its limit depends on the machine'
const KILLED: CodeOutcome = { end: toEnd('killed'), fuel: 0, memoryBytes: 0 }
const KILLS: ReadonlySet<string> = new Set(['deadline_exceeded', 'memory_exceeded', 'thread_crashed'])

/** Ends the thread from here when the code has had its time, counted from the word of the thread that it begins. A thread
 *  that had to be killed is an answer, and not a limit of the envelope; code that never began was not killed. */
async function killable(
  run: (options: RunOptions) => Promise<CodeOutcome>,
  ms: number,
  { signal, micros }: Pick<RunContext, 'signal' | 'micros'>,
): Promise<CodeOutcome & { begun: number }> {
  const kill = new AbortController()
  const begun: number[] = []
  let timer: NodeJS.Timeout | undefined
  const onProgress = () => {
    begun.push(micros())
    timer ??= setTimeout(() => kill.abort(), ms)
  }
  try {
    const outcome = await run({ signal: AbortSignal.any([signal, kill.signal]), onProgress })
    return { ...outcome, begun: begun[0]! }
  } catch (error) {
    const isKill = kill.signal.aborted || (error instanceof ComputeError && KILLS.has(error.code))
    if (begun[0] === undefined || !isKill) throw error
    return { ...KILLED, begun: begun[0] }
  } finally {
    clearTimeout(timer)
  }
}

/** Half a surrogate pair has no canonical form. */
function wellFormed(_name: string, value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed()
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name.toWellFormed(), field]))
}

async function probe(job: Runner, nextTicket: () => number, context: RunContext) {
  const payloads: Static<typeof Probed>[] = []
  const exits: Record<string, number> = {}
  let longest = 0
  for (const { id, group, tries, code } of PAYLOADS) {
    const params = { ...PROBE_LIMITS, code: toCode(code), input: null, log: true, randomSeed: 1, ticket: nextTicket() }
    const run = async (options: RunOptions) => (await job(params, options)).value
    const { end, begun } = await killable(run, PROBE_LIMITS.timeoutMs + PROBE_KILL_MS, context)
    longest = Math.max(longest, context.micros() - begun)
    exits[end.exit] = (exits[end.exit] ?? 0) + 1
    payloads.push({ id, group, tries, outcome: isContained(end) ? 'contained' : 'breached' })
  }
  for (const [exit, count] of Object.entries(exits)) context.reading(`exit_${exit}`, count, 'payloads', 'counted runs')
  context.reading('longest_payload', longest, 'us', 'process.hrtime.bigint, since its code began')
  const contained = payloads.filter(({ outcome }) => outcome === 'contained').length
  return { result: { total: payloads.length, contained, breached: payloads.length - contained, payloads } }
}
