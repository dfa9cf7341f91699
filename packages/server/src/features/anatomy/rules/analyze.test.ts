import assert from 'node:assert/strict'
import { test } from 'node:test'
import { commandWith, envelopeOf, keys, setting, statement } from '#testing/anatomy.ts'
import { type Analysed, analysisReply, analyze } from './analyze.ts'
import { ANALYSIS_LIMITS, limitFault, readAnalysisBody, readAuthorizeBody } from './bodies.ts'
import { digestOf } from './json-shape.ts'
import { SCENARIO_PATHS } from './scenarios.ts'

const command = (facts: Parameters<typeof commandWith>[0] = {}) =>
  commandWith({ ...facts, context: { evidenceDigest: digestOf(statement()), ...facts?.context } })
const run = (body: unknown): Extract<Analysed, { ok: true }> => {
  const read = readAnalysisBody(body)
  assert.ok(read.ok, JSON.stringify(read))
  const done = analyze(read.value, setting)
  assert.ok(done.ok)
  return done
}
const faults = (body: unknown): string[] => {
  const read = readAnalysisBody(body)
  return read.ok ? [] : read.faults.map(({ path, message }) => `${path}: ${message}`)
}
const scenario = (fields: Record<string, unknown> = {}) => ({
  ...{ id: 's', label: 'one', changes: [{ path: 'context.mfa', value: false }] },
  ...fields,
})

test('the default scenarios are five, each from the base and each evaluated in full', async () => {
  const envelope = await envelopeOf(statement(), keys.production)
  const { analysis } = run({ command: command(), envelope })
  assert.deepEqual([analysis.base.intentOutcome, analysis.base.combinedOutcome], ['ALLOW', 'ALLOW'])
  const seen = analysis.scenarios.map(({ id, result, outcomeDelta }) => [
    id,
    result.intent.outcome,
    result.intent.reasons.join(),
    outcomeDelta.policyEligible.changed,
  ])
  assert.deepEqual(seen, [
    ['humanApproval-toggle', 'BLOCK', 'HUMAN_APPROVAL_REQUIRED', true],
    ['mfa-toggle', 'BLOCK', 'MFA_REQUIRED', true],
    ['network-toggle', 'BLOCK', 'UNTRUSTED_NETWORK', true],
    ['risk-at-limit', 'ALLOW', '', false],
    ['risk-above-limit', 'BLOCK', 'RISK_LIMIT_EXCEEDED', true],
  ])
})

test('toggles go both ways, and the limit comes down where no integer is above it', () => {
  const largest = Number.MAX_SAFE_INTEGER
  const { analysis } = run({
    command: command({ context: { mfa: false, networkZone: 'office' }, resource: { maxRisk: largest } }),
  })
  assert.deepEqual(
    analysis.scenarios.map(({ result }) => result.intent.reasons),
    [
      ['HUMAN_APPROVAL_REQUIRED', 'MFA_REQUIRED', 'UNTRUSTED_NETWORK'],
      ['UNTRUSTED_NETWORK'],
      ['MFA_REQUIRED'],
      ['MFA_REQUIRED', 'UNTRUSTED_NETWORK'],
      ['MFA_REQUIRED', 'RISK_LIMIT_EXCEEDED', 'UNTRUSTED_NETWORK'],
    ],
  )
})

test('a scenario tells what changed from what to what, and never touches the base', () => {
  const base = command({ context: { evidenceDigest: null } })
  const before = structuredClone(base)
  const changes = [
    { path: 'context.evidenceDigest', value: 'a'.repeat(64) },
    { path: 'context.mfa', value: true },
    { path: 'resource.attrs.allowedPurposes', value: ['other'] },
  ]
  const [first, second] = run({
    command: base,
    scenarios: [scenario({ changes }), scenario({ id: 't', changes: [{ path: 'context.purpose', value: 'release' }] })],
  }).analysis.scenarios
  assert.deepEqual(
    first?.changes.map(({ before: was, kind }) => [was, kind]),
    [
      [null, 'added'],
      [true, 'unchanged'],
      [['release'], 'replaced'],
    ],
  )
  assert.deepEqual(first?.requestedChanges, changes)
  assert.deepEqual(first?.result.intent.reasons, ['PURPOSE_NOT_ALLOWED'])
  assert.deepEqual(second?.result.intent.reasons, ['EVIDENCE_DIGEST_REQUIRED'])
  assert.deepEqual(base, before)
})

