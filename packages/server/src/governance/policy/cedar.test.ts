import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import {
  ANATOMY_POLICIES,
  policyFolder,
  SHIPPED_POLICIES,
  TOY_SCHEMA,
  toyRequest,
} from '#testing/policy/policy-folder.ts'
import type { Authorize, PolicyRequest } from '../../domain/policy/authorization.ts'
import { type CedarEngine, openCedar } from './cedar.ts'
import { policiesOf } from './policies.ts'
import { PolicySetError } from './policy-files.ts'

const PERMIT = '@id("may-look") permit (principal, action == Toy::Action::"look", resource);\n'
const forbid = (id: string, condition: string, annotations = '') =>
  `@id("${id}") ${annotations} forbid (principal, action, resource) when { ${condition} };\n`

function engineOf(policies: string): CedarEngine {
  using folder = policyFolder({ 'schema.cedarschema': TOY_SCHEMA, 'a.cedar': policies })
  return openCedar(folder.path)
}

test('the engine fits the port that the domain asks through', () => {
  const authorize: Authorize = openCedar(SHIPPED_POLICIES).authorize
  assert.equal(typeof authorize, 'function')
})

test('the shipped sets load and say what is in charge', () => {
  for (const [folder, policies] of [
    [SHIPPED_POLICIES, 8],
    [ANATOMY_POLICIES, 26],
  ] as const) {
    const status = openCedar(folder).status()
    assert.equal(status.policies, policies)
    assert.equal(status.reload_failed, null)
    assert.match(status.engine, /^cedar-wasm\/\d/)
  }
})

test('the policy digest is the SHA-256 of name NUL sha256 LF over the sorted files', () => {
  const names = ['govern.cedar', 'infer.cedar', 'schema.cedarschema', 'tools.cedar', 'tools.json']
  const sha256 = (data: string | Uint8Array) => createHash('sha256').update(data).digest('hex')
  const lines = names.map((name) => `${name}\0${sha256(readFileSync(join(SHIPPED_POLICIES, name)))}\n`)
  const { status, diskDigest, texts } = openCedar(SHIPPED_POLICIES)
  assert.equal(status().policy_digest, sha256(lines.join('')))
  assert.equal(diskDigest(), status().policy_digest)
  assert.deepEqual(
    texts().map(({ name }) => name),
    names,
  )
})

test('a permit allows, and names itself', () => {
  const verdict = engineOf(PERMIT).authorize(toyRequest('look', 1))
  assert.deepEqual([verdict.outcome, verdict.reasons, verdict.determining], ['allow', [], ['may-look']])
})

test('no determining policy is a default deny', () => {
  const verdict = engineOf(PERMIT).authorize(toyRequest('touch', 1))
  assert.deepEqual([verdict.outcome, verdict.reasons, verdict.determining], ['deny', ['POLICY_DEFAULT_DENY'], []])
})

test('a forbid without annotations denies as POLICY_FORBID, one with a reason by its code', () => {
  const plain = engineOf(PERMIT + forbid('no', 'context.n > 1'))
  assert.deepEqual(plain.authorize(toyRequest('look', 2)).reasons, ['POLICY_FORBID'])
  assert.equal(plain.authorize(toyRequest('look', 1)).outcome, 'allow')
  const named = engineOf(PERMIT + forbid('no', 'context.n > 1', '@reason("TOO_MANY")'))
  assert.deepEqual(named.authorize(toyRequest('look', 2)).reasons, ['TOO_MANY'])
})

test('all determining forbids for review make a review; one that denies makes a deny', () => {
  const set =
    PERMIT +
    forbid('ask-a', 'context.n > 1', '@outcome("review") @reason("ASK_A")') +
    forbid('ask-b', 'context.n > 2', '@outcome("review")') +
    forbid('never', 'context.n > 3', '@outcome("deny") @reason("NEVER")')
  const { authorize } = engineOf(set)
  const seen = [1, 2, 3, 4].map((n) => authorize(toyRequest('look', n)))
  assert.deepEqual(
    seen.map(({ outcome }) => outcome),
    ['allow', 'review', 'review', 'deny'],
  )
  assert.deepEqual(
    seen.map(({ reasons }) => reasons),
    [[], ['ASK_A'], ['ASK_A', 'POLICY_REVIEW'], ['NEVER']],
  )
  assert.deepEqual(seen[3]?.determining, ['ask-a', 'ask-b', 'never'])
})

test('no review is offered for what no permit would allow after it', () => {
  const { authorize } = engineOf(PERMIT + forbid('ask', 'context.n > 1', '@outcome("review")'))
  const verdict = authorize(toyRequest('touch', 2))
  assert.deepEqual([verdict.outcome, verdict.reasons], ['deny', ['POLICY_DEFAULT_DENY']])
  assert.deepEqual(
    verdict.forbids.map(({ id }) => id),
    ['ask'],
  )
})

