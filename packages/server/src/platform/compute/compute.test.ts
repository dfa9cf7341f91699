import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setImmediate as turnOfLoop } from 'node:timers/promises'
import { serialize, setFlagsFromString } from 'node:v8'
import { Compute, type ComputeSettings } from './compute.ts'
import type { ComputeErrorCode, Job, JobSpec, Progress } from './job.ts'

const MODULE = new URL('./testing/jobs.ts', import.meta.url)
/** Where a job is stopped by something else, its deadline is far away. */
const NEVER_MS = 600_000

function poolFor(t: TestContext, settings: Partial<ComputeSettings> = {}) {
  const compute = new Compute({ threads: 1, ...settings })
  t.after(() => compute.close(AbortSignal.abort()))
  const job = <Params, Result>(name: string, spec: Partial<JobSpec<Params>> = {}): Job<Params, Result> =>
    compute.register({ name, module: MODULE, function: name, deadlineMs: NEVER_MS, ...spec })
  return { compute, job }
}

const refused = (work: Promise<unknown>, code: ComputeErrorCode, detail: Record<string, number> = {}) =>
  assert.rejects(work, { name: 'ComputeError', code, detail })

/** Runs a job that has begun for certain and never ends, and gives what stops it. */
async function occupied(job: Job<object, never>, params: object) {
  const begun = Promise.withResolvers<Progress>()
  const stop = new AbortController()
  const running = job(params, { signal: stop.signal, onProgress: begun.resolve })
  const ended = refused(running, 'aborted')
  await begun.promise
  return { stop: () => stop.abort(), ended }
}

test('no thread starts before the first job, and a job in TypeScript is run in one', async (t) => {
  const { compute, job } = poolFor(t)
  const add = job<{ a: number; b: number }, number>('add')
  assert.equal(compute.stats().threads, 0)
  const { value, origin, timing } = await add({ a: 2, b: 3 })
  assert.deepEqual([value, origin], [5, 'run'])
  assert.ok(timing !== null && timing.queueMs >= 0 && timing.wallMs >= 0 && timing.cpuMs >= 0)
  assert.deepEqual(Object.keys(timing).sort(), ['cpuMs', 'queueMs', 'wallMs'])
  const { threads, completed } = compute.stats()
  assert.deepEqual({ threads, completed }, { threads: 1, completed: 1 })
})

test('a thread that has nothing to do ends, and the next job has a new one', async (t) => {
  const { compute, job } = poolFor(t, { idleMs: 1 })
  const thread = job<object, number>('thread')
  const { value: first } = await thread({})
  while (compute.stats().threads > 0) await turnOfLoop()
  assert.notEqual((await thread({})).value, first)
})

test('every part of a result arrives, in order and before the result', async (t) => {
  const { job } = poolFor(t)
  const seen: unknown[] = []
  const module = new URL('../../../testing/compute/tell-parts.ts', import.meta.url)
  const tellParts = job<{ to: number }, string>('tellParts', { module })
  const { value } = await tellParts({ to: 50 }, { onPart: (part) => seen.push(part) })
  assert.deepEqual([value, seen], ['told', Array.from({ length: 50 }, (_, at) => ({ at }))])
})

test('bytes go to the job beside its parameters, and the caller keeps his own', async (t) => {
  const { job } = poolFor(t)
  const module = new URL('../../../testing/compute/sum-bytes.ts', import.meta.url)
  const sumBytes = job<{ of: string }, number | null>('sumBytes', { module })
  const bytes = Uint8Array.of(1, 2, 250)
  assert.equal((await sumBytes({ of: 'one' }, { bytes })).value, 253)
  assert.deepEqual(bytes, Uint8Array.of(1, 2, 250))
  assert.equal((await sumBytes({ of: 'none' })).value, null)
})

test('two jobs of one name are refused', (t) => {
  const { job } = poolFor(t)
  job('add')
  assert.throws(() => job('add'), TypeError)
})

test('work at the cap runs, above it or without an estimate it is refused before a thread starts', async (t) => {
  const { compute, job } = poolFor(t)
  const cost = { of: ({ a }: { a: number; b: number }) => (a < 0 ? Number.NaN : a), max: 10 }
  const add = job<{ a: number; b: number }, number>('add', { cost })
  await refused(add({ a: 11, b: 0 }), 'work_limit_exceeded', { work: 11, cap: 10 })
  await refused(add({ a: -1, b: 0 }), 'work_limit_exceeded', { work: Number.NaN, cap: 10 })
  assert.deepEqual([compute.stats().threads, compute.stats().refused], [0, 2])
  for (const a of [9, 10]) assert.equal((await add({ a, b: 0 })).value, a)
})

