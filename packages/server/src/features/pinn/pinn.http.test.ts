import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startApp } from '#testing/layer.ts'
import { post, send } from '#testing/raw-http.ts'
import { ComputeError } from '../../platform/compute/job.ts'

const P = '/api/orch/v1/pinn'
const service = await startApp({ after }, { ORCH_STORE: 'memory' })
const get = (path: string, prefix = P) => send(`${service.url}${prefix}${path}`)
const identify = (body?: unknown, prefix = P) =>
  post(`${service.url}${prefix}/identify`, body === undefined ? '' : JSON.stringify(body))

test('the canonical layer is solved, its constants are those of the contract, and no network ran', async () => {
  const { status, json } = await get('/burgers')
  assert.equal(status, 200)
  assert.deepEqual(
    [json.label, json.modeled_not_measured, json.network, json.converged],
    ['MODELED', true, false, true],
  )
  assert.ok(json.max_abs_error < 1e-12 && json.rel_l2_vs_exact < 1e-12)
  assert.deepEqual([json.exact_reference.branch, json.exact_reference.x0], ['tanh', 0.5])
  assert.ok(Math.abs(json.exact_reference.C - 1) < 1e-14)
  assert.equal(json.solution.x.length, 129)
  const again = await get('/burgers')
  const stable = ({ timing: _, cache: __, ...rest }: typeof json) => rest
  assert.deepEqual(stable(again.json), stable(json))
  const head = await send(`${service.url}${P}/burgers`, { method: 'HEAD' })
  assert.deepEqual([head.status, head.text], [200, ''])
})

test('what did not converge says so and shows values only on demand', async () => {
  const { json } = await get('/burgers?nu=0.02&a=1&b=-0.999999')
  assert.deepEqual([json.newton_converged, json.converged, json.solution, json.plot], [true, false, null, null])
  const shown = await get('/burgers?nu=0.02&a=1&b=-0.999999&include_unconverged=true')
  assert.deepEqual([shown.json.converged, shown.json.solution.x.length], [false, 129])
})

test('the four parameters are honoured and their bounds are 422 at the field', async () => {
  const { json } = await get('/burgers?nu=0.2&a=1&b=0.5&N=20')
  assert.deepEqual([json.viscosity_nu, json.boundary_conditions, json.N], [0.2, { a: 1, b: 0.5 }, 20])
  for (const [query, status] of [
    ['nu=0.0009', 422],
    ['nu=0.001', 200],
    ['nu=10', 200],
    ['nu=0.05000000000000000000000000001', 200],
    ['nu=0.1&a=-1e-200&b=1e-200&N=8', 200],
    ['nu=10.1', 422],
    ['N=7', 422],
    ['N=8', 200],
    ['N=128', 200],
    ['N=129', 422],
    ['N=8.5', 422],
    ['a=1', 422],
    ['b=1', 422],
    ['a=10.1&b=0', 422],
    ['nu=0.005&a=10&b=-10&N=16', 200],
    ['nu=0.00499&a=10&b=-10', 422],
    ['nu=abc', 422],
  ] as const)
    assert.equal((await get(`/burgers?${query}`)).status, status, query)
})

test('the comparison is served as a sample with its digests, and nothing is run for it', async (t) => {
  const { pinn } = service.app.ports
  const original = { ...pinn }
  t.after(() => Object.assign(pinn, original))
  let runs = 0
  const count = () => {
    runs += 1
    return Promise.reject(new Error('nothing may run'))
  }
  Object.assign(pinn, { burgers: count, identify: count })
  const { status, json } = await get('/bench')
  assert.equal(runs, 0)
  assert.deepEqual([status, json.label, json.digest_verified, json.energy], [200, 'SAMPLE', true, null])
  assert.match(json.artifact_sha256, /^[0-9a-f]{64}$/)
  assert.ok(Date.parse(json.measured_at) > 0)
  for (const problem of json.problems) {
    const network = problem.arms.find(({ kind }: { kind: string }) => kind === 'neural')
    assert.ok(network.seeds.length >= 5 && network.tuning.tried.length > 1, problem.id)
    assert.ok(network.rel_l2.min <= network.rel_l2.median && network.rel_l2.median <= network.rel_l2.max)
    assert.ok(problem.arms.some(({ kind }: { kind: string }) => kind === 'solver'))
  }
  assert.deepEqual(
    json.problems.map(({ id }: { id: string }) => id),
    ['poisson_1d_multimode', 'steady_burgers_shock'],
  )
})

