import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import fc from 'fast-check'
import { countingGauges, tryOrgan } from '#testing/organs/try-organ.ts'
import { breakerOf } from '../../../adapters/models/breaker.ts'
import type { ChatAnswer, ChatFailure, TargetState, Upstreams } from '../../../adapters/models/contract.ts'
import { countTokens } from '../../../adapters/models/tokens.ts'
import { InputError } from '../../../errors.ts'
import { systemClock } from '../../../platform/clock.ts'
import { callInOrder } from './calling.ts'
import { openGateway } from './io/gateway.ts'
import { route } from './organ.ts'

type RouteNeeds = Parameters<typeof route>[0]

const target = (id: string, more: Partial<TargetState> = {}) =>
  ({ id, model: id, contextTokens: 8192, absent: null, breaker: 'closed', ...more }) as TargetState
const completion = (text: string): ChatAnswer => ({
  ok: true,
  value: { choices: [{ message: { content: text } }] },
  latencyMs: 3,
})
const failing: ChatFailure = { ok: false, code: 'UPSTREAM_HTTP_503', status: 503 }

/** Targets that answer as they are told, and remember how often they were asked. */
function fakeUpstreams(
  targets: TargetState[],
  answer: (id: string) => ChatAnswer | ChatFailure = () => completion('hi'),
) {
  const asked: { id: string; body: Record<string, unknown> }[] = []
  const upstreams = {
    targets: () => targets,
    complete: async (id: string, { body }: { body: Record<string, unknown> }) => {
      asked.push({ id, body })
      return answer(id)
    },
  } as unknown as Upstreams
  return { upstreams, asked }
}

function organOver(upstreams: Upstreams, more: Partial<RouteNeeds> = {}) {
  const gateway = openGateway(upstreams, systemClock)
  const screen: RouteNeeds['screen'] = async () => ({ action: 'allow', findings: [], faults: [] })
  return route({ gateway, countTokens, screen, ...more })
}
const organ = organOver(fakeUpstreams([]).upstreams)
const A = { id: 'A', quality: 0.9, cost: 0.8, latency: 0.5 }
const B = { id: 'B', quality: 0.7, cost: 0.2, latency: 0.3 }
const run = async (body: Record<string, unknown>, on = organ) => (await tryOrgan(on, body)).answer
const routed = async (more: Record<string, unknown>, request = {}, on = organ) =>
  (await run({ op: 'route', request, ...more }, on)).result
// biome-ignore lint/suspicious/noExplicitAny: rows of an answer
const rows = (ranking: any[]) => ranking.map(({ id, reward, excluded_reason }) => [id, excluded_reason ?? reward])

test('the three policies order A and B by the published weights', async () => {
  const targets = [A, B]
  const balanced = await routed({ targets, policy: 'Balanced' })
  assert.deepEqual(
    [balanced.chosen, rows(balanced.ranking)],
    [
      'B',
      [
        ['B', 0.16],
        ['A', -0.1],
      ],
    ],
  )
  assert.deepEqual(balanced.ranking[0].terms, { quality: 0.35, cost: -0.1, latency: -0.09 })
  const performance = await routed({ targets, policy: 'Performance-First' })
  assert.equal(performance.chosen, 'A')
  const cost = await routed({ targets, policy: 'Cost-First' })
  assert.deepEqual(rows(cost.ranking), [
    ['B', -0.08],
    ['A', -0.56],
  ])
  assert.deepEqual(await routed({ targets }), balanced)
})

test('the example has its golden digest', async () => {
  const answer = await run({})
  assert.equal(answer.result_sha256, GOLDEN)
  assert.deepEqual([answer.deterministic, answer.result.chosen], [true, 'small'])
})
const GOLDEN = 'fe9643d07beec9594d48e667b31fa02b6024ba33ae1b7bd03e0664f6f3e19b1d'

