import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { canonicalBytes, sha256Hex } from '@orch/core'
import fc from 'fast-check'
import { docQuestion } from '#testing/organs/doc-question.ts'
import { testCompute } from '#testing/organs/live-gates.ts'
import { countTurns } from '#testing/organs/loop-turns.ts'
import { tryOrgan } from '#testing/organs/try-organ.ts'
import { InputError } from '../../../errors.ts'
import { graph } from './organ.ts'

const compute = testCompute(after)
const organ = graph({ compute })
const ask = async (body: Record<string, unknown>) => (await tryOrgan(organ, body)).answer
const run = async (body: Record<string, unknown>) => (await ask(body)).result
const refusal = (body: Record<string, unknown>): Promise<[place: string, message: string][]> =>
  tryOrgan(organ, body).then(
    () => [],
    (error) => {
      assert.ok(error instanceof InputError, String(error))
      return error.detail.map(({ loc, msg }) => [loc.slice(1).join('.'), msg])
    },
  )
const faultsOf = async (body: Record<string, unknown>) => (await refusal(body)).map(([place]) => place)
const node = (id: string, mean_ms = 10, more: object = {}) => ({ id, mean_ms, ...more })
const edge = (from: string, to: string, when?: string) => ({ from, to, ...(when && { when }) })
const chain = (...ids: string[]) => ids.slice(1).map((to, at) => edge(ids[at]!, to))
const diamond = {
  nodes: [node('a', 10), node('b', 20), node('c', 35), node('d', 5)],
  edges: [edge('a', 'b'), edge('a', 'c'), edge('b', 'd'), edge('c', 'd')],
}
const events = (result: { history: { node: string; event: string; t_ms: number }[] }) =>
  result.history.map(({ node: id, event, t_ms }) => `${t_ms} ${id} ${event}`)
/** By node, what the first trial came to. */
const statuses = (result: { nodes: { id: string; first_trial: string }[] }) =>
  Object.fromEntries(result.nodes.map(({ id, first_trial }) => [id, first_trial]))

test('the question of the page has the reply of the page', async () => {
  const { request, shows } = docQuestion('n2')
  assert.partialDeepStrictEqual((await ask(request)).result, shows)
})

test('the example is the golden one', async () => {
  const { result, result_sha256, status } = await ask({})
  assert.deepEqual([status, result.ended, result.checkpoint], ['EXECUTED', 'succeeded', null])
  assert.equal(result_sha256, GOLDEN)
})
const GOLDEN = 'd8a842fd220768080ba048eb67d9b4870b4c11a9e26af010b8d16d584871dfeb'

test('the diamond a10, b20, c35, d5 takes 50 and its path is a, c, d', async () => {
  const result = await run(diamond)
  assert.deepEqual(result.makespan_ms, { mean: 50, p50: 50, p95: 50 })
  assert.deepEqual([result.critical_path, result.critical_path_ms], [['a', 'c', 'd'], 50])
  assert.deepEqual(
    result.nodes.map(({ slack_ms }: { slack_ms: number }) => slack_ms),
    [0, 15, 0, 0],
  )
  assert.deepEqual(
    result.nodes.map(({ criticality }: { criticality: number }) => criticality),
    [1, 0, 1, 1],
  )
  assert.deepEqual(events(result), [
    ...['0 a start', '10 a succeeded', '10 b start', '10 c start', '30 b succeeded', '45 c succeeded'],
    ...['45 d start', '50 d succeeded'],
  ])
})

