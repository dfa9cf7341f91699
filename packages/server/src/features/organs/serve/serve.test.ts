import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import fc from 'fast-check'
import { docQuestion } from '#testing/organs/doc-question.ts'
import { testCompute } from '#testing/organs/live-gates.ts'
import { countTurns } from '#testing/organs/loop-turns.ts'
import { tryOrgan } from '#testing/organs/try-organ.ts'
import { countTokens } from '../../../adapters/models/tokens.ts'
import { InputError } from '../../../errors.ts'
import { randomStream } from '../random.ts'
import { type Arrival, type Server, serve as serveLoad } from './batching.ts'
import { serve } from './organ.ts'

type Needs = Parameters<typeof serve>[0]
const allow = async () => ({ action: 'allow' as const, findings: [], faults: [] })
const upstreams: Needs['upstreams'] = {
  targets: () => [],
  complete: async () => ({ ok: false, code: 'MODEL_ABSENT', status: null }),
}
const compute = testCompute(after)
const organ = serve({ compute, upstreams, countTokens, screen: allow, askUpstream: null })
const ask = async (body: Record<string, unknown>, on = organ) => (await tryOrgan(on, body)).answer
const faultsOf = (body: Record<string, unknown>): Promise<string[]> =>
  tryOrgan(organ, body).then(
    () => [],
    (error) => {
      assert.ok(error instanceof InputError, String(error))
      return error.detail.map(({ loc }) => loc.slice(1).join('.'))
    },
  )
const server = { prefill_tps: 1000, decode_tps: 100, slowdown: 0, max_batch: 1, kv_blocks: 1000 }
const body = (more: object = {}) => ({
  workload: [{ arrive_ms: 0, prompt_tokens: 8, output_tokens: 2 }],
  server,
  ...more,
})
const withServer = (more: object) => body({ server: { ...server, ...more } })

test('the question of the page has the reply of the page', async () => {
  const { request, shows } = docQuestion('n1')
  assert.partialDeepStrictEqual((await ask(request)).result, shows)
})

test('the example is the golden one', async () => {
  const { result, result_sha256, evidence } = await ask({})
  assert.equal(result_sha256, GOLDEN)
  assert.equal(result.slo_attainment, 1)
  assert.deepEqual([evidence.seed, evidence.simulator], [42, 'orch.organ.N1'])
})
const GOLDEN = '494c8eaab00cc9eda6362d6559ebd6c95bc4fe47aec905875cf39f7ac5796f95'

test('with a batch of 1 and a fixed service every wait is that of the Lindley recursion, exactly', async () => {
  // Eighths of a millisecond, so that sums of them are exact: 125 tokens at 1000 a second and 2 steps of 10 ms are 145 ms.
  const random = randomStream({ organ: 'test', version: '1', op: 'lindley', seed: 1 })
  let clock = 0
  const workload = Array.from({ length: 500 }, () => {
    clock += Math.round(random.exponential(160) * 8) / 8
    return { arrive_ms: clock, prompt_tokens: 125, output_tokens: 2 }
  })
  const { result } = await ask({ workload, server })
  let wait = 0
  for (const [at, request] of result.requests.entries()) {
    const gap = at === 0 ? Infinity : workload[at]!.arrive_ms - workload[at - 1]!.arrive_ms
    wait = Math.max(0, wait + 145 - gap)
    assert.equal(request.wait_ms, at === 0 ? 0 : wait, `request ${at}`)
    assert.equal(request.end_ms - request.start_ms, 145)
    assert.equal(request.first_token_ms - request.start_ms, 135)
  }
  assert.ok(result.queue_peak > 2)
})