test('an endless loop is stopped at its deadline, and the job behind it runs in a new thread', async (t) => {
  const { compute, job } = poolFor(t)
  const spin = job<object, never>('spin', { deadlineMs: 50 })
  const add = job<{ a: number; b: number }, number>('add')
  const [, added] = await Promise.all([refused(spin({}), 'deadline_exceeded', { deadlineMs: 50 }), add({ a: 1, b: 1 })])
  assert.equal(added.value, 2)
  assert.equal(compute.stats().killed, 1)
})

test('a job that waits for ever is stopped at the deadline that its parameters give', async (t) => {
  const { job } = poolFor(t)
  const wait = job<{ ms: number }, never>('waitForEver', { deadlineMs: ({ ms }) => ms + 5 })
  await refused(wait({ ms: 20 }), 'deadline_exceeded', { deadlineMs: 25 })
})

for (const [where, name] of [
  ['on the heap', 'fillHeap'],
  ['in array buffers', 'fillBuffers'],
] as const)
  test(`a job that takes too much memory ${where} is stopped, and the pool goes on`, async (t) => {
    const { job } = poolFor(t, { memoryMb: 32 })
    await refused(job<object, never>(name)({}), 'memory_exceeded', { memoryMb: 32 })
    assert.equal((await job<{ a: number; b: number }, number>('add')({ a: 1, b: 1 })).value, 2)
  })

test('a thread that is left with much memory outside its heap is replaced before the next job', async (t) => {
  const { job } = poolFor(t, { memoryMb: 32 })
  const leave = job<{ bytes: number }, number>('leaveBuffers')
  const { value: small } = await leave({ bytes: 1 })
  const { value: large } = await leave({ bytes: 24 * 1024 * 1024 })
  assert.equal(large, small, 'a thread with little left over is used again')
  assert.notEqual((await leave({ bytes: 2 })).value, large)
})

for (const name of ['crash', 'exit'] as const)
  test(`the end of the thread by ${name} is an error of that job only`, async (t) => {
    const { compute, job } = poolFor(t)
    const ending = job<object, never>(name)
    const add = job<{ a: number; b: number }, number>('add')
    const [, added] = await Promise.all([refused(ending({}), 'thread_crashed'), add({ a: 1, b: 1 })])
    assert.equal(added.value, 2)
    assert.equal(compute.stats().crashed, 1)
  })

test('what a job throws reaches the caller as the cause, or as its words where it cannot be cloned', async (t) => {
  const { job } = poolFor(t)
  await assert.rejects(job('fail')({}), (error: Error & { code: string }) => {
    assert.ok(error.cause instanceof RangeError)
    assert.deepEqual(
      [error.code, error.cause.message, error.cause.cause],
      ['job_failed', 'this is the reason', { part: 7 }],
    )
    return true
  })
  await assert.rejects(job('failUnclonable')({}), { code: 'job_failed', message: 'words alone' })
  await refused(job('returnFunction')({}), 'job_failed')
})

test('a module or function that does not exist is an error of the job', async (t) => {
  const { job } = poolFor(t)
  await refused(job('missing')({}), 'job_failed')
  await refused(job('add', { module: new URL('./testing/missing.ts', import.meta.url) })({}), 'job_failed')
})

test('a module that is not loaded in time costs its job the thread', async (t) => {
  const { job } = poolFor(t, { startMs: 2_000 })
  const endless = job('run', { module: new URL('data:text/javascript,for (;;);') })
  await refused(endless({}), 'thread_crashed', { startMs: 2_000 })
})

test('results keep maps and typed arrays, and every caller has a copy of his own', async (t) => {
  const { job } = poolFor(t)
  const many = job<object, { list: number[]; map: Map<string, Float64Array> }>('returnMany', { cache: true })
  const expected = { list: [1, 2], map: new Map([['k', new Float64Array([0.5])]]) }
  const [one, other] = await Promise.all([many({}), many({})])
  assert.deepEqual([one.value, other.value], [expected, expected])
  one.value.list.push(3)
  assert.deepEqual(other.value, expected)
  assert.deepEqual((await many({})).value, expected)
})

test('a result is sent up to its limit and not one byte beyond it', async (t) => {
  const { job } = poolFor(t, { maxResultBytes: 1024 })
  const bytes = job<{ bytes: number }, Uint8Array>('returnBytes')
  const fits = 1024 - (serialize(new Uint8Array(1000)).length - 1000)
  for (const length of [fits - 1, fits]) assert.equal((await bytes({ bytes: length })).value.length, length)
  await refused(bytes({ bytes: fits + 1 }), 'result_too_large')
})