test('a run without failures takes as long as the longest of all paths, each walked by itself', async () => {
  const shape = fc.record({
    times: fc.array(fc.integer({ min: 0, max: 50 }), { minLength: 1, maxLength: 8 }),
    pairs: fc.array(fc.tuple(fc.nat(7), fc.nat(7)), { maxLength: 16 }),
  })
  await fc.assert(
    fc.asyncProperty(shape, async ({ times, pairs }) => {
      const forward = pairs.filter(([from, to]) => from < to && to < times.length)
      const keys = [...new Set(forward.map(([from, to]) => `n${from} n${to}`))]
      const edges = keys.map((key) => edge(key.split(' ')[0]!, key.split(' ')[1]!))
      const longest = (id: string): number =>
        times[Number(id.slice(1))]! +
        Math.max(0, ...edges.filter(({ from }) => from === id).map(({ to }) => longest(to)))
      const expected = Math.max(...times.map((_, at) => longest(`n${at}`)))
      const result = await run({ nodes: times.map((ms, at) => node(`n${at}`, ms)), edges, trials: 2 })
      assert.deepEqual([result.makespan_ms.p95, result.critical_path_ms, result.success_rate], [expected, expected, 1])
      const path: string[] = result.critical_path
      assert.equal(
        path.reduce((sum, id) => sum + times[Number(id.slice(1))]!, 0),
        expected,
      )
      for (const [at, id] of path.entries()) if (at > 0) assert.ok(keys.includes(`${path[at - 1]} ${id}`))
      // Who has slack may be late by all of it, and the run is not; who has none may not.
      const [late] = result.nodes
      const slower = (more: number) =>
        run({ nodes: times.map((ms, at) => node(`n${at}`, at === 0 ? ms + more : ms)), edges, trials: 1 })
      assert.equal((await slower(late.slack_ms)).makespan_ms.p50, expected)
      assert.equal((await slower(late.slack_ms + 1)).makespan_ms.p50, expected + 1)
    }),
    { seed: 2, numRuns: 150 },
  )
})

test('two nodes with p_fail 0.3 and 2 retries succeed 0.946729 of the time, and the trials agree', async () => {
  const nodes = ['a', 'b'].map((id) => node(id, 1, { p_fail: 0.3, retries: 2 }))
  for (let seed = 1; seed <= 10; seed += 1) {
    const result = await run({ nodes, edges: chain('a', 'b'), trials: 1000, seed })
    assert.equal(result.success_exact, 0.946729)
    const half = 2.5758 * Math.sqrt((0.946729 * (1 - 0.946729)) / 1000)
    assert.ok(Math.abs(result.success_rate - 0.946729) <= half, `seed ${seed}: ${result.success_rate}`)
    assert.ok(result.success_interval.low <= result.success_rate && result.success_rate <= result.success_interval.high)
  }
})

test('means are those of theory: the later of two exponentials, attempts at a geometric price', async () => {
  // E max(X, Y) of means 300 and 100 is 300 + 100 - 1/(1/300 + 1/100) = 325; their standard deviation is below 310.
  const nodes = [node('a', 300, { dist: 'exp' }), node('b', 100, { dist: 'exp' })]
  const result = await run({ nodes, trials: 1000, max_steps: 10 })
  assert.ok(Math.abs(result.makespan_ms.mean - 325) < (3 * 310) / Math.sqrt(1000), String(result.makespan_ms.mean))
  // a ends last with chance 300/400.
  assert.ok(Math.abs(result.nodes[0].criticality - 0.75) < 3 * Math.sqrt((0.75 * 0.25) / 1000))
  // 1 + p + p^2 + p^3 attempts at p = 0.5 are 1.875, each of 2; and 10 ms each with pauses of 8, 16 and 32 before them.
  const dear = { p_fail: 0.5, retries: 3, cost: 2, backoff_ms: 8 }
  const paid = await run({ nodes: [node('a', 10, dear)], trials: 1000 })
  assert.ok(Math.abs(paid.cost.mean - 3.75) < (3 * 2.2) / Math.sqrt(1000), String(paid.cost.mean))
  assert.equal(paid.nodes[0].expected_ms, 18.75 + 0.5 * 8 + 0.25 * 16 + 0.125 * 32)
  assert.ok(Math.abs(paid.makespan_ms.mean - 30.75) < 3.5, String(paid.makespan_ms.mean))
})

test('a retry waits twice as long each time, and who fails for good fails the run', async () => {
  const result = await run({
    nodes: [node('a', 10, { p_fail: 1, retries: 2, backoff_ms: 100, cost: 3 }), node('b')],
    edges: chain('a', 'b'),
  })
  assert.deepEqual(events(result), [
    ...['0 a start', '10 a error', '110 a start', '120 a error', '320 a start', '330 a failed', '330 b skipped'],
  ])
  assert.deepEqual([result.ended, result.success_rate, result.success_exact, result.cost.mean], ['failed', 0, 0, 9])
  assert.equal(result.makespan_success_ms, null)
})