test('a digest can be removed and bound evidence comes apart', async () => {
  const envelope = await envelopeOf(statement(), keys.production)
  const body = {
    command: command(),
    envelope,
    scenarios: [
      scenario({ changes: [{ path: 'context.evidenceDigest', value: null }] }),
      scenario({ id: 'x', changes: [{ path: 'context.evidenceDigest', value: 'd'.repeat(64) }] }),
    ],
  }
  const [removed, other] = run(body).analysis.scenarios
  assert.deepEqual(
    [removed?.changes[0]?.kind, removed?.result.evidenceBinding.reasons],
    ['removed', ['EVIDENCE_REQUIRED']],
  )
  assert.deepEqual([other?.result.combinedOutcome, other?.outcomeDelta.evidence.changed], ['BLOCK', false])
})

test('every path of the closed list reaches its fact', () => {
  assert.equal(SCENARIO_PATHS.length, 16)
  for (const path of SCENARIO_PATHS) {
    const { scenarios } = run({
      command: command(),
      scenarios: [scenario({ changes: [{ path, value: {} }] })],
    }).analysis
    assert.equal(scenarios[0]?.changes[0]?.kind, 'replaced', path)
    assert.deepEqual(
      scenarios[0]?.result.intent.errors.map((error) => (typeof error === 'string' ? error : error.path)),
      [path],
    )
  }
})

test('a command that is no intent is analysed as the block it is, without defaults', () => {
  const { analysis } = run({ command: { principal: 1 } })
  assert.deepEqual([analysis.base.intentOutcome, analysis.scenarios], ['BLOCK', []])
  const given = run({ command: 'x', scenarios: [scenario()] }).analysis
  assert.equal(given.scenarios[0]?.changes[0]?.kind, 'unreachable')
})

test('the trace goes through the stages and ends in evaluation only', async () => {
  const envelope = await envelopeOf(statement(), keys.production)
  const codes = (body: unknown) => run(body).analysis.base.trace.map(({ stage, code }) => `${stage} ${code}`)
  assert.deepEqual(codes({ command: command(), envelope }), [
    'intent INTENT_CONDITIONS_SATISFIED',
    'binding STATEMENT_DIGEST_MATCHED',
    'execution EVALUATION_ONLY',
  ])
  assert.deepEqual(codes({ command: command({ context: { mfa: false } }), statement: statement() }), [
    ...[
      'intent MFA_REQUIRED',
      'evidence VERIFICATION_UNPROVEN',
      'binding STATEMENT_DIGEST_MATCHED',
      'execution EVALUATION_ONLY',
    ],
  ])
  const invalid = codes({ command: {} })
  assert.equal(invalid.filter((code) => code === 'intent INVALID_REQUEST').length, 4)
})

test('the same input gives the same digests, another one others', () => {
  const [one, again, other] = [
    run({ command: command() }),
    run({ command: structuredClone(command()) }),
    run({ command: command({ action: 'ReadResource' }) }),
  ]
  assert.equal(one.resultDigest, again.resultDigest)
  assert.equal(one.analysis.inputDigest, digestOf({ command: command() }))
  assert.notEqual(one.resultDigest, other.resultDigest)
})

test('the reply carries a capsule whose text is its canonical form', () => {
  const done = run({ command: command() })
  const reply = analysisReply(done, 'e'.repeat(64))
  assert.deepEqual(JSON.parse(reply.replayCapsuleJson), reply.replayCapsule)
  const { schema, semantics, inputDigest, policy, base, scenarios } = reply
  assert.equal(digestOf({ schema, semantics, inputDigest, policy, base, scenarios }), reply.resultDigest)
  assert.deepEqual([reply.replayCapsule.receiptDigest, reply.label], ['e'.repeat(64), 'MODELED'])
})

test('a reply that would be too long is refused', () => {
  const purposes = Array.from({ length: 7 }, (_, at) => `${at}${'x'.repeat(16_000)}`)
  const changes = [{ path: 'resource.attrs.allowedPurposes', value: [] }]
  const scenarios = Array.from({ length: 16 }, (_, at) => scenario({ id: `s${at}`, changes }))
  const read = readAnalysisBody({ command: command({ resource: { allowedPurposes: purposes } }), scenarios })
  assert.ok(read.ok)
  assert.deepEqual(analyze(read.value, setting), { ok: false, code: 'OUTPUT_LIMIT_EXCEEDED' })
})