// Pollaczek-Khinchine for a constant service: W = rho*D / (2*(1 - rho)).
for (const [rate, wait, within] of [
  [5, 50, 0.03],
  [8, 200, 0.05],
] as const)
  test(`M/D/1: ${rate} rps and 100 ms of service wait ${wait} ms on average`, async () => {
    const means: number[] = []
    for (let seed = 1; seed <= 20; seed += 1) {
      const workload = { rate_rps: rate, n: 20_000, prompt_tokens: 90, output_tokens: 1 }
      means.push((await ask({ workload, server, seed })).result.wait_ms.mean)
    }
    const mean = means.reduce((sum, one) => sum + one, 0) / means.length
    console.log(`M/D/1 at ${rate} rps: ${mean.toFixed(2)} ms, theory ${wait} ms`)
    assert.ok(Math.abs(mean / wait - 1) <= within, String(mean))
  })

test('a saturated batch makes as many tokens a second as theory says', async () => {
  // 32 sequences a step, each step (1 + 0.05*31)/100 s: 32/0.0255 = 1254.9 tokens/s while the batch is full.
  const workload = Array.from({ length: 320 }, () => ({ arrive_ms: 0, prompt_tokens: 1, output_tokens: 100 }))
  const fast = { prefill_tps: 1e6, decode_tps: 100, slowdown: 0.05, max_batch: 32, kv_blocks: 10_000 }
  const { result } = await ask({ workload, server: fast })
  assert.ok(Math.abs(result.tokens_per_s - 1254.9) < 0.5, String(result.tokens_per_s))
  assert.deepEqual([result.mean_batch > 31.9, result.preemptions], [true, 0])
})

test('three sequences by hand: a preempted one comes back first, and its tokens are computed again', async () => {
  // Blocks of 1, 6 of them. a and b take 2 each; c waits for a block more than is left after the first step.
  const workload = ['a', 'b', 'c'].map(() => ({ arrive_ms: 0, prompt_tokens: 1, output_tokens: 4 }))
  const small = { prefill_tps: 1000, decode_tps: 1000, slowdown: 0, max_batch: 3, kv_blocks: 6, block_size: 1 }
  const { result } = await ask({ workload, server: small })
  // 0: all three are admitted (3 ms), one step (4). The next step needs 9 of 6 blocks: a takes c's, c goes; a and b have 3
  // each (5). The next needs 8: a takes b's, b goes; a alone 4 (6), 5 (7), and ends. Then b comes back with 1+2 tokens (3
  // ms) and c, which needs 3 blocks beside b's 4, does not fit. b makes 3 (11), 4 (12). c: 1+1 tokens (14), steps to 17.
  assert.deepEqual(
    result.requests.map(({ first_token_ms, end_ms, preemptions }: Record<string, number>) => [
      first_token_ms,
      end_ms,
      preemptions,
    ]),
    [
      [4, 7, 0],
      [4, 12, 1],
      [4, 17, 1],
    ],
  )
  assert.deepEqual([result.preemptions, result.kv_blocks_peak, result.conservation.recomputed_tokens], [2, 6, 5])
})

const someLoad = fc
  .array(
    fc.record({
      gap: fc.constantFrom(0, 0, 1, 7.5, 40, 400),
      prompt_tokens: fc.integer({ min: 1, max: 60 }),
      output_tokens: fc.integer({ min: 1, max: 40 }),
    }),
    { minLength: 1, maxLength: 40 },
  )
  .map((list) => {
    let clock = 3
    return list.map(({ gap, ...tokens }): Arrival => {
      clock += gap
      return { arrive_ms: clock, ...tokens }
    })
  })
const someServer = fc.record({
  prefill_tps: fc.integer({ min: 50, max: 5000 }),
  decode_tps: fc.integer({ min: 5, max: 500 }),
  slowdown: fc.constantFrom(0, 0.05, 1),
  max_batch: fc.integer({ min: 1, max: 12 }),
  kv_blocks: fc.integer({ min: 25, max: 60 }),
  block_size: fc.constantFrom(4, 7, 16),
})

