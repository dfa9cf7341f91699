/** N21 Sandbox: runs code that cannot touch the host, and says what it came to. */
import { sha256Hex } from '@orch/core'
import Type, { type Static } from 'typebox'
import { exactly, Hex64, Nullable, words } from '../../../domain/wire.ts'
import { ServiceError } from '../../../errors.ts'
import type { Compute } from '../../../platform/compute/compute.ts'
import { ComputeError, type Job } from '../../../platform/compute/job.ts'
import { type Organ, type Outcome, op, type RunContext } from '../organ.ts'
import type { CodeOutcome, CodeRun } from './code.ts'
import { isContained, PAYLOADS, PROBE_LIMITS, toCode } from './payloads.ts'

const MAX_CODE = 16_384
const MAX_INPUT_BYTES = 16_384
const MAX_CONCURRENT = 2
/** From the limit that the engine keeps by itself to the kill from outside. */
const KILL_MS = 300
/** A run may wait so long for a thread. */
const WAIT_MS = 10_000

const Run = Type.Object(
  {
    language: Type.Optional(Type.Literal('javascript', { default: 'javascript' })),
    code: Type.String({ minLength: 1, maxLength: MAX_CODE }),
    input: Type.Optional(
      Type.Unknown({ description: `JSON of at most ${MAX_INPUT_BYTES} bytes; the global \`input\`` }),
    ),
    timeout_ms: Type.Optional(Type.Integer({ minimum: 10, maximum: 2000, default: 500 })),
    memory_mb: Type.Optional(Type.Integer({ minimum: 1, maximum: 64, default: 16 })),
    caps: Type.Optional(
      Type.Array(words(['log']), { maxItems: 1, default: [], description: '`log` gives the code a console' }),
    ),
  },
  exactly,
)

const RunResult = Type.Object(
  {
    exit: words(['ok', 'error', 'timeout', 'oom', 'killed']),
    value: Type.Unknown(),
    value_json: Nullable(
      Type.String({ description: 'the value to its last digit; `value` is rounded as all results are' }),
    ),
    value_type: Nullable(Type.String()),
    error: Nullable(Type.Object({ name: Type.String(), message: Type.String() }, exactly)),
    stdout: Nullable(Type.String()),
    stdout_truncated: Type.Boolean(),
    code_sha256: Hex64,
  },
  exactly,
)

const ProbeResult = Type.Object(
  {
    total: Type.Integer(),
    contained: Type.Integer(),
    breached: Type.Integer(),
    payloads: Type.Array(
      Type.Object(
        { id: Type.String(), group: Type.String(), tries: Type.String(), outcome: words(['contained', 'breached']) },
        exactly,
      ),
    ),
  },
  exactly,
)

type RunRequest = Static<typeof Run>
type Runner = Job<CodeRun, CodeOutcome>