test('a forbid that errs at evaluation denies, although the engine itself would allow', () => {
  const overflow = 'context.n + 9223372036854775807 > 0'
  const { authorize } = engineOf(PERMIT + forbid('broken', overflow))
  const verdict = authorize(toyRequest('look', 1))
  assert.deepEqual([verdict.outcome, verdict.reasons], ['deny', ['POLICY_ERROR']])
  assert.match(verdict.errors[0] ?? '', /^broken: .*overflow/)
  assert.deepEqual(verdict.determining, ['may-look'])
})

test('a permit that errs denies as an error as well', () => {
  const verdict = engineOf(
    `${PERMIT}@id("odd") permit (principal, action, resource) when { context.n + 9223372036854775807 > 0 };`,
  )
  assert.deepEqual(verdict.authorize(toyRequest('look', 1)).reasons, ['POLICY_ERROR'])
})

test('whatever the engine cannot read is a deny and never an exception', () => {
  const { authorize } = policiesOf(() => engineOf('@id("all") permit (principal, action, resource);'))
  const good = toyRequest('look', 1)
  const cyclic: Record<string, unknown> = {}
  cyclic.self = cyclic
  const requests: unknown[] = [
    { ...good, context: {} },
    { ...good, context: { n: '1' } },
    { ...good, context: { n: 1.5 } },
    { ...good, context: { n: 1, more: true } },
    { ...good, context: { n: null } },
    { ...good, context: { n: 1n } },
    { ...good, context: cyclic },
    { ...good, entities: undefined },
    { ...good, entities: [{ uid: { type: 'Toy::Nothing', id: 't' }, attrs: {}, parents: [] }] },
    { ...good, principal: { type: 'Toy::User', id: '\ud800' } },
    { ...good, principal: { type: 'Toy::Thing', id: 'u' } },
    { ...good, resource: null },
    { ...good, action: null },
    null,
  ]
  for (const request of requests) {
    const verdict = authorize(request as PolicyRequest)
    assert.deepEqual([verdict.outcome, verdict.reasons], ['deny', ['POLICY_ERROR']])
    assert.equal(verdict.errors.length, 1)
  }
  assert.equal(authorize(good).outcome, 'allow')
})

test('a request cannot name another set or switch validation off', () => {
  const { authorize } = engineOf(PERMIT)
  const more = { validateRequest: false, preparsedPolicySetId: 'other', preparsedSchemaName: undefined }
  assert.equal(authorize({ ...toyRequest('touch', 1), ...more }).outcome, 'deny')
  assert.deepEqual(authorize({ ...toyRequest('look', 1), ...more, context: {} }).reasons, ['POLICY_ERROR'])
})

test('a permit without an action does not reach actions the schema does not know, while forbids are still told', () => {
  const { authorize } = engineOf(`@id("all") permit (principal, action, resource);${forbid('no', 'context.n > 1')}`)
  assert.equal(authorize(toyRequest('look', 1)).outcome, 'allow')
  assert.deepEqual(authorize(toyRequest('invented', 1)).reasons, ['POLICY_DEFAULT_DENY'])
  assert.deepEqual(authorize(toyRequest('invented', 2)).reasons, ['POLICY_FORBID'])
})

const refusedSets: [why: string, files: Record<string, string | Uint8Array>, sentence: RegExp][] = [
  ['no schema', { 'a.cedar': PERMIT }, /holds no schema/],
  ['no policy file', { 'schema.cedarschema': TOY_SCHEMA }, /holds no \.cedar file/],
  ['files without a policy', { 'schema.cedarschema': TOY_SCHEMA, 'a.cedar': '// nothing' }, /hold no policy/],
  ['a schema that does not parse', { 'schema.cedarschema': 'entity', 'a.cedar': PERMIT }, /schema.* does not parse/],
  ['a policy that does not parse', set('permit ('), /a\.cedar does not parse/],
  ['a policy without an id', set('permit (principal, action, resource);'), /no @id/],
  ['an id that is no name', set('@id("__proto__") permit (principal, action, resource);'), /no @id/],
  ['two policies of one name', set(PERMIT + PERMIT), /two policies are called may-look/],
  ['an outcome nobody knows', set(forbid('f', 'true', '@outcome("allow")')), /neither "review" nor "deny"/],
  ['a mistyped annotation', set(forbid('f', 'context.n > 1', '@outcom("review")')), /@outcom, which means nothing/],
  ['a reason that is no code', set(forbid('f', 'context.n > 1', '@reason("because")')), /@reason/],
  ['a permit with an outcome', set(`@outcome("review") ${PERMIT}`), /is a permit/],
  ['a template', set(`${PERMIT}@id("t") permit (principal == ?principal, action, resource);`), /template/],
  ['an attribute outside the schema', set(PERMIT + forbid('f', 'context.m > 1')), /policy f does not validate/],
  ['a type error', set(PERMIT + forbid('f', 'context.n == "1"')), /policy f does not validate/],
  ['a forbid that can never apply', set(PERMIT + forbid('f', 'false')), /policy f does not validate/],
  [
    'an action outside the schema',
    set('@id("p") permit (principal, action == Toy::Action::"x", resource);'),
    /policy p/,
  ],
  ['bytes that are no text', set(Uint8Array.of(0x2f, 0x2f, 0xff)), /not UTF-8/],
  ['too many bytes', set(`${PERMIT}//${'x'.repeat(1_048_576)}`), /exceed 1048576 bytes/],
]
function set(policies: string | Uint8Array): Record<string, string | Uint8Array> {
  return { 'schema.cedarschema': TOY_SCHEMA, 'a.cedar': policies }
}

