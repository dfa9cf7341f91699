import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { tryOrgan } from '#testing/organs/try-organ.ts'
import { InputError } from '../../../errors.ts'
import type { CallRules } from './govern-call.ts'
import { exchange, loadProtocol } from './io/protocol.ts'
import { tool } from './organ.ts'
import { schemaFault } from './schema-fault.ts'
import { BUILT_IN, definitionDigest, REVISIONS, type Tool } from './tools.ts'

type ToolNeeds = Parameters<typeof tool>[0]

const ABC = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'
const RECEIPT = 'a'.repeat(64)
type Documents = { key: string; owner: string; value: string; version: number }[]

/** What is stored, as the ledger's reader gives it. */
const readerOf = (rows: Documents): ToolNeeds['reader'] =>
  ({
    document: async (_space: string, key: string) => rows.find((row) => row.key === key) ?? null,
    documents: async ({ owner }: { owner: string }) => rows.filter((row) => row.owner === owner),
  }) as unknown as ToolNeeds['reader']

const allowing: CallRules = {
  authorize: () => ({ outcome: 'allow', determining: ['tool-use'], errors: [], policy_sha256: '0'.repeat(64) }),
  screen: async () => ({ action: 'allow', findings: [], faults: [] }),
}
const organOver = (more: Partial<ToolNeeds> = {}) =>
  tool({
    ...allowing,
    builtIn: BUILT_IN,
    outsideIds: [],
    outside: async (server) => ({ server, mode: 'unreachable', reason: null, tools: [] }),
    loadProtocol,
    exchange,
    reader: readerOf([]),
    worldFor: ({ owner }) => ({
      now: () => Date.UTC(2026, 0, 2),
      receipt: async (digest) => (digest === RECEIPT && owner === 'local' ? { kind: 'decision' } : null),
    }),
    ...more,
  })
const organ = organOver()
const run = async (body: Record<string, unknown>, on = organ, owner?: string) =>
  (await tryOrgan(on, body, owner === undefined ? {} : { owner })).answer
const call = (name: string, args: Record<string, unknown> = {}, on = organ, more = {}) =>
  run({ op: 'call', name, arguments: args, ...more }, on)
const refusedAt = async (body: Record<string, unknown>): Promise<string | null> => {
  try {
    await tryOrgan(organ, body)
    return null
  } catch (error) {
    assert.ok(error instanceof InputError, String(error))
    return error.detail[0]!.loc.slice(1).join('.')
  }
}

test('hash abc is the published digest, in both revisions and in both forms', async () => {
  for (const revision of REVISIONS) {
    const { status, result } = await call('hash', { text: 'abc' }, organ, { revision })
    assert.deepEqual(
      [status, result.decision, result.output.digest, result.schema_valid],
      ['APPROVED', 'allow', ABC, true],
    )
  }
  const said = await run({ prompt: 'hash abc' })
  const written = await call('hash', { text: 'abc' })
  assert.deepEqual([said.result.output.digest, said.input_sha256], [ABC, written.input_sha256])
  assert.equal(said.result_sha256, written.result_sha256)
})

test('the list of tools is what the protocol lists, with a golden digest', async () => {
  const answer = await run({})
  assert.equal(answer.result_sha256, GOLDEN)
  const { tools, transcript } = answer.result
  assert.deepEqual(
    tools.map(({ name }: { name: string }) => name),
    ['hash', 'time', 'json_query', 'calc', 'ledger_lookup'],
  )
  assert.deepEqual(
    transcript[1].message.result.tools.map(({ name }: { name: string }) => name),
    tools.map(({ name }: { name: string }) => name),
  )
  const [reading] = answer.evidence.readings
  assert.deepEqual([reading.name, reading.how, reading.value > 0], ['round_trip', 'process.hrtime.bigint', true])
  const older = await run({ op: 'list', revision: '2025-11-25' })
  assert.equal(older.result.transcript[1].message.result.protocolVersion, '2025-11-25')
})
const GOLDEN = '6053a07ee938bb974151d1b03900e6be91ecadcbc093a71ecb969d26a79ea395'