test('work in is work out, and the law of Little holds: whatever arrives, in whatever batch', () => {
  let preempted = 0
  fc.assert(
    fc.property(someLoad, someServer, (load, on) => {
      const run = serveLoad(load, on as Server)
      const sum = (value: (request: Arrival, at: number) => number) => load.map(value).reduce((a, b) => a + b, 0)
      const close = (one: number, other: number) => assert.ok(Math.abs(one - other) <= 1e-9 * (1 + Math.abs(one)))
      preempted += run.preemptions.reduce((a, b) => a + b, 0)
      assert.ok(run.peakBlocks <= on.kv_blocks && run.peakBlocks > 0)
      assert.equal(
        run.outputTokens,
        sum(({ output_tokens }) => output_tokens),
      )
      assert.equal(
        run.prefillTokens - run.recomputedTokens,
        sum(({ prompt_tokens }) => prompt_tokens),
      )
      // Each step of k sequences takes (1 - s + s*k)/decode_tps.
      const steps = (1 - on.slowdown) * run.decodeSteps + on.slowdown * run.outputTokens
      close(run.busyMs, (run.prefillTokens * 1000) / on.prefill_tps + (steps * 1000) / on.decode_tps)
      for (const [at, { arrive_ms }] of load.entries()) {
        assert.ok(arrive_ms <= run.start[at]! && run.start[at]! < run.firstToken[at]!)
        assert.ok(run.firstToken[at]! <= run.end[at]!)
        if (at > 0) assert.ok(run.start[at]! >= run.start[at - 1]!, 'first come, first served')
      }
      // L = lambda*W over the whole run, whose horizon stands on both sides.
      close(
        run.inSystemMs,
        sum(({ arrive_ms }, at) => run.end[at]! - arrive_ms),
      )
      close(run.inSystemMs, run.waitingMs + run.runningMs)
    }),
    { seed: 1, numRuns: 400 },
  )
  assert.ok(preempted > 100, `${preempted} preemptions were met`)
})

/** The contract's sentences once more, in objects and without any of the organ's bookkeeping. */
function naive(load: readonly Arrival[], on: Server): { start: number; first: number; end: number }[] {
  const all = load.map((request) => ({ ...request, made: 0, blocks: 0, start: -1, first: -1, end: -1 }))
  type Sequence = (typeof all)[number]
  const needs = ({ prompt_tokens, made }: Sequence) => Math.ceil((prompt_tokens + made + 1) / on.block_size)
  const coming = [...all]
  const waiting: Sequence[] = []
  let [time, running]: [number, Sequence[]] = [0, []]
  const free = () => on.kv_blocks - running.reduce((sum, { blocks }) => sum + blocks, 0)
  while (all.some(({ end }) => end < 0)) {
    while (coming.length > 0 && coming[0]!.arrive_ms <= time) waiting.push(coming.shift()!)
    if (waiting.length + running.length === 0) {
      time = coming[0]!.arrive_ms
      continue
    }
    let prefill = 0
    while (waiting.length > 0 && running.length < on.max_batch && free() >= needs(waiting[0]!)) {
      const one = waiting.shift()!
      one.blocks = needs(one)
      if (one.start < 0) one.start = time
      prefill += one.prompt_tokens + one.made
      running.push(one)
    }
    time += (prefill * 1000) / on.prefill_tps
    for (const one of [...running]) {
      while (running.includes(one) && needs(one) > one.blocks && free() === 0) {
        const newest = running.pop()!
        newest.blocks = 0
        waiting.unshift(newest)
      }
      if (running.includes(one)) one.blocks = needs(one)
    }
    time += ((1 + on.slowdown * (running.length - 1)) * 1000) / on.decode_tps
    for (const one of running) {
      one.made += 1
      if (one.made === 1) one.first = time
      if (one.made === one.output_tokens) one.end = time
    }
    running = running.filter(({ end }) => end < 0)
  }
  return all
}

test('every request has the times of a plain simulation that shares no code', () => {
  fc.assert(
    fc.property(someLoad, someServer, (load, on) => {
      const run = serveLoad(load, on as Server)
      for (const [at, { start, first, end }] of naive(load, on as Server).entries()) {
        const found = [run.start[at]!, run.firstToken[at]!, run.end[at]!]
        for (const [which, time] of [start, first, end].entries())
          assert.ok(Math.abs(found[which]! - time) < 1e-6, `request ${at}: ${found} and ${[start, first, end]}`)
      }
    }),
    { seed: 1, numRuns: 300 },
  )
})

