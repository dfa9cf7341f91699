import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, test } from 'node:test'
import { canonicalize, sha256Hex } from '@orch/core'
import { startApp } from '#testing/layer.ts'
import { post, send } from '#testing/raw-http.ts'
import { ComputeError } from '../../platform/compute/job.ts'
import { chainGraph } from './graph/sources.ts'

const P = '/api/orch/v1/wirea'
const service = await startApp({ after }, { ORCH_STORE: 'memory' })
const get = (path: string) => send(`${service.url}${P}${path}`)
const analyse = (path: string, body?: unknown, headers = {}) =>
  post(`${service.url}${P}${path}`, body === undefined ? '' : JSON.stringify(body), headers)

const EVERYBODY = { namespace: 'x', owner: 'x', authMode: 'open', scopes: new Set<string>() }
const GETS = ['/healthz', '/trust/gap', '/lambda/panel', '/search', '/forecast/coverage', '/graph/metrics']
const POSTS = ['/anomaly/percentiles', '/router/reward', '/eval/scores']

test('health recomputes known answers and names its nine routes', async () => {
  const { status, json } = await get('/healthz')
  assert.deepEqual(
    [status, json.ok, json.label, json.routes.length, json.self_checks.length],
    [200, true, 'MEASURED', 9, 5],
  )
  assert.ok(json.self_checks.every(({ passed }: { passed: boolean }) => passed))
})

test('a self-check that fails is a 503 with the same body', async (t) => {
  const { wirea } = service.app.ports
  const { selfChecks } = wirea
  t.after(() => {
    wirea.selfChecks = selfChecks
  })
  wirea.selfChecks = () => [{ ...selfChecks()[0]!, got: null, passed: false }, ...selfChecks().slice(1)]
  const { status, json } = await get('/healthz')
  assert.deepEqual([status, json.ok, json.self_checks[0].got, json.routes.length], [503, false, null, 9])
})

test('what the compute pool refuses is refused by its own code, and nothing is recorded', async (t) => {
  const { jobs } = service.app.ports.wirea
  const original = { ...jobs }
  t.after(() => Object.assign(jobs, original))
  const size = async () => (await service.app.ports.ledger.reader.head()).size
  const before = await size()
  for (const [error, status, code] of [
    [new ComputeError('queue_full', 'full'), 503, 'compute_busy'],
    [new ComputeError('deadline_exceeded', 'late'), 503, 'compute_timeout'],
    [new ComputeError('job_failed', 'a fault of ours'), 500, 'internal_error'],
  ] as const) {
    const refuse = () => Promise.reject(error)
    Object.assign(jobs, { scores: refuse, coverage: refuse, graph: refuse })
    for (const answer of [
      await analyse('/eval/scores'),
      await get('/forecast/coverage'),
      await get('/graph/metrics'),
    ]) {
      assert.deepEqual([answer.status, answer.json.error.code], [status, code])
      assert.equal(answer.headers['retry-after'], code === 'compute_busy' ? '1' : undefined)
    }
  }
  const over = () => Promise.reject(new ComputeError('work_limit_exceeded', 'much', { work: 11, cap: 10 }))
  Object.assign(jobs, { scores: over, graph: over })
  const { status, json } = await analyse('/eval/scores')
  assert.deepEqual(
    [status, json.detail[0].type, json.detail[0].ctx],
    [422, 'work_limit_exceeded', { work: 11, cap: 10 }],
  )
  assert.equal(await size(), before)
})

test('every read answers, answers HEAD, and says the same twice', async () => {
  for (const path of GETS) {
    const [one, two] = [await get(path), await get(path)]
    assert.equal(one.status, 200, path)
    const stable = ({ json: { timing: _, cache: __, checked_at: ___, read_at: ____, ...rest } }: typeof one) =>
      JSON.stringify(rest)
    assert.equal(stable(one), stable(two), path)
    const head = await send(`${service.url}${P}${path}`, { method: 'HEAD' })
    assert.deepEqual([head.status, head.text], [200, ''], path)
    // What lists or selects refuses a name that it does not know; a calculator passes it over.
    const selects = path === '/search' || path === '/graph/metrics'
    assert.equal((await get(`${path}?nonsense=1`)).status, selects ? 422 : 200, path)
    assert.equal((await post(`${service.url}${P}${path}`, '{}')).status, 405, path)
  }
})