test('the server says of itself which revision it speaks', async () => {
  const modern = (await run({ op: 'discover' })).result
  assert.deepEqual([modern.answer.supportedVersions, modern.outside], [['2026-07-28'], []])
  const older = (await run({ op: 'discover', revision: '2025-11-25' })).result
  assert.equal(older.answer.protocolVersion, '2025-11-25')
})

test('every tool does its work', async () => {
  const output = async (name: string, args: Record<string, unknown>) => (await call(name, args)).result.output
  assert.deepEqual(await output('calc', { expression: '(1 + 2) * 3.5' }), {
    value: '10.5',
    exact: true,
    rounding: null,
  })
  assert.deepEqual(await output('json_query', { document: { a: [1, { b: 2 }] }, query: '/a/1/b' }), {
    count: 1,
    matches: [2],
  })
  const time = await call('time', { zone: 'Europe/Paris' })
  assert.deepEqual(
    [time.result.output, time.deterministic],
    [{ utc: '2026-01-02T00:00:00.000Z', zone: 'Europe/Paris', local: '2026-01-02T01:00:00+01:00' }, false],
  )
  assert.deepEqual(await output('ledger_lookup', { digest: RECEIPT }), { found: true, kind: 'decision' })
  const foreign = await run({ op: 'call', name: 'ledger_lookup', arguments: { digest: RECEIPT } }, organ, 'other')
  assert.deepEqual(foreign.result.output, { found: false })
  const sha3 = await output('hash', { text: 'abc', algorithm: 'sha3-256' })
  assert.equal(sha3.digest, '3a985da74fe225b2045c172d6bd390bd855f086e3e9d525b46bfe24511431532')
})

test('calc evaluates no code', async () => {
  for (const expression of [
    'constructor.constructor("return process")()',
    '__proto__',
    '`x`',
    '1;2',
    'a=1',
    '2**9',
    '()',
  ]) {
    const { result, status } = await call('calc', { expression })
    assert.deepEqual([status, result.output], ['APPROVED', null], expression)
    assert.ok(result.error.length > 0)
  }
})

test('an argument reaches its tool whole, whatever its properties are named', async () => {
  const document = { constructor: { a: 1 }, valueOf: 2 }
  const { result } = await call('json_query', { document, query: '/constructor/a' })
  assert.deepEqual(result.output.matches, [1])
})

test('a number that a tool gives is exact, in its text as well', async () => {
  const { result } = await call('json_query', { document: [0.123456789], query: '/0' })
  assert.deepEqual(result.output.matches, [0.123456789])
  assert.equal(result.output_text, '{"count":1,"matches":[0.123456789]}')
})

test('an unknown tool is denied with the list of those that there are', async () => {
  for (const name of ['shell', 'constructor', '__proto__', 'HASH']) {
    const { status, result } = await call(name)
    assert.deepEqual([status, result.reasons, result.allow_list.length], ['DENIED', ['UNKNOWN_TOOL'], 5])
  }
  assert.equal((await run({ op: 'pin', name: 'shell' })).status, 'DENIED')
})

test('a tool of a server that does not answer is not called unknown: the server is said to be unreachable', async () => {
  const silent = organOver({
    outsideIds: ['theirs'],
    outside: async (server) => ({ server, mode: 'unreachable', reason: 'TRANSPORT_UNAVAILABLE', tools: [] }),
  })
  const unreachable = [{ code: 'SERVER_UNREACHABLE', detail: 'theirs did not answer' }]
  const { status, result, limits, deterministic } = await call('theirs.add', {}, silent)
  assert.deepEqual([status, result.reasons], ['DENIED', ['SERVER_UNREACHABLE', 'TRANSPORT_UNAVAILABLE']])
  assert.deepEqual([limits, deterministic], [unreachable, false])
  const pinned = await run({ op: 'pin', name: 'theirs.add' }, silent)
  assert.deepEqual([pinned.status, pinned.limits], ['DENIED', unreachable])
  assert.deepEqual((await call('theirs', {}, silent)).result.reasons, ['UNKNOWN_TOOL'])
})

