import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { canonicalBytes, sha256Hex } from '@orch/core'
import fc from 'fast-check'
import { tryOrgan } from '#testing/organs/try-organ.ts'
import { InputError, ServiceError } from '../../../errors.ts'
import { Compute } from '../../../platform/compute/compute.ts'
import { ComputeError, type RunOptions } from '../../../platform/compute/job.ts'
import { toEnd } from './guest.ts'
import { sandbox } from './organ.ts'
import { isContained, PAYLOADS, PROBE_LIMITS, toCode } from './payloads.ts'

const compute = new Compute({ threads: 2 })
const organ = sandbox({ compute })
// Kills so late that a busy machine never makes a kill of a timeout.
const patientCompute = new Compute({ threads: 1 })
const patient = sandbox({ compute: patientCompute }, 60_000)
// A thread that is being killed does not keep the process alive, and the next one has not started yet.
const alive = setInterval(() => undefined, 1000)
after(async () => {
  clearInterval(alive)
  await Promise.all([compute.close(), patientCompute.close()])
})

const run = async (code: string, rest: Record<string, unknown> = {}) =>
  (await tryOrgan(organ, { code, timeout_ms: 2000, ...rest })).answer
const LIMITS = { timeout_ms: PROBE_LIMITS.timeoutMs, memory_mb: PROBE_LIMITS.memoryMb }

// What an escape would find or touch: a variable of the environment, a file and a port of this very process.
const CANARY = `canary-${process.pid}-of-the-host`
process.env.ORCH_TEST_CANARY = CANARY
const folder = mkdtempSync(join(tmpdir(), 'sandbox-'))
writeFileSync(join(folder, 'secret'), CANARY)
let connections = 0
const listener = createServer(() => (connections += 1))
  .listen(0, '127.0.0.1')
  .unref()
after(() => {
  listener.close()
  rmSync(folder, { recursive: true })
})

test('there are at least 60 payloads, each with a name of its own', () => {
  assert.ok(PAYLOADS.length >= 60)
  assert.equal(new Set(PAYLOADS.map(({ id }) => id)).size, PAYLOADS.length)
})