test('an empty body runs the example, which is a sample and recorded as an example', async () => {
  for (const path of POSTS)
    for (const body of [undefined, {}]) {
      const { status, json, headers } = await analyse(path, body)
      assert.equal(status, 200, JSON.stringify(json))
      assert.deepEqual(
        [json.label, json.input_source, headers['x-orch-default-example'], json.receipt.chain],
        ['SAMPLE', 'DEFAULT_EXAMPLE', '1', 'wirea'],
      )
      const receipt = await send(`${service.url}/api/orch/v1/receipts/${json.receipt.digest}`)
      assert.equal(receipt.json.kind, 'example')
    }
})

test('an analysis of the caller’s numbers leaves a receipt with the digests and none of the numbers', async () => {
  const { json } = await analyse('/anomaly/percentiles', { baseline: [1, 2, 3, 98765.4321, 1e-7], value: 4 })
  assert.deepEqual([json.label, json.input_source], ['MODELED', 'CALLER'])
  const receipt = await send(`${service.url}/api/orch/v1/receipts/${json.receipt.digest}`)
  const { kind, body, chain } = receipt.json
  assert.deepEqual([kind, chain], ['analysis', 'wirea'])
  const { key_kind: _, ...payload } = body.payload
  assert.deepEqual(payload, {
    operation: 'wirea.anomalyPercentiles',
    label: 'MODELED',
    input_source: 'CALLER',
    input_sha256: json.input_sha256,
    output_sha256: json.output_sha256,
  })
  assert.doesNotMatch(receipt.text, /98765/)
  // What Python would print with an exponent is a text in the digest.
  const canonical = '{"baseline":[1,2,3,98765.4321,"0.0000001"],"value":4}'
  assert.equal(json.input_sha256, createHash('sha256').update(canonical).digest('hex'))
})

test('the digest of the output covers every field but those that the documentation leaves out', async () => {
  const left = ['label', 'basis', 'input_source', 'input_sha256', 'output_sha256', 'plot', 'timing', 'receipt']
  for (const [path, body] of [
    ['/anomaly/percentiles', { baseline: numbers(40), value: 4 }],
    ['/router/reward', { candidates: [{ model: 'a', quality: 0.9, cost: 0.5, latency: 0.25 }] }],
    ['/eval/scores', { probs: [0.25, 0.75], outcomes: [0, 1] }],
  ] as const) {
    const { json } = await analyse(path, body)
    const result = Object.fromEntries(Object.entries(json).filter(([name]) => !left.includes(name)))
    assert.equal(json.output_sha256, sha256Hex(canonicalize(result)), path)
  }
})

test('the same request has the same digests, and an Idempotency-Key brings the same answer back', async () => {
  const body = { probs: [0.2, 0.7], outcomes: [0, 1] }
  const [one, two] = [await analyse('/eval/scores', body), await analyse('/eval/scores', body)]
  assert.equal(one.json.output_sha256, two.json.output_sha256)
  assert.notEqual(one.json.receipt.digest, two.json.receipt.digest)
  const key = { 'idempotency-key': 'wirea-1' }
  const [first, again] = [await analyse('/eval/scores', body, key), await analyse('/eval/scores', body, key)]
  assert.equal(first.text, again.text)
  assert.equal((await analyse('/eval/scores', { ...body, bins: 5 }, key)).status, 409)
})

