import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { after, test } from 'node:test'
import fc from 'fast-check'
import { shippedPolicies, testCompute } from '#testing/organs/live-gates.ts'
import { tryOrgan } from '#testing/organs/try-organ.ts'
import { InputError } from '../../../errors.ts'
import { policy } from './organ.ts'

const compute = testCompute(after)
const policies = shippedPolicies()
const organ = policy({ policies, compute })
const ask = async (body: Record<string, unknown>) => (await tryOrgan(organ, body)).answer
const faults = async (body: Record<string, unknown>) =>
  tryOrgan(organ, body).then(
    () => assert.fail('the request was taken'),
    (error) => {
      assert.ok(error instanceof InputError, String(error))
      return error.detail.map(({ loc, msg, type }) => ({ loc: loc.slice(1).join('.'), msg, type }))
    },
  )

const name = (type: string, id: string) => ({ type, id })
const one = { principal: name('U', 'a'), action: name('Action', 'x'), resource: name('R', 'r') }
const tool = (id: string, context = {}) => ({
  principal: name('Orch::Caller', 'alice'),
  action: name('Orch::Action', 'InvokeTool'),
  resource: name('Orch::Tool', id),
  context,
})
const PERMIT = 'permit (principal, action, resource);'
const FORBID = 'forbid (principal, action, resource);'

test('the example is approved by the permit it shows, and its result is the golden one', async () => {
  const answer = await ask({})
  assert.deepEqual(
    [answer.status, answer.result.decision, answer.result.determining],
    ['APPROVED', 'allow', ['policy0']],
  )
  assert.equal(answer.result_sha256, GOLDEN)
  const refund = { ...organ.example.request, context: { amount: 501 } }
  assert.deepEqual((await ask(refund)).result.determining, ['policy1'])
})

test('the integration corpus of Cedar is decided as published, request by request and as batches', async (t) => {
  const corpus = new URL('../../../../../../../shared/corpora/cedar/', import.meta.url)
  if (!existsSync(corpus)) return t.skip('SKIPPED: ../shared absent')
  const text = (path: string) => readFileSync(new URL(path, corpus), 'utf8')
  const seen = { allow: 0, deny: 0, validated: 0 }
  for (const path of globSync('tests/*/*.json', { cwd: corpus }).sort()) {
    const file = JSON.parse(text(path))
    const set = { policies: text(file.policies), schema: text(file.schema) }
    const entities = JSON.parse(text(file.entities))
    const requests = file.requests.map(
      ({ principal, action, resource, context }: typeof one & { context: object }) => ({
        principal,
        action,
        resource,
        context,
      }),
    )
    const { result } = await ask({ op: 'batch', ...set, entities, requests })
    const { valid } = (await ask({ op: 'validate', ...set })).result
    assert.equal(valid, file.shouldValidate, path)
    seen.validated += 1
    for (const [at, { decision, reason, errors }] of file.requests.entries()) {
      const found = result.decisions[at]
      assert.equal(found.decision, decision, `${path} ${at}`)
      assert.deepEqual(found.determining.toSorted(), reason.toSorted(), `${path} ${at}`)
      assert.equal(found.errors.length, errors.length, `${path} ${at}`)
      const alone = await ask({ ...requests[at], ...set, entities })
      assert.equal(alone.status, decision === 'allow' ? 'APPROVED' : 'DENIED')
      seen[decision as 'allow' | 'deny'] += 1
    }
  }
  assert.deepEqual(seen, { allow: 38, deny: 36, validated: 22 })
})

test('no policy denies, and adding a forbid never turns a deny into an allow', async () => {
  assert.equal((await ask({ ...one, policies: '' })).status, 'DENIED')
  const condition = fc.constantFrom('true', 'context.n > 1', 'context.n < 3', 'context.missing', 'principal == U::"a"')
  const effect = fc.constantFrom('permit', 'forbid')
  const written = ([kind, when]: [string, string]) => `${kind} (principal, action, resource) when { ${when} };`
  const requests = [0, 1, 2, 3].map((n) => ({ ...one, context: { n } }))
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(effect, condition), { maxLength: 4 }), condition, async (set, when) => {
      const before = set.map(written).join('\n')
      const { result } = await ask({
        op: 'diff',
        policies: before,
        policies_b: `${before}\n${written(['forbid', when])}`,
        requests,
      })
      for (const { from, to } of result.changed) assert.deepEqual([from, to], ['allow', 'deny'])
    }),
    { seed: 25, numRuns: 60 },
  )
})