test('edges are taken on success, on failure or always, and a join waits for all of them', async () => {
  const [bad, ok] = [node('bad', 10, { p_fail: 1 }), node('ok', 20)]
  const nodes = [bad, ok, node('rescue', 5), node('never', 5), node('cleanup', 1), node('end', 1)]
  const edges = [
    ...[edge('bad', 'rescue', 'failure'), edge('bad', 'never'), edge('never', 'cleanup', 'always')],
    ...[edge('ok', 'cleanup', 'always'), edge('rescue', 'end'), edge('cleanup', 'end', 'success')],
  ]
  const result = await run({ nodes, edges, trials: 3 })
  assert.deepEqual(statuses(result), {
    ...{
      bad: 'failed',
      ok: 'succeeded',
      rescue: 'succeeded',
      never: 'skipped',
      cleanup: 'succeeded',
      end: 'succeeded',
    },
  })
  assert.deepEqual(
    [result.ended, result.success_rate, result.success_exact, result.makespan_ms.mean],
    ['succeeded', 1, null, 22],
  )
  // `always` runs after a failure and does not make up for it.
  const tidy = await run({ nodes: [bad, node('tidy', 1)], edges: [edge('bad', 'tidy', 'always')] })
  assert.deepEqual([statuses(tidy).tidy, tidy.ended], ['succeeded', 'failed'])
})

test('a run whose work is all handed to nodes that are skipped has not succeeded, and what never ran is named', async () => {
  const nodes = [node('a', 10, { p_fail: 0.5 }), node('fix'), node('next'), node('end')]
  const edges = [edge('a', 'fix', 'failure'), edge('a', 'next'), edge('fix', 'end'), edge('next', 'end')]
  const { result, limits } = await ask({ nodes, edges })
  assert.deepEqual([result.success_rate, result.ended], [0, 'failed'])
  assert.deepEqual(limits, [{ code: 'NEVER_RAN', detail: 'in no trial: end' }])
  const ran = result.nodes.map((one: { ran: number }) => one.ran)
  assert.deepEqual([ran[0], ran[1] + ran[2], ran[3]], [1, 1, 0])
  // Either way is an end of its own, and so is a node that merely could have failed.
  assert.equal((await run({ nodes: nodes.slice(0, 3), edges: edges.slice(0, 2) })).success_rate, 1)
  assert.equal((await run({ nodes: nodes.slice(0, 2), edges: edges.slice(0, 1) })).success_rate, 1)
})

test('an edge that leads back runs its part again, and max_steps ends what would go on for ever', async () => {
  // write, test; a failed test goes back. Each round succeeds with 0.5, so rounds are 2 on average and 20 ms each.
  const nodes = [node('write'), node('test', 10, { p_fail: 0.5 }), node('ship', 0)]
  const edges = [...chain('write', 'test', 'ship'), edge('test', 'write', 'failure')]
  const result = await run({ nodes, edges, trials: 1000 })
  assert.deepEqual([result.success_rate, result.success_exact, result.stopped_by_max_steps], [1, null, 0])
  assert.ok(
    Math.abs(result.makespan_ms.mean - 40) < (3 * 20 * Math.SQRT2) / Math.sqrt(1000),
    String(result.makespan_ms.mean),
  )
  const doomed = nodes.map((one) => (one.id === 'test' ? node('test', 10, { p_fail: 1 }) : one))
  const endless = await run({ nodes: doomed, edges, max_steps: 7, trials: 5 })
  assert.deepEqual([endless.ended, endless.stopped_by_max_steps, endless.success_rate], ['max_steps', 5, 0])
  assert.equal(endless.history.filter(({ event }: { event: string }) => event === 'start').length, 7)
  // What runs behind the target when it starts again is cancelled, and runs once more.
  const slow = [node('a', 1), node('b', 5, { p_fail: 1 }), node('c', 100)]
  const both = await run({
    nodes: slow,
    edges: [edge('a', 'b'), edge('a', 'c'), edge('b', 'a', 'failure')],
    max_steps: 6,
    trials: 1,
  })
  assert.deepEqual(events(both).slice(0, 8), [
    ...[
      '0 a start',
      '1 a succeeded',
      '1 b start',
      '1 c start',
      '6 b failed',
      '6 c cancelled',
      '6 a start',
      '7 a succeeded',
    ],
  ])
})