test('what cannot take the call is left out, each with its reason', async () => {
  const targets = [
    { ...A, context: 100, json: true, latency_ms: 10 },
    { ...B, context: 1000, json: true, latency_ms: 900 },
    { ...B, id: 'C', context: 1000, json: false, latency_ms: 10 },
    { ...B, id: 'D', context: 1000, latency_ms: 10 },
    { ...B, id: 'E', context: 1000, json: true },
    { ...A, id: 'F', context: 1000, json: true, latency_ms: 10 },
  ]
  const request = { prompt_tokens: 101, max_cost: 0.7, max_ms: 500, needs_json: true }
  const { chosen, ranking } = await routed({ targets }, request)
  assert.equal(chosen, null)
  assert.deepEqual(Object.fromEntries(rows(ranking)), {
    A: 'CONTEXT_TOO_SMALL',
    B: 'TOO_SLOW',
    C: 'NO_JSON',
    D: 'JSON_NOT_DECLARED',
    E: 'LATENCY_MS_NOT_DECLARED',
    F: 'TOO_DEAR',
  })
  assert.equal((await routed({ targets }, { prompt_tokens: 100 })).chosen, 'B')
  const none = await run({ op: 'route', request: { ...request, task: 'x' }, targets, call: true })
  assert.deepEqual([none.status, none.result.chosen, none.result.attempts], ['EXECUTED', null, []])
})

test('equal rewards go by the id', async () => {
  const targets = ['b', 'a', 'c'].map((id) => ({ ...B, id }))
  assert.deepEqual(
    (await routed({ targets })).ranking.map(({ id }: { id: string }) => id),
    ['a', 'b', 'c'],
  )
})

test('a dearer target with all else equal never ranks higher', async () => {
  const share = fc.double({ min: 0, max: 1, noNaN: true })
  const policy = fc.constantFrom('Performance-First', 'Balanced', 'Cost-First')
  await fc.assert(
    fc.asyncProperty(share, share, share, share, policy, async (quality, latency, one, other, policy) => {
      const [cheap, dear] = [Math.min(one, other), Math.max(one, other)]
      fc.pre(cheap < dear)
      // The dearer one has the smaller id, so that it would win a tie.
      const targets = [
        { id: 'a', quality, latency, cost: dear },
        { id: 'b', quality, latency, cost: cheap },
      ]
      const { ranking } = await routed({ targets, policy })
      assert.equal(ranking[0].id, 'b')
    }),
    { seed: 18, numRuns: 200 },
  )
})

test('a call goes to the winner; without scores a target ranks last and may still win', async () => {
  const { upstreams, asked } = fakeUpstreams([target('upstream')])
  const on = organOver(upstreams)
  const answer = await run({ op: 'route', request: { task: 'hello' }, call: true }, on)
  assert.deepEqual([answer.result.chosen, answer.result.attempts], ['upstream', [{ id: 'upstream', outcome: 'OK' }]])
  assert.deepEqual(answer.result.reply, { by: 'upstream', text: 'hi' })
  assert.deepEqual([answer.deterministic, answer.result.breaker], [false, { upstream: 'closed' }])
  assert.deepEqual(asked[0]!.body.messages, [{ role: 'user', content: 'hello' }])
  const names = answer.evidence.readings.map(({ name }: { name: string }) => name)
  assert.ok(names.includes('latency upstream') && names.includes('gateway overhead upstream'))
  const plain = await run({ op: 'route', request: { task: 'hello' } }, on)
  assert.deepEqual([plain.limits[0].code, asked.length, plain.deterministic], ['SCORES_NOT_DECLARED', 1, true])
})

test('the echo answers where no model is configured, and the embedded model says that it is absent', async () => {
  const m1 = target('m1', { absent: 'MODEL_ABSENT', contextTokens: 0 })
  const on = organOver(fakeUpstreams([m1]).upstreams)
  const { result } = await run({ op: 'route', request: { task: 'say it' }, call: true }, on)
  assert.deepEqual([result.chosen, result.reply], ['echo', { by: 'echo', text: 'say it' }])
  assert.deepEqual(rows(result.ranking)[1], ['m1', 'MODEL_ABSENT'])
})

test('scores that the operator declared are used', async () => {
  const declared = { scores: { quality: 0.9, cost: 0.1, latency: 0.2 }, latencyMs: 400, json: true }
  const on = organOver(fakeUpstreams([target('plain'), target('good', { declared })]).upstreams)
  const { chosen, ranking } = await routed({}, { max_ms: 400, needs_json: true, max_cost: 0.1 }, on)
  assert.deepEqual([chosen, ranking[1].excluded_reason], ['good', 'COST_NOT_DECLARED'])
})