test('an error in one policy is listed and never approved', async () => {
  const erring = 'permit (principal, action, resource) when { context.missing };'
  const alone = await ask({ ...one, policies: erring })
  assert.deepEqual([alone.status, alone.result.decision], ['DENIED', 'deny'])
  assert.match(alone.result.errors[0], /^policy0: .*missing/)
  const alongside = await ask({
    ...one,
    policies: `${PERMIT} forbid (principal, action, resource) when { context.missing };`,
  })
  assert.deepEqual([alongside.status, alongside.result.errors.length], ['DENIED', 1])
  assert.ok(alongside.limits.some(({ code }: { code: string }) => code === 'POLICY_ERRORS'))
})

test('the active set decides with the registry of the server, whatever a caller states about a tool', async () => {
  const status = async (body: Record<string, unknown>) => {
    const { result, status } = await ask(body)
    assert.equal(result.policy_sha256, policies.status().policy_digest)
    assert.equal(result.source, 'active')
    return `${status} ${result.reviewable}`
  }
  assert.equal(await status(tool('hash')), 'APPROVED false')
  assert.equal(await status(tool('session_clear')), 'DENIED true')
  assert.equal(await status(tool('session_clear', { approved: true })), 'DENIED true')
  assert.equal(await status(tool('session_clear', { effect: 'read' })), 'DENIED true')
  assert.equal(await status(tool('hash', { effect: 'harmless' })), 'DENIED true')
  assert.equal(await status(tool('hash', { effect: 'external' })), 'DENIED true')
  assert.equal(await status(tool('hash', { tainted: 'no' })), 'DENIED false')
  const claimed = (uid: object) => ({ uid, attrs: { registered: true, review: false }, parents: [] })
  const uid = { type: 'Orch::Tool', id: 'rm' }
  assert.equal(await status({ ...tool('rm'), entities: [claimed(uid)] }), 'DENIED false')
  assert.equal(await status({ ...tool('rm'), entities: [claimed({ __entity: uid })] }), 'DENIED false')
  assert.equal(await status({ ...tool('hash'), action: name('Orch::Action', 'Delete') }), 'DENIED false')
})

test('without a set that could be loaded everything is denied, and the answer says so', async () => {
  const none = policy({
    policies: shippedPolicies('/nonexistent'),
    compute: { register: () => () => assert.fail() } as never,
  })
  const { answer } = await tryOrgan(none, tool('hash'))
  assert.equal(answer.status, 'DENIED')
  assert.match(answer.result.errors[0], /no policy set is loaded/)
})

test('a prompt names an agent and a tool, and any other text is denied by default', async () => {
  const prompt = await ask({ prompt: 'agent:alice call tool:hash' })
  const { context: _, ...written } = tool('hash')
  const same = await ask(written)
  assert.equal(prompt.status, 'APPROVED')
  assert.deepEqual([prompt.input_sha256, prompt.result_sha256], [same.input_sha256, same.result_sha256])
  for (const text of ['hello', 'agent:alice call', 'agent: call tool:hash', 'agent:a delete tool:hash', '\u{1F600}'])
    assert.equal((await ask({ prompt: text })).status, 'DENIED', text)
})

test('validate tells what strict validation finds, with its place', async () => {
  const schema = 'entity U; entity R; action x appliesTo { principal: [U], resource: [R], context: { n: Long } };'
  const text =
    'permit (principal, action, resource) when { context.n > 1 };\npermit (principal, action, resource) when { context.m };'
  const { result } = await ask({ op: 'validate', policies: text, schema })
  assert.deepEqual([result.valid, result.findings.length], [false, 1])
  assert.equal(result.findings[0].policy, 'policy1')
  assert.equal(text.slice(result.findings[0].start, result.findings[0].end), 'context.m')
  const untyped = await ask({ op: 'validate', policies: text })
  assert.deepEqual([untyped.result.valid, untyped.limits[0].code], [true, 'NO_SCHEMA'])
})