const loaded = {
  nodes: [
    node('plan', 40, { dist: 'exp', p_fail: 0.2, retries: 2, backoff_ms: 7 }),
    node('search', 90, { dist: 'exp', p_fail: 0.3, retries: 1, backoff_ms: 3, cost: 0.125 }),
    node('code', 120, { dist: 'exp', p_fail: 0.4 }),
    node('fallback', 10.5),
    node('review', 500, { kind: 'human', dist: 'exp' }),
    node('ship', 1.234567, { p_fail: 0.1, retries: 5 }),
  ],
  edges: [
    ...[edge('plan', 'search'), edge('plan', 'code'), edge('code', 'fallback', 'failure')],
    ...[edge('search', 'review', 'always'), edge('code', 'review', 'always'), edge('review', 'ship')],
    edge('review', 'plan', 'failure'),
  ],
  trials: 20,
  max_steps: 60,
}

test('a crash at every event, and the resumed run has the same final state, for many seeds', async () => {
  const decide = async (body: Record<string, unknown>) => {
    const stopped = await ask(body)
    assert.equal(stopped.status, 'AWAITING_APPROVAL')
    return stopped.result.checkpoint
  }
  let cuts = 0
  for (const seed of [1, 2, 3, 42]) {
    const asked = await decide({ ...loaded, seed })
    const whole = await ask({ op: 'resume', checkpoint: asked, approve: { review: true } })
    const { final_state_sha256: expected, history, events: count } = whole.result
    assert.match(expected, /^[0-9a-f]{64}$/)
    for (let at = 0; at <= count; at += 1) {
      const first = await run({ ...loaded, seed, cut_at_event: at })
      const { checkpoint } = first.ended === 'awaiting' ? { checkpoint: asked } : first
      // The checkpoint travels as text, as it would through a crash.
      let next = { checkpoint: JSON.parse(JSON.stringify(checkpoint)), approve: { review: true } }
      if (at % 2 === 1) {
        const again = await run({ op: 'resume', ...next, cut_at_event: at + 2 })
        if (again.checkpoint !== null) next = { ...next, checkpoint: JSON.parse(JSON.stringify(again.checkpoint)) }
      }
      const resumed = await run({ op: 'resume', ...next })
      assert.equal(resumed.final_state_sha256, expected, `seed ${seed}, cut at ${at}`)
      assert.deepEqual(resumed.history, history)
      cuts += 1
    }
    assert.notEqual(
      (await run({ op: 'resume', checkpoint: asked, approve: { review: false } })).final_state_sha256,
      expected,
    )
  }
  assert.ok(cuts > 40, String(cuts))
})

test('any workflow, cut anywhere, comes to the same end and the same figures', async () => {
  const workflow = fc
    .record({
      size: fc.integer({ min: 1, max: 7 }),
      links: fc.array(fc.tuple(fc.nat(6), fc.nat(6), fc.constantFrom('success', 'failure', 'always', undefined)), {
        maxLength: 10,
      }),
      parts: fc.array(
        fc.record({
          mean_ms: fc.double({ min: 0, max: 100, noNaN: true }),
          dist: fc.constantFrom('fixed', 'exp'),
          p_fail: fc.double({ min: 0, max: 1, noNaN: true }),
          retries: fc.nat(2),
          cost: fc.double({ min: 0, max: 1, noNaN: true }),
        }),
        { minLength: 7, maxLength: 7 },
      ),
    })
    .map(({ size, links, parts }) => {
      const known = new Set<string>()
      const edges = links.flatMap(([one, other, when]) => {
        // Edges without a condition lead forward, so that no cycle lacks one.
        const [from, to] = when === undefined ? [Math.min(one, other), Math.max(one, other)] : [one, other]
        const key = `${from} ${to} ${when}`
        if (from >= size || to >= size || (from === to && when === undefined) || known.has(key)) return []
        known.add(key)
        return [edge(`n${from}`, `n${to}`, when)]
      })
      return {
        nodes: parts.slice(0, size).map((part, at) => ({ id: `n${at}`, ...part })),
        edges,
        trials: 3,
        max_steps: 40,
      }
    })
  await fc.assert(
    fc.asyncProperty(workflow, fc.nat(100), fc.nat(1000), async (body, cut, seed) => {
      const whole = await run({ ...body, seed })
      const part = await run({ ...body, seed, cut_at_event: cut })
      if (part.checkpoint === null) return assert.deepEqual(part, whole)
      assert.deepEqual([part.ended, part.events, part.success_rate, part.final_state_sha256], ['cut', cut, null, null])
      assert.deepEqual(await run({ op: 'resume', checkpoint: part.checkpoint, seed: 7 }), whole)
    }),
    { seed: 2, numRuns: 300 },
  )
})

