import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startApp } from '#testing/layer.ts'
import { lehmer, problemOf, randomProblem } from '#testing/qubo/problems.ts'
import { post, send } from '#testing/raw-http.ts'
import { ComputeError } from '../../platform/compute/job.ts'
import { CLAIM_EXAMPLE, RECEIPT_EXAMPLE, SCORE_EXAMPLE, SHOT_PLAN_EXAMPLE } from './examples.ts'
import { replayReceipt } from './receipt.ts'

const P = '/api/orch/v1/quantum-utility'
const service = await startApp({ after }, { ORCH_STORE: 'memory' })
const ask = (path: string, body?: unknown, headers = {}) =>
  post(`${service.url}${P}/${path}`, body === undefined ? '' : JSON.stringify(body), headers)
const ledgerSize = async () => (await service.app.ports.ledger.reader.head()).size

const POSTS = ['qubo/baseline', 'hamiltonian/shot-plan', 'counterfactual/score', 'claim/rupture-gate', 'receipt/replay']
const NOTHING = { mode: 'PROPOSAL_ONLY', effectors: 0, provider_calls: 0, qpu_calls: 0, execution_performed: false }
const saysNothingRan = (json: Record<string, unknown>) => {
  for (const [name, value] of Object.entries(NOTHING)) assert.equal(json[name], value, name)
}
/** The example with other times: it changes how old the claim is, and nothing else. */
const now = () => new Date(performance.timeOrigin + performance.now() - 60_000).toISOString()

test('info lists five operations with the digests of their bodies, answers HEAD and says what it is not', async () => {
  const { status, json } = await send(`${service.url}${P}/info`)
  assert.deepEqual([status, json.label, json.quantum_advantage_claimed], [200, 'STRUCTURAL-ONLY', false])
  saysNothingRan(json)
  assert.deepEqual(
    json.operations.map(({ operation }: { operation: string }) => operation),
    POSTS,
  )
  assert.equal(new Set(json.operations.map((one: { body_sha256: string }) => one.body_sha256)).size, 5)
  const head = await send(`${service.url}${P}/info`, { method: 'HEAD' })
  assert.deepEqual([head.status, head.text], [200, ''])
  assert.equal((await ask('info', {})).status, 405)
})

test('an empty body runs the example, which is a sample and recorded as one', async () => {
  for (const path of POSTS)
    for (const body of [undefined, {}]) {
      const { status, json, headers } = await ask(path, body)
      assert.equal(status, 200, JSON.stringify(json))
      saysNothingRan(json)
      assert.deepEqual(
        [json.label, json.input_source, headers['x-orch-default-example'], json.receipt.chain],
        ['SAMPLE', 'DEFAULT_EXAMPLE', '1', 'quantum-utility'],
      )
      const receipt = await send(`${service.url}/api/orch/v1/receipts/${json.receipt.digest}`)
      assert.equal(receipt.json.kind, 'example')
      if (path !== 'receipt/replay') assert.deepEqual(json.replay_receipt.output, json.result)
    }
})

test('a solved problem is measured, one that was only searched is modeled, and its receipt holds digests alone', async () => {
  const small = await ask('qubo/baseline', { problem: problemOf('secret-name', [-1, 2], [[0, 1, 3]]) })
  assert.deepEqual([small.json.label, small.json.result.certified], ['MEASURED', true])
  const receipt = await send(`${service.url}/api/orch/v1/receipts/${small.json.receipt.digest}`)
  const { key_kind: _, ...payload } = receipt.json.body.payload
  assert.deepEqual(payload, {
    operation: 'quantumUtility.quboBaseline',
    input_sha256: small.json.replay_receipt.input_sha256,
    output_sha256: small.json.replay_receipt.output_sha256,
    label: 'MEASURED',
    input_source: 'CALLER',
  })
  assert.doesNotMatch(receipt.text, /secret-name/)
  const large = await ask('qubo/baseline', { problem: randomProblem(200, 0.02, 9, 1), work_budget: 2000 })
  assert.deepEqual([large.json.label, large.json.result.certified], ['MODELED', false])
})

