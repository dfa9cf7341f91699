import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { canonicalize, sha256Hex } from '@orch/core'
import { startApp } from '#testing/layer.ts'
import { send } from '#testing/raw-http.ts'
import { roundDeep } from '../../domain/rounded.ts'
import { Compute } from '../../platform/compute/compute.ts'
import { ComputeError } from '../../platform/compute/job.ts'
import { trainAutoencoder } from './job.ts'
import { openInterpretability } from './open.ts'
import { interpretability } from './operations.ts'
import { DEFAULTS } from './parameters.ts'
import type { FeaturesReply } from './schemas.ts'

const service = await startApp({ after }, { ORCH_STORE: 'memory' }, [])
const PATH = '/api/orch/v1/interpretability/features'
const ask = (query = '') => send(`${service.url}${PATH}${query}`)
const trained = async (query = ''): Promise<FeaturesReply> => {
  const { status, json } = await ask(query)
  assert.equal(status, 200, JSON.stringify(json))
  return json as FeaturesReply
}
const idle = { every: () => undefined, tasks: () => [], stop: () => undefined }
/** Two cheap ones that share everything but what differs. */
const SMALL = '?d_model=4&n_features=12&batch=8'

test('at the defaults it explains, recovers the truth, and does both better than before the training', async () => {
  const reply = await trained()
  const { fraction_variance_unexplained: fvu, mcc, untrained_control: control } = reply
  assert.ok(fvu > 0 && fvu < 0.15, `FVU ${fvu}`)
  assert.ok(mcc > 0.7 && mcc >= control.mcc + 0.1, `MCC ${mcc}, control ${control.mcc}`)
  assert.ok(control.fraction_variance_unexplained > 1)
  assert.deepEqual([reply.label, reply.cache, reply.work.counted], ['SIMULATED', 'miss', 131_072_000])
  assert.deepEqual(reply.parameters, DEFAULTS)
  assert.ok(reply.training.loss_curve.at(-1)! < reply.training.loss_curve[0]!)
})

test('the counts add up, codes are as sparse as asked, and no divergence is negative', async () => {
  const reply = await trained()
  for (const figures of [reply, reply.untrained_control]) {
    assert.equal(figures.dead_features + figures.active_features, 128)
    assert.equal(
      figures.feature_density.counts.reduce((sum, count) => sum + count, 0),
      figures.active_features,
    )
    assert.ok(figures.l0_mean <= 8 && figures.l0_mean > 0)
    assert.equal(figures.matched_count, 32)
    assert.equal(new Set(figures.matched.map(({ feature_id }) => feature_id)).size, 32)
    const mean = figures.matched.reduce((sum, { cosine }) => sum + cosine, 0) / 32
    assert.ok(Math.abs(mean - figures.mcc) < 1e-5)
    assert.ok(figures.mean_max_cosine >= figures.mcc - 1e-6)
    assert.equal(figures.top_features.length, 16)
    assert.ok(figures.top_features.every(({ causal_ablation_kl }) => causal_ablation_kl >= 0))
    for (const { feature_id, confidence, matched_true_feature } of figures.top_features) {
      const match = figures.matched.find((one) => one.feature_id === feature_id)
      assert.deepEqual([confidence, matched_true_feature], [match?.cosine ?? null, match?.true_feature ?? null])
    }
  }
})

test('the more features may be active, the less is left unexplained', async () => {
  const fvu: number[] = []
  for (const k of [1, 4, 8, 16]) {
    const reply = await trained(`?top_k=${k}`)
    assert.ok(reply.l0_mean <= k)
    fvu.push(reply.fraction_variance_unexplained)
  }
  assert.deepEqual(
    fvu,
    fvu.toSorted((a, b) => b - a),
  )
  assert.ok(fvu.every((share) => share > 0 && share < 1) && new Set(fvu).size === 4, fvu.join(' '))
})

