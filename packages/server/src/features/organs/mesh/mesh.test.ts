import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import fc from 'fast-check'
import { docQuestion } from '#testing/organs/doc-question.ts'
import { testCompute } from '#testing/organs/live-gates.ts'
import { countTurns } from '#testing/organs/loop-turns.ts'
import { tryOrgan } from '#testing/organs/try-organ.ts'
import { InputError } from '../../../errors.ts'
import { mesh } from './organ.ts'
import type { MeshModel, MeshNode } from './plan.ts'

const compute = testCompute(after)
const organ = mesh({ compute })
const ask = async (body: Record<string, unknown>) => (await tryOrgan(organ, body)).answer
const plan = async (body: Record<string, unknown>) => (await ask(body)).result
const faultsOf = (body: Record<string, unknown>): Promise<string[]> =>
  tryOrgan(organ, body).then(
    () => [],
    (error) => {
      assert.ok(error instanceof InputError, String(error))
      return error.detail.map(({ loc }) => loc.slice(1).join('.'))
    },
  )
const node = (id: string, more: object = {}) => ({
  ...{ id, mem_gb: 24, tflops: 50, mem_bw_gbs: 1000, net_mbps: 1000, rtt_ms: 1, ...more },
})
const model = { layers: 40, gb_per_layer: 1, gflop_per_layer: 1, hidden: 4096 }

test('the question of the page has the reply of the page', async () => {
  const { request, shows } = docQuestion('n17')
  assert.partialDeepStrictEqual((await ask(request)).result, shows)
})

test('the example is the golden one', async () => {
  const { result, result_sha256 } = await ask({})
  assert.deepEqual([result.verdict, result.single_node_best], ['MESH', null])
  assert.equal(result_sha256, GOLDEN)
})
const GOLDEN = '587fefb4a90846e2e6da23f317868db5ffb393f10e3189bd01f6eaa178a8d7e7'

test('two machines by hand', async () => {
  // A layer takes 1 ms to read at 1000 GB/s. A hop takes 0.5 ms and 2*4096*8 bits at 1 Gbit/s, 0.065536 ms.
  const result = await plan({ nodes: [node('a'), node('b')], model, tokens: 10 })
  assert.deepEqual([result.verdict, result.ttft_ms, result.run_ms], ['MESH', 40.565536, 405.65536])
  assert.deepEqual([result.needed_gb, result.usable_gb, result.return_ms], [40, 48, 0.5])
  const layers = result.split.map(({ node: id, first, last }: Record<string, unknown>) => [id, first, last])
  assert.deepEqual([layers[0][1], layers[1][2], layers[1][1] - layers[0][2]], [0, 39, 1])
  const wide = await plan({ nodes: [node('a'), node('b')], model, tokens: 10, objective: 'throughput' })
  assert.deepEqual(
    [wide.tokens_per_s, wide.bottleneck, wide.run_ms],
    [50, { kind: 'stage', node: 'a', ms: 20 }, 220.565536],
  )
  // Where computing is slower than reading, it decides: 1 GFLOP at 0.5 TFLOPS takes 2 ms.
  const slow = await plan({ nodes: [node('a', { mem_gb: 99, tflops: 0.5 })], model })
  assert.equal(slow.ttft_ms, 80)
})

test('a model that fits one machine stays there where the others are far away, for either aim', async () => {
  const nodes = [node('a', { rtt_ms: 200 }), node('b', { mem_gb: 80, rtt_ms: 200 }), node('c', { rtt_ms: 200 })]
  for (const objective of ['latency', 'throughput']) {
    const result = await plan({ nodes, model, objective })
    assert.deepEqual([result.verdict, result.split.length, result.split[0].node], ['SINGLE_NODE', 1, 'b'])
    assert.equal(result.tokens_per_s, result.single_node_best.tokens_per_s)
  }
  // Next to each other they make more tokens a second together, though no single one sooner.
  const near = nodes.map((one) => ({ ...one, rtt_ms: 0.1 }))
  assert.equal((await plan({ nodes: near, model })).verdict, 'SINGLE_NODE')
  assert.equal((await plan({ nodes: near, model, objective: 'throughput' })).verdict, 'MESH')
})