test('a person stops the run; approval and refusal are two ends, and asking nobody changes nothing', async () => {
  const body = {
    nodes: [node('draft', 10), node('review', 1000, { kind: 'human' }), node('send', 5)],
    edges: chain('draft', 'review', 'send'),
  }
  const stopped = await ask(body)
  const { result } = stopped
  assert.deepEqual(
    [stopped.status, stopped.ok, result.ended, result.awaiting],
    ['AWAITING_APPROVAL', true, 'awaiting', 'review'],
  )
  assert.deepEqual(
    [result.success_rate, result.makespan_ms, result.success_exact, result.final_state_sha256],
    [null, null, null, null],
  )
  const { checkpoint } = result
  const yes = await ask({ op: 'resume', checkpoint, approve: { review: true } })
  assert.deepEqual(
    [yes.status, yes.result.ended, yes.result.makespan_ms.p50, yes.result.success_exact],
    ['EXECUTED', 'succeeded', 1015, 1],
  )
  const no = (await ask({ op: 'resume', checkpoint, approve: { review: false } })).result
  assert.deepEqual([no.ended, no.makespan_ms.p50, no.success_exact, statuses(no).send], ['failed', 1010, 0, 'skipped'])
  const same = await ask({ op: 'resume', checkpoint })
  assert.deepEqual([same.status, same.result.checkpoint], ['AWAITING_APPROVAL', checkpoint])
})

test('two people are asked one after the other, or decide beforehand', async () => {
  const body = {
    nodes: [node('legal', 5, { kind: 'human' }), node('cfo', 9, { kind: 'human' })],
    edges: chain('legal', 'cfo'),
  }
  const { checkpoint } = await run(body)
  const second = await ask({ op: 'resume', checkpoint, approve: { legal: true } })
  assert.deepEqual([second.status, second.result.awaiting], ['AWAITING_APPROVAL', 'cfo'])
  const done = await run({ op: 'resume', checkpoint: second.result.checkpoint, approve: { cfo: true } })
  const atOnce = await run({ op: 'resume', checkpoint, approve: { cfo: true, legal: true } })
  assert.deepEqual([done.makespan_ms.p50, atOnce.final_state_sha256], [14, done.final_state_sha256])
  const turned = await refusal({ op: 'resume', checkpoint: second.result.checkpoint, approve: { legal: false } })
  assert.deepEqual(turned, [['approve.legal', 'was decided already, and otherwise']])
  assert.deepEqual(await faultsOf({ op: 'resume', checkpoint, approve: { nobody: true } }), ['approve.nobody'])
})

test('names that objects have anyway are names like others', async () => {
  const nodes = [node('__proto__', 5, { kind: 'human' }), node('constructor', 1)]
  const { checkpoint } = await run({ nodes, edges: chain('__proto__', 'constructor') })
  const approve = JSON.parse('{"__proto__": true}')
  assert.equal((await run({ op: 'resume', checkpoint, approve })).makespan_ms.p50, 6)
  assert.equal((await run({ op: 'resume', checkpoint })).awaiting, '__proto__')
  assert.deepEqual(await faultsOf({ op: 'resume', checkpoint, approve: { constructor: true } }), [
    'approve.constructor',
  ])
})

test('trials that come to a person whom the first did not meet are left out and counted', async () => {
  const body = {
    nodes: [node('a', 1, { p_fail: 0.5 }), node('ask', 1, { kind: 'human' })],
    edges: [edge('a', 'ask', 'failure')],
  }
  const answers = await Promise.all([1, 2, 3, 4, 5, 6].map((seed) => ask({ ...body, seed, trials: 100 })))
  const done = answers.find(({ status }) => status === 'EXECUTED')!
  assert.ok(done.result.undecided_trials > 20 && done.result.undecided_trials < 80)
  assert.deepEqual([done.result.success_rate, done.limits[0].code], [1, 'UNDECIDED_TRIALS'])
})