test('arguments that do not fit are refused at their place', async () => {
  const faults: [Record<string, unknown>, string][] = [
    [{ name: 'hash', arguments: {} }, 'arguments'],
    [{ name: 'hash', arguments: { text: 5 } }, 'arguments.text'],
    [{ name: 'hash', arguments: { text: 'a', more: 1 } }, 'arguments.more'],
    [{ name: 'hash', arguments: { text: 'x'.repeat(32_769) } }, 'arguments.text'],
    [{ name: 'calc', arguments: { expression: 'x'.repeat(1025) } }, 'arguments.expression'],
    [{ name: 'ledger_lookup', arguments: { digest: 'z' } }, 'arguments.digest'],
    [{ name: 'x'.repeat(129) }, 'name'],
    [{ name: '' }, 'name'],
    [{ name: 'hash', arguments: [] }, 'arguments'],
    [{ name: 'hash', arguments: { text: 'a' }, revision: '2024-11-05' }, 'revision'],
  ]
  for (const [body, at] of faults)
    assert.equal(await refusedAt({ op: 'call', ...body }), at, JSON.stringify(body).slice(0, 80))
  assert.equal(await refusedAt({ op: 'call', name: 'hash', arguments: { text: 'x'.repeat(32_768) } }), null)
  assert.equal(await refusedAt({ op: 'call', name: 'x'.repeat(128) }), null)
})

test('the policies decide before the guard, and the guard before the tool', async () => {
  let used = 0
  const uses: Tool['run'] = (args, world) => {
    used++
    return BUILT_IN[0]!.run(args, world)
  }
  const counted: Tool = { ...BUILT_IN[0]!, run: uses }
  const finding = { scanner: 'injection', rule: 'T01', start: 0, end: 3, score: 1, sample_masked: 'i***' }
  const over = (more: Partial<CallRules>) => organOver({ builtIn: [counted], ...more })
  const policy = (outcome: 'review' | 'deny') => () => ({ ...allowing.authorize('', ''), outcome, determining: ['p1'] })
  let screened = 0
  const screen = (action: 'allow' | 'review' | 'deny') => async () => {
    screened++
    return { action, findings: action === 'allow' ? [] : [finding], faults: [] }
  }
  const denied = await call(
    'hash',
    { text: 'secret words' },
    over({ authorize: policy('deny'), screen: screen('allow') }),
  )
  assert.deepEqual([denied.status, denied.result.reasons, screened], ['DENIED', ['POLICY_DENIED', 'p1'], 0])
  const guarded = await call('hash', { text: 'secret words' }, over({ screen: screen('deny') }))
  assert.deepEqual(
    [guarded.status, guarded.result.reasons, guarded.result.findings],
    ['DENIED', ['GUARD_DENIED'], [finding]],
  )
  for (const rules of [{ authorize: policy('review') }, { screen: screen('review') }]) {
    const pending = await call('hash', { text: 'secret words' }, over(rules))
    assert.deepEqual(
      [pending.status, pending.result.review_ref, pending.result.output],
      ['AWAITING_APPROVAL', `n14/${pending.input_sha256}`, null],
    )
    assert.equal(pending.result.transcript.at(-1).message.result.resultType, 'input_required')
    const older = await call('hash', { text: 'secret words' }, over(rules), { revision: '2025-11-25' })
    assert.deepEqual([older.status, older.result.reasons], ['AWAITING_APPROVAL', pending.result.reasons])
    assert.equal(older.result.transcript.at(-1).message.result.isError, true)
    assert.equal(pending.limits[0].code, 'REVIEW_NOT_QUEUED')
    assert.ok(!JSON.stringify(pending).includes('secret words'))
  }
  assert.equal(used, 0)
})

test('a gate that failed is told, and the answer is not called deterministic', async () => {
  const screen: CallRules['screen'] = async () => ({ action: 'review', findings: [], faults: ['a gate was late'] })
  const answer = await call('hash', { text: 'a' }, organOver({ screen }))
  assert.deepEqual([answer.limits[0].code, answer.deterministic], ['SCANNER_FAILED', false])
})