test('what does not fit is a result, with what is needed and what there is', async () => {
  const { result, status, ok } = await ask({ nodes: [node('a'), node('b', { mem_gb: 15.9 })], model })
  assert.deepEqual([status, ok, result.verdict, result.fits, result.split], ['EXECUTED', true, 'NO_FIT', false, []])
  assert.deepEqual([result.needed_gb, result.usable_gb, result.tokens_per_s], [40, 39, null])
  assert.equal((await plan({ nodes: [node('a'), node('b', { mem_gb: 16 })], model })).verdict, 'MESH')
  // 24/1.2 is 20 layers, and 70 of them need 84 of 96 GB.
  const nodes = [24, 24, 48].map((mem_gb, at) => node(`n${at}`, { mem_gb }))
  assert.equal((await plan({ nodes, model: { ...model, layers: 80, gb_per_layer: 1.2 } })).verdict, 'MESH')
})

const quantity = (...values: number[]) => fc.constantFrom(...values)
const someNode = fc.record({
  mem_gb: quantity(0.5, 1, 2, 3, 5, 9, 12),
  tflops: fc.double({ min: 0.05, max: 4, noNaN: true }),
  mem_bw_gbs: fc.double({ min: 20, max: 2000, noNaN: true }),
  net_mbps: quantity(10, 100, 1000),
  rtt_ms: quantity(0, 0.2, 2, 20, 200),
})
const someNodes = (max: number) =>
  fc
    .array(someNode, { minLength: 1, maxLength: max })
    .map((list) => list.map((one, at): MeshNode => ({ id: `n${at}`, ...one })))
const someModel = fc.record({
  layers: fc.integer({ min: 1, max: 12 }),
  gb_per_layer: quantity(0.4, 0.5, 1),
  gflop_per_layer: quantity(0.1, 1, 5),
  hidden: quantity(16, 4096, 20_000),
})

/** Every way to cut the layers over the nodes in order, by the formulas of the contract. */
function bruteForce(nodes: readonly MeshNode[], { layers, gb_per_layer, gflop_per_layer, hidden }: MeshModel) {
  let [sum, max] = [Infinity, Infinity]
  const visit = (at: number, left: number, parts: readonly number[]): void => {
    if (left === 0) {
      sum = Math.min(
        sum,
        parts.reduce((a, b) => a + b, 0),
      )
      max = Math.min(max, Math.max(...parts))
      return
    }
    const one = nodes[at]
    if (one === undefined) return
    visit(at + 1, left, parts)
    for (let count = 1; count <= left && count * gb_per_layer <= one.mem_gb + 1e-9; count += 1) {
      const seconds = Math.max((count * gb_per_layer) / one.mem_bw_gbs, (count * gflop_per_layer) / (one.tflops * 1000))
      const hop = one.rtt_ms / 2000 + (2 * hidden) / ((one.net_mbps * 1e6) / 8)
      visit(at + 1, left - count, [...parts, ...(parts.length === 0 ? [] : [hop * 1000]), seconds * 1000])
    }
  }
  visit(0, layers, [])
  return { sum, max }
}

test('the dynamic programme finds what brute force finds: 500 cases of up to 8 nodes and 12 layers, both aims', async () => {
  const seen = { MESH: 0, SINGLE_NODE: 0, NO_FIT: 0 }
  await fc.assert(
    fc.asyncProperty(someNodes(8), someModel, async (nodes, of) => {
      const { sum, max } = bruteForce(nodes, of)
      const [soon, wide] = [await plan({ nodes, model: of }), await plan({ nodes, model: of, objective: 'throughput' })]
      seen[soon.verdict as keyof typeof seen] += 1
      assert.equal(soon.fits, Number.isFinite(sum))
      assert.equal(wide.fits, soon.fits)
      if (!soon.fits) return
      assert.ok(Math.abs(soon.ttft_ms - sum) <= 1e-6 + 1e-9 * sum, `${soon.ttft_ms} ${sum}`)
      assert.ok(Math.abs(wide.tokens_per_s * max - 1000) <= 1e-3 * max + 1e-6, `${wide.tokens_per_s} ${max}`)
      for (const { split } of [soon, wide]) {
        assert.deepEqual([split[0].first, split.at(-1).last], [0, of.layers - 1])
        for (const [at, { node: id, first, last }] of split.entries()) {
          if (at > 0) assert.equal(first, split[at - 1].last + 1)
          assert.ok((last - first + 1) * of.gb_per_layer <= nodes.find((one) => one.id === id)!.mem_gb + 1e-9)
        }
      }
    }),
    { seed: 17, numRuns: 500 },
  )
  console.log(JSON.stringify(seen))
  assert.ok(Math.min(...Object.values(seen)) >= 20, JSON.stringify(seen))
})