test('the reply carries what an engineer needs to check both laws', async () => {
  const { result } = await ask({})
  const { little, conservation, e2e_ms, horizon_ms } = result
  assert.ok(Math.abs(little.mean_in_system - (little.arrival_rps * e2e_ms.mean) / 1000) < 1e-4)
  assert.deepEqual([conservation.requests_out, conservation.output_tokens_out], [100, 6400])
  assert.equal(conservation.prefill_tokens, conservation.prompt_tokens_in + conservation.recomputed_tokens)
  assert.ok(Math.abs(result.tokens_per_s - (6400 * 1000) / horizon_ms) < 1e-3)
})

test('a sweep meets the arrivals of simulate, and names the smallest batch that meets the target', async () => {
  const workload = { rate_rps: 3, n: 300, prompt_tokens: 256, output_tokens: 64 }
  const on = { prefill_tps: 8000, decode_tps: 60, kv_blocks: 2048 }
  const slo = { ttft_ms: 400 }
  const { result } = await ask({ op: 'sweep', workload, server: on, slo, batches: [16, 1, 2, 4, 8] })
  for (const row of result.rows) {
    const alone = (await ask({ workload, server: { ...on, max_batch: row.max_batch }, slo })).result
    for (const name of ['ttft_ms', 'tpot_ms', 'e2e_ms', 'wait_ms', 'tokens_per_s', 'slo_attainment', 'goodput_rps'])
      assert.deepEqual(row[name], alone[name], `${name} of ${row.max_batch}`)
  }
  const good = result.rows.filter((row: { slo_attainment: number }) => row.slo_attainment >= 0.95)
  assert.equal(result.smallest_batch, Math.min(...good.map((row: { max_batch: number }) => row.max_batch)))
  assert.ok(result.smallest_batch > 1)
  const none = await ask({ op: 'sweep', workload, server: on, batches: [1, 2] })
  assert.deepEqual([none.result.smallest_batch, none.result.rows[0].slo_attainment], [null, null])
  assert.deepEqual(
    none.limits.map(({ code }: { code: string }) => code),
    ['UNSTABLE', 'NO_SLO'],
  )
})

test('the target counts each request by itself, and one token has no time between tokens', async () => {
  const workload = [
    { arrive_ms: 0, prompt_tokens: 10, output_tokens: 1 },
    { arrive_ms: 0, prompt_tokens: 10, output_tokens: 3 },
  ]
  const rate = async (slo: object) => (await ask({ workload, server, slo })).result
  // The first ends at 20 ms; the second has its first token at 40 and one every 10 ms.
  assert.equal((await rate({ ttft_ms: 20 })).slo_attainment, 0.5)
  assert.equal((await rate({ ttft_ms: 40, tpot_ms: 10 })).slo_attainment, 1)
  assert.equal((await rate({ tpot_ms: 9.999 })).slo_attainment, 0.5)
  const { tpot_ms, goodput_rps } = await rate({ ttft_ms: 40, tpot_ms: 10 })
  assert.deepEqual([tpot_ms.p50, goodput_rps], [10, 33.333333])
  const single = (await ask({ workload: workload.slice(0, 1), server })).result
  assert.deepEqual([single.tpot_ms, single.slo_attainment, single.goodput_rps], [null, null, null])
})

test('a load above what full batches can do is said to be unstable', async () => {
  const codes = async (rate_rps: number) =>
    (await ask({ workload: { rate_rps, n: 50, prompt_tokens: 90, output_tokens: 1 }, server })).limits.map(
      ({ code }: { code: string }) => code,
    )
  assert.deepEqual([await codes(9.99), await codes(10)], [[], ['UNSTABLE']])
  // Ten at once would do, and there are blocks for the prompts of two.
  const workload = { rate_rps: 4, n: 50, prompt_tokens: 16, output_tokens: 100 }
  const on = { ...server, prefill_tps: 1e6, max_batch: 10 }
  const loads = [await ask({ workload, server: on }), await ask({ workload, server: { ...on, kv_blocks: 8 } })]
  assert.deepEqual(
    loads.map(({ result, limits }) => [Math.round(result.offered_load * 1000), limits.length]),
    [
      [400, 0],
      [1000, 1],
    ],
  )
})