test('in a batch, what a policy erred on is not approved and does not count as allowed', async () => {
  const erring = `${PERMIT} forbid (principal, action, resource) when { context.x };`
  const { result } = await ask({ op: 'batch', policies: erring, requests: [one] })
  assert.deepEqual(result.counts, { allow: 0, deny: 1, with_errors: 1 })
  assert.equal(result.decisions[0].approved, false)
})

test('batch keeps the order and counts, and diff names what changes, also against the active set', async () => {
  const requests = ['hash', 'session_clear', 'rm'].map((id) => tool(id))
  const { result } = await ask({ op: 'batch', requests })
  assert.deepEqual(
    result.decisions.map(({ decision }: { decision: string }) => decision),
    ['allow', 'deny', 'deny'],
  )
  assert.deepEqual(result.counts, { allow: 1, deny: 2, with_errors: 0 })
  const diff = await ask({ op: 'diff', requests, policies_b: FORBID + PERMIT })
  assert.deepEqual(diff.result.changed, [{ index: 0, from: 'allow', to: 'deny', determining: ['policy0'] }])
  const open = await ask({
    op: 'diff',
    requests,
    policies_b: 'permit (principal, action, resource) when { resource.registered };',
  })
  assert.deepEqual(open.result.changed, [{ index: 1, from: 'deny', to: 'allow', determining: ['policy0'] }])
  assert.equal(open.result.policy_sha256, policies.status().policy_digest)
})

test('diff names a request whose access flips because a policy of the other side errs', async () => {
  const asked = { requests: [{ ...one, context: {} }], policies: PERMIT }
  const { result } = await ask({
    ...{ op: 'diff', ...asked },
    policies_b: `${PERMIT} forbid (principal, action, resource) when { context.nope };`,
  })
  assert.deepEqual(result.changed, [{ index: 0, from: 'allow', to: 'deny', determining: ['policy0'] }])
  assert.deepEqual([result.counts_a.allow, result.counts_b], [1, { allow: 0, deny: 1, with_errors: 1 }])
})

test('an integer that was not read exactly is a fault at its place, and the last exact one is compared', async () => {
  const policies = 'permit (principal, action, resource) when { context.n <= 9007199254740992 };'
  const context = JSON.parse('{"n":9007199254740993}')
  const inexact = async (body: Record<string, unknown>) =>
    (await faults(body)).map(({ loc, type }: { loc: string; type: string }) => `${loc} ${type}`)
  const asked = { ...one, context }
  assert.deepEqual(await inexact({ ...asked, policies }), ['context.n number_inexact'])
  for (const more of [
    { op: 'batch', policies },
    { op: 'diff', policies, policies_b: '' },
  ])
    assert.deepEqual(await inexact({ ...more, requests: [one, asked] }), ['requests.1.context.n number_inexact'])
  const entities = [{ uid: one.principal, attrs: { list: [1, -(2 ** 53)] }, parents: [] }]
  assert.deepEqual(await inexact({ ...one, entities, policies }), ['entities.0.attrs.list.1 number_inexact'])
  const exact = { ...one, context: { n: Number.MAX_SAFE_INTEGER }, policies }
  assert.equal((await ask(exact)).status, 'APPROVED')
})

test('policies and schemas that do not parse are the fault of their field, with line and column', async () => {
  const text = `${PERMIT}\npermit (principal, action, resource) wen { true };`
  const [found] = await faults({ ...one, policies: text })
  assert.equal(found!.loc, 'policies')
  assert.match(found!.msg, /^line 2, column 38: .*wen/)
  assert.equal((await faults({ op: 'validate', policies: text }))[0]!.loc, 'policies')
  assert.equal((await faults({ op: 'diff', requests: [one], policies: '', policies_b: text }))[0]!.loc, 'policies_b')
  assert.equal((await faults({ ...one, policies: PERMIT, schema: 'entity U; entity' }))[0]!.loc, 'schema')
})