const changed = (of: string): Tool[] =>
  BUILT_IN.map((one) => (one.name === of ? { ...one, description: `${one.description}.` } : one))

test('one changed character in a description is found, and the call is denied until it is pinned again', async () => {
  const rows: Documents = []
  const store = (documents: readonly unknown[]) => {
    for (const { key, owner, value } of documents as Documents) {
      const at = rows.findIndex((row) => row.key === key)
      const next = { key, owner, value, version: at < 0 ? 1 : rows[at]!.version + 1 }
      if (at < 0) rows.push(next)
      else rows[at] = next
    }
  }
  const before = organOver({ reader: readerOf(rows) })
  const pinned = await tryOrgan(before, { op: 'pin', name: 'hash' })
  store(pinned.documents)
  assert.deepEqual([pinned.answer.result.previous_sha256, pinned.answer.result.pins], [null, 1])
  const { state } = pinned.answer.evidence
  assert.notEqual(state.before_sha256, state.after_sha256)
  assert.deepEqual((await run({ op: 'drift' }, before)).result, { checked: 1, drift: [] })
  assert.equal((await call('hash', { text: 'abc' }, before)).status, 'APPROVED')

  const after = organOver({ reader: readerOf(rows), builtIn: changed('hash') })
  const { drift } = (await run({ op: 'drift' }, after)).result
  assert.deepEqual(drift, [
    {
      name: 'hash',
      pinned_sha256: definitionDigest(BUILT_IN[0]!),
      current_sha256: definitionDigest(changed('hash')[0]!),
    },
  ])
  const denied = await call('hash', { text: 'abc' }, after)
  assert.deepEqual([denied.status, denied.result.reasons, denied.result.drift], ['DENIED', ['DEFINITION_DRIFT'], drift])
  assert.equal((await run({ op: 'call', name: 'hash', arguments: { text: 'abc' } }, after, 'other')).status, 'APPROVED')
  assert.deepEqual((await run({ op: 'drift' }, after, 'other')).result, { checked: 0, drift: [] })

  store((await tryOrgan(after, { op: 'pin', name: 'hash' })).documents)
  assert.equal((await call('hash', { text: 'abc' }, after)).status, 'APPROVED')
  const gone = organOver({ reader: readerOf(rows), builtIn: [] })
  assert.equal((await run({ op: 'drift' }, gone)).result.drift[0].current_sha256, null)
})

test('a tenant pins 200 tools and not one more', async () => {
  const pin = (at: number) => ({
    ...{ key: `${at}`, owner: 'public/local', version: 1 },
    value: JSON.stringify({ name: `t${at}`, definition_sha256: 'a'.repeat(64) }),
  })
  const full = (count: number) => organOver({ reader: readerOf(Array.from({ length: count }, (_, at) => pin(at))) })
  assert.equal((await run({ op: 'pin', name: 'hash' }, full(199))).result.pins, 200)
  await assert.rejects(tryOrgan(full(200), { op: 'pin', name: 'hash' }), { code: 'tenant_quota_exceeded' })
})

test('an output beyond 16 KiB, one off its schema and a tool that does not end are errors', async () => {
  const with_ = (more: Partial<Tool>) => organOver({ builtIn: [{ ...BUILT_IN[0]!, outputSchema: null, ...more }] })
  const gives = (output: Record<string, unknown>) => ({ run: () => output })
  const error = async (more: Partial<Tool>) => (await call('hash', { text: 'a' }, with_(more))).result.error
  const fits = 16_384 - '{"a":""}'.length
  assert.equal(await error(gives({ a: 'x'.repeat(fits) })), null)
  assert.match(await error(gives({ a: 'x'.repeat(fits + 1) })), /at most 16384 bytes/)
  assert.match(await error({ ...gives({ a: 1 }), outputSchema: BUILT_IN[0]!.outputSchema }), /does not fit/)
  assert.equal(await error({ timeoutMs: 20, run: () => new Promise(() => undefined) }), 'TOOL_TIMEOUT')
})