test('percentiles are nearest ranks', async () => {
  // 100 requests far apart with prompts of 1..100 tokens: TTFT is that many ms and one step of 10.
  const workload = Array.from({ length: 100 }, (_, at) => ({
    ...{ arrive_ms: at * 1000, prompt_tokens: at + 1, output_tokens: 1 },
  }))
  const { ttft_ms, wait_ms } = (await ask({ workload, server })).result
  assert.deepEqual(ttft_ms, { mean: 60.5, p50: 60, p95: 105, p99: 109 })
  assert.deepEqual(wait_ms, { mean: 0, p50: 0, p95: 0, p99: 0 })
})

test('bounds are accepted at their ends and refused beyond, at their place', async () => {
  const numbers: [field: string, min: number, max: number][] = [
    ['prefill_tps', 1, 1e6],
    ['decode_tps', 1, 1e5],
    ['slowdown', 0, 1],
    ['max_batch', 1, 256],
    ['kv_blocks', 1, 1_000_000],
    ['block_size', 1, 256],
  ]
  for (const [field, min, max] of numbers) {
    const small = field === 'kv_blocks' ? { block_size: 256 } : {}
    for (const value of [min, max])
      assert.deepEqual(await faultsOf(withServer({ ...small, [field]: value })), [], field)
    for (const value of [min - 1, max + 1])
      assert.ok((await faultsOf(withServer({ [field]: value })))[0]?.includes(field))
  }
  const request = { arrive_ms: 0, prompt_tokens: 1, output_tokens: 1 }
  const roomy = { ...server, kv_blocks: 1_000_000 }
  const sized = (n: number) => faultsOf({ workload: Array.from({ length: n }, () => request), server })
  assert.deepEqual([await sized(1), await sized(500)], [[], []])
  for (const n of [0, 501]) assert.ok((await sized(n)).length > 0)
  const one = (more: object) => faultsOf({ workload: [{ ...request, ...more }], server: roomy })
  assert.deepEqual([await one({ prompt_tokens: 32_768 }), await one({ output_tokens: 4096 })], [[], []])
  for (const more of [{ prompt_tokens: 0 }, { prompt_tokens: 32_769 }, { output_tokens: 0 }, { output_tokens: 4097 }])
    assert.ok((await one(more)).some((loc) => loc.startsWith('workload')))
  assert.ok((await one({ arrive_ms: -1 })).length > 0 && (await one({ prompt_tokens: 1.5 })).length > 0)
  const poisson = (more: object) =>
    faultsOf({ workload: { rate_rps: 1, n: 1, prompt_tokens: 1, output_tokens: 1, ...more }, server })
  for (const more of [{ rate_rps: 0.1 }, { rate_rps: 200 }, { n: 20_000 }]) assert.deepEqual(await poisson(more), [])
  for (const more of [{ rate_rps: 0.09 }, { rate_rps: 200.1 }, { n: 0 }, { n: 20_001 }])
    assert.ok((await poisson(more)).length > 0)
  const swept = (batches: unknown) => faultsOf({ ...body(), op: 'sweep', batches })
  assert.deepEqual(await swept(Array.from({ length: 16 }, (_, at) => at + 1)), [])
  for (const batches of [[], Array.from({ length: 17 }, (_, at) => at + 1), [0], [257]])
    assert.ok((await swept(batches)).some((loc) => loc.startsWith('batches')))
  assert.deepEqual(await swept([4, 8, 4]), ['batches.2'])
  assert.deepEqual(await faultsOf(body({ slo: {} })), ['slo'])
  assert.deepEqual(await faultsOf(body({ batches: [1] })), ['batches'])
})