const numbers = (length: number) => Array.from({ length }, (_, i) => i % 97)
const faults: [path: string, body: unknown, place: string][] = [
  ['/anomaly/percentiles', { baseline: [1], value: 1 }, 'body.baseline'],
  ['/anomaly/percentiles', { baseline: [1, 2] }, 'body.value'],
  ['/anomaly/percentiles', { baseline: [1, 2], value: 1, values: [1] }, 'body.value'],
  ['/anomaly/percentiles', { baseline: [1, 2], values: [] }, 'body.values'],
  ['/anomaly/percentiles', { baseline: [1, 2], values: numbers(1001) }, 'body.values'],
  ['/anomaly/percentiles', { baseline: numbers(100_001), value: 1 }, 'body.baseline'],
  ['/anomaly/percentiles', { baseline: [1, 2], value: 1, alpha: 0.00009 }, 'body.alpha'],
  ['/anomaly/percentiles', { baseline: [1, 2], value: 1, alpha: 0.51 }, 'body.alpha'],
  ['/anomaly/percentiles', { baseline: [1, 2], value: 1, tail: 'both' }, 'body.tail'],
  ['/anomaly/percentiles', { baseline: [1, '2'], value: 1 }, 'body.baseline.1'],
  ['/anomaly/percentiles', { baseline: [1, 1e101], value: 1 }, 'body.baseline.1'],
  ['/anomaly/percentiles', { baseline: [1, 2], value: 1, more: 1 }, 'body.more'],
  ['/router/reward', { preset: 'fast', candidates: [{ model: 'a', quality: 1, cost: 0, latency: 0 }] }, 'body.preset'],
  ['/router/reward', { candidates: [] }, 'body.candidates'],
  ['/router/reward', { candidates: [{ model: 'a', quality: 1.1, cost: 0, latency: 0 }] }, 'body.candidates.0.quality'],
  ['/router/reward', { candidates: [{ model: 'a', quality: 1, cost: 0 }] }, 'body.candidates.0.latency'],
  ['/router/reward', { candidates: [{ model: 'a', quality: 1, latency_ms: 0, cost: 1 }] }, 'body.candidates.0.cost'],
  ['/router/reward', { candidates: [{ model: '', quality: 1, cost: 0, latency: 0 }] }, 'body.candidates.0.model'],
  ['/router/reward', { candidates: [{ model: 'a', quality: 1, usd_per_1k: 1, latency_ms: 1 }] }, 'body.normalisation'],
  [
    '/router/reward',
    { candidates: [{ model: 'a', quality: 1, cost: 0, latency: 0, quality_n: 1_000_001 }] },
    'body.candidates.0.quality_n',
  ],
  ['/eval/scores', { bins: 3 }, 'body'],
  ['/eval/scores', { probs: [0.5] }, 'body.outcomes'],
  ['/eval/scores', { probs: [0.5], outcomes: [1, 0] }, 'body.outcomes'],
  ['/eval/scores', { probs: [1.01], outcomes: [1] }, 'body.probs.0'],
  ['/eval/scores', { probs: [0.5], outcomes: [2] }, 'body.outcomes.0'],
  ['/eval/scores', { probs: [0.5], outcomes: [0.5] }, 'body.outcomes.0'],
  ['/eval/scores', { probs: [0.5], outcomes: [1], bins: 1 }, 'body.bins'],
  ['/eval/scores', { probs: [0.5], outcomes: [1], bins: 51 }, 'body.bins'],
  ['/eval/scores', { probs: [0.5], outcomes: [1], bootstrap: 2001 }, 'body.bootstrap'],
  ['/eval/scores', { probs: [0.5], outcomes: [1], observed: [1] }, 'body.observed'],
  ['/eval/scores', { forecasts: [[1, 2]] }, 'body.observed'],
  ['/eval/scores', { forecasts: [[1]], observed: [1] }, 'body.forecasts.0'],
  ['/eval/scores', { forecasts: [[1, 2]], observed: [1, 2] }, 'body.forecasts'],
  ['/eval/scores', { quantiles: { levels: [0.5, 0.5], values: [[1, 2]] }, observed: [1] }, 'body.quantiles.levels.1'],
  ['/eval/scores', { quantiles: { levels: [0.1, 0.5], values: [[1]] }, observed: [1] }, 'body.quantiles.values.0'],
  ['/eval/scores', { candidates: [{ model: 'a', brier: 0.1, ece: 0.1 }] }, 'body.candidates.0.coverage'],
]
for (const [path, body, place] of faults)
  test(`${path} refuses ${JSON.stringify(body).slice(0, 80)} at ${place}`, async () => {
    const { status, json } = await analyse(path, body)
    assert.equal(status, 422)
    assert.equal(json.detail[0].loc.join('.').slice(0, place.length), place, JSON.stringify(json.detail[0]))
  })