test('the same request gives the same result, and every receipt replays through the service', async () => {
  const inputs: [string, unknown][] = [
    ['qubo/baseline', { problem: randomProblem(30, 0.3, 50, 4), seed: 3 }],
    ['hamiltonian/shot-plan', { ...SHOT_PLAN_EXAMPLE, grouping: 'none' }],
    ['counterfactual/score', SCORE_EXAMPLE],
    ['claim/rupture-gate', CLAIM_EXAMPLE],
  ]
  for (const [path, body] of inputs) {
    const [one, two] = [await ask(path, body), await ask(path, body)]
    assert.equal(one.status, 200, one.text)
    // The gate reads the clock; everything else is the same byte for byte.
    if (path !== 'claim/rupture-gate') assert.equal(JSON.stringify(one.json.result), JSON.stringify(two.json.result))
    const again = await ask('receipt/replay', one.json.replay_receipt)
    assert.deepEqual([again.json.result.valid, again.json.result.operation], [true, path], again.text)
  }
})

test('a forged objective is found in the service as well, and what is no receipt is refused', async () => {
  const forged = replayReceipt('qubo/baseline', RECEIPT_EXAMPLE.input, { ...RECEIPT_EXAMPLE.output, objective: -2 })
  const { json } = await ask('receipt/replay', forged)
  assert.deepEqual([json.result.replay_equal, json.result.first_difference.pointer], [false, '/objective'])
  const bad = await ask('receipt/replay', { ...RECEIPT_EXAMPLE, input: { problem: 1 } })
  assert.deepEqual([bad.status, bad.json.result.valid], [200, false])
  assert.match(bad.json.result.replay_error, /problem/)
  let deep: unknown = 1
  for (let level = 0; level < 16; level++) deep = [deep]
  const { status, json: refusal } = await ask('receipt/replay', { ...RECEIPT_EXAMPLE, input: { deep } })
  assert.deepEqual([status, refusal.detail[0].type], [422, 'depth'])
})

test('a claim on a recorded baseline can be supported; an unrecorded, slow or negative one cannot', async () => {
  const baseline = (await ask('qubo/baseline', { problem: randomProblem(16, 1, 20, 9) })).json.replay_receipt
  const run = (at: number) => ({
    ...CLAIM_EXAMPLE.quantum_observations[at]!,
    ...{ problem_digest: baseline.output.problem_digest, objective: baseline.output.objective },
    ...{ wall_seconds: 1e-6, success_count: 990, observed_at: now() },
  })
  const provenance = [{ ...CLAIM_EXAMPLE.provenance[0]!, observed_at: now() }]
  const claim = {
    ...CLAIM_EXAMPLE,
    classical_baseline_receipt: baseline,
    quantum_observations: [0, 1, 2].map(run),
    provenance,
  }
  const { json } = await ask('claim/rupture-gate', claim)
  assert.equal(json.result.evidence_state, 'SUPPORTED', JSON.stringify(json.result.rules))
  assert.deepEqual([json.label, json.result.ledger_found, json.result.claim_authorized], ['MODELED', true, false])
  const { environment } = json.replay_receipt.input
  assert.ok(environment.baseline_wall_seconds > 0 && environment.ledger_found)
  const negative = await ask('claim/rupture-gate', { ...claim, utility_margin: { value_usd: '-5.00' } })
  assert.equal(negative.json.result.evidence_state, 'REFUTED')
  const impossible = { ...run(0), objective: baseline.output.objective - 1 }
  const flagged = await ask('claim/rupture-gate', { ...claim, quantum_observations: [impossible, run(1), run(2)] })
  assert.deepEqual(
    [flagged.json.result.evidence_state, flagged.json.result.flags],
    ['REFUTED', ['IMPOSSIBLE_OBJECTIVE']],
  )
  const edited = { ...baseline, output: { ...baseline.output, objective: baseline.output.objective - 1 } }
  const other = await ask('claim/rupture-gate', { ...claim, classical_baseline_receipt: edited })
  const states = Object.fromEntries(
    other.json.result.rules.map((rule: { id: string; state: string }) => [rule.id, rule.state]),
  )
  assert.deepEqual([states['QUG-003'], states['QUG-012'], other.json.result.ledger_found], ['FAIL', 'FAIL', false])
  const unrecorded = await ask('claim/rupture-gate', CLAIM_EXAMPLE)
  assert.deepEqual([unrecorded.json.result.evidence_state, unrecorded.json.result.ledger_found], ['UNKNOWN', false])
})