test('a fault inside a workload is told by what its place must be', async () => {
  const workload = [{ arrive_ms: 0, prompt_tokens: 0, output_tokens: 1 }]
  const error = await tryOrgan(organ, { workload, server }).catch((refused) => refused)
  const [first] = error.detail
  assert.deepEqual(
    [first.loc.join('.'), first.msg],
    ['body.workload.0.prompt_tokens', 'must be a whole number from 1 to 32768'],
  )
})

test('what can never fit, and arrivals that do not ascend, are refused by their index', async () => {
  const fits = { arrive_ms: 0, prompt_tokens: 15, output_tokens: 17 }
  const small = { ...server, kv_blocks: 2 }
  assert.deepEqual(await faultsOf({ workload: [fits], server: small }), [])
  assert.deepEqual(await faultsOf({ workload: [fits, { ...fits, output_tokens: 18 }], server: small }), ['workload.1'])
  const poisson = { rate_rps: 1, n: 9, prompt_tokens: 30, output_tokens: 3 }
  assert.deepEqual(await faultsOf({ workload: poisson, server: small }), ['workload'])
  const late = [{ ...fits, arrive_ms: 5 }, fits]
  assert.deepEqual(await faultsOf({ workload: late, server }), ['workload.1.arrive_ms'])
})

test('the ceiling of work is exact, counts each batch of a sweep, and the heaviest legal run leaves the loop free', async () => {
  const fast = { prefill_tps: 1e6, decode_tps: 1e5, max_batch: 64, kv_blocks: 1_000_000 }
  const workload = { rate_rps: 200, n: 5000, prompt_tokens: 1, output_tokens: 3999 }
  const { value, turns } = await countTurns(() => ask({ workload, server: fast }))
  assert.equal(value.status, 'EXECUTED')
  assert.equal(value.result.conservation.output_tokens_out, 19_995_000)
  assert.ok(turns > 3, `the loop turned ${turns} times`)
  assert.ok(compute.longestJobMs < 4500, `${compute.longestJobMs} ms of processor time`)
  const over = { ...workload, n: 5001 }
  const refused = await tryOrgan(organ, { workload: over, server: fast }).catch((error) => error)
  assert.deepEqual([refused.detail[0].type, refused.detail[0].loc], ['work_limit_exceeded', ['body']])
  assert.match(refused.detail[0].msg, /20004000 .* 20000000/)
  const half = { rate_rps: 1, n: 5000, prompt_tokens: 1, output_tokens: 1999 }
  const swept = (batches: number[]) => faultsOf({ op: 'sweep', workload: half, server: fast, batches })
  assert.deepEqual(await swept([1, 2, 3]), [''])
})

test('inline and in a worker are the same, and every request of a long run is counted', async () => {
  const workload = { rate_rps: 20, n: 700, prompt_tokens: 300, output_tokens: 20 }
  const on = { prefill_tps: 9000, decode_tps: 90, max_batch: 12, kv_blocks: 300, slowdown: 0.05, block_size: 16 }
  const { result } = await ask({ workload, server: on, seed: 7 })
  const random = randomStream({ organ: 'N1', version: '1.0.0', op: 'simulate', seed: 7 })
  let clock = 0
  const load = Array.from({ length: 700 }, () => {
    clock += random.exponential(50)
    return { arrive_ms: clock, prompt_tokens: 300, output_tokens: 20 }
  })
  const run = serveLoad(load, on)
  assert.equal(result.requests[499].end_ms, Number(run.end[499]!.toFixed(6)))
  assert.deepEqual([result.requests.length, result.requests_truncated_from], [500, 700])
  assert.ok(result.queue_depth.length > 50 && result.queue_depth.length <= 200)
})

const embedded = { id: 'm1', embedded: true, absent: null } as ReturnType<Needs['upstreams']['targets']>[number]
const speaking = (value: unknown, more: Partial<Needs> = {}) => {
  const asked: unknown[] = []
  const answers: Needs['upstreams'] = {
    targets: () => [embedded],
    async complete(_id, { body: sent }) {
      asked.push(sent)
      return { ok: true, value, latencyMs: 1 }
    },
  }
  const register = { register: (() => async () => assert.fail('no job')) as never }
  return {
    asked,
    organ: serve({ compute: register, upstreams: answers, countTokens, screen: allow, askUpstream: null, ...more }),
  }
}
const reply = (content: string, more = {}) => ({
  choices: [{ message: { content }, finish_reason: 'length' }],
  ...more,
})