test('a thread has its own limit of memory, whatever the command line gave the service', async (t) => {
  setFlagsFromString('--max-old-space-size=1024')
  const { job } = poolFor(t, { memoryMb: 32 })
  const source = 'export const limit = async () => (await import("node:v8")).getHeapStatistics().heap_size_limit'
  const limit = job<object, number>('limit', { module: new URL(`data:text/javascript,${encodeURIComponent(source)}`) })
  assert.ok((await limit({})).value < 64 * 2 ** 20)
})

test('a thread sees nothing of the environment', async (t) => {
  const { job } = poolFor(t)
  const source = 'export const names = () => Object.keys(process.env).filter((name) => name !== "NODE_COMPILE_CACHE")'
  const names = job<object, string[]>('names', {
    module: new URL(`data:text/javascript,${encodeURIComponent(source)}`),
  })
  assert.deepEqual((await names({})).value, [])
})

test('as many jobs wait as the queue holds; one more is refused and starts nothing', async (t) => {
  const { compute, job } = poolFor(t, { maxQueue: 2 })
  const { stop, ended } = await occupied(job('reportAndSpin'), {})
  const add = job<{ a: number; b: number }, number>('add')
  const waiting = [add({ a: 1, b: 0 })]
  await turnOfLoop()
  assert.equal(compute.stats().queued, 1)
  waiting.push(add({ a: 2, b: 0 }))
  await turnOfLoop()
  assert.equal(compute.stats().queued, 2)
  await refused(add({ a: 3, b: 0 }), 'queue_full', { maxQueue: 2 })
  stop()
  await ended
  assert.deepEqual(
    (await Promise.all(waiting)).map(({ value }) => value),
    [1, 2],
  )
  assert.equal((await add({ a: 3, b: 0 })).value, 3)
})

test('a job that finds no thread for too long is refused, and the one that runs is not touched', async (t) => {
  const { compute, job } = poolFor(t, { waitMs: 20 })
  const { stop, ended } = await occupied(job('reportAndSpin'), {})
  await refused(job<object, number>('add')({ a: 1, b: 1 }), 'wait_exceeded', { waitMs: 20 })
  const { running, queued, killed } = compute.stats()
  assert.deepEqual({ running, queued, killed }, { running: 1, queued: 0, killed: 0 })
  stop()
  await ended
})

test('a queued job that is aborted leaves the queue, and the running one is not touched', async (t) => {
  const { compute, job } = poolFor(t)
  const running = await occupied(job('reportAndSpin'), {})
  const leaving = new AbortController()
  const queued = job<object, number>('add')({ a: 1, b: 1 }, { signal: leaving.signal })
  await turnOfLoop()
  assert.equal(compute.stats().queued, 1)
  leaving.abort(new Error('the client went away'))
  await assert.rejects(queued, { code: 'aborted', cause: leaving.signal.reason })
  const { running: still, queued: left, killed } = compute.stats()
  assert.deepEqual({ still, left, killed }, { still: 1, left: 0, killed: 0 })
  running.stop()
  await running.ended
})

test('a running job that is aborted loses its thread, and one that is aborted already starts none', async (t) => {
  const { compute, job } = poolFor(t)
  const add = job<{ a: number; b: number }, number>('add')
  await refused(add({ a: 1, b: 1 }, { signal: AbortSignal.abort() }), 'aborted')
  assert.equal(compute.stats().threads, 0)
  const { stop, ended } = await occupied(job('reportAndSpin'), {})
  stop()
  await ended
  assert.equal(compute.stats().killed, 1)
  assert.equal((await add({ a: 1, b: 1 })).value, 2)
})

test('aborting after the end stops no other job of the thread', async (t) => {
  const { compute, job } = poolFor(t)
  const done = new AbortController()
  await job<object, number>('add')({ a: 1, b: 1 }, { signal: done.signal })
  const { stop, ended } = await occupied(job('reportAndSpin'), {})
  done.abort()
  await turnOfLoop()
  assert.equal(compute.stats().running, 1)
  stop()
  await ended
})

test('equal parameters share one run, in whatever order their fields come; others do not', async (t) => {
  const { compute, job } = poolFor(t, { threads: 2 })
  const add = job<{ a: number; b: number }, number>('add')
  const answers = await Promise.all([add({ a: 1, b: 2 }), add({ b: 2, a: 1 }), add({ a: 2, b: 1 })])
  assert.deepEqual(
    answers.map(({ value, origin }) => [value, origin]),
    [
      [3, 'run'],
      [3, 'shared'],
      [3, 'run'],
    ],
  )
  assert.deepEqual([compute.stats().completed, compute.stats().shared], [2, 1])
})