test('a receipt of the ledger lifts a basis, one that is not there does not', async () => {
  const digest = (await ask('qubo/baseline')).json.receipt.digest
  const named = (receipt_digest: string) => {
    const body = structuredClone(SCORE_EXAMPLE)
    Object.assign(body.candidates[0]!.inputs.bounded_value_usd, { receipt_digest })
    return body
  }
  const basis = async (body: unknown) =>
    (await ask('counterfactual/score', body)).json.result.candidates[0].input_bases.bounded_value_usd
  assert.deepEqual([await basis(named(digest)), await basis(named('ab'.repeat(32)))], ['RECEIPTED', 'DECLARED'])
})

const QUBO = { problem: problemOf('p', [1, 2], [[0, 1, 1]]) }
const qubo = (changes: object) => ({ problem: { ...QUBO.problem, ...changes } })
const pair = (left: string, right: string, coefficient: unknown = 1) => ({ left, right, coefficient })
const plan = (changes: object, more: object = {}) => ({
  ...SHOT_PLAN_EXAMPLE,
  hamiltonian: { ...SHOT_PLAN_EXAMPLE.hamiltonian, ...changes },
  ...more,
})
const term = (changes: object) => plan({ terms: [{ term_id: 't', pauli: 'XX', coefficient: 1, ...changes }] })
const score = (changes: object) => {
  const body = structuredClone(SCORE_EXAMPLE)
  Object.assign(body.candidates[0]!.inputs.bounded_value_usd, changes)
  return body
}
const names = (count: number) => Array.from({ length: count }, (_, at) => `v${at}`)
const faults: [path: string, body: unknown, place: string][] = [
  ['qubo/baseline', { ...QUBO, more: 1 }, 'body.more'],
  ['qubo/baseline', qubo({ more: 1 }), 'body.problem.more'],
  ['qubo/baseline', qubo({ kind: 'ISING' }), 'body.problem.kind'],
  ['qubo/baseline', qubo({ variables: [] }), 'body.problem.variables'],
  ['qubo/baseline', qubo({ variables: names(513), linear: {}, quadratic: [] }), 'body.problem.variables'],
  ['qubo/baseline', qubo({ variables: ['x0', 'x1', 'x0'] }), 'body.problem.variables.2'],
  ['qubo/baseline', qubo({ variables: ['x0', 'x1', 'y'.repeat(65)] }), 'body.problem.variables.2'],
  ['qubo/baseline', qubo({ linear: { other: 1 } }), 'body.problem.linear.other'],
  ['qubo/baseline', qubo({ linear: { x0: 1.1e9 } }), 'body.problem.linear.x0'],
  ['qubo/baseline', qubo({ offset: -1.1e9 }), 'body.problem.offset'],
  ['qubo/baseline', qubo({ quadratic: [pair('x0', 'x0')] }), 'body.problem.quadratic.0'],
  ['qubo/baseline', qubo({ quadratic: [pair('x0', 'x1'), pair('x1', 'x0')] }), 'body.problem.quadratic.1'],
  ['qubo/baseline', qubo({ quadratic: [pair('x0', 'zz')] }), 'body.problem.quadratic.0.right'],
  ['qubo/baseline', qubo({ quadratic: [pair('x0', 'x1', '1')] }), 'body.problem.quadratic.0.coefficient'],
  ['qubo/baseline', qubo({ quadratic: [{ ...pair('x0', 'x1'), more: 1 }] }), 'body.problem.quadratic.0.more'],
  ['qubo/baseline', { ...QUBO, work_budget: 999 }, 'body.work_budget'],
  ['qubo/baseline', { ...QUBO, work_budget: 33_554_433 }, 'body.work_budget'],
  ['qubo/baseline', { ...QUBO, seed: -1 }, 'body.seed'],
  ['hamiltonian/shot-plan', plan({ qubit_count: 0 }), 'body.hamiltonian.qubit_count'],
  ['hamiltonian/shot-plan', plan({ qubit_count: 129 }), 'body.hamiltonian.qubit_count'],
  ['hamiltonian/shot-plan', plan({ qubit_count: 3 }), 'body.hamiltonian.terms.0.pauli'],
  ['hamiltonian/shot-plan', plan({ terms: [] }), 'body.hamiltonian.terms'],
  ['hamiltonian/shot-plan', term({ pauli: 'XA' }), 'body.hamiltonian.terms.0.pauli'],
  ['hamiltonian/shot-plan', term({ prior_expectation: 1.01 }), 'body.hamiltonian.terms.0.prior_expectation'],
  ['hamiltonian/shot-plan', term({ declared_priority: 1001 }), 'body.hamiltonian.terms.0.declared_priority'],
  ['hamiltonian/shot-plan', plan({}, { shot_budget: 0 }), 'body.shot_budget'],
  ['hamiltonian/shot-plan', plan({}, { shot_budget: 1 }), 'body.shot_budget'],
  ['hamiltonian/shot-plan', plan({}, { shot_budget: 1e9 + 1 }), 'body.shot_budget'],
  ['hamiltonian/shot-plan', plan({}, { target_standard_error: 1 }), 'body.shot_budget'],
  ['hamiltonian/shot-plan', plan({}, { grouping: 'fast' }), 'body.grouping'],
  ['counterfactual/score', { ...SCORE_EXAMPLE, baseline_candidate_id: 'none' }, 'body.baseline_candidate_id'],
  ['counterfactual/score', { ...SCORE_EXAMPLE, candidates: [] }, 'body.candidates'],
  ['counterfactual/score', { ...SCORE_EXAMPLE, environment: {} }, 'body.environment'],
  ['counterfactual/score', score({ value: 10 }), 'body.candidates.0.inputs.bounded_value_usd.value'],
  ['counterfactual/score', score({ value: '-1' }), 'body.candidates.0.inputs.bounded_value_usd.value'],
  ['counterfactual/score', score({ value: '1e3' }), 'body.candidates.0.inputs.bounded_value_usd.value'],
  ['counterfactual/score', score({ low: '11' }), 'body.candidates.0.inputs.bounded_value_usd.low'],
  ['counterfactual/score', score({ basis: 'RECEIPTED' }), 'body.candidates.0.inputs.bounded_value_usd.basis'],
  ['claim/rupture-gate', { ...CLAIM_EXAMPLE, environment: {} }, 'body.environment'],
  ['claim/rupture-gate', { ...CLAIM_EXAMPLE, utility_margin: { value_usd: 'many' } }, 'body.utility_margin.value_usd'],
  ['receipt/replay', { ...RECEIPT_EXAMPLE, more: 1 }, 'body.more'],
  ['receipt/replay', { ...RECEIPT_EXAMPLE, operation: 'receipt/replay' }, 'body.operation'],
  ['receipt/replay', { ...RECEIPT_EXAMPLE, effectors: 1 }, 'body.effectors'],
]
for (const [path, body, place] of faults)
  test(`${path} refuses ${JSON.stringify(body).slice(-70)} at ${place}`, async () => {
    const before = await ledgerSize()
    const { status, json } = await ask(path, body)
    assert.equal(status, 422, JSON.stringify(json).slice(0, 300))
    assert.equal(json.detail[0].loc.join('.').slice(0, place.length), place, JSON.stringify(json.detail[0]))
    assert.equal(await ledgerSize(), before)
  })