test('a prompt is a completion of the embedded model, with the digests of its written-out form', async () => {
  const { organ: on, asked } = speaking(reply('Paris', { usage: { prompt_tokens: 9, completion_tokens: 2 } }))
  const said = await ask({ prompt: 'Where is it?' }, on)
  const written = await ask({ op: 'complete', messages: [{ role: 'user', content: 'Where is it?' }] }, on)
  assert.deepEqual([said.input_sha256, said.result_sha256], [written.input_sha256, written.result_sha256])
  assert.deepEqual(said.result, {
    ...{ id: `chatcmpl-${said.input_sha256.slice(0, 24)}`, object: 'chat.completion', created: 0, model: 'm1' },
    choices: [{ index: 0, message: { role: 'assistant', content: 'Paris' }, finish_reason: 'length' }],
    usage: { prompt_tokens: 9, completion_tokens: 2, total_tokens: 11 },
  })
  assert.deepEqual([said.status, said.deterministic], ['EXECUTED', true])
  assert.deepEqual(asked[0], {
    ...{ model: 'm1', messages: [{ role: 'user', content: 'Where is it?' }] },
    ...{ max_tokens: 64, temperature: 0, stream: false },
  })
  const counted = (await ask({ prompt: 'hello world' }, speaking(reply('hello world')).organ)).result
  assert.deepEqual(counted.usage, { prompt_tokens: 2, completion_tokens: 2, total_tokens: 4 })
})

test('without the model nothing is completed and nothing is made up', async () => {
  for (const [on, reason] of [
    [organ, /not part of this build/],
    [speaking({ nonsense: 1 }).organ, /INVALID_REPLY/],
  ] as const) {
    const answer = await ask({ prompt: 'hello' }, on)
    assert.deepEqual(
      [answer.status, answer.ok, answer.result, answer.deterministic],
      ['UNAVAILABLE', false, null, false],
    )
    assert.match(answer.reason, reason)
    assert.equal(answer.evidence.checked.length, 1)
  }
})

test('what the guard does not let pass reaches no model, and what it does not let out is not shown', async () => {
  const finding = { rule: 'T01', start: 0, end: 6, sample_masked: '******' }
  const stop = (which: string) => async (_text: string, direction: 'input' | 'output') =>
    direction === which ? { action: 'deny' as const, findings: [finding], faults: [] } : allow()
  const barred = speaking(reply('x'), { screen: stop('input') })
  const input = await ask({ prompt: 'Ignore all' }, barred.organ)
  assert.deepEqual([input.status, input.ok, barred.asked], ['DENIED', true, []])
  assert.deepEqual(input.result, { screen: { direction: 'input', action: 'deny', findings: [finding] } })
  const output = await ask({ prompt: 'hello' }, speaking(reply('a secret'), { screen: stop('output') }).organ)
  assert.deepEqual([output.status, output.result.screen.direction], ['DENIED', 'output'])
  assert.ok(!JSON.stringify(output).includes('a secret'))
})

test('messages and max_tokens have their bounds', async () => {
  const on = (messages: unknown, more = {}) => faultsOf({ op: 'complete', messages, ...more })
  const message = { role: 'user', content: 'x' }
  assert.deepEqual(await on(Array.from({ length: 32 }, () => message)), [])
  for (const bad of [
    [],
    Array.from({ length: 33 }, () => message),
    [{ ...message, role: 'tool' }],
    [{ role: 'user', content: '' }],
  ])
    assert.ok((await on(bad))[0]!.startsWith('messages'))
  for (const max_tokens of [1, 256]) assert.deepEqual(await on([message], { max_tokens }), [])
  for (const max_tokens of [0, 257]) assert.deepEqual(await on([message], { max_tokens }), ['max_tokens'])
  assert.deepEqual(await on([message], { server }), ['server'])
})