for (const [why, files, sentence] of refusedSets)
  test(`a set is refused for ${why}`, () => {
    using folder = policyFolder(files)
    assert.throws(
      () => openCedar(folder.path),
      (error) => error instanceof PolicySetError && sentence.test(error.message),
    )
  })

test('a set is refused when a policy file cannot be read, instead of deciding without it', () => {
  using folder = policyFolder(set(PERMIT))
  mkdirSync(join(folder.path, 'b.cedar'))
  assert.throws(() => openCedar(folder.path), /b\.cedar cannot be read \(EISDIR\)/)
  assert.throws(() => openCedar(join(folder.path, 'absent')), /ENOENT/)
})

test('a reload takes over a new set and with it the digest', () => {
  using folder = policyFolder(set(PERMIT))
  const engine = openCedar(folder.path)
  const before = engine.authorize(toyRequest('look', 2))
  folder.write('b.cedar', forbid('no', 'context.n > 1'))
  assert.notEqual(engine.diskDigest(), engine.status().policy_digest)
  assert.equal(engine.authorize(toyRequest('look', 2)).outcome, 'allow')
  assert.deepEqual(engine.reload(), { reloaded: true, policy_digest: engine.diskDigest(), reload_failed: null })
  const after = engine.authorize(toyRequest('look', 2))
  assert.deepEqual([before.outcome, after.outcome], ['allow', 'deny'])
  assert.notEqual(before.policy_digest, after.policy_digest)
})

test('a reload that fails keeps the last good set and says so until one succeeds', () => {
  using folder = policyFolder(set(PERMIT))
  const engine = openCedar(folder.path)
  const { policy_digest } = engine.status()
  folder.write('a.cedar', 'permit (')
  const failed = engine.reload()
  assert.equal(failed.reloaded, false)
  assert.match(failed.reload_failed ?? '', /does not parse/)
  assert.equal(failed.policy_digest, policy_digest)
  assert.equal(engine.status().reload_failed, failed.reload_failed)
  assert.equal(engine.authorize(toyRequest('look', 1)).policy_digest, policy_digest)
  folder.remove('schema.cedarschema')
  assert.equal(engine.diskDigest(), null)
  folder.write('schema.cedarschema', TOY_SCHEMA)
  folder.write('a.cedar', PERMIT)
  assert.deepEqual(engine.reload(), { reloaded: true, policy_digest, reload_failed: null })
})

test('a remembered verdict is the engine’s own and nobody can change it for the others', () => {
  using folder = policyFolder(set(PERMIT))
  const [remembering, asking] = [openCedar(folder.path, { cache: 2 }), openCedar(folder.path, { cache: 0 })]
  for (const n of [1, 2, 3, 1, 2, 3]) {
    const request = toyRequest('look', n)
    const first = remembering.authorize(request)
    assert.throws(() => Object.assign(first, { outcome: 'deny' }), TypeError)
    assert.throws(() => (first.reasons as string[]).push('X'), TypeError)
    assert.equal(remembering.authorize(request), first)
    assert.deepEqual(asking.authorize(request), first)
  }
})

test('a verdict on a text of any length is asked for again beyond what is remembered', () => {
  using folder = policyFolder(set(PERMIT))
  const { authorize } = openCedar(folder.path)
  const long = { ...toyRequest('look', 1), resource: { type: 'Doc', id: 'x'.repeat(2049) } }
  assert.notEqual(authorize(long), authorize(long))
  assert.deepEqual(authorize(long), authorize(long))
})