test('an altered checkpoint is refused, also one that was sealed again', async () => {
  const { checkpoint } = await run({ ...loaded, cut_at_event: 3 })
  const seal = ({ sha256: _, ...parts }: Record<string, unknown>) => ({
    ...parts,
    sha256: sha256Hex(canonicalBytes(parts)),
  })
  const altered = (change: (copy: typeof checkpoint) => void) => {
    const copy = structuredClone(checkpoint)
    change(copy)
    return copy
  }
  assert.deepEqual(seal(checkpoint), checkpoint)
  const changes: ((copy: typeof checkpoint) => void)[] = [
    (copy) => (copy.state.clock_us += 1),
    (copy) => (copy.state.nodes[1].status = 'succeeded'),
    (copy) => (copy.state.steps = 0),
    (copy) => (copy.state.events = 2 ** 40),
    (copy) => (copy.state.nodes[0].due = { at_us: 0, seq: 0, event: 'success' }),
    (copy) => copy.state.nodes.pop(),
    (copy) => (copy.seed += 1),
    (copy) => (copy.workflow.nodes[0].p_fail = 1),
  ]
  for (const change of changes) {
    assert.deepEqual(await faultsOf({ op: 'resume', checkpoint: altered(change) }), ['checkpoint.sha256'])
    const again = await faultsOf({ op: 'resume', checkpoint: seal(altered(change)) })
    assert.deepEqual(again, ['checkpoint.state'], String(change))
  }
  const old = seal(altered((copy) => (copy.version = '0.9.0')))
  assert.deepEqual(await faultsOf({ op: 'resume', checkpoint: old }), ['checkpoint.version'])
  const fine = seal(altered((copy) => (copy.workflow.nodes[3].mean_ms = 10.1234567)))
  assert.deepEqual(await faultsOf({ op: 'resume', checkpoint: fine }), ['checkpoint.workflow'])
  const looped = seal(altered((copy) => copy.workflow.edges.push(edge('ship', 'plan'), edge('plan', 'ship'))))
  assert.deepEqual(await faultsOf({ op: 'resume', checkpoint: looped }), ['checkpoint.workflow.edges'])
})

test('unknown ends, doubles and a cycle without a condition are refused, the cycle by name', async () => {
  const nodes = [node('a'), node('b'), node('c')]
  assert.deepEqual(await refusal({ nodes, edges: [...chain('a', 'b', 'c'), edge('c', 'b')] }), [
    ['edges', 'a cycle needs an edge with `when`: b > c > b'],
  ])
  assert.deepEqual(await faultsOf({ nodes, edges: [edge('a', 'a')] }), ['edges'])
  assert.deepEqual(await faultsOf({ nodes, edges: [edge('a', 'a', 'failure')] }), [])
  assert.deepEqual(await faultsOf({ nodes, edges: [edge('a', 'x'), edge('y', 'b')] }), ['edges.0.to', 'edges.1.from'])
  assert.deepEqual(await faultsOf({ nodes: [...nodes, node('a')] }), ['nodes.0.id'])
  assert.deepEqual(await faultsOf({ nodes, edges: [edge('a', 'b'), edge('a', 'b')] }), ['edges.1'])
  assert.deepEqual(await faultsOf({ nodes: [node('p', 1, { kind: 'human', p_fail: 0.1 })] }), ['nodes.0'])
})

test('a prompt has the digests of its written-out form', async () => {
  const second = (id: string, more: object = {}) => node(id, 1000, more)
  const forms: [prompt: string, request: Record<string, unknown>][] = [
    [
      'plan > search, code > review!',
      {
        nodes: [second('plan'), second('search'), second('code'), second('review', { kind: 'human' })],
        edges: [edge('plan', 'search'), edge('plan', 'code'), edge('search', 'review'), edge('code', 'review')],
      },
    ],
    ['hello, world!', { nodes: [second('hello, world!')] }],
    [' a>b > , > a ', { nodes: [second('a'), second('b'), second('a-2')], edges: chain('a', 'b', 'a-2') }],
    ['> ! ,', { nodes: [second('> ! ,')] }],
  ]
  for (const [prompt, request] of forms) {
    const [said, written] = [await ask({ prompt }), await ask(request)]
    assert.deepEqual([said.input_sha256, said.result_sha256], [written.input_sha256, written.result_sha256], prompt)
    assert.ok(['EXECUTED', 'AWAITING_APPROVAL'].includes(said.status))
  }
  const [one, other] = [await ask({ prompt: `${'x'.repeat(8000)}a` }), await ask({ prompt: `${'x'.repeat(8000)}b` })]
  assert.deepEqual([one.status, one.input_sha256 === other.input_sha256], ['EXECUTED', false])
  const wide = Array.from({ length: 20 }, (_, at) => `s${at}`).join(',')
  for (const prompt of [`${wide} > ${wide}`, Array.from({ length: 65 }, (_, at) => `s${at}`).join('>')])
    assert.equal((await ask({ prompt })).status, 'NEEDS_INPUT')
})