for (const { id, group, code } of PAYLOADS)
  test(`${group}: ${id} gets nothing, is stopped, and has a receipt`, async () => {
    const { answer, payload } = await tryOrgan(organ, { code: toCode(code), caps: ['log'], ...LIMITS })
    const { exit, value_json } = answer.result
    assert.ok(isContained({ exit, value_json }), JSON.stringify(answer.result))
    assert.ok(!JSON.stringify(answer).includes(CANARY))
    assert.doesNotMatch(JSON.stringify(answer.result), /node_modules|file:\/\/|\/work\/|\/tmp\//)
    assert.deepEqual([answer.status, payload.result_sha256], ['EXECUTED', answer.result_sha256])
    assert.equal((await run('1+1')).result.value, 2, 'the sandbox goes on after it')
  })

test('the payloads reached no port, changed no file and left this process as it was', () => {
  assert.equal(connections, 0)
  assert.equal(readFileSync(join(folder, 'secret'), 'utf8'), CANARY)
  assert.equal(({} as Record<string, unknown>).polluted, undefined)
  console.log('killed from outside:', compute.stats().killed, 'crashed:', compute.stats().crashed)
})

test('code that names host powers or paths, to show that the payload tests can fail', async () => {
  const forged = await run(toCode(`loot({ process: 1, env: 2 })`))
  assert.deepEqual(forged.result.value, ['process', 'env'])
  assert.ok(!isContained({ exit: 'ok', value_json: forged.result.value_json }))
  assert.ok(!isContained({ exit: 'ok', value_json: '{}' }))
})

test('the probe runs the list on the live sandbox and counts how it ended', async () => {
  const { answer } = await tryOrgan(organ, { op: 'probe' })
  const { total, contained, breached, payloads } = answer.result
  assert.deepEqual([total, contained, breached], [PAYLOADS.length, PAYLOADS.length, 0])
  assert.deepEqual(
    payloads.map(({ id }: { id: string }) => id),
    PAYLOADS.map(({ id }) => id),
  )
  const exits = answer.evidence.readings.filter(({ name }: { name: string }) => name.startsWith('exit_'))
  assert.equal(
    exits.reduce((sum: number, { value }: { value: number }) => sum + value, 0),
    total,
  )
  console.log(answer.evidence.readings.map(({ name, value, unit }: never) => `${name} ${value} ${unit}`).join(', '))
})

const vm2 = new URL('../../../../../../../shared/corpora/vm2/', import.meta.url)
test('the published vm2 escapes, where they are present', { skip: !existsSync(vm2) && 'no corpora/vm2' }, async () => {
  for (const file of readdirSync(vm2).filter((name) => name.endsWith('.js'))) {
    const { result } = await run(readFileSync(new URL(file, vm2), 'utf8').slice(0, 16_384), LIMITS)
    assert.ok(!JSON.stringify(result).includes(CANARY), file)
  }
})

test('the prompt is the code, its last expression the value, and the written-out form has the same digests', async () => {
  const prompt = (await tryOrgan(organ, { prompt: '2*(3+4)' })).answer
  const written = await run('2*(3+4)', {
    op: 'run',
    language: 'javascript',
    timeout_ms: 500,
    memory_mb: 16,
    caps: ['log'],
  })
  assert.equal(prompt.result.value, 14)
  assert.equal(prompt.input_sha256, written.input_sha256)
  assert.equal(prompt.result_sha256, written.result_sha256)
  assert.equal(prompt.deterministic, true)
})

test('the example has its golden digest', async () => {
  const { answer } = await tryOrgan(organ, {})
  assert.equal(answer.result.value.total, 6)
  assert.equal(answer.result_sha256, '82db933102608042f6d47ddbb9ad5e2569adbea14ed3cd13b1cc3f5df9b94df6')
})

test('the same code and seed give the same digest, another seed other random numbers', async () => {
  const code = 'Array.from({ length: 8 }, () => Math.random())'
  const [first, second, other] = [await run(code), await run(code), await run(code, { seed: 43 })]
  assert.equal(first.result_sha256, second.result_sha256)
  assert.notEqual(first.result_sha256, other.result_sha256)
  const all = [...first.result.value, ...other.result.value]
  assert.equal(new Set(all).size, 16)
  assert.ok(all.every((value: number) => value >= 0 && value < 1))
})

test('the clock stands still, in universal time', async () => {
  const { result } = await run(
    '[Date.now(), new Date().toISOString(), new Date(2024, 1, 29, 13).getTimezoneOffset(), String(new Date(1e12)), new Date(0).getDay(), new Date(2023, 11, 31).toJSON()]',
  )
  assert.deepEqual(result.value, [
    1_767_225_600_000,
    '2026-01-01T00:00:00.000Z',
    0,
    'Sun Sep 09 2001 01:46:40 GMT+0000',
    4,
    '2023-12-31T00:00:00.000Z',
  ])
})

test('an endless loop is a timeout without value and output, and what it reads is not deterministic', async () => {
  const body = { code: 'console.log("x"); while (true) {}', timeout_ms: 200, caps: ['log'] }
  const { answer } = await tryOrgan(patient, body)
  const { exit, value, stdout, error } = answer.result
  assert.deepEqual([exit, value, stdout, error], ['timeout', null, null, null])
  assert.deepEqual([answer.status, answer.deterministic, answer.ok], ['EXECUTED', false, true])
  const fuel = answer.evidence.readings.find(({ name }: { name: string }) => name === 'fuel')
  assert.ok(fuel.value > 0)
})

test('a native loop that the engine cannot leave is killed from outside', async () => {
  const { result } = await run('Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1)', { timeout_ms: 10 })
  assert.deepEqual([result.exit, result.value, result.stdout], ['killed', null, null])
})

test('the time of the code begins when the engine stands: how long that takes kills nobody, and code that goes on is killed', async () => {
  const ok = { ...toEnd('ok'), value_json: '1', value_type: 'number' }
  const engine = (startMs: number, runMs: number) =>
    sandbox(
      {
        compute: {
          register:
            () =>
            (_params: unknown, { signal, onProgress }: RunOptions) =>
              new Promise((resolve, reject) => {
                setTimeout(() => {
                  onProgress!({ done: 0, total: 1 })
                  setTimeout(resolve, runMs, {
                    value: { end: ok, fuel: 1, memoryBytes: 1 },
                    origin: 'run',
                    timing: null,
                  }).unref()
                }, startMs)
                signal!.addEventListener('abort', () => reject(new ComputeError('aborted', 'nobody waits')))
              }),
        } as never,
      },
      20,
    )
  const exit = async (started: ReturnType<typeof sandbox>) =>
    (await tryOrgan(started, { code: '1', timeout_ms: 10 })).answer.result.exit
  assert.equal(await exit(engine(150, 0)), 'ok')
  assert.equal(await exit(engine(0, 60_000)), 'killed')
})

test('code that never began was not killed: a thread that fails before is a failure of the organ', async () => {
  const failing = (code: 'thread_crashed' | 'deadline_exceeded') =>
    sandbox({ compute: { register: () => () => Promise.reject(new ComputeError(code, 'no engine')) } as never })
  await assert.rejects(tryOrgan(failing('thread_crashed'), { code: '1' }), { code: 'organ_failed' })
  assert.equal((await tryOrgan(failing('deadline_exceeded'), { code: '1' })).answer.status, 'LIMIT_EXCEEDED')
})

test('running out of memory is an end of its own, at the limit that was asked for', async () => {
  const code = 'new ArrayBuffer(4 * 2 ** 20).byteLength'
  assert.equal((await run(code, { memory_mb: 2 })).result.exit, 'oom')
  assert.equal((await run(code, { memory_mb: 8 })).result.value, 4 * 2 ** 20)
  assert.equal((await run('throw new Error("out of memory")')).result.exit, 'error')
  assert.equal((await run('typeof InternalError')).result.value, 'undefined')
})

test('an error is told by name and message; a syntax error is an answer', async () => {
  assert.deepEqual((await run('null.x')).result.error, {
    name: 'TypeError',
    message: "cannot read property 'x' of null",
  })
  assert.equal((await run('let = ;')).result.error.name, 'SyntaxError')
  assert.deepEqual((await run('throw 5')).result.error, { name: 'number', message: '5' })
  assert.deepEqual((await run('Promise.reject(new RangeError("far"))')).result.error, {
    name: 'RangeError',
    message: 'far',
  })
  assert.equal((await run('new Promise(() => {})')).result.error.name, 'Pending')
})

test('values of every type are told apart, to their last digit and in well-formed text', async () => {
  const seen = async (code: string) => {
    const { value, value_json, value_type } = (await run(code)).result
    return [value, value_json, value_type]
  }
  assert.deepEqual(await seen('null'), [null, 'null', 'object'])
  assert.deepEqual(await seen('undefined'), [null, null, 'undefined'])
  assert.deepEqual(await seen('(() => 1)'), [null, null, 'function'])
  assert.deepEqual(await seen('2n ** 70n'), ['1180591620717411303424', '"1180591620717411303424"', 'bigint'])
  assert.deepEqual(await seen('1e-9'), [1e-9, '1e-9', 'number'])
  assert.deepEqual((await seen('[{ third: 1 / 3 }, 0.1 + 0.2, 1e21]'))[0], [{ third: 1 / 3 }, 0.1 + 0.2, 1e21])
  assert.deepEqual(await seen('(async () => { await null; return [1] })()'), [[1], '[1]', 'object'])
  assert.deepEqual((await seen('["\\ud800"]'))[0], ['\uFFFD'])
  assert.deepEqual(Object.keys((await seen('({ ["\\ud800"]: 1, __proto__: null })'))[0]), ['\uFFFD'])
})

test('the console is there for who asks for it, and its text is cut at 16 KiB', async () => {
  assert.equal((await run('console.log(1)')).result.error.name, 'ReferenceError')
  const { result } = await run('console.log("a", { b: [1] }, 2n, undefined); console.error("c")', { caps: ['log'] })
  assert.equal(result.stdout, 'a {"b":[1]} 2 undefined\nc\n')
  for (const [count, truncated] of [
    [16_383, false],
    [16_384, true],
  ] as const) {
    const long = (await run(`console.log('x'.repeat(${count}))`, { caps: ['log'] })).result
    assert.deepEqual([long.stdout.length, long.stdout_truncated], [16_384, truncated])
  }
  const wide = (await run(`console.log('é'.repeat(16000))`, { caps: ['log'] })).result
  assert.ok(Buffer.byteLength(wide.stdout) <= 16_384 && !wide.stdout.includes('\uFFFD'))
})

test('any JSON goes in and comes out unchanged', async () => {
  await fc.assert(
    fc.asyncProperty(fc.jsonValue({ maxDepth: 4, stringUnit: 'grapheme' }), async (input) => {
      const { result } = await run('input', { input: { input } })
      assert.equal(result.exit, 'ok')
      const went = canonicalBytes(JSON.parse(JSON.stringify({ input })))
      assert.deepEqual(canonicalBytes(JSON.parse(result.value_json)), went)
      assert.deepEqual(canonicalBytes(result.value), went)
    }),
    { seed: 21, numRuns: 40 },
  )
})

const refused = async (body: Record<string, unknown>, field: string) =>
  assert.rejects(tryOrgan(organ, body), (error: InputError) => {
    assert.ok(error instanceof InputError)
    assert.ok(JSON.stringify(error.detail).includes(`"${field}"`), JSON.stringify(error.detail))
    return true
  })

test('every bound holds at its ends and refuses one step beyond', async () => {
  const exactly = (length: number) => `1${' '.repeat(length - 1)}`
  const input = (bytes: number) => 'x'.repeat(bytes - 2)
  for (const ok of [{ timeout_ms: 10 }, { timeout_ms: 2000 }, { memory_mb: 1 }, { memory_mb: 64 }, { caps: [] }])
    assert.equal((await run('1', ok)).status, 'EXECUTED')
  for (const length of [1, 16_383, 16_384]) assert.equal((await run(exactly(length))).result.value, 1)
  for (const bytes of [16_383, 16_384])
    assert.equal((await run('input.length', { input: input(bytes) })).result.value, bytes - 2)
  await refused({ code: '' }, 'code')
  await refused({ code: exactly(16_385) }, 'code')
  await refused({ code: '1', input: input(16_385) }, 'input')
  await refused({ code: '1', timeout_ms: 9 }, 'timeout_ms')
  await refused({ code: '1', timeout_ms: 2001 }, 'timeout_ms')
  await refused({ code: '1', memory_mb: 0 }, 'memory_mb')
  await refused({ code: '1', memory_mb: 65 }, 'memory_mb')
  await refused({ code: '1', caps: ['log', 'log'] }, 'caps')
  await refused({ code: '1', caps: ['net'] }, 'caps')
  await refused({ code: '1', language: 'python' }, 'language')
  await refused({ op: 'probe', code: '1' }, 'code')
  const value = async (length: number) => (await run(`'x'.repeat(${length - 2})`)).result
  assert.equal((await value(32_768)).exit, 'ok')
  assert.equal((await value(32_769)).error.name, 'RangeError')
  const nested = async (depth: number) => (await run(`JSON.parse('${'['.repeat(depth)}${']'.repeat(depth)}')`)).result
  assert.equal((await nested(64)).exit, 'ok')
  assert.equal((await nested(65)).error.name, 'RangeError')
})

test('two runs of one tenant at a time: the third is refused, and another tenant is not', async () => {
  const body = { code: 'for (;;);', timeout_ms: 100 }
  const runs = [tryOrgan(organ, body), tryOrgan(organ, body)]
  await assert.rejects(
    tryOrgan(organ, { code: '1' }),
    (error) => error instanceof ServiceError && error.code === 'organ_pool_busy',
  )
  assert.equal((await tryOrgan(organ, { code: '1' }, { owner: 'other' as never })).answer.result.value, 1)
  for (const { answer } of await Promise.all(runs)) assert.match(answer.result.exit, /^(?:timeout|killed)$/)
  assert.equal((await run('1')).result.value, 1)
})

test('no run sees what an earlier one left, and equal requests do not share one', async () => {
  await run('globalThis.left = 1; Object.prototype.left = 1; Math.max = () => 7')
  assert.deepEqual((await run('[typeof left, Math.max(1, 2)]')).result.value, ['undefined', 2])
  const before = compute.stats().shared
  await Promise.all([run('1'), run('1')])
  assert.equal(compute.stats().shared, before)
})

test('the readings are taken from the clock and the engine of this run', async () => {
  const answer = await run('1')
  const names = answer.evidence.readings.map(({ name }: { name: string }) => name)
  assert.deepEqual(names, ['worker_wall', 'worker_cpu', 'start', 'run', 'fuel', 'memory'])
  const gauges = { clock: { now: () => 0, monotonic: () => 0 }, hrtime: () => 7_000_000n, cpuMicros: () => 0 }
  const still = (await tryOrgan(organ, { code: '1' }, { gauges })).answer.evidence.readings
  assert.equal(still.find(({ name }: { name: string }) => name === 'run').value, 0)
  assert.notEqual(answer.evidence.readings.find(({ name }: { name: string }) => name === 'run').value, 0)
})

test('the code is named by its digest', async () => {
  assert.equal((await run('1+1')).result.code_sha256, sha256Hex('1+1'))
})