test('hostile policies, entities and contexts are denied, and the next request is decided as if nothing had been', async () => {
  const nested = `permit (principal, action, resource) when { ${'('.repeat(15_000)}true${')'.repeat(15_000)} };`
  const chained = `permit (principal, action, resource) when { 1${'+1'.repeat(15_000)} > 0 };`
  const deep = JSON.parse(`${'{"a":'.repeat(500)}1${'}'.repeat(500)}`)
  const cycle = ['a', 'b'].map((id, at) => ({ uid: name('U', id), attrs: {}, parents: [name('U', 'ba'[at]!)] }))
  const before = policies.authorize({ ...tool('hash'), entities: [] } as never)
  for (const body of [
    { ...one, policies: nested },
    { ...one, policies: chained },
    { ...one, policies: PERMIT, context: deep },
    { ...tool('hash', deep) },
    { ...one, policies: PERMIT, entities: cycle },
    { ...one, policies: PERMIT, entities: [{ uid: 'U' }] },
    { ...one, policies: PERMIT, principal: name('if', 'a') },
  ]) {
    const answer = await ask(body)
    assert.equal(answer.status, 'DENIED')
    assert.ok(answer.result.errors.length > 0)
    assert.equal(answer.deterministic, false)
    assert.equal((await ask({ ...one, policies: PERMIT })).status, 'APPROVED')
  }
  assert.equal((await ask({ op: 'validate', policies: nested })).result.valid, false)
  assert.deepEqual(policies.authorize({ ...tool('hash'), entities: [] } as never), before)
})

test('long lists are cut and say so', async () => {
  const { result } = await ask({ ...one, policies: PERMIT.repeat(33) })
  assert.deepEqual([result.determining.length, result.truncated_from], [32, { determining: 33, errors: 0 }])
  assert.equal((await ask({ ...one, policies: PERMIT.repeat(32) })).result.truncated_from, undefined)
})

test('the longest legal batch is decided, and its answer is not too long', async () => {
  const erring = (at: number) => `permit(principal,action,resource) when{context.${'m'.repeat(80)}${at}};`
  const text = Array.from({ length: 60 }, (_, at) => erring(at)).join('')
  const { result } = await ask({ op: 'batch', requests: Array.from({ length: 100 }, () => one), policies: text })
  assert.deepEqual(result.counts, { allow: 0, deny: 100, with_errors: 100 })
  assert.equal(result.decisions[0].truncated_from.errors, 60)
})

test('the longest legal batch over the active set gives way to the loop after each of its hundred decisions', async (t) => {
  let [turns, calls, atOnce, most, longest] = [0, 0, 0, 0, 0]
  const counted: typeof policies = {
    ...policies,
    authorize(question) {
      ;[calls, atOnce] = [calls + 1, atOnce + 1]
      most = Math.max(most, atOnce)
      const begun = performance.now()
      const verdict = policies.authorize(question)
      longest = Math.max(longest, performance.now() - begun)
      return verdict
    },
  }
  let isOver = false
  const countTurn = () => {
    ;[turns, atOnce] = [turns + 1, 0]
    if (!isOver) setImmediate(countTurn)
  }
  const child = (at: number) => ({
    uid: name('U', `u${at}`),
    attrs: {},
    parents: [1, 2, 3, 4].map((by) => name('U', `u${at + by}`)),
  })
  const flat = (at: number) => ({ uid: name('U', `u${at}`), attrs: { a: 'x'.repeat(180) }, parents: [] })
  const entities = Array.from({ length: 200 }, (_, at) => (at < 50 ? child(at) : flat(at)))
  setImmediate(countTurn)
  const { answer } = await tryOrgan(
    policy({ policies: counted, compute: { register: () => () => assert.fail() } as never }),
    {
      op: 'batch',
      requests: Array.from({ length: 100 }, () => one),
      entities,
    },
  )
  isOver = true
  assert.deepEqual([answer.status, calls], ['EXECUTED', 100])
  assert.equal(most, 1, 'decisions in one turn of the loop')
  assert.ok(turns >= calls - 1)
  const decided = calls
  for (let turn = 0; turn < 3; turn += 1) await new Promise(setImmediate)
  assert.equal(calls, decided, 'nothing goes on once the answer is given')
  t.diagnostic(`the longest of ${calls} decisions took ${longest.toFixed(1)} ms`)
})