test('one changed byte of the comparison is a 409, a missing one a roadmap with the command', async (t) => {
  const { artifacts } = service.app.ports
  const { text } = artifacts
  t.after(() => {
    artifacts.text = text
  })
  artifacts.text = async (name) => {
    const file = await text.call(artifacts, name)
    return name === 'pinn-bench' && file.present ? { ...file, sha256: 'f'.repeat(64) } : file
  }
  const altered = await get('/bench')
  assert.deepEqual([altered.status, altered.json.error.code], [409, 'artifact_digest_mismatch'])
  assert.deepEqual((await get('/health')).json.bench, { present: true, digest_verified: false })
  artifacts.text = async (name) => {
    const file = await text.call(artifacts, name)
    return name === 'pinn-bench' && file.present ? { ...file, text: file.text.replace('energy', 'Energy') } : file
  }
  assert.equal((await get('/bench')).status, 409)
  artifacts.text = async (name) =>
    name === 'pinn-bench'
      ? { path: '', present: false, reason: 'the file is not part of this build' }
      : text.call(artifacts, name)
  const { json } = await get('/bench')
  assert.deepEqual([json.label, json.state, json.reproduce], ['ROADMAP', 'NOT_RUN', 'npm run bench:pinn'])
})

test('the example identifies Duffing, alike by GET, by an empty POST and under the alias', async () => {
  const [read, alias, sent] = [await get('/identify'), await get('/identify', '/v1/pinn'), await identify({})]
  assert.deepEqual([read.status, alias.status, sent.status], [200, 200, 200])
  const comparable = ({ timing: _, cache: __, receipt: ___, ...rest }: typeof read.json) => rest
  assert.deepEqual(comparable(alias.json), comparable(read.json))
  assert.deepEqual(comparable(sent.json), comparable(read.json))
  assert.deepEqual(
    [read.json.label, read.json.input_source, read.json.receipt],
    ['SIMULATED', 'DEFAULT_EXAMPLE', undefined],
  )
  assert.equal(sent.headers['x-orch-default-example'], '1')
  const alpha = read.json.discovered.find(({ name }: { name: string }) => name === 'al')
  assert.ok(alpha.asserted && Math.abs(alpha.value - 1) < 0.06 && alpha.ground_truth === 1)
  assert.ok(alpha.ci95[0] < alpha.value && alpha.value < alpha.ci95[1])
  const receipt = await send(`${service.url}/api/orch/v1/receipts/${sent.json.receipt.digest}`)
  assert.deepEqual([receipt.json.kind, receipt.json.chain], ['example', 'pinn'])
})

test('data of the caller are identified, refused parameters have no value, and the receipt holds digests', async () => {
  const x = Array.from({ length: 14 }, (_, i) => 0.45 + (0.1 * i) / 13)
  const y = x.map((at, i) => at * (1 - at) * (-40000 + 8000 * (1 - 2 * at)) + 300 * Math.sin(100 * i * i))
  const { status, json } = await identify({ system: 'redlich_kister', data: { x, y }, unknowns: ['L0', 'L1', 'L2'] })
  assert.equal(status, 200, JSON.stringify(json))
  assert.deepEqual([json.label, json.input_source, json.example], ['MODELED', 'CALLER', null])
  const [l0, l1, l2] = json.discovered
  assert.deepEqual([l0.asserted, l2.asserted, l2.value, l2.ci95], [true, false, null, null])
  assert.ok(l2.refusal.direction.L2 > 0.5 && l0.conditional_on.some(({ name }: { name: string }) => name === 'L2'))
  assert.ok(Math.abs(l0.value + 40000) < 4 * l0.std, `${l0.value} ${l1.value}`)
  assert.deepEqual([json.stability, typeof json.stability_reason], [null, 'string'])
  const receipt = await send(`${service.url}/api/orch/v1/receipts/${json.receipt.digest}`)
  assert.equal(receipt.json.kind, 'analysis')
  assert.equal(receipt.json.body.payload.input_sha256, json.input_sha256)
})

