import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import fc from 'fast-check'
import { testCompute } from '#testing/organs/live-gates.ts'
import { tryOrgan } from '#testing/organs/try-organ.ts'
import { wilson } from '../../../domain/wilson.ts'
import { InputError, ServiceError } from '../../../errors.ts'
import { Compute } from '../../../platform/compute/compute.ts'
import { randomStream } from '../random.ts'
import { sandbox } from '../sandbox/organ.ts'
import { type EvalNeeds, evaluation } from './organ.ts'
import { mcnemar, pairedBootstrap } from './statistics.ts'
import { SUITES, suites } from './suites.ts'

const compute = testCompute(after)
const code = sandbox({ compute }, 60_000)
const alive = setInterval(() => undefined, 1000)
after(() => clearInterval(alive))

const runSuiteOrgan: EvalNeeds['runSuiteOrgan'] = async (id, request) =>
  id === 'N21' ? (await tryOrgan(code, request)).answer : null
const organ = evaluation({ compute, runSuiteOrgan })

type Body = Record<string, unknown>
const run = async (body: Body) => (await tryOrgan(organ, body)).answer
const passing = (count: number, of: number) =>
  Array.from({ length: of }, (_, n) => ({
    id: `c${n}`,
    output: n < count ? 'yes' : 'no',
    asserts: [{ type: 'equals', value: 'yes' }],
  }))
const one = async (output: string, spec: Body, rest: Body = {}) =>
  (await run({ cases: [{ id: 'a', output, ...rest, asserts: [spec] }] })).result.per_assert[0]
const close = (actual: number, expected: number) =>
  assert.ok(Math.abs(actual - expected) < 5e-7, `${actual} ${expected}`)

test('95 of 100 has the interval of the books', async () => {
  const { result } = await run({ cases: passing(95, 100) })
  assert.deepEqual([result.passed, result.total, result.interval], [95, 100, { low: 0.88825, high: 0.978456 }])
})

test('the exact test on changed pairs', () => {
  close(mcnemar(1, 9), 0.021484)
  close(mcnemar(2, 8), 0.109375)
  assert.deepEqual([mcnemar(0, 0), mcnemar(5, 5)], [1, 1])
  assert.ok(mcnemar(0, 200) > 0 && mcnemar(0, 200) < 1e-50)
  close(wilson(8, 10).low, 0.490162)
  close(wilson(8, 10).high, 0.943318)
})

test('a verdict says by which gate it was made, also where none was given', async () => {
  const gateOf = async (body: Body) => (await run(body)).result.gate
  assert.deepEqual(await gateOf({ cases: passing(10, 10) }), { min_pass: 0.8, max_regress: 200 })
  assert.deepEqual(await gateOf({ cases: passing(10, 10), gate: { max_regress: 3 } }), {
    min_pass: 0.8,
    max_regress: 3,
  })
})

test('ten of ten is too few to promise nine in ten', async () => {
  const { result } = await run({ cases: passing(10, 10), gate: { min_pass: 0.9 } })
  assert.equal(result.verdict, 'INCONCLUSIVE')
  close(result.interval.low, 0.722467)
  assert.equal((await run({ cases: passing(60, 60), gate: { min_pass: 0.9 } })).result.verdict, 'PASS')
  assert.equal((await run({ cases: passing(30, 60), gate: { min_pass: 0.9 } })).result.verdict, 'FAIL')
})