test('the bounds themselves are taken', async () => {
  const most = { kind: 'QUBO', problem_id: 'p'.repeat(128), variables: names(512), linear: { v0: 1e9, v1: -1e9 } }
  const { status, json } = await ask('qubo/baseline', { problem: most, work_budget: 1000, seed: 2_147_483_647 })
  assert.deepEqual([status, json.result?.objective], [200, -1e9], JSON.stringify(json).slice(0, 300))
  const one = await ask('hamiltonian/shot-plan', plan({}, { shot_budget: 2 }))
  assert.deepEqual([one.status, one.json.result.shots_allocated], [200, 2])
  const wide = [{ term_id: 't', pauli: 'Y'.repeat(128), coefficient: -1e9 }]
  const long = await ask('hamiltonian/shot-plan', plan({ qubit_count: 128, terms: wide }, { shot_budget: 1e9 }))
  assert.deepEqual([long.status, long.json.result.groups[0].rotation.length], [200, 128])
})

test('names that pollute objects elsewhere are names here, or refused, and nothing else', async () => {
  for (const name of ['constructor', 'toString', 'hasOwnProperty']) {
    const { status, json } = await ask('qubo/baseline', {
      problem: { kind: 'QUBO', problem_id: 'p', variables: [name, 'b'], linear: { b: -1 } },
    })
    assert.deepEqual([status, json.result.assignment[name], json.result.objective], [200, 0, -1])
  }
  const { status } = await post(
    `${service.url}${P}/qubo/baseline`,
    '{"problem":{"kind":"QUBO","problem_id":"p","variables":["__proto__"],"linear":{"__proto__":-1}}}',
  )
  assert.ok(status === 200 || status === 422, String(status))
  assert.equal(({} as Record<string, unknown>).linear, undefined)
})