test('one more node never makes a plan worse, wherever it stands', async () => {
  await fc.assert(
    fc.asyncProperty(someNodes(7), someNode, fc.nat(7), someModel, async (nodes, extra, at, of) => {
      const more = nodes.toSpliced(Math.min(at, nodes.length), 0, { id: 'extra', ...extra })
      for (const objective of ['latency', 'throughput'] as const) {
        const [before, after] = [
          await plan({ nodes, model: of, objective }),
          await plan({ nodes: more, model: of, objective }),
        ]
        if (before.fits) assert.ok(after.tokens_per_s >= before.tokens_per_s * (1 - 1e-9))
      }
    }),
    { seed: 17, numRuns: 200 },
  )
})

test('availability is 1 without churn, and within three standard errors of theory with it', async () => {
  const off = await ask({ nodes: [node('a'), node('b')], model })
  assert.deepEqual(off.result.availability, { value: 1, low: 1, high: 1, expected: 1 })
  assert.deepEqual(
    off.limits.map(({ code }: { code: string }) => code),
    ['RETURN_PATH', 'CHURN_OFF'],
  )
  const nodes = [node('a', { mtbf_s: 200 }), node('b', { mtbf_s: 300 }), node('idle', { mtbf_s: 1, rtt_ms: 900 })]
  let [quiet, seeds] = [0, 10]
  for (let seed = 1; seed <= seeds; seed += 1) {
    const { availability, run_ms, split } = await plan({ nodes, model, tokens: 1000, trials: 500, seed })
    assert.deepEqual(
      split.map((stage: { node: string }) => stage.node),
      ['a', 'b'],
    )
    const expected = Math.exp(-run_ms / 200_000) * Math.exp(-run_ms / 300_000)
    assert.ok(Math.abs(availability.expected - expected) < 1e-6)
    assert.ok(Math.abs(availability.value - expected) <= 3 * Math.sqrt((expected * (1 - expected)) / 500))
    assert.ok(availability.low <= availability.value && availability.value <= availability.high)
    quiet += availability.value * 500
  }
  console.log(`5000 trials: ${quiet / 5000}, theory ${Math.exp(-40.565536 / 200 - 40.565536 / 300)}`)
})

test('a failure costs loading what is missing and the tokens so far once more; without spares the run is lost', async () => {
  // b holds 16 of 40 layers and fails; its twin c loads them: 16 GB at 1 Gbit/s are 128 s.
  const sure = { nodes: [node('a'), node('b', { mtbf_s: 1 }), node('c')], model, tokens: 1000, trials: 50 }
  const [few] = [await plan({ ...sure, nodes: [node('a'), node('b', { mtbf_s: 1 })] })]
  assert.equal(few.replan_cost.lost, few.replan_cost.interrupted)
  assert.equal(few.replan_cost.mean_extra_ms, null)
  const nodes = [node('a', { mem_gb: 24 }), node('b', { mem_gb: 16, mtbf_s: 1 }), node('c', { mem_gb: 16, rtt_ms: 4 })]
  const { replan_cost, availability } = await plan({ ...sure, nodes })
  assert.deepEqual([replan_cost.interrupted, replan_cost.lost, replan_cost.mean_replans], [50, 0, 1])
  assert.deepEqual([availability.value, availability.low], [0, 0])
  // Beyond the load: 1000 tokens each at most 1.5 ms dearer, and one pass over what was there.
  assert.ok(
    replan_cost.mean_extra_ms > 128_000 && replan_cost.mean_extra_ms < 128_000 + 2500,
    String(replan_cost.mean_extra_ms),
  )
})

const same = async (prompt: string, request: Record<string, unknown>) => {
  const [said, written] = [await ask({ prompt }), await ask(request)]
  assert.equal(said.status, 'EXECUTED', prompt)
  assert.deepEqual([said.input_sha256, said.result_sha256], [written.input_sha256, written.result_sha256], prompt)
  return said
}