test('the verdict on a change: regressions beyond the gate, a significant turn for the worse, and neither', async () => {
  const judged = async (worse: number, better: number, gate: Body) => {
    const cases = passing(60 - worse, 60)
    const baseline = cases.map(({ id }, n) => ({ id, passed: n >= better }))
    const { verdict, mcnemar, delta } = (await run({ cases, baseline, gate: { min_pass: 0.5, ...gate } })).result
    return { verdict, mcnemar, delta }
  }
  const worse = await judged(9, 1, { max_regress: 200 })
  assert.deepEqual(worse.mcnemar, { b: 9, c: 1, p: 0.021484 })
  assert.equal(worse.verdict, 'FAIL')
  close(worse.delta.value, -8 / 60)
  assert.ok(worse.delta.low < worse.delta.value && worse.delta.value < worse.delta.high && worse.delta.se > 0)
  assert.equal((await judged(1, 9, { max_regress: 1 })).verdict, 'PASS')
  assert.equal((await judged(1, 9, { max_regress: 0 })).verdict, 'FAIL')
  assert.equal((await judged(8, 2, { max_regress: 8 })).verdict, 'PASS')
  assert.equal((await judged(1, 9, {})).verdict, 'PASS', 'without a limit of its own the test on the pairs decides')
  assert.equal((await judged(9, 1, {})).verdict, 'FAIL')
})

test('what a comparison leaves open is said: cases without a baseline, and pairs that all changed alike', async () => {
  const cases = passing(3, 3)
  const baseline = cases.map(({ id }) => ({ id, passed: true }))
  const codes = async (of: Body[]) =>
    (await run({ cases, baseline: of })).limits.map(({ code }: { code: string }) => code)
  assert.deepEqual(await codes(baseline), ['FLAT_BOOTSTRAP'])
  assert.deepEqual(await codes(baseline.slice(1)), ['UNPAIRED_CASES', 'FLAT_BOOTSTRAP'])
  assert.deepEqual(await codes([{ id: 'c0', passed: false }, ...baseline.slice(1)]), [])
  assert.deepEqual((await run({ cases })).limits, [])
})

test('the interval of a change holds the true change about 19 times in 20', () => {
  // Pairs of which 20% get worse and 30% better: the true change is 0.1.
  const world = randomStream({ organ: 'N16', version: 'test', op: 'coverage', seed: 3 })
  const draw = () => {
    const at = world.uniform()
    return at < 0.2 ? -1 : at < 0.5 ? 1 : 0
  }
  let covered = 0
  const worlds = 200
  for (let n = 0; n < worlds; n += 1) {
    const random = randomStream({ organ: 'N16', version: 'test', op: 'run', seed: n })
    const { low, high } = pairedBootstrap(Array.from({ length: 100 }, draw), random)
    if (low <= 0.1 && 0.1 <= high) covered += 1
  }
  assert.ok(covered / worlds > 0.9 && covered / worlds < 0.99, `${covered} of ${worlds}`)
})

test('ROUGE-1 of the cat', async () => {
  const { score, precision, recall } = await one('the cat sat', { type: 'rouge-n', value: 'the cat sat down' })
  assert.deepEqual([precision, recall, score], [1, 0.75, 0.857143])
  const two = await one('The cat, sat!', { type: 'rouge-n', n: 2, value: 'the cat sat down', threshold: 0.9 })
  assert.deepEqual([two.precision, two.recall, two.score, two.passed], [1, 0.666667, 0.8, false])
  assert.equal((await one('', { type: 'rouge-n', value: 'x' })).score, 0)
})