for (const query of [
  'trust/gap?observed=1',
  'trust/gap?n=0',
  'trust/gap?n=1.5',
  'trust/gap?n=1000000001',
  'lambda/panel?kind=median',
  'lambda/panel?p=50.1',
  'lambda/panel?p=NaN',
  'lambda/panel?scores=',
  `search?q=${'x'.repeat(257)}`,
  'search?limit=0',
  'search?limit=51',
  'forecast/coverage?target=0.499',
  'forecast/coverage?target=1',
  'forecast/coverage?n=1',
  'forecast/coverage?n=5001',
  'forecast/coverage?n=abc',
  'forecast/coverage?trials=201',
  'forecast/coverage?scenario=other',
  'forecast/coverage?seed=-1',
  'graph/metrics?graph=other',
  'graph/metrics?graph=__proto__',
])
  test(`GET ${query.slice(0, 40)} is refused`, async () => {
    const { status, json } = await get(`/${query}`)
    assert.deepEqual([status, json.detail[0].loc[0]], [422, 'query'])
  })

test('the bounds themselves are taken', async () => {
  for (const query of [
    'trust/gap?n=1',
    'lambda/panel?p=-50&kind=power',
    `search?q=${'x'.repeat(256)}&limit=50`,
    'forecast/coverage?target=0.5&n=2&trials=1',
    'forecast/coverage?target=0.999&n=5000&trials=1&seed=2147483647',
  ])
    assert.equal((await get(`/${query}`)).status, 200, query)
  const large = await analyse('/anomaly/percentiles', { baseline: numbers(100_000), values: numbers(1000) })
  assert.deepEqual([large.status, large.json.n, large.json.results.length], [200, 100_000, 1000])
})

test('a body over a mebibyte is refused before it is read', async () => {
  const { status } = await analyse('/eval/scores', { probs: new Array(300_000).fill(0.12345) })
  assert.equal(status, 413)
})

test('the graphs of the service are read now, and its fixtures are samples', async () => {
  const organism = (await get('/graph/metrics')).json
  assert.deepEqual(
    [organism.graph, organism.label, organism.n_nodes, organism.empty],
    ['organism', 'MEASURED', 25, false],
  )
  assert.ok(Date.parse(organism.read_at) > 0 && organism.dag.is_dag)
  assert.ok(organism.nodes.includes('N25') && organism.plot.series[0].points.length === 25)
  const chain = (await get('/graph/metrics?graph=chain')).json
  assert.deepEqual([chain.label, chain.dag.is_dag, chain.sccs.components], ['MEASURED', true, chain.n_nodes])
  assert.ok(chain.n_nodes > 3 && chain.n_edges === chain.n_nodes - chain.components)
  assert.deepEqual([chain.links_left_out, organism.links_left_out], [0, null])
  const { ledger } = service.app.ports
  const all = await ledger.queries.newestReceipts(EVERYBODY, 200)
  const cut = chainGraph(all.slice(0, 2).filter(({ seq }) => seq > 0))
  assert.ok(cut.linksLeftOut! > 0 && cut.linksLeftOut! + cut.edges.length === cut.nodes.length, JSON.stringify(cut))
  const threats = (await get('/graph/metrics?graph=threatgraph')).json
  assert.ok(threats.nodes.includes('cedar-policy') && threats.nodes.includes('rule:P01'), threats.nodes.join())
  const fixture = (await get('/graph/metrics?graph=fixture-hub9')).json
  assert.deepEqual([fixture.label, fixture.read_at, fixture.algebraic_connectivity], ['SAMPLE', null, 1])
  const again = (await get('/graph/metrics?graph=fixture-hub9')).json
  assert.deepEqual([again.cache, again.timing], ['hit', null], 'what was not run was not measured')
})