test('a prompt has the digests of its written-out form, and its profile is echoed in the assumptions', async () => {
  const nodes = [24, 24, 48].map((mem_gb, at) => ({ id: `n${at + 1}`, mem_gb }))
  const request = { nodes, model: { layers: 70, gb_per_layer: 1.2 }, profile: 'lan' }
  const said = await same('70 layers 1.2 GB on 24,24,48 profile lan', request)
  assert.match(said.evidence.assumptions.at(-1), /^profile lan.* 1000 Mbit\/s and 0.5 ms .* 936 GB\/s and 71 TFLOPS/)
  assert.equal(said.result.verdict, 'MESH')
  // The figures of the profile, written out: sqrt(1.2e9/24) is 7071.
  const figures = { mem_bw_gbs: 936, tflops: 71, net_mbps: 1000, rtt_ms: 0.5 }
  const written = {
    nodes: nodes.map((one) => ({ ...one, ...figures })),
    model: { ...request.model, gflop_per_layer: 1.2, hidden: 7071 },
  }
  assert.equal((await ask(written)).result_sha256, said.result_sha256)
  await same('70 Layers, profile wan; 1.2GB each, on 24, 24, 48 GB.', { ...request, profile: 'wan' })
  await same('2000 tokens of 70 layers 1.2 GB on 24GB,24GB,48GB profile lan', { ...request, tokens: 2000 })
  await same('profile wan throughput 70 layers 1.2 GB on 96', {
    ...{ nodes: [{ id: 'n1', mem_gb: 96 }], model: request.model, profile: 'wan', objective: 'throughput' },
  })
})

test('a prompt that lacks a number says which, and nothing is made up', async () => {
  const missing = async (prompt: string) => {
    const { status, ok, result } = await ask({ prompt })
    assert.deepEqual([status, ok], ['NEEDS_INPUT', false], prompt)
    return result.missing.map(({ field }: { field: string }) => field)
  }
  assert.deepEqual(await missing('hello'), ['model.layers', 'model.gb_per_layer', 'nodes', 'profile'])
  assert.deepEqual(await missing('70 layers 1.2 GB on 24,24,48'), ['profile'])
  assert.deepEqual(await missing('70 layers 1.2 GB on 24 profile metro'), ['profile'])
  assert.deepEqual(await missing('201 layers 1.2 GB on 24 profile lan'), ['model.layers'])
  assert.deepEqual(await missing('70 layers 1.2 GB on 24 profile lan 2049 tokens'), ['tokens'])
  assert.deepEqual(await missing('70 layers 80 layers 1.2 GB on 24 profile lan'), ['model.layers'])
  assert.deepEqual(await missing('70 layers -1 GB on 24,,48 profile lan'), ['model.gb_per_layer', 'prompt'])
  assert.deepEqual(await missing(`70 layers 1 GB on ${'8,'.repeat(32)}8 profile lan`), ['nodes'])
})

test('no machine, number or unit of a prompt is left out in silence', async () => {
  const nodes = [24, 24, 48].map((mem_gb, at) => ({ id: `n${at + 1}`, mem_gb }))
  const request = { nodes, model: { layers: 70, gb_per_layer: 1.2 }, profile: 'lan' }
  for (const prompt of [
    '70  layers 1.2 GB on 24, 24  and 48 profile lan',
    '70 layers 1.2 GB on 24 and 24 and 48 GB, profile lan',
    'profile lan on 24,24,48 70 layers 1.2 GB',
    'profile LAN on 24 GB + 24 GB + 48 GB; 70-layer 1.2 GB each',
    '1.2 GB, 70 layers\non 24, 24, and 48\nprofile lan',
  ])
    await same(prompt, request)
  for (const [prompt, words] of [
    ['70 layers 1.2 GB on 24 24 48 profile lan', '24 48'],
    ['70 layers 1.2 GB on 24,24,48 MB profile lan', '24,24,48 MB'],
    ['70 layers 1.2 GB on 4 machines profile lan', '4'],
    ['70 layers 1.2 GB on 24 and 48 machines profile lan', '48'],
    ['70 layers 1.2 GB on 24,24,48 profile lan rtt 10 ms', '10 ms'],
    ['70 layers 1.2 GB on 2x24,48 profile lan', '2x24,48'],
    ['70 layers 1.2 GB on 24,-48 profile lan', '24,-48'],
    ['70 layers 1.2 GB on 24,48 profile lan and 48', '48'],
  ] as const) {
    const { status, result } = await ask({ prompt })
    assert.deepEqual([status, result.missing.at(-1).field], ['NEEDS_INPUT', 'prompt'], prompt)
    assert.equal(result.missing.at(-1).type, `not understood: ${words}`, prompt)
  }
})