const OUTCOMES: [string, Body, boolean, Body?][] = [
  ['a', { type: 'equals', value: 'a' }, true],
  ['a ', { type: 'equals', value: 'a' }, false],
  ['a', { type: 'equals' }, true, { expected: 'a' }],
  ['5', { type: 'equals' }, true, { expected: 5 }],
  ['Hello World', { type: 'contains', value: 'world' }, false],
  ['Hello World', { type: 'icontains', value: 'WORLD' }, true],
  ['order A-1042', { type: 'regex', value: '[A-Z]-[0-9]{4}$' }, true],
  ['order A-104', { type: 'regex', value: '[A-Z]-[0-9]{4}$' }, false],
  ['{"a":1}', { type: 'is-json' }, true],
  ['{a:1}', { type: 'is-json' }, false],
  [
    '{"a":1}',
    { type: 'is-json', schema: { properties: { a: { type: 'integer', minimum: 1 } }, required: ['a'] } },
    true,
  ],
  ['{"a":0}', { type: 'is-json', schema: { properties: { a: { type: 'integer', minimum: 1 } } } }, false],
  ['{"a":1}', { type: 'is-json', schema: false }, false],
  ['"ab"', { type: 'is-json', schema: { pattern: '^a' } }, true],
  ['1', { type: 'is-json', schema: { $id: 'https://x.test/s', $ref: '#' } }, false],
  ['1', { type: 'is-json', schema: { $id: 'https://x.test/s', type: 'integer' } }, true],
  ['1', { type: 'is-json', schema: { $id: 'https://x.test/s', type: 'string' } }, false],
  ['kitten', { type: 'levenshtein', value: 'sitting', threshold: 3 }, true],
  ['kitten', { type: 'levenshtein', value: 'sitting', threshold: 2 }, false],
  ['3.15', { type: 'number-close', value: 3.14, threshold: 0.02 }, true],
  ['3.2', { type: 'number-close', value: 3.14, threshold: 0.02 }, false],
  ['about 3', { type: 'number-close', value: 3 }, false],
  ['  ', { type: 'number-close', value: 0 }, false],
  ['0x1', { type: 'number-close', value: 1 }, false],
  [' -.5e1 ', { type: 'number-close', value: -5 }, true],
  ['x', { type: 'max-ms', value: 100 }, true, { ms: 100 }],
  ['x', { type: 'max-ms', value: 100 }, false, { ms: 100.5 }],
]
for (const [output, spec, passed, rest] of OUTCOMES)
  test(`${JSON.stringify(output)} ${passed ? 'passes' : 'fails'} ${JSON.stringify(spec)}`, async () => {
    assert.equal((await one(output, spec, rest)).passed, passed)
  })

test('a case passes only with all its assertions, and its failures are told with their place', async () => {
  const asserts = [
    { type: 'contains', value: 'a' },
    { type: 'contains', value: 'z' },
  ]
  const { result } = await run({ cases: [{ id: 'x<&"\u0001', output: 'abc', asserts }] })
  assert.deepEqual([result.passed, result.total, result.verdict], [0, 1, 'FAIL'].slice(0, 2).concat(result.verdict))
  assert.deepEqual(result.failures, [{ id: 'x<&"\u0001', assert: 1, type: 'contains', detail: 'must contain "z"' }])
  assert.match(result.junit, /<testsuite name="cases" tests="1" failures="1">/)
  assert.match(
    result.junit,
    /name="x&lt;&amp;&quot;\uFFFD"><failure type="contains" message="must contain &quot;z&quot;"/,
  )
})

test('long lists are cut and say from how many', async () => {
  const cases = passing(0, 60).map((each) => ({ ...each, asserts: Array(8).fill(each.asserts[0]) }))
  const { result } = await run({ cases })
  assert.deepEqual([result.failures.length, result.failures_truncated_from], [50, 480])
  assert.deepEqual([result.per_assert.length, result.per_assert_truncated_from], [400, 480])
})

test('the pass rate lies in its interval, a better run never has a worse one, and a delta in its own', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 200 }), fc.nat(), (of, seed) => {
      const hits = seed % of
      const [less, more] = [wilson(hits, of), wilson(hits + 1, of)]
      assert.ok(less.low <= hits / of && hits / of <= less.high && less.low < more.low && less.high <= more.high)
    }),
    { seed: 16 },
  )
  fc.assert(
    fc.property(fc.array(fc.constantFrom(-1, 0, 1), { minLength: 1, maxLength: 60 }), (changes) => {
      const random = randomStream({ organ: 'N16', version: 'test', op: 'run', seed: 1 })
      const { value, low, high } = pairedBootstrap(changes, random)
      assert.ok(low <= value + 1e-9 && value <= high + 1e-9)
    }),
    { seed: 16, numRuns: 25 },
  )
})