test('a failing target is tried once more, then the next by reward answers', async () => {
  const { upstreams, asked } = fakeUpstreams([target('A'), target('B')], (id) =>
    id === 'B' ? failing : completion('ok'),
  )
  const { result } = await run(
    { op: 'route', request: { task: 'x' }, targets: [A, B], call: true },
    organOver(upstreams),
  )
  assert.deepEqual(
    result.attempts.map(({ id, outcome }: { id: string; outcome: string }) => `${id} ${outcome}`),
    ['B UPSTREAM_HTTP_503', 'B UPSTREAM_HTTP_503', 'A OK'],
  )
  assert.deepEqual(
    asked.map(({ id }) => id),
    ['B', 'B', 'A'],
  )
})

test('a refusal of the request is not repeated, and a reply that is none is a failure', async () => {
  const refusal = fakeUpstreams([target('A')], () => ({ ok: false, code: 'UPSTREAM_HTTP_400', status: 400 }))
  const call = { op: 'route', request: { task: 'x' }, targets: [A], call: true }
  assert.equal((await run(call, organOver(refusal.upstreams))).result.attempts.length, 1)
  const odd = fakeUpstreams([target('A')], () => ({ ok: true, value: { choices: [] }, latencyMs: 1 }))
  const { result } = await run(call, organOver(odd.upstreams))
  assert.deepEqual(result.attempts, [
    { id: 'A', outcome: 'INVALID_REPLY' },
    { id: 'A', outcome: 'INVALID_REPLY' },
  ])
  assert.equal(result.reply, null)
})

test('three failures open the breaker for the next caller, and an open target of the service is left alone', async () => {
  const { upstreams, asked } = fakeUpstreams([target('A')], () => failing)
  const on = organOver(upstreams)
  const call = () => run({ op: 'route', request: { task: 'x' }, targets: [A], call: true }, on)
  await call()
  const second = (await call()).result
  assert.deepEqual(
    second.attempts.map(({ outcome }: { outcome: string }) => outcome),
    ['UPSTREAM_HTTP_503', 'BREAKER_OPEN'],
  )
  assert.deepEqual([second.breaker, asked.length], [{ A: 'open' }, 3])
  const open = fakeUpstreams([target('A', { breaker: 'open' })])
  const third = await run({ op: 'route', request: { task: 'x' }, targets: [A], call: true }, organOver(open.upstreams))
  assert.deepEqual([third.result.attempts[0].outcome, open.asked.length], ['BREAKER_OPEN', 0])
})

test('a breaker that has rested lets one call try, and closes when it succeeds', async () => {
  const breaker = breakerOf(systemClock, { failures: 3, restMs: 30 })
  let healthy = false
  let reached = 0
  const call = async () => {
    reached += 1
    return healthy
      ? ({ ok: true, text: '', latencyMs: 0 } as const)
      : ({ ok: false, code: 'DOWN', blamed: true } as const)
  }
  const calling = { order: ['A'], call, breaker: () => breaker, hasTime: () => true }
  await callInOrder(calling)
  await callInOrder(calling)
  assert.deepEqual([breaker.state(), reached], ['open', 3])
  await pause(60)
  healthy = true
  assert.equal(breaker.state(), 'half_open')
  assert.equal((await callInOrder(calling)).answer?.by, 'A')
  assert.equal(breaker.state(), 'closed')
})

test('a drill with three failures opens the breaker, and the fourth attempt never reaches the target', async () => {
  const { upstreams, asked } = fakeUpstreams([target('A'), target('B')])
  const answer = await run({ op: 'fallback_drill', fail: ['B'], targets: [A, B] }, organOver(upstreams))
  const { attempts, reached, breaker } = answer.result
  const ofB = attempts.filter(({ id }: { id: string }) => id === 'B').map(({ outcome }: { outcome: string }) => outcome)
  assert.deepEqual(ofB, ['FAILED_ON_PURPOSE', 'FAILED_ON_PURPOSE', 'FAILED_ON_PURPOSE', 'BREAKER_OPEN', 'BREAKER_OPEN'])
  assert.deepEqual(
    [reached, breaker],
    [
      { A: 3, B: 3 },
      { A: 'closed', B: 'open' },
    ],
  )
  assert.deepEqual([asked.length, answer.limits[0].code, answer.deterministic], [0, 'DRILL_IN_PROCESS', false])
})