const refused: [why: string, scenarios: unknown, message: RegExp][] = [
  ['no list', {}, /^scenarios: must be a list/],
  ['seventeen', Array.from({ length: 17 }, (_, at) => scenario({ id: `s${at}` })), /at most 16/],
  ['an id with a space', [scenario({ id: 'a b' })], /id: must be 1 to 64 letters/],
  ['an id of 65', [scenario({ id: 'a'.repeat(65) })], /id: must be 1 to 64 letters/],
  ['an id twice', [scenario(), scenario()], /^scenarios\.1\.id: must be unique/],
  ['a label of 257 bytes', [scenario({ label: `${'é'.repeat(128)}x` })], /label: .*256 bytes/],
  ['no change', [scenario({ changes: [] })], /1 to 12/],
  [
    'thirteen changes',
    [scenario({ changes: SCENARIO_PATHS.slice(0, 13).map((path) => ({ path, value: 1 })) })],
    /1 to 12/,
  ],
  ['a foreign path', [scenario({ changes: [{ path: 'context.__proto__', value: 1 }] })], /must be one of/],
  ['the action', [scenario({ changes: [{ path: 'action.id', value: 'x' }] })], /must be one of/],
  [
    'a path twice',
    [
      scenario({
        changes: [
          { path: 'context.mfa', value: 1 },
          { path: 'context.mfa', value: 2 },
        ],
      }),
    ],
    /changed twice/,
  ],
  ['a change without a value', [scenario({ changes: [{ path: 'context.mfa' }] })], /must be \{path, value\}/],
  ['a foreign field', [scenario({ note: 'x' })], /note: is not a field/],
]
for (const [why, scenarios, message] of refused)
  test(`scenarios are refused for ${why}`, () => {
    assert.match(faults({ command: command(), scenarios }).join('\n'), message)
  })

test('sixteen scenarios of twelve changes and a label of 256 bytes are taken', () => {
  const changes = SCENARIO_PATHS.slice(0, 12).map((path) => ({ path, value: true }))
  const label = 'é'.repeat(128)
  const scenarios = Array.from({ length: 16 }, (_, at) => scenario({ id: `s${at}`, label, changes }))
  assert.deepEqual(faults({ command: command(), scenarios }), [])
})

test('depth, values, texts and bytes are bounded, each at its limit', () => {
  const nested = (depth: number): unknown => (depth === 1 ? [] : [nested(depth - 1)])
  assert.equal(limitFault(nested(20)), null)
  assert.match(limitFault(nested(21)) ?? '', /deeper than 20/)
  assert.equal(limitFault(Array.from({ length: 11_999 }, () => 0)), null)
  assert.match(limitFault(Array.from({ length: 12_000 }, () => 0)) ?? '', /more than 12000/)
  assert.equal(limitFault('é'.repeat(8192)), null)
  assert.match(limitFault(`${'é'.repeat(8192)}x`) ?? '', /longer than 16384/)
  assert.match(limitFault({ ['k'.repeat(16_385)]: 1 }) ?? '', /longer than 16384/)
  const texts = (rest: number) => [...Array.from({ length: 8 }, () => 'x'.repeat(16_000)), 'x'.repeat(rest)]
  const empty = JSON.stringify(texts(0)).length
  assert.equal(limitFault(texts(ANALYSIS_LIMITS.bytes - empty)), null)
  assert.match(limitFault(texts(ANALYSIS_LIMITS.bytes - empty + 1)) ?? '', /longer than 131072/)
  assert.match(limitFault({ n: Number.NaN }) ?? '', /no canonical form/)
})

test('a body beyond the bounds is refused before it is walked any further', () => {
  assert.match(faults({ command: command(), statement: { x: 'y'.repeat(20_000) } }).join(), /longer than 16384/)
  assert.deepEqual(faults({ command: command(), more: 1 }), ['more: is not a field here'])
})

test('an authorization is the intent or a request around it, and nothing beside it', () => {
  assert.deepEqual(readAuthorizeBody({ request: 1 }), { ok: true, value: 1 })
  assert.equal(readAuthorizeBody(commandWith()).ok, true)
  for (const body of [null, [], {}, { request: 1, principal: 1 }, { ...commandWith(), verified: true }])
    assert.equal(readAuthorizeBody(body).ok, false)
})