test('any words are planned or asked about', async () => {
  const words = fc.constantFrom(
    '70',
    'layers',
    '1.2',
    'GB',
    'on',
    '24,24',
    '48',
    'profile',
    'lan',
    '0',
    '-1',
    '9GB',
    ',',
    '1e9',
  )
  await fc.assert(
    fc.asyncProperty(fc.array(words, { minLength: 1, maxLength: 14 }), async (parts) => {
      assert.ok(['EXECUTED', 'NEEDS_INPUT'].includes((await ask({ prompt: parts.join(' ') })).status))
    }),
    { seed: 17, numRuns: 300 },
  )
})

test('bounds are accepted at their ends and refused beyond, at their place', async () => {
  const of = (more: object) => faultsOf({ nodes: [node('a', more)], model })
  const bounds: [string, number, number][] = [
    ['mem_gb', 1e-6, 1e6],
    ['tflops', 1e-6, 1e6],
    ['mem_bw_gbs', 1e-6, 1e6],
    ['net_mbps', 1e-6, 1e6],
    ['rtt_ms', 0, 1e5],
    ['mtbf_s', 1e-6, 1e12],
  ]
  for (const [field, low, high] of bounds) {
    for (const value of [low, high]) assert.deepEqual(await of({ [field]: value }), [], field)
    for (const value of [low - 1e-7, -1, high * 1.000001])
      assert.deepEqual(await of({ [field]: value }), [`nodes.0.${field}`])
  }
  const top: [string, number, number][] = [
    ['tokens', 1, 2048],
    ['trials', 1, 500],
  ]
  for (const [field, low, high] of top) {
    for (const value of [low, high]) assert.deepEqual(await faultsOf({ nodes: [node('a')], model, [field]: value }), [])
    for (const value of [low - 1, high + 1])
      assert.deepEqual(await faultsOf({ nodes: [node('a')], model, [field]: value }), [field])
  }
  const layers = (count: number) => faultsOf({ nodes: [node('a')], model: { ...model, layers: count } })
  assert.deepEqual([await layers(1), await layers(200)], [[], []])
  assert.deepEqual([await layers(0), await layers(201)], [['model.layers'], ['model.layers']])
  const many = (count: number) => faultsOf({ nodes: Array.from({ length: count }, (_, at) => node(`n${at}`)), model })
  assert.deepEqual([await many(32), await many(33), await many(0)], [[], ['nodes'], ['nodes']])
  assert.deepEqual(await faultsOf({ nodes: [node('a'), node('a')], model }), ['nodes.1.id'])
  assert.deepEqual(await faultsOf({ nodes: [{ id: 'a', mem_gb: 1 }], model: { layers: 1, gb_per_layer: 1 } }), [
    ...['nodes.0.tflops', 'nodes.0.mem_bw_gbs', 'nodes.0.net_mbps', 'nodes.0.rtt_ms'],
    ...['model.gflop_per_layer', 'model.hidden'],
  ])
})

test('the largest legal request, with a failure every moment, is planned in a worker and leaves the loop free', async () => {
  const nodes = Array.from({ length: 32 }, (_, at) =>
    node(`n${at}`, { mem_gb: 7 + at, mtbf_s: 1 + at, rtt_ms: at % 5 }),
  )
  for (const objective of ['latency', 'throughput']) {
    const body = { nodes, model: { ...model, layers: 200 }, trials: 500, tokens: 2048, objective }
    const { value, turns } = await countTurns(() => ask(body))
    assert.deepEqual([value.status, value.result.replan_cost.interrupted], ['EXECUTED', 500])
    assert.ok(value.result.replan_cost.mean_replans > 1)
    assert.ok(turns > 3, `the loop turned ${turns} times`)
    assert.ok(compute.longestJobMs < 4500, `${compute.longestJobMs} ms of processor time`)
  }
})

test('numbers at the ends of their bounds stay finite', async () => {
  const least = { mem_gb: 1e6, tflops: 1e-6, mem_bw_gbs: 1e-6, net_mbps: 1e-6, rtt_ms: 1e5, mtbf_s: 1e-6 }
  const heavy = { layers: 200, gb_per_layer: 5000, gflop_per_layer: 1e6, hidden: 1_000_000 }
  const nodes = [node('a', least), node('b', least), node('c', { ...least, mtbf_s: 1e12 })]
  for (const objective of ['latency', 'throughput'])
    assert.equal((await ask({ nodes, model: heavy, tokens: 2048, objective })).status, 'EXECUTED')
})