test('a drill of targets that nobody has is refused, with the field and the targets there are', async () => {
  const on = organOver(fakeUpstreams([target('near'), target('far')]).upstreams)
  const refusal = async (body: Record<string, unknown>) => {
    try {
      await tryOrgan(on, { op: 'fallback_drill', ...body })
    } catch (error) {
      assert.ok(error instanceof InputError)
      return error.detail.map(({ loc, msg }) => `${loc.join('.')} ${msg}`)
    }
    return []
  }
  assert.deepEqual(await refusal({ fail: ['near', 'nope'] }), [
    'body.fail.1 is not the id of a target; the targets are near, far',
  ])
  assert.deepEqual(await refusal({ fail: ['near'], targets: [A, B] }), [
    'body.fail.0 is not the id of a target; the targets are A, B',
  ])
  assert.deepEqual(await refusal({ fail: ['far'] }), [])
})

test('a target that only its caller knows is called nowhere and leaves nothing behind', async () => {
  const { upstreams, asked } = fakeUpstreams([target('A'), target('B', { absent: 'KEY_MISSING' })])
  const gateway = openGateway(upstreams, systemClock)
  const breakers = new Set<string>()
  const breaker = (name: string) => {
    breakers.add(name)
    return gateway.breaker(name)
  }
  const on = organOver(upstreams, { gateway: { ...gateway, breaker } })
  const targets = ['made-up', '__proto__', 'B'].map((name) => ({ ...B, id: name }))
  const { result } = await run({ op: 'route', request: { task: 'x' }, targets: [...targets, A], call: true }, on)
  assert.deepEqual([result.chosen, result.reply.by], ['A', 'A'])
  assert.deepEqual(Object.fromEntries(rows(result.ranking.slice(1))), {
    'made-up': 'NOT_CONFIGURED',
    ['__proto__']: 'NOT_CONFIGURED',
    B: 'KEY_MISSING',
  })
  assert.deepEqual([[...breakers], asked.length], [['A'], 1])
  assert.equal((await routed({ targets }, {}, on)).chosen, 'B')
})

test('a target that hangs leaves time for the next, and what was not tried for want of time is told', async () => {
  let wall = 0n
  const gauges = { ...countingGauges(), hrtime: () => wall }
  const given: [string, number][] = []
  const gateway = openGateway(fakeUpstreams([target('A'), target('B'), target('C')]).upstreams, systemClock)
  const hanging = async (name: string, _text: string, deadlineMs: number) => {
    given.push([name, deadlineMs])
    wall += BigInt(deadlineMs) * 1_000_000n
    return { ok: false, code: 'TIMEOUT', blamed: true } as const
  }
  const on = organOver(fakeUpstreams([]).upstreams, { gateway: { ...gateway, call: hanging } })
  const targets = [A, B, { ...A, id: 'C' }]
  const body = { op: 'route', request: { task: 'x' }, targets, call: true }
  const { answer } = await tryOrgan(on, body, { gauges })
  assert.deepEqual(given, [
    ['B', 4000],
    ['B', 2500],
    ['A', 1250],
    ['A', 625],
    ['C', 312],
  ])
  assert.ok(answer.limits.some(({ code }: { code: string }) => code === 'OUT_OF_TIME'))
  assert.equal(answer.result.reply, null)
})

test('the probe asks every configured target and the echo', async () => {
  const { upstreams, asked } = fakeUpstreams([target('A'), target('B')], (id) =>
    id === 'A' ? completion('p') : failing,
  )
  const answer = await run({ op: 'probe' }, organOver(upstreams))
  assert.deepEqual(answer.result.attempts, [
    { id: 'A', outcome: 'OK' },
    { id: 'B', outcome: 'UPSTREAM_HTTP_503' },
    { id: 'echo', outcome: 'OK' },
  ])
  assert.deepEqual([asked.length, answer.deterministic], [2, false])
  assert.ok(answer.evidence.readings.length >= 3)
})

