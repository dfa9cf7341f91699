/** The job of the sandbox: one piece of code in an engine of its own, inside a worker thread that may be killed. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { newQuickJSWASMModuleFromVariant, newVariant, type QuickJSHandle, RELEASE_SYNC } from 'quickjs-emscripten'
import type { JobContext } from '../../../../platform/compute/job.ts'
import type { CodeEnd, CodeOutcome, CodeRun } from '../code.ts'
import { MAX_STDOUT_BYTES, PRELUDE, toEnd } from '../guest.ts'

const MEGABYTE = 1024 * 1024
const PAGE = 65_536
const MAX_STACK_BYTES = 256 * 1024
/** The engine's own data, before the code has anything. */
const ENGINE_BYTES = 16 * MEGABYTE
/** 2026-01-01T00:00:00Z. */
const FROZEN_MS = 1_767_225_600_000
const JOBS_AT_ONCE = 1000

const engineFile = createRequire(createRequire(import.meta.url).resolve('quickjs-emscripten'))
const compiled = await WebAssembly.compile(readFileSync(engineFile.resolve('@jitl/quickjs-wasmfile-release-sync/wasm')))

export async function runCode(run: CodeRun, { progress }: JobContext): Promise<CodeOutcome> {
  const memory = new WebAssembly.Memory({
    initial: ENGINE_BYTES / PAGE,
    maximum: (ENGINE_BYTES + (run.memoryMb + 4) * MEGABYTE) / PAGE,
  })
  const spent = { fuel: 0, timedOut: false }
  // Where the engine traps, what it holds is not to be trusted, and what the host says of it names host paths.
  const end = await evaluate(run, memory, spent, () => progress(0, 1)).catch(() => toEnd('killed', TRAPPED))
  return { end: spent.timedOut ? toEnd('timeout') : end, fuel: spent.fuel, memoryBytes: memory.buffer.byteLength }
}

const TRAPPED = { name: 'EngineFault', message: 'the engine stopped itself' }

async function evaluate(
  { code, input, timeoutMs, memoryMb, log, randomSeed }: CodeRun,
  memory: WebAssembly.Memory,
  spent: { fuel: number; timedOut: boolean },
  begins: () => void,
): Promise<CodeEnd> {
  const clock = { ms: randomSeed }
  const engine = await startEngine(memory, clock)
  const runtime = engine.newRuntime()
  runtime.setMaxStackSize(MAX_STACK_BYTES)
  const context = runtime.newContext()
  clock.ms = FROZEN_MS
  const guest = context.unwrapResult(context.evalCode(PRELUDE))
  const ask = (name: string, ...given: QuickJSHandle[]) =>
    context.callFunction(context.getProp(guest, name), context.undefined, ...given)
  const text = (handle: QuickJSHandle) => (context.typeof(handle) === 'string' ? context.getString(handle) : null)
  context.unwrapResult(
    ask('start', input === null ? context.null : context.newString(input), log ? context.true : context.false),
  )
  // The main thread kills by a clock of its own, which it starts now.
  begins()
  const endAt = process.hrtime.bigint() + BigInt(timeoutMs) * 1_000_000n
  const isOver = () => {
    spent.fuel += 1
    spent.timedOut ||= process.hrtime.bigint() > endAt
    return spent.timedOut
  }
  runtime.setInterruptHandler(isOver)
  runtime.setMemoryLimit(memoryMb * MEGABYTE)
  const failed = (thrown: QuickJSHandle): CodeEnd => {
    // An engine without memory could not even say so.
    runtime.setMemoryLimit((memoryMb + 2) * MEGABYTE)
    const details = JSON.parse(text(context.unwrapResult(ask('error', thrown))) ?? '{}')
    const error = { name: wellFormed(details.name), message: wellFormed(details.message) }
    return toEnd(details.exhausted === true ? 'oom' : 'error', error)
  }
  const settle = (): CodeEnd => {
    const result = context.evalCode(code, 'agent.js')
    if (result.error) return failed(result.error)
    while (runtime.hasPendingJob() && !isOver()) runtime.executePendingJobs(JOBS_AT_ONCE)
    const state = context.getPromiseState(result.value)
    if (state.type === 'rejected') return failed(state.error)
    if (state.type === 'pending') return toEnd('error', NEVER_SETTLED)
    const json = ask('value', state.value)
    if (json.error) return failed(json.error)
    const value_json = text(json.value)
    if (value_json !== null && depthOf(value_json) > MAX_VALUE_DEPTH) return toEnd('error', TOO_DEEP)
    return { ...toEnd('ok'), value_type: context.typeof(state.value), value_json }
  }
  const end = settle()
  if (spent.timedOut) return end
  const printed = Buffer.from(text(context.unwrapResult(ask('stdout'))) ?? '')
  const stdout = printed
    .subarray(0, MAX_STDOUT_BYTES)
    .toString('utf8')
    .replace(/\uFFFD+$/, '')
  return { ...end, stdout, stdout_truncated: printed.length > MAX_STDOUT_BYTES }
}

const NEVER_SETTLED = { name: 'Pending', message: 'the promise that the code came to never settles' }

const MAX_VALUE_DEPTH = 64
const TOO_DEEP = { name: 'RangeError', message: `the value is nested deeper than ${MAX_VALUE_DEPTH} levels` }

/** How deep brackets nest in JSON text; those inside strings do not count. */
function depthOf(json: string): number {
  let [depth, deepest] = [0, 0]
  for (const [token] of json.matchAll(/"(?:[^"\\]|\\.)*"|[[{\]}]/g)) {
    depth += token === '[' || token === '{' ? 1 : token === ']' || token === '}' ? -1 : 0
    deepest = Math.max(deepest, depth)
  }
  return deepest
}

const wellFormed = (text: unknown): string => (typeof text === 'string' ? text.toWellFormed() : '')

/** A fresh instance with a clock of ours in place of the host's. `p`, `m` and `n` are what this release of the engine
 *  calls the time of day, the local calendar and the time zone; a test sees a release that calls them otherwise. */
function startEngine(memory: WebAssembly.Memory, clock: { ms: number }) {
  const instantiateWasm = (imports: WebAssembly.Imports, done: (instance: WebAssembly.Instance) => void) => {
    Object.assign(imports.a!, {
      p: () => clock.ms,
      m: (seconds: bigint, at: number) => writeCalendar(new DataView(memory.buffer), Number(seconds), at),
      n: (zone: number, daylight: number) => {
        const view = new DataView(memory.buffer)
        view.setInt32(zone, 0, true)
        view.setInt32(daylight, 0, true)
      },
    })
    void WebAssembly.instantiate(compiled, imports).then(done)
    return {}
  }
  const quiet = () => undefined
  const emscriptenModule = { instantiateWasm, wasmMemory: memory, print: quiet, printErr: quiet }
  return newQuickJSWASMModuleFromVariant(newVariant(RELEASE_SYNC, { emscriptenModule } as never))
}

/** `struct tm` of the C library, in UTC. */
function writeCalendar(view: DataView, seconds: number, at: number): void {
  const time = new Date(seconds * 1000)
  const firstDay = Date.UTC(time.getUTCFullYear(), 0, 1)
  const fields = [
    time.getUTCSeconds(),
    time.getUTCMinutes(),
    time.getUTCHours(),
    time.getUTCDate(),
    time.getUTCMonth(),
    time.getUTCFullYear() - 1900,
    time.getUTCDay(),
    Math.floor((time.getTime() - firstDay) / 86_400_000),
    0,
    0,
  ]
  for (const [index, field] of fields.entries()) view.setInt32(at + index * 4, field, true)
}