test('every bound holds at its last value and not one further', async () => {
  const entity = (_: unknown, at: number) => ({ uid: name('U', `u${at}`), attrs: {}, parents: [] })
  const text = (length: number) => `//${'x'.repeat(length - 2)}`
  const id = 'a'.repeat(1025)
  const bounds: [string, Record<string, unknown>, Record<string, unknown>][] = [
    ['policies', { ...one, policies: text(32_768) }, { ...one, policies: text(32_769) }],
    ['schema', { ...one, policies: '', schema: text(32_768) }, { ...one, policies: '', schema: text(32_769) }],
    [
      'entities',
      { ...one, policies: '', entities: Array.from({ length: 200 }, entity) },
      { ...one, policies: '', entities: Array.from({ length: 201 }, entity) },
    ],
    [
      'requests',
      { op: 'batch', policies: '', requests: Array(100).fill(one) },
      { op: 'batch', policies: '', requests: Array(101).fill(one) },
    ],
    ['requests', { op: 'batch', requests: [one] }, { op: 'batch', requests: [] }],
    [
      'principal.id',
      { ...one, policies: '', principal: name('U', id.slice(1)) },
      { ...one, policies: '', principal: name('U', id) },
    ],
    ['principal.type', one, { ...one, principal: name('U V', 'a') }],
    ['policies_b', { op: 'diff', requests: [one], policies_b: '' }, { op: 'diff', requests: [one] }],
    ['requests', { op: 'batch', requests: [one] }, { ...one, requests: [one] }],
    ['extra', one, { ...one, extra: 1 }],
  ]
  for (const [field, last, over] of bounds) {
    await ask(last)
    assert.equal((await faults(over))[0]!.loc, field)
  }
  const child = (_: unknown, at: number) => ({
    uid: name('U', `u${at}`),
    attrs: {},
    parents: [name('U', `u${at + 1}`)],
  })
  const family = (length: number) => ({ ...one, entities: Array.from({ length }, child) })
  await ask(family(50))
  assert.equal((await faults(family(51)))[0]!.loc, 'entities')
  await ask({ ...family(200), policies: PERMIT })
  const parents = (length: number) => ({
    ...one,
    entities: [{ uid: name('U', 'a'), attrs: {}, parents: Array.from({ length }, (_, at) => name('U', `u${at}`)) }],
  })
  await ask(parents(200))
  assert.match((await faults(parents(201)))[0]!.msg, /at most 200 parents/)
  const hundred = { op: 'batch', requests: Array(100).fill(one) }
  await ask({ ...hundred, policies: `//${';'.repeat(1000)}` })
  const [work] = await faults({ ...hundred, policies: `//${';'.repeat(1001)}` })
  assert.deepEqual([work!.type, work!.msg.includes('100100')], ['work_limit_exceeded', true])
})

test('the time of a call is read from the clock of the run', async () => {
  const { answer } = await tryOrgan(organ, { prompt: 'agent:alice call tool:hash' })
  assert.deepEqual(answer.evidence.readings, [
    { name: 'cedar_call', value: 1000, unit: 'us', how: 'process.hrtime.bigint' },
  ])
  const worker = (await ask({})).evidence.readings.map(({ name }: { name: string }) => name)
  assert.ok(worker.includes('cedar_call') && worker.includes('worker_cpu'))
})

const GOLDEN = '578aeef1b8f651e9327eb05fa3fab67ba28f491a6a6bd17ae47e58f98895ff76'