test('any text is a workflow or is asked about', async () => {
  const words = fc.constantFrom(
    'a',
    'b',
    '>',
    ',',
    '!',
    ' ',
    '>>',
    '__proto__',
    '\ud83d',
    'constructor',
    'x'.repeat(40),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(words, { minLength: 1, maxLength: 12 }), async (parts) => {
      const prompt = `${parts.join('')}.`
      assert.ok(['EXECUTED', 'AWAITING_APPROVAL', 'NEEDS_INPUT'].includes((await ask({ prompt })).status), prompt)
    }),
    { seed: 2, numRuns: 300 },
  )
})

test('bounds are accepted at their ends and refused beyond, at their place', async () => {
  const of = (more: object) => faultsOf({ nodes: [node('a', 1, more)] })
  const bounds: [string, number, number][] = [
    ['mean_ms', 0, 1e6],
    ['p_fail', 0, 1],
    ['retries', 0, 5],
    ['backoff_ms', 0, 1e6],
    ['cost', 0, 1e6],
  ]
  for (const [field, low, high] of bounds) {
    for (const value of [low, high]) assert.deepEqual(await of({ [field]: value }), [], field)
    for (const value of [low - 1, high + 1]) assert.deepEqual(await of({ [field]: value }), [`nodes.0.${field}`])
  }
  for (const [field, high] of [
    ['max_steps', 1000],
    ['trials', 1000],
  ] as const) {
    for (const value of [1, high]) assert.deepEqual(await faultsOf({ nodes: [node('a')], [field]: value }), [])
    for (const value of [0, high + 1]) assert.deepEqual(await faultsOf({ nodes: [node('a')], [field]: value }), [field])
  }
  const many = (count: number) => Array.from({ length: count }, (_, at) => node(`n${at}`))
  assert.deepEqual(
    [await faultsOf({ nodes: many(64) }), await faultsOf({ nodes: many(65) }), await faultsOf({ nodes: [] })],
    [[], ['nodes'], ['nodes']],
  )
  const all = many(64).flatMap(({ id }, at) =>
    many(64)
      .slice(at + 1)
      .map(({ id: to }) => edge(id, to)),
  )
  assert.deepEqual(await faultsOf({ nodes: many(64), edges: all.slice(0, 256) }), [])
  assert.deepEqual(await faultsOf({ nodes: many(64), edges: all.slice(0, 257) }), ['edges'])
  assert.deepEqual(
    [await faultsOf({ nodes: [node('x'.repeat(32))] }), await faultsOf({ nodes: [node('x'.repeat(33))] })],
    [[], ['nodes.0.id']],
  )
})

test('the heaviest legal run is done in a worker and leaves the loop free; its checkpoint fits a request', async () => {
  const ids = Array.from({ length: 64 }, (_, at) => `${at}`.padStart(32, 'n'))
  const nodes = ids.map((id) =>
    node(id, 10, { dist: 'exp', p_fail: 0.123456, retries: 5, backoff_ms: 1.234567, cost: 0.123456 }),
  )
  const forward = ids
    .flatMap((from, at) => ids.slice(at + 1, at + 5).map((to) => edge(from, to, 'always')))
    .slice(0, 255)
  const edges = [...forward, edge(ids[63]!, ids[0]!, 'always')]
  const { value, turns } = await countTurns(() => ask({ nodes, edges, trials: 1000, max_steps: 1000 }))
  assert.deepEqual([value.status, value.result.stopped_by_max_steps], ['EXECUTED', 1000])
  assert.deepEqual([value.result.history.length, value.result.history_truncated_from > 1900], [500, true])
  assert.ok(turns > 3, `the loop turned ${turns} times`)
  assert.ok(compute.longestJobMs < 4500, `${compute.longestJobMs} ms of processor time`)
  const { checkpoint } = await run({ nodes, edges, trials: 1, cut_at_event: 1500 })
  const body = { op: 'resume', checkpoint, approve: {} }
  assert.ok(JSON.stringify(body).length < 65_536, String(JSON.stringify(body).length))
  assert.equal((await run(body)).ended, 'max_steps')
})