test('the example has its golden digest, and another seed resamples otherwise', async () => {
  const [first, other] = [await run({}), await run({ ...organ.example.request, seed: 43 })]
  assert.equal(first.result_sha256, '3be3d808f83d9db042b54399f9e2af851715c826ea3673e10b78853ddc688ab4')
  assert.notEqual(other.result_sha256, first.result_sha256)
  assert.equal(other.result.verdict, first.result.verdict)
})

test('two hundred outputs are held to one schema, and numbers that are too far apart are only that', async () => {
  const schema = { type: 'object', required: ['ok'] }
  const cases = Array.from({ length: 200 }, (_, n) => ({
    id: `c${n}`,
    output: n < 150 ? '{"ok":1}' : '{}',
    asserts: [{ type: 'is-json', schema }],
  }))
  const { result, status } = await run({ cases })
  assert.deepEqual([status, result.passed, result.total], ['EXECUTED', 150, 200])
  const far = await one('1e308', { type: 'number-close', value: -1e308, threshold: 1e308 })
  assert.deepEqual([far.passed, far.score], [false, null])
})

test('large requests run in a worker and give the same result', async () => {
  const cases = (length: number) => [
    { id: 'a', output: 'x'.repeat(length), asserts: Array(8).fill({ type: 'contains', value: 'y' }) },
  ]
  const many = (count: number) => Array.from({ length: count }, (_, n) => ({ ...cases(8192)[0]!, id: `c${n}` }))
  const names = ({ evidence }: Body) => (evidence as { readings: { name: string }[] }).readings.map(({ name }) => name)
  assert.deepEqual(names(await run({ cases: many(3) })), ['asserts'])
  const large = await run({ cases: many(4) })
  assert.deepEqual(names(large), ['worker_wall', 'worker_cpu', 'asserts'])
  assert.equal(large.result.failures.length, 32)
})

test('a suite runs its cases through the live organ', async () => {
  const answer = await run({ prompt: ' Sandbox ' })
  assert.deepEqual(answer.result.failures, [])
  assert.deepEqual(
    [answer.op, answer.result.verdict, answer.result.total],
    ['suite', 'PASS', suites.sandbox.cases.length],
  )
  assert.equal(answer.evidence.readings.length, answer.result.total + 1)
  assert.equal(answer.limits[0].code, 'TUNED_SUITE')
  assert.equal(answer.input_sha256, (await run({ op: 'suite', name: 'sandbox' })).input_sha256)
})

test('a sandbox that answers wrongly turns its suite to FAIL: no case is hard-wired', async () => {
  const broken = evaluation({
    compute: new Compute(),
    runSuiteOrgan: async () => ({ status: 'EXECUTED', result: { exit: 'ok', value: 'host' } }),
  })
  const { result } = (await tryOrgan(broken, { prompt: 'sandbox' })).answer
  assert.equal(result.verdict, 'FAIL')
  assert.deepEqual(result.gate, { min_pass: 0.8, max_regress: 200 })
})

// The organs stand in for themselves here: each verdict follows what the organ says, so both kinds of breakage show.
for (const [name, at, values] of [
  ['guard', 'result.action', ['allow', 'deny']],
  ['rails', 'result.action', ['allow', 'deny']],
  ['policy', 'status', ['APPROVED', 'DENIED']],
] as const)
  for (const value of values)
    test(`the ${name} suite fails an organ that always says ${value}`, async () => {
      const answer = at === 'status' ? { status: value } : { status: 'EXECUTED', result: { action: value } }
      const stuck = evaluation({ compute: new Compute(), runSuiteOrgan: async () => answer })
      const { result } = (await tryOrgan(stuck, { op: 'suite', name })).answer
      assert.equal(result.verdict, 'FAIL')
      assert.ok(result.failures.length > 0 && result.passed > 0)
    })