test('the same parameters give the same bytes in another pool, and the digest is that of what is shown', async (t) => {
  const compute = new Compute({ threads: 1 })
  t.after(() => compute.close(AbortSignal.abort()))
  const clock = { now: () => 0, monotonic: () => 0 }
  const { saeFeatures } = openInterpretability({ compute, clock, background: idle, warm: false })
  const [here, there] = [await trained(SMALL), await saeFeatures({ ...DEFAULTS, d_model: 4, n_features: 12, batch: 8 })]
  const replayable = ({ cache: _, trained_at: __, timing: ___, ...rest }: FeaturesReply) => JSON.stringify(rest)
  assert.equal(replayable(here), replayable(there))
  const { parameters, training, data, untrained_control, ...rest } = here
  const names = Object.keys(untrained_control) as (keyof typeof untrained_control)[]
  const measured = Object.fromEntries(names.map((name) => [name, rest[name as keyof typeof rest]]))
  assert.equal(
    here.result_sha256,
    sha256Hex(canonicalize({ parameters, ...measured, untrained_control, training, data })),
  )
  const other = await trained(`${SMALL}&seed=43`)
  assert.notEqual(other.result_sha256, here.result_sha256)
})

test('what was trained before is a hit with its own date and no time of this request', async () => {
  const query = `${SMALL}&seed=7`
  const [first, second] = [await trained(query), await trained(query)]
  assert.deepEqual([first.cache, second.cache, second.timing], ['miss', 'hit', null])
  assert.ok(first.timing !== null && first.timing.wall_ms > 0)
  assert.equal(second.trained_at, first.trained_at)
  assert.equal(second.result_sha256, first.result_sha256)
})

test('two who ask at once share one training', async () => {
  const [one, other] = await Promise.all([trained(`${SMALL}&seed=8`), trained(`${SMALL}&seed=8`)])
  assert.notEqual(one.timing, null)
  assert.deepEqual(
    [one.timing, one.result_sha256, one.trained_at],
    [other.timing, other.result_sha256, other.trained_at],
  )
})

test('parameters at their bounds are taken, and one beyond is refused by its name', async () => {
  const refusals: [string, string][] = [
    ['seed=-1', 'seed'],
    ['seed=2147483648', 'seed'],
    ['seed=1.5', 'seed'],
    ['seed=abc', 'seed'],
    ['d_model=3', 'd_model'],
    ['d_model=129&n_features=200', 'd_model'],
    ['n_features=2049', 'n_features'],
    ['d_model=16&n_features=16', 'n_features'],
    ['top_k=0', 'top_k'],
    ['top_k=65', 'top_k'],
    ['top_k=129&n_features=128', 'top_k'],
    ['d_model=4&n_features=6&top_k=7', 'top_k'],
    ['batch=7', 'batch'],
    ['batch=513', 'batch'],
    ['seed=1&seed=2', 'seed'],
  ]
  for (const [query, field] of refusals) {
    const { status, json } = await ask(`?${query}`)
    assert.equal(status, 422, query)
    assert.deepEqual(json.detail[0].loc, ['query', field], query)
  }
  for (const query of [
    'd_model=4&n_features=5&top_k=5&batch=8&seed=0',
    'd_model=4&n_features=5&top_k=1&batch=8&seed=2147483647',
  ])
    assert.equal((await trained(`?${query}`)).matched_count, 5, 'all of the smaller side is matched')
})

test('too much work is refused before it starts, with the work and the cap', async () => {
  const before = service.app.ports.organs.compute.stats()
  const { status, json } = await ask('?d_model=128&n_features=2048&batch=512')
  assert.equal(status, 422)
  const [{ type, ctx }] = json.detail
  assert.deepEqual([type, ctx], ['work_limit_exceeded', { work: 134_217_728_000, cap: 600_000_000 }])
  // 1000 x 8 x 128 x 586 is just above the cap.
  assert.equal((await ask('?d_model=128&n_features=586&batch=8')).status, 422)
  assert.equal(service.app.ports.organs.compute.stats().completed, before.completed)
})

test('a pool without room is busy and one that stops the job has run out of time; neither leaves a result', async (t) => {
  const compute = new Compute({ threads: 1, maxQueue: 0 })
  t.after(() => compute.close(AbortSignal.abort()))
  const clock = { now: () => 0, monotonic: () => 0 }
  const { saeFeatures } = openInterpretability({ compute, clock, background: idle, warm: false })
  const leave = new AbortController()
  const first = assert.rejects(saeFeatures(DEFAULTS, leave.signal), { code: 'aborted' })
  const [op] = interpretability({ saeFeatures })
  const asked = (query: object) => Promise.resolve(op!.run({ query, signal: new AbortController().signal } as never))
  await assert.rejects(asked({ ...DEFAULTS, batch: 9 }), { code: 'compute_busy', headers: { 'retry-after': '1' } })
  leave.abort()
  await first
  const late = interpretability({
    saeFeatures: () => Promise.reject(new ComputeError('deadline_exceeded', 'stopped', { deadlineMs: 20_000 })),
  })
  await assert.rejects(Promise.resolve(late[0]!.run({ query: DEFAULTS } as never)), { code: 'compute_timeout' })
})

