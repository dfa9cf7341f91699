import assert from 'node:assert/strict'
import { test } from 'node:test'
import Type from 'typebox'
import { tryOrgan } from '#testing/organs/try-organ.ts'
import { ComputeError, type Job } from '../../platform/compute/job.ts'
import { type Op, type Organ, op, poolBusy } from './organ.ts'
import { opSchema } from './request.ts'
import { exampleDigest } from './run.ts'

const organWith = (run: Op['run']): Organ => ({
  id: 'N7',
  version: '1.0.0',
  ops: {
    only: op({
      summary: 'For the tests of the envelope',
      request: Type.Object({ a: Type.Optional(Type.Integer({ default: 1 })) }, { additionalProperties: false }),
      result: Type.Unknown(),
      isolation: 'inline',
      deadlineMs: 30,
      maxWork: 1,
      estimate: () => 1,
      run: run as never,
    }),
  },
  fromPrompt: () => ({ op: 'only', a: 1 }),
  example: { request: { op: 'only' }, prompt: 'x' },
  evidence: { assumptions: [], not_real: ['all of it'] },
})

/** With the deadline that the op has. */
const tryOnTime = (organ: Organ) => tryOrgan(organ, {}, { patience: 1 })

test('an op that does not end is answered at its deadline, and its signal tells whatever it waits for', async () => {
  const stopped = Promise.withResolvers<unknown>()
  const organ = organWith((_request, { signal }) => {
    signal.addEventListener('abort', stopped.resolve)
    return new Promise(() => undefined)
  })
  const { answer } = await tryOnTime(organ)
  assert.deepEqual([answer.status, answer.ok, answer.result], ['LIMIT_EXCEEDED', false, null])
  await stopped.promise
})

test('the time that a job takes is not that of the op, for a job has a deadline of its own', async () => {
  const later = () => new Promise((resolve) => setTimeout(resolve, 60))
  const organ = organWith(async (_request, { job }) => {
    const value = await job(async () => ({ value: await later(), origin: 'run', timing: null }) as never, {})
    return { result: { value: value ?? 1 } }
  })
  assert.equal((await tryOnTime(organ)).answer.status, 'EXECUTED')
})

test('an op has one schema for all its requests, so that it is compiled once', () => {
  const { only } = organWith(() => ({ result: null })).ops
  assert.equal(opSchema('only', only!), opSchema('only', only!))
})

test('while there is no room to run an example, its digest is not known; a failure stays one', async () => {
  const registered = { organ: organWith(() => ({ result: null })), item: null as never }
  const failing = (error: Error) => exampleDigest(registered, () => Promise.reject(error))
  assert.equal(await failing(poolBusy('as many wait as may')), null)
  await assert.rejects(failing(new TypeError('broken')), TypeError)
})

test('what an organ loads first does not count: neither for its deadline nor for what was measured', async () => {
  const loaded = Promise.withResolvers<void>()
  const organ = { ...organWith(() => ({ result: {} })), load: () => loaded.promise }
  setTimeout(() => loaded.resolve(), 60)
  assert.equal((await tryOnTime(organ)).answer.status, 'EXECUTED')
  const broken = { ...organ, load: () => Promise.reject(new Error('/secret')) }
  await assert.rejects(tryOrgan(broken, {}), { code: 'organ_failed', message: /nothing was recorded/ })
})

test('a run knows how its request was written', async () => {
  const organ = organWith((_request, { form }) => ({ result: { form } }))
  for (const [body, form] of [
    [{}, 'empty'],
    [{ a: 1 }, 'structured'],
    [{ prompt: 'x' }, 'prompt'],
  ] as const)
    assert.equal((await tryOrgan(organ, body)).answer.result.form, form)
})

test('what an op loads has a time of its own, before that of the op', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const organ = organWith(() => ({ result: {} }))
  const loading = Promise.withResolvers<void>()
  const loaded = (load: Op['load']) => tryOrgan({ ...organ, ops: { only: { ...organ.ops.only!, load } as Op } }, {})
  const late = loaded(() => loading.promise)
  const slow = loaded(() => new Promise((resolve) => setTimeout(resolve, 5000)))
  await new Promise(setImmediate)
  t.mock.timers.tick(5000)
  assert.equal((await slow).answer.status, 'EXECUTED')
  t.mock.timers.tick(5000)
  const { answer } = await late
  assert.deepEqual([answer.status, answer.limits[0].detail.includes('not loaded')], ['LIMIT_EXCEEDED', true])
})

test('a prompt and its written-out form have the digests of one input', async () => {
  const organ = organWith(() => ({ result: { value: 1 / 3 } }))
  const [prompt, written, empty] = [{ prompt: 'x' }, { op: 'only', a: 1 }, {}].map((body) => tryOrgan(organ, body))
  const digests = (await Promise.all([prompt!, written!, empty!])).map(({ answer }) => answer.input_sha256)
  assert.equal(new Set(digests).size, 1)
  assert.equal((await prompt!).answer.result.value, 0.333333)
})

test('what an op throws, and a result that is not finite, is a refusal that tells nothing of it', async () => {
  for (const run of [
    () => {
      throw new Error('/secret')
    },
    () => ({ result: { value: Number.NaN } }),
  ])
    await assert.rejects(tryOrgan(organWith(run as Op['run']), {}), {
      code: 'organ_failed',
      message: /nothing was recorded/,
    })
})

test('a reading of a timed job leaves out how long it waited for a thread', async () => {
  const organ = organWith(async (_request, { job, timed, micros, reading }) => {
    // The clock of these tests goes on by one millisecond whenever it is read.
    const waiting: Job<object, number> = async (_params, { onBegun } = {}) => {
      for (let n = 0; n < 100; n += 1) micros()
      onBegun?.()
      await null
      return { value: 1, origin: 'run', timing: null }
    }
    const late: typeof waiting = (...asked) => Promise.resolve().then(() => waiting(...asked))
    const before = micros()
    await timed('judge', () => job(late, {}))
    reading('all', micros() - before, 'us', 'with the wait')
    return { result: {} }
  })
  const { answer } = await tryOrgan({ ...organ, id: 'N21' }, {})
  const value = (name: string) => answer.evidence.readings.find((one: { name: string }) => one.name === name).value
  assert.ok(value('all') >= 100_000 && value('judge') < 50_000, `${value('judge')} of ${value('all')} us`)
})

for (const [code, says] of [
  ['queue_full', /as many computations wait/],
  ['wait_exceeded', /no thread was free/],
] as const)
  test(`a pool that answers ${code} is told as it is`, async () => {
    const organ = organWith((_request, { job }) => job(() => Promise.reject(new ComputeError(code, 'x')), {}) as never)
    await assert.rejects(tryOrgan(organ, {}), { code: 'organ_pool_busy', message: says })
  })