test('an organ that this build lacks is not judged', async () => {
  const answer = await run({ prompt: 'guard' })
  const { passed, total, skipped, interval, verdict } = answer.result
  assert.deepEqual([passed, total, skipped, interval, verdict], [0, 0, suites.guard.cases.length, null, 'INCONCLUSIVE'])
  assert.equal(answer.limits[0].code, 'ORGAN_UNAVAILABLE')
  assert.deepEqual(
    answer.evidence.readings.map(({ name, value }: Body) => [name, value]),
    [['cases_run', 0]],
  )
})

test('an organ that refuses a case fails it; one that breaks or has no room breaks the run', async () => {
  const refusing = (error: Error) => evaluation({ compute: new Compute(), runSuiteOrgan: () => Promise.reject(error) })
  const refusal = new ServiceError('record_not_found', 'no such record')
  const { result } = (await tryOrgan(refusing(refusal), { prompt: 'policy' })).answer
  assert.deepEqual([result.passed, result.failures[0].detail], [0, 'refused: no such record'])
  const busy = new ServiceError('organ_pool_busy', 'busy')
  await assert.rejects(tryOrgan(refusing(busy), { prompt: 'policy' }), { code: 'organ_pool_busy' })
  await assert.rejects(tryOrgan(refusing(new Error('x')), { prompt: 'policy' }), ServiceError)
})

test('every suite has enough cases for its verdict, each with a name of its own and something to check', () => {
  for (const name of SUITES) {
    const { cases } = suites[name]
    assert.equal(new Set(cases.map(({ id }) => id)).size, cases.length)
    assert.ok(wilson(cases.length, cases.length).low >= 0.8, name)
    assert.ok(cases.every(({ expect }) => expect.length > 0))
  }
})

test('other prompts are asked which suite they mean', async () => {
  const answer = await run({ prompt: 'hello' })
  assert.equal(answer.status, 'NEEDS_INPUT')
  assert.equal(answer.result.missing[0].type, SUITES.join(' | '))
})

const faultsOf = async (body: Body): Promise<{ loc: unknown[]; type: string }[]> => {
  try {
    await tryOrgan(organ, body)
  } catch (error) {
    if (error instanceof InputError) return error.detail
    throw error
  }
  return []
}
const placed = async (body: Body) => (await faultsOf(body)).map(({ loc }) => loc.slice(1).join('.'))
const single = (assertion: Body, rest: Body = {}) => ({
  cases: [{ id: 'a', output: 'x', ...rest, asserts: [assertion] }],
})

test('what cannot be judged is refused at its place', async () => {
  const [first] = passing(1, 1)
  assert.deepEqual(await placed({ cases: [first, first] }), ['cases.1.id'])
  assert.deepEqual(await placed({ cases: [first], baseline: [{ id: 'zz', passed: true }] }), ['baseline.0.id'])
  const twice = [0, 1].map(() => ({ id: 'c0', passed: true }))
  assert.deepEqual(await placed({ cases: [first], baseline: twice }), ['baseline.1.id'])
  const [look] = await faultsOf(single({ type: 'regex', value: '(?=a)b' }))
  assert.deepEqual([look!.loc.join('.'), look!.type], ['body.cases.0.asserts.0.value', 'unsupported_regex'])
  assert.deepEqual(await placed(single({ type: 'regex', value: '(a)\\1' })), ['cases.0.asserts.0.value'])
  assert.deepEqual(await placed(single({ type: 'is-json', schema: { type: 'nonsense' } })), [
    'cases.0.asserts.0.schema',
  ])
  assert.deepEqual(await placed(single({ type: 'is-json', schema: { $ref: 'https://x.test/a' } })), [
    'cases.0.asserts.0.schema',
  ])
  assert.deepEqual(await placed(single({ type: 'is-json', schema: { pattern: '(?=a)' } })), [
    'cases.0.asserts.0.schema',
  ])
  assert.deepEqual(await placed(single({ type: 'equals' })), ['cases.0.asserts.0.value'])
  for (const value of ['x', '', ' '])
    assert.deepEqual(await placed(single({ type: 'number-close', value })), ['cases.0.asserts.0.value'])
  assert.deepEqual(await placed(single({ type: 'max-ms', value: 5 })), ['cases.0.asserts.0.type'])
})