test('a text that the guard holds reaches no target, and an answer that it holds is not shown', async () => {
  const finding = { scanner: 'secrets' as const, rule: 'P20', start: 0, end: 1, score: 1, sample_masked: 's***' }
  const call = { op: 'route', request: { task: 'x' }, targets: [A], call: true }
  for (const blocked of ['input', 'output'] as const)
    for (const action of ['deny', 'review'] as const) {
      const { upstreams, asked } = fakeUpstreams([target('A')], () => completion('the secret'))
      const screen: RouteNeeds['screen'] = async (_text, direction) =>
        direction === blocked
          ? { action, findings: [finding], faults: ['late'] }
          : { action: 'allow', findings: [], faults: [] }
      const answer = await run(call, organOver(upstreams, { screen }))
      assert.deepEqual(
        [answer.status, answer.result.reply, asked.length],
        ['DENIED', null, blocked === 'input' ? 0 : 1],
      )
      assert.deepEqual([answer.result.screen.direction, answer.result.screen.findings], [blocked, [finding]])
      assert.ok(!JSON.stringify(answer).includes('the secret'))
      assert.ok(answer.limits.some(({ code }: { code: string }) => code === 'SCANNER_FAILED'))
      assert.equal(answer.deterministic, false)
    }
})

test('each bound is accepted at its edge and refused beyond it, by its name', async () => {
  const many = (count: number) => Array.from({ length: count }, (_, at) => ({ ...A, id: `t${at}` }))
  const refusedAt = async (body: Record<string, unknown>) => {
    try {
      await tryOrgan(organ, { op: 'route', request: {}, ...body })
    } catch (error) {
      assert.ok(error instanceof InputError)
      return error.detail[0]!.loc.slice(1).join('.')
    }
    return null
  }
  for (const body of [
    ...[{ targets: many(15) }, { targets: many(16) }, { request: { prompt_tokens: 1_000_000, max_cost: 1 } }],
    ...[{ request: { task: 'x'.repeat(32_768), prompt_tokens: 0 } }, { targets: [{ ...A, quality: 1, cost: 0 }] }],
  ])
    assert.equal(await refusedAt(body), null)
  const drill = { op: 'fallback_drill', fail: Array(16).fill('A'), targets: [A], calls: 16 }
  assert.equal((await run(drill)).status, 'EXECUTED')
  for (const [field, value] of [
    ['fail', Array(17).fill('A')],
    ['calls', 0],
    ['calls', 17],
  ] as [string, unknown][])
    await assert.rejects(tryOrgan(organ, { ...drill, [field]: value }), (error) => {
      assert.ok(error instanceof InputError)
      assert.equal(error.detail[0]!.loc[1], field)
      return true
    })
  const beyond: [Record<string, unknown>, string][] = [
    [{ targets: many(17) }, 'targets'],
    [{ targets: [] }, 'targets'],
    [{ targets: [A, A] }, 'targets.1.id'],
    [{ policy: 'Fastest' }, 'policy'],
    [{ request: { prompt_tokens: 1_000_001 } }, 'request.prompt_tokens'],
    [{ request: { prompt_tokens: -1 } }, 'request.prompt_tokens'],
    [{ request: { max_cost: 1.1 } }, 'request.max_cost'],
    [{ request: { task: 'x'.repeat(32_769) } }, 'request.task'],
    [{ request: { task: ' ' }, call: true }, 'request.task'],
    [{ targets: [{ ...A, quality: 1.1 }] }, 'targets.0.quality'],
    [{ targets: [{ ...A, cost: -0.1 }] }, 'targets.0.cost'],
    [{ targets: [{ ...A, url: 'http://127.0.0.1' }] }, 'targets.0.url'],
    [{ fail: ['A'] }, 'fail'],
  ]
  for (const [body, at] of beyond) assert.equal(await refusedAt(body), at, JSON.stringify(body).slice(0, 80))
})

test('a prompt has the digests of its written-out form and calls nobody', async () => {
  const { upstreams, asked } = fakeUpstreams([target('upstream')])
  const on = organOver(upstreams)
  const prompt = 'Summarise this.'
  const [said, written] = [
    await run({ prompt }, on),
    await run({ op: 'route', request: { task: prompt }, policy: 'Balanced' }, on),
  ]
  assert.deepEqual([said.input_sha256, said.result_sha256], [written.input_sha256, written.result_sha256])
  assert.deepEqual([said.result.chosen, asked.length], ['upstream', 0])
  assert.ok(said.evidence.readings.some(({ name }: { name: string }) => name === 'count_tokens'))
  const long = 'a word and another '.repeat(400)
  const narrow = organOver(
    fakeUpstreams([target('narrow', { contextTokens: (await countTokens(long)) - 1 })]).upstreams,
  )
  assert.equal((await run({ prompt: long }, narrow)).result.ranking[0].excluded_reason, 'CONTEXT_TOO_SMALL')
})