test('what another server says is screened before it is shown', async () => {
  const theirs: Tool = {
    ...BUILT_IN[0]!,
    outputSchema: null,
    name: 'far.say',
    outside: true,
    run: () => ({ text: 'poison' }),
  }
  const screen: CallRules['screen'] = async (text) => ({
    action: text.includes('poison') ? 'deny' : 'allow',
    findings: [],
    faults: [],
  })
  const answered = { server: 'far', mode: 'answered', reason: null, tools: [theirs] } as const
  const far = { outsideIds: ['far'], outside: async () => answered }
  const refused = await call('far.say', { text: 'a' }, organOver({ ...far, screen }))
  assert.deepEqual(
    [refused.status, refused.result.reasons, refused.result.output],
    ['DENIED', ['OUTPUT_WITHHELD'], null],
  )
  assert.ok(!JSON.stringify(refused).includes('poison'))
  assert.equal((await call('far.say', { text: 'a' }, organOver(far))).result.output.text, 'poison')
})

test('a prompt is a tool and its text, or its arguments as JSON; every prompt has an answer', async () => {
  const result = async (prompt: string) => (await run({ prompt })).result
  assert.equal((await result('calc 2*21')).output.value, '42')
  assert.deepEqual((await result('json_query /a {"a": 7}')).output.matches, [7])
  assert.equal((await result('hash {"text": "abc"}')).output.digest, ABC)
  assert.equal((await result('  list  ')).tools.length, 5)
  assert.equal((await run({ prompt: 'time' })).status, 'APPROVED')
  for (const prompt of [
    'hello there',
    'ledger_lookup nonsense',
    'hash',
    'hash {}',
    'json_query / {"a":1e999}',
    'json_query x',
    '😀'.repeat(500),
  ]) {
    const answer = await run({ prompt })
    assert.deepEqual([answer.status, answer.result.allow_list.length], ['DENIED', 5], prompt)
  }
  for (const [prompt, named] of [
    ['hash', "arguments must have required property 'text'"],
    ['hash {}', "arguments must have required property 'text'"],
    ['hash {"text": 5}', 'arguments.text must be string'],
    ['hash {"text": "abc', 'arguments must be a JSON object'],
    ['time {"zone": ', 'arguments must be a JSON object'],
    ['calc {"expression":"1","expression":"2"}', 'arguments must be a JSON object'],
    ['ledger_lookup nonsense', 'arguments.digest must match pattern "^[0-9a-f]{64}$"'],
    ['json_query x', "arguments must have required property 'document'"],
  ] as const) {
    const { result: said } = await run({ prompt })
    assert.deepEqual([said.reasons, said.output], [['ARGUMENTS_INVALID', named], null], prompt)
  }
  const text = { op: 'call', name: 'hash', arguments: '{"text":"abc"}' }
  assert.equal((await run(text)).result.output.digest, ABC, 'as models write them')
  assert.equal(await refusedAt({ ...text, arguments: '{"text":"abc"' }), 'arguments')
  await fc.assert(
    fc.asyncProperty(fc.string({ minLength: 1, maxLength: 60, unit: 'grapheme' }), async (prompt) => {
      fc.pre(prompt.trim() !== '')
      assert.ok(['APPROVED', 'DENIED', 'EXECUTED'].includes((await run({ prompt })).status))
    }),
    { seed: 14, numRuns: 60 },
  )
})

test('a schema from outside cannot run away or break the check', async () => {
  assert.equal(
    (await schemaFault({ type: 'string', pattern: '^(a+)+$' }, `${'a'.repeat(40)}!`))?.message.includes('pattern'),
    true,
  )
  assert.match((await schemaFault({ type: 'string', pattern: '(?=x)' }, 'x'))!.message, /cannot be used/)
  assert.match((await schemaFault({ type: 'nonsense' }, 1))!.message, /cannot be used/)
  assert.match((await schemaFault({ $ref: 'https://outside.example/x' }, 1))!.message, /cannot be used/)
  assert.match((await schemaFault({ description: 'x'.repeat(20_000) }, 1))!.message, /too long/)
})