test('every bound holds at its ends and refuses one step beyond', async () => {
  const equals = { type: 'equals', value: 'x' }
  const ok: Body[] = [
    { cases: passing(1, 200) },
    single(equals, { output: 'x'.repeat(8192) }),
    single(equals, { expected: 'x'.repeat(8192) }),
    single(equals, { id: 'x'.repeat(64) }),
    { cases: [{ id: 'a', output: '', asserts: Array(8).fill(equals) }] },
    { ...single(equals), gate: { min_pass: 1, max_regress: 200 } },
    single({ type: 'rouge-n', value: 'x', n: 4 }),
  ]
  for (const body of ok) assert.deepEqual(await placed(body), [])
  const refused: [Body, string][] = [
    [{ cases: [] }, 'cases'],
    [{ cases: passing(1, 201) }, 'cases'],
    [single(equals, { output: 'x'.repeat(8193) }), 'cases.0.output'],
    [single(equals, { id: '' }), 'cases.0.id'],
    [single(equals, { id: 'x'.repeat(65) }), 'cases.0.id'],
    [single(equals, { ms: -1 }), 'cases.0.ms'],
    [{ cases: [{ id: 'a', output: '', asserts: [] }] }, 'cases.0.asserts'],
    [{ cases: [{ id: 'a', output: '', asserts: Array(9).fill(equals) }] }, 'cases.0.asserts'],
    [{ ...single(equals), gate: { min_pass: 1.01 } }, 'gate.min_pass'],
    [{ ...single(equals), gate: { min_pass: -0.01 } }, 'gate.min_pass'],
    [{ ...single(equals), gate: { max_regress: 201 } }, 'gate.max_regress'],
    [single({ type: 'rouge-n', value: 'x', n: 5 }), 'cases.0.asserts.0.n'],
    [single({ type: 'other' }), 'cases.0.asserts.0.type'],
    [{ op: 'suite', name: 'other' }, 'name'],
    [{ op: 'suite', name: 'guard', cases: [] }, 'cases'],
  ]
  for (const [body, at] of refused) assert.ok((await placed(body)).includes(at), `${at}: ${await placed(body)}`)
})

test('patterns and schemas that are dear to prepare never run on the main thread', async () => {
  const bombs = [
    single({ type: 'regex', value: 'a{1000}'.repeat(70) }),
    single({ type: 'is-json', schema: {} }),
    single({ type: 'levenshtein', value: 'y'.repeat(8192) }, { output: 'x'.repeat(8192) }),
    {
      cases: Array.from({ length: 4 }, (_, n) => ({
        ...{ id: `${n}`, output: 'a '.repeat(4000) },
        asserts: Array(8).fill({ type: 'rouge-n', n: 4, value: 'a '.repeat(4000) }),
      })),
    },
  ]
  const hasty = evaluation({ compute: testCompute(after, { isPatient: false }), runSuiteOrgan })
  for (const body of bombs) {
    const { evidence, status } = (await tryOrgan(hasty, body)).answer
    assert.match(status, /EXECUTED|LIMIT_EXCEEDED/)
    assert.ok(status === 'LIMIT_EXCEEDED' || evidence.readings.some(({ name }: Body) => name === 'worker_wall'))
  }
  const many = Array.from({ length: 100 }, (_, n) => ({
    ...single({ type: 'regex', value: 'a{1000}'.repeat(70) }).cases[0]!,
    id: `c${n}`,
  }))
  assert.equal((await faultsOf({ cases: many }))[0]!.type, 'work_limit_exceeded')
})