test('one of two callers may leave without the other; when both have left the run stops and the next is new', async (t) => {
  const { compute, job } = poolFor(t)
  const spin = job<object, never>('reportAndSpin')
  const first = await occupied(spin, {})
  const second = new AbortController()
  const sharing = refused(spin({}, { signal: second.signal }), 'aborted')
  first.stop()
  await first.ended
  assert.deepEqual([compute.stats().running, compute.stats().killed], [1, 0])
  second.abort()
  const third = await occupied(spin, {})
  await sharing
  assert.deepEqual([compute.stats().killed, compute.stats().shared], [1, 1])
  third.stop()
  await third.ended
})

test('the parameters of a run are those of the call, whatever the caller does to them later', async (t) => {
  const { job } = poolFor(t)
  const { stop, ended } = await occupied(job('reportAndSpin'), {})
  const params = { a: 1, b: 1 }
  const added = job<typeof params, number>('add')(params)
  params.a = 100
  stop()
  await ended
  assert.equal((await added).value, 2)
})

test('a job that asks for it has its results cached, up to the entries and the bytes that are allowed', async (t) => {
  const { compute, job } = poolFor(t, { cacheEntries: 2, cacheBytes: 1000 })
  const bytes = job<{ bytes: number }, Uint8Array>('returnBytes', { cache: true })
  const origin = async (length: number) => {
    const answer = await bytes({ bytes: length })
    assert.equal(answer.value.length, length)
    assert.equal(answer.timing === null, answer.origin === 'cache', 'what was not run was not measured')
    return answer.origin
  }
  assert.deepEqual([await origin(1), await origin(2), await origin(1)], ['run', 'run', 'cache'])
  assert.equal(await origin(3), 'run')
  assert.equal(compute.stats().cached, 2)
  assert.deepEqual([await origin(1), await origin(2)], ['cache', 'run'], 'the one that was used last is kept')
  assert.equal(await origin(900), 'run')
  assert.equal(await origin(500), 'run')
  const { cached, cachedBytes } = compute.stats()
  assert.ok(cached === 1 && cachedBytes <= 1000, `${cached} entries, ${cachedBytes} bytes`)
  assert.deepEqual([await origin(2000), await origin(2000)], ['run', 'run'], 'one result cannot take the whole cache')
})

test('a job that does not ask for it, and one that failed, is run again', async (t) => {
  const { compute, job } = poolFor(t)
  const add = job<{ a: number; b: number }, number>('add')
  for (let n = 0; n < 2; n++) assert.equal((await add({ a: 1, b: 1 })).origin, 'run')
  const fail = job('fail', { cache: true })
  for (let n = 0; n < 2; n++) await refused(fail({}), 'job_failed')
  assert.deepEqual([compute.stats().cached, compute.stats().shared], [0, 0])
})

test('the first and the last report of progress arrive, in order, and not all of a hundred thousand', async (t) => {
  const { job } = poolFor(t)
  const seen: Progress[] = []
  const to = 100_000
  await job<{ to: number }, number>('count')({ to }, { onProgress: (progress) => seen.push(progress) })
  assert.deepEqual(
    [seen[0], seen.at(-1)],
    [
      { done: 1, total: to },
      { done: to, total: to },
    ],
  )
  assert.deepEqual(
    seen.map(({ done }) => done),
    seen.map(({ done }) => done).sort((a, b) => a - b),
  )
  assert.ok(seen.length < to / 2, `${seen.length} reports`)
})

test('a progress callback that throws fails its own caller only', async (t) => {
  const { job } = poolFor(t)
  const count = job<{ to: number }, number>('count')
  const throwing = count({ to: 3 }, { onProgress: () => assert.fail('mine') })
  const sharing = count({ to: 3 })
  await assert.rejects(throwing, /mine/)
  assert.equal((await sharing).value, 3)
})

test('the event loop goes on turning while every thread spins', async (t) => {
  const { compute, job } = poolFor(t, { threads: 2 })
  const spin = job<object, never>('reportAndSpin')
  const spinning = [await occupied(spin, { n: 1 }), await occupied(spin, { n: 2 })]
  let turns = 0
  for (; turns < 1000; turns++) await turnOfLoop()
  assert.deepEqual([turns, compute.stats().running], [1000, 2])
  for (const { stop } of spinning) stop()
  await Promise.all(spinning.map(({ ended }) => ended))
})