export function sandbox({ compute }: { compute: Compute }, killMs = KILL_MS): Organ {
  const job: Runner = compute.register({
    name: 'organ-sandbox',
    module: new URL('./io/run-code.ts', import.meta.url),
    function: 'runCode',
    deadlineMs: ({ timeoutMs }) => timeoutMs + killMs,
  })
  const running = new Map<string, number>()
  let tickets = 0
  const nextTicket = () => (tickets += 1)
  return {
    id: 'N21',
    version: '1.0.0',
    ops: {
      run: op({
        summary: 'Runs JavaScript in an engine of its own, without any access to the host',
        request: Run,
        result: RunResult,
        isolation: `QuickJS in WebAssembly in a worker, fresh for each run; killed from outside at timeout_ms + ${killMs}`,
        deadlineMs: WAIT_MS + 2000 + killMs,
        maxWork: 2000,
        usesSeed: true,
        estimate: ({ timeout_ms }) => timeout_ms!,
        check: ({ input }) =>
          Buffer.byteLength(JSON.stringify(input ?? null)) <= MAX_INPUT_BYTES
            ? []
            : [{ place: ['input'], message: `must have at most ${MAX_INPUT_BYTES} bytes of JSON`, type: 'maxLength' }],
        run: (request, context) =>
          withSlot(running, context.partition, () => runRequest(job, request, nextTicket(), context)),
      }),
      probe: op({
        summary: 'Runs the bundled list of escapes and exhaustions against the sandbox of this very service',
        request: Type.Object({}, exactly),
        result: ProbeResult,
        isolation: `as run, one payload after the other with ${PROBE_LIMITS.timeoutMs} ms and ${PROBE_LIMITS.memoryMb} MiB each`,
        deadlineMs: 60_000,
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
  if (before >= MAX_CONCURRENT)
    throw new ServiceError('organ_pool_busy', `${MAX_CONCURRENT} runs of yours are in the sandbox; retry in a second`, {
      headers: { 'retry-after': '1' },
    })
  running.set(partition, before + 1)
  try {
    return await work()
  } finally {
    const left = running.get(partition)! - 1
    if (left === 0) running.delete(partition)
    else running.set(partition, left)
  }
}

async function runRequest(job: Runner, request: RunRequest, ticket: number, context: RunContext) {
  const params: CodeRun = {
    code: request.code,
    input: request.input === undefined ? null : JSON.stringify(request.input),
    timeoutMs: request.timeout_ms!,
    memoryMb: request.memory_mb!,
    log: request.caps!.includes('log'),
    randomSeed: context.random().integer(1, 2 ** 42),
    ticket,
  }
  const { ended } = await context.timed('run', () => killable(() => context.job(job, params)))
  if (ended.exit !== 'killed' || ended.fuel > 0) {
    context.reading('fuel', ended.fuel, 'checks', 'calls of the interrupt handler')
    context.reading('memory', ended.memoryBytes, 'bytes', 'size of the WebAssembly memory at the end')
  }
  return toOutcome(request.code, ended)
}

const KILLED: CodeOutcome = {
  exit: 'killed',
  valueType: null,
  valueJson: null,
  error: null,
  stdout: null,
  stdoutTruncated: false,
  fuel: 0,
  memoryBytes: 0,
}
const KILLS: ReadonlySet<string> = new Set(['deadline_exceeded', 'memory_exceeded', 'thread_crashed'])

/** A thread that had to be killed is an answer here, and not a limit of the envelope. */
async function killable(run: () => Promise<CodeOutcome>): Promise<{ ended: CodeOutcome }> {
  try {
    return { ended: await run() }
  } catch (error) {
    if (error instanceof ComputeError && KILLS.has(error.code)) return { ended: KILLED }
    throw error
  }
}

const VOLATILE = 'whether the code ended before its limit depends on the machine'

function toOutcome(code: string, ended: CodeOutcome): Outcome<Static<typeof RunResult>> {
  const isStopped = ended.exit === 'timeout' || ended.exit === 'killed'
  return {
    result: {
      exit: ended.exit,
      value: ended.valueJson === null ? null : JSON.parse(ended.valueJson, wellFormed),
      value_json: ended.valueJson,
      value_type: ended.valueType,
      error: ended.error,
      stdout: ended.stdout,
      stdout_truncated: ended.stdoutTruncated,
      code_sha256: sha256Hex(code),
    },
    ...(isStopped ? { volatile: VOLATILE } : {}),
  }
}

/** Half a surrogate pair has no canonical form. */
function wellFormed(_name: string, value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed()
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name.toWellFormed(), field]))
}

async function probe(job: Runner, nextTicket: () => number, context: RunContext) {
  const payloads: Static<typeof ProbeResult>['payloads'] = []
  const exits: Record<string, number> = {}
  let longest = 0
  for (const { id, group, tries, code } of PAYLOADS) {
    const params = { ...PROBE_LIMITS, code: toCode(code), input: null, log: true, randomSeed: 1, ticket: nextTicket() }
    const started = context.micros()
    const { ended } = await killable(async () => (await job(params, { signal: context.signal })).value)
    longest = Math.max(longest, context.micros() - started)
    exits[ended.exit] = (exits[ended.exit] ?? 0) + 1
    payloads.push({ id, group, tries, outcome: isContained(ended) ? 'contained' : 'breached' })
  }
  for (const [exit, count] of Object.entries(exits)) context.reading(`exit_${exit}`, count, 'payloads', 'counted runs')
  context.reading('longest_payload', longest, 'us', 'process.hrtime.bigint, waiting for a thread included')
  const contained = payloads.filter(({ outcome }) => outcome === 'contained').length
  return { result: { total: payloads.length, contained, breached: payloads.length - contained, payloads } }
}