test('faults of a request are 422 at their place', async () => {
  const t = Array.from({ length: 12 }, (_, i) => i)
  const y = t.map((at) => Math.cos(at))
  const whole = { system: 'damped_oscillator', data: { t, y } }
  assert.equal((await identify(whole)).status, 200)
  for (const [body, place] of [
    [{ system: 'pendulum' }, 'system'],
    [{ unknowns: ['alpha'] }, 'unknowns'],
    [{ unknowns: ['c', 'c'] }, 'unknowns'],
    [{ unknowns: [] }, 'unknowns'],
    [{ fixed: { zeta: 1 } }, 'fixed'],
    [{ fixed: { c: 1 } }, 'fixed'],
    [{ bounds: { c: [2, 1] } }, 'bounds'],
    [{ noise: 1.1 }, 'noise'],
    [{ noise: -0.1 }, 'noise'],
    [{ case: 'hopeless' }, 'case'],
    [{ seed: -1 }, 'seed'],
    [{ extra: true }, 'extra'],
    [{ ...whole, noise: 0.1 }, 'noise'],
    [{ ...whole, data: { x: t, y } }, 'data'],
    [{ ...whole, data: { t: t.slice(0, 9), y: y.slice(0, 9) } }, 'data'],
    [{ ...whole, data: { t: [...t].reverse(), y } }, 'data'],
    [{ ...whole, data: { t, y: y.slice(1) } }, 'data'],
    [{ ...whole, data: { t, y: t.map(() => 3) } }, 'data'],
    [{ ...whole, data: { t, y: t.map((at) => [at, at, at]) } }, 'data'],
    [{ system: 'duffing', data: { t, y } }, 'fixed'],
    [{ system: 'redlich_kister', data: { x: t, y } }, 'data'],
    [{ system: 'duffing', data: { t, y: y.map((value) => value * 1e-200) }, fixed: { F: 0, w: 1 } }, 'data'],
  ] as const) {
    const { status, json } = await identify(body)
    assert.equal(status, 422, JSON.stringify(body))
    assert.ok(JSON.stringify(json.detail).includes(`"${place}"`), `${place}: ${JSON.stringify(json.detail)}`)
  }
})

test('nanometres and picoseconds in metres and seconds are answered, to ten digits', async () => {
  const t = Array.from({ length: 60 }, (_, i) => (i / 6) * 1e-12)
  const y = t.map((at, i) => 1e-9 * (Math.exp(-0.15e12 * at) * Math.cos(1.994e12 * at) + 0.003 * Math.sin(1e4 * i * i)))
  const { status, json } = await identify({ system: 'damped_oscillator', data: { t, y } })
  assert.equal(status, 200, JSON.stringify(json))
  const [c, k] = json.discovered
  assert.ok(c.asserted && Math.abs(c.value / 0.3e12 - 1) < 0.02, `${c.value}`)
  assert.ok(k.asserted && Math.abs(k.value / 4e24 - 1) < 0.01, `${k.value}`)
  assert.equal(k.value, Number(k.value.toPrecision(10)))
})

test('without noise the interval names its floor and holds the truth', async () => {
  const { json } = await identify({ system: 'damped_oscillator', noise: 0 })
  for (const { ci95, ci95_basis, std, ground_truth } of json.discovered) {
    assert.equal(ci95_basis, 'NOISE_FLOOR')
    assert.ok(std > 0 && ci95[0] < ground_truth && ground_truth < ci95[1])
  }
})

test('more work than allowed is refused by its count, and a full pool by its code', async (t) => {
  const long = Array.from({ length: 10 }, (_, i) => i * 1e7)
  const y = long.map((_, i) => Math.cos(i))
  const over = await identify({ system: 'damped_oscillator', data: { t: long, y }, unknowns: ['c'], fixed: { k: 1 } })
  assert.equal(over.status, 422, JSON.stringify(over.json))
  const { pinn } = service.app.ports
  const original = { ...pinn }
  t.after(() => Object.assign(pinn, original))
  for (const [error, code] of [
    [new ComputeError('queue_full', 'full'), 'compute_busy'],
    [new ComputeError('deadline_exceeded', 'late'), 'compute_timeout'],
  ] as const) {
    const refuse = () => Promise.reject(error)
    Object.assign(pinn, { burgers: refuse, identify: refuse })
    for (const answer of [await get('/burgers'), await get('/identify'), await identify({})])
      assert.deepEqual([answer.status, answer.json.error.code], [503, code])
  }
})

test('health recomputes two known answers, and a failure is a 503 with the same body', async (t) => {
  const [one, alias] = [await get('/health'), await get('/health', '/v1/pinn')]
  assert.deepEqual([one.status, one.json.ok, one.json.label, alias.json.ok], [200, true, 'MEASURED', true])
  assert.ok(one.json.self_test.burgers_canonical_error < 1e-8 && one.json.self_test.rk_error < 1e-8)
  assert.deepEqual(one.json.bench, { present: true, digest_verified: true })
  assert.equal(one.json.supported_systems.length, 6)
  const { pinn } = service.app.ports
  const { selfTest } = pinn
  t.after(() => {
    pinn.selfTest = selfTest
  })
  pinn.selfTest = () => ({ ...selfTest(), ok: false, burgers_canonical_error: null })
  const failed = await get('/health')
  assert.deepEqual([failed.status, failed.json.ok, failed.json.self_test.burgers_canonical_error], [503, false, null])
})