test('closing finishes what runs and waits, and takes nothing more', async (t) => {
  const { compute, job } = poolFor(t)
  const add = job<{ a: number; b: number }, number>('add')
  const begun = [1, 2, 3].map((a) => add({ a, b: 0 }))
  const closing = compute.close()
  await refused(add({ a: 4, b: 0 }), 'closed')
  assert.deepEqual(
    (await Promise.all(begun)).map(({ value }) => value),
    [1, 2, 3],
  )
  await closing
  assert.equal(compute.stats().threads, 0)
})

test('closing stops what is left when its signal aborts', async (t) => {
  const { compute, job } = poolFor(t)
  const begun = Promise.withResolvers<Progress>()
  const running = refused(job<object, never>('reportAndSpin')({}, { onProgress: begun.resolve }), 'closed')
  const queued = refused(job<object, number>('add')({ a: 1, b: 1 }), 'closed')
  await begun.promise
  const patience = new AbortController()
  const closing = compute.close(patience.signal)
  patience.abort()
  await Promise.all([running, queued, closing])
  assert.deepEqual([compute.stats().threads, compute.stats().running, compute.stats().queued], [0, 0, 0])
})

test('a caller is told when his job begins, and at once where he joins one that has begun', async (t) => {
  const { compute, job } = poolFor(t)
  const { stop, ended } = await occupied(job('reportAndSpin'), {})
  const events: string[] = []
  const joined = new AbortController()
  const wait = job<object, never>('waitForEver')
  const begun = Promise.withResolvers<void>()
  const first = refused(wait({}, { signal: joined.signal, onBegun: begun.resolve }), 'aborted')
  await turnOfLoop()
  assert.equal(compute.stats().queued, 1)
  stop()
  await ended
  await begun.promise
  const second = refused(wait({}, { signal: joined.signal, onBegun: () => events.push('joined') }), 'aborted')
  assert.deepEqual(events, ['joined'])
  joined.abort()
  await Promise.all([first, second])
})

test('one job name holds its share of the queue and no more, and another one still finds room', async (t) => {
  const { compute, job } = poolFor(t, { maxQueue: 4, maxQueuePerJob: 2 })
  const { stop, ended } = await occupied(job('reportAndSpin'), {})
  const add = job<{ a: number; b: number }, number>('add')
  const greedy = [add({ a: 1, b: 0 }), add({ a: 2, b: 0 })]
  await refused(add({ a: 3, b: 0 }), 'queue_full', { maxQueuePerJob: 2 })
  const other = job<object, number>('thread')({})
  await turnOfLoop()
  assert.equal(compute.stats().queued, 3)
  stop()
  await ended
  await Promise.all([...greedy, other])
})

test('a thread that becomes free takes the name that has the fewest threads', async (t) => {
  const { job } = poolFor(t, { threads: 2 })
  const spin = job<object, never>('reportAndSpin')
  const [first, second] = [await occupied(spin, { n: 1 }), await occupied(spin, { n: 2 })]
  const third = new AbortController()
  const begun = Promise.withResolvers<void>()
  const spinning = refused(spin({ n: 3 }, { signal: third.signal, onBegun: begun.resolve }), 'aborted')
  const overtaking = job<object, number>('add')({ a: 1, b: 1 })
  first.stop()
  assert.equal((await overtaking).value, 2, 'the other name came later and is served first')
  await begun.promise
  for (const stop of [() => third.abort(), second.stop]) stop()
  await Promise.all([first.ended, second.ended, spinning])
})

test('with one thread names take turns, however many of one name wait', async (t) => {
  const { job } = poolFor(t, { threads: 1 })
  const { stop, ended } = await occupied(job('reportAndSpin'), {})
  const order: string[] = []
  const add = job<{ a: number; b: number }, number>('add')
  const run = async (name: string, one: Promise<unknown>) => {
    await one
    order.push(name)
  }
  const all = [1, 2, 3].map((a) => run(`add ${a}`, add({ a, b: 0 })))
  all.push(run('other', job<object, number>('thread')({})))
  await turnOfLoop()
  stop()
  await ended
  await Promise.all(all)
  assert.deepEqual(order, ['add 1', 'other', 'add 2', 'add 3'])
})

test('a thread that is slow to load does not cost those who wait behind it their place', async (t) => {
  const { job } = poolFor(t, { waitMs: 500 })
  const source = 'await new Promise((resolve) => setTimeout(resolve, 700)); export const slow = () => 1'
  const slow = job('slow', { module: new URL(`data:text/javascript,${encodeURIComponent(source)}`) })
  const [one, other] = await Promise.all([slow({}), job<object, number>('add')({ a: 1, b: 1 })])
  assert.deepEqual([one.value, other.value], [1, 2])
})