test('a body over its limit is refused before it is read, and one with a receipt may be longer', async () => {
  const random = lehmer(3)
  const terms = Array.from({ length: 1500 }, (_, at) => ({
    ...{ term_id: `term-${at}`, coefficient: random() },
    pauli: Array.from({ length: 128 }, () => 'IXYZ'[Math.floor(random() * 4)]).join(''),
  }))
  assert.equal((await ask('hamiltonian/shot-plan', plan({ qubit_count: 128, terms }))).status, 413)
  const padded = { ...RECEIPT_EXAMPLE, input: { ...RECEIPT_EXAMPLE.input, padding: 'x'.repeat(400_000) } }
  assert.equal((await ask('receipt/replay', padded)).status, 200)
  const over = { ...RECEIPT_EXAMPLE, input: { padding: 'x'.repeat(1_100_000) } }
  assert.equal((await ask('receipt/replay', over)).status, 413)
})

test('what the compute pool refuses is refused by its own code, and nothing is recorded', async (t) => {
  const port = service.app.ports.quantumUtility
  const original = { ...port }
  t.after(() => Object.assign(port, original))
  const before = await ledgerSize()
  for (const [error, code] of [
    [new ComputeError('queue_full', 'full'), 'compute_busy'],
    [new ComputeError('deadline_exceeded', 'late'), 'compute_timeout'],
  ] as const) {
    const refuse = () => Promise.reject(error)
    Object.assign(port, { compute: refuse, replay: refuse, timeBaseline: refuse })
    for (const path of POSTS) {
      const { status, json, headers } = await ask(path)
      assert.deepEqual([status, json.error.code], [503, code])
      assert.equal(headers['retry-after'], code === 'compute_busy' ? '1' : undefined)
    }
  }
  assert.equal(await ledgerSize(), before)
})

test('an Idempotency-Key brings the same answer back and solves nothing twice', async (t) => {
  const port = service.app.ports.quantumUtility
  const { compute } = port
  t.after(() => Object.assign(port, { compute }))
  let runs = 0
  port.compute = (...of) => {
    runs += 1
    return compute(...of)
  }
  const key = { 'idempotency-key': 'quantum-1' }
  const [first, again] = [await ask('qubo/baseline', QUBO, key), await ask('qubo/baseline', QUBO, key)]
  assert.deepEqual([first.text === again.text, runs], [true, 1])
  assert.equal((await ask('qubo/baseline', { ...QUBO, seed: 1 }, key)).status, 409)
})

test('health is answered turn by turn while a QUBO of 24 variables and a training at its cap keep the workers busy', async () => {
  const loop = countTurns()
  const leave = new AbortController()
  const pending = new Set(['qubo', 'training'])
  const settled = <T>(name: string, work: Promise<T>): Promise<T> => work.finally(() => pending.delete(name))
  const solving = settled('qubo', ask('qubo/baseline', { problem: randomProblem(24, 1, 100, 5) }))
  const training = settled(
    'training',
    fetch(`${service.url}/api/orch/v1/interpretability/features?d_model=16&n_features=585&batch=64`, {
      signal: leave.signal,
    }),
  )
  const left = assert.rejects(training, { name: 'AbortError' })
  /** Answers of health, one after the other, while both of the work is under way and no further than asked. */
  const answeredWhile = async (name: string, atMost: number) => {
    const before = loop.turns()
    let answered = 0
    while (pending.has(name) && answered < atMost) {
      assert.equal((await send(`${service.url}/healthz`)).status, 200)
      if (pending.has(name)) answered += 1
    }
    return { answered, turns: loop.turns() - before }
  }
  // A thread that computes for half a second and more: were it this one, it would turn a handful of times.
  const concurrent = await answeredWhile('qubo', 40)
  assert.ok(concurrent.answered >= 20 && concurrent.turns >= concurrent.answered, JSON.stringify(concurrent))
  const { json } = await solving
  assert.deepEqual([json.result.certified, json.result.work.states], [true, 2 ** 24])
  const after = await answeredWhile('training', 20)
  assert.equal(after.answered, 20)
  leave.abort()
  await left
  loop.stop()
})

/** Counts the turns of this process's event loop, in which the service answers. */
function countTurns() {
  let turns = 0
  let running = true
  const turn = () => {
    turns += 1
    if (running) setImmediate(turn)
  }
  setImmediate(turn)
  return {
    turns: () => turns,
    stop: () => {
      running = false
    },
  }
}