test('the newest 64 results are kept and no more', async () => {
  const small = { ...DEFAULTS, d_model: 4, n_features: 5, top_k: 1, batch: 8 }
  const result = trainAutoencoder(small, { progress: () => undefined, part: () => undefined })
  let runs = 0
  const job = async () => ({ value: result, origin: 'run', timing: { queueMs: 0, wallMs: ++runs, cpuMs: 0 } })
  const compute = { register: () => job, stats: () => ({ running: 0, queued: 0 }) } as unknown as Compute
  const clock = { now: () => 0, monotonic: () => 0 }
  const { saeFeatures } = openInterpretability({ compute, clock, background: idle, warm: false })
  for (let seed = 0; seed <= 64; seed++) assert.equal((await saeFeatures({ ...DEFAULTS, seed })).cache, 'miss')
  assert.equal((await saeFeatures({ ...DEFAULTS, seed: 1 })).cache, 'hit')
  assert.equal((await saeFeatures({ ...DEFAULTS, seed: 0 })).cache, 'miss', 'the oldest gave way')
  assert.equal(runs, 66)
})

test('the default set is trained beforehand only on an idle machine, and once', async (t) => {
  const compute = new Compute({ threads: 1 })
  t.after(() => compute.close(AbortSignal.abort()))
  const works: (() => Promise<void>)[] = []
  const background = {
    every: (_: string, __: number, work: () => Promise<void>) => void works.push(work),
    tasks: () => [],
    stop: () => undefined,
  }
  const clock = { now: () => 0, monotonic: () => 0 }
  let load = 1
  openInterpretability({ compute, clock, background, warm: false, load: () => load })
  assert.equal(works.length, 0, 'nothing is planned where it is switched off')
  const own = new Compute({ threads: 1 })
  t.after(() => own.close(AbortSignal.abort()))
  const { saeFeatures } = openInterpretability({ compute: own, clock, background, warm: true, load: () => load })
  const [work] = works
  await work!()
  assert.equal(own.stats().completed, 0, 'the machine has something else to do')
  load = 0
  await work!()
  await work!()
  assert.equal(own.stats().completed, 1)
  assert.equal((await saeFeatures(DEFAULTS)).cache, 'hit')
})

test('what is worse than the mean or than no training says so, by its own figures', async () => {
  for (const [query, state] of [
    ['', 'BETTER_THAN_BASELINES'],
    ['?top_k=32', 'BELOW_CONTROL'],
    ['?d_model=4&n_features=512&top_k=64&batch=16', 'WORSE_THAN_MEAN'],
  ] as const) {
    const { quality, fraction_variance_unexplained: fvu, mcc, untrained_control: control } = await trained(query)
    assert.equal(quality.state, state, quality.reason)
    assert.deepEqual([fvu >= 1, fvu < 1 && mcc < control.mcc], [state === 'WORSE_THAN_MEAN', state === 'BELOW_CONTROL'])
    for (const figure of [fvu, mcc, control.mcc]) assert.ok(quality.reason.includes(String(figure)), quality.reason)
  }
})

test('HEAD answers like GET without a body', async () => {
  const head = await send(`${service.url}${PATH}${SMALL}`, { method: 'HEAD' })
  assert.deepEqual([head.status, head.text], [200, ''])
})

test('plots carry axes, bounds and what to read them against', async () => {
  const { plots, mcc } = await trained(SMALL)
  assert.equal(plots.length, 3)
  for (const { x, y, series } of plots)
    for (const { points } of series)
      for (const [px, py] of points)
        assert.ok(px! >= x.min! && px! <= x.max! && py! >= y.min! && py! <= y.max!, `${px} ${py}`)
  assert.equal(plots[2]!.reference_lines[0]!.value, mcc)
  assert.deepEqual(plots, roundDeep(plots), 'six decimals, as all other figures')
})
