import assert from 'node:assert/strict'
import { test } from 'node:test'
import { policyFolder, SHIPPED_POLICIES } from '#testing/policy/policy-folder.ts'
import { governRequest, inferRequest } from '../../domain/policy/requests.ts'
import { openCedar } from './cedar.ts'
import { type PolicyEngine, policiesOf } from './policies.ts'

const TEXT = governRequest({
  ...{
    owner: 'o',
    namespace: 'n',
    effect: 'none',
    tool: null,
    registered: null,
    rank: 0,
    tainted: false,
    approved: false,
  },
})

const corruptions: [what: string, name: string, content: string | Uint8Array | null, reason: RegExp][] = [
  ['no schema', 'schema.cedarschema', null, /holds no schema/],
  ['half a policy', 'tools.cedar', 'permit (principal', /./],
  ['a policy that is no text', 'tools.cedar', new Uint8Array([0xff, 0xfe, 0]), /not UTF-8/],
  [
    'a policy outside the schema',
    'extra.cedar',
    '@id("x") permit (principal, action, resource) when { context.no_such };',
    /./,
  ],
]
for (const [what, name, content, reason] of corruptions)
  test(`a set with ${what} is not ready, denies everything, and is repaired by a reload`, () => {
    using folder = policyFolder({}, SHIPPED_POLICIES)
    content === null ? folder.remove(name) : folder.write(name, content)
    const policies = policiesOf(() => openCedar(folder.path))
    const status = policies.status()
    assert.deepEqual([status.ready, status.policy_digest, status.files], [false, null, []])
    assert.match(status.reason ?? '', reason)
    assert.equal(status.reason?.includes(folder.path), false)
    const { outcome, reasons, errors } = policies.authorize(TEXT)
    assert.deepEqual([outcome, reasons, errors.length], ['deny', ['POLICY_ERROR'], 1])
    using good = policyFolder({}, SHIPPED_POLICIES)
    let open = folder.path
    const repaired = policiesOf(() => openCedar(open))
    open = good.path
    repaired.reload()
    assert.equal(repaired.status().ready, true)
    assert.equal(repaired.authorize(TEXT).outcome, 'allow')
  })

test('a failed reload keeps the last good set and says so', () => {
  using folder = policyFolder({}, SHIPPED_POLICIES)
  const policies = policiesOf(() => openCedar(folder.path))
  const { policy_digest } = policies.status()
  folder.write('govern.cedar', 'forbid (')
  policies.reload()
  const status = policies.status()
  assert.deepEqual([status.ready, status.reason, status.policy_digest], [true, null, policy_digest])
  assert.notEqual(status.reload_failed, null)
  assert.notEqual(policies.diskDigest(), policy_digest)
  assert.equal(policies.authorize(TEXT).outcome, 'allow')
})

const shipped = () => openCedar(SHIPPED_POLICIES)
const broken: [what: string, authorize: () => unknown][] = [
  [
    'throws',
    () => {
      throw new Error('an engine that fails')
    },
  ],
  ['says nothing', () => undefined],
  ['says a word of its own', () => ({ outcome: 'ALLOW', errors: [] })],
  ['allows and errs', () => ({ outcome: 'allow', errors: ['a forbid could not be evaluated'] })],
  ['reviews and errs', () => ({ outcome: 'review', errors: ['a forbid could not be evaluated'] })],
  ['allows and does not say whether it erred', () => ({ outcome: 'allow' })],
]
for (const [what, authorize] of broken)
  test(`an engine that ${what} is taken for a denial`, () => {
    const engine: PolicyEngine = { ...shipped(), authorize: authorize as PolicyEngine['authorize'] }
    const { outcome, reasons } = policiesOf(() => engine).authorize(TEXT)
    assert.deepEqual([outcome, reasons], ['deny', ['POLICY_ERROR']])
  })

test('the texts in charge are those of the digest', () => {
  const policies = policiesOf(shipped)
  assert.deepEqual(
    policies.texts().map(({ name }) => name),
    policies.status().files.map(({ name }) => name),
  )
  assert.equal(policies.diskDigest(), policies.status().policy_digest)
})

test('a set is read once, by whoever asks first, and one that does not load is not tried again before a reload', () => {
  let opened = 0
  const counted = (open: () => PolicyEngine) => () => {
    opened += 1
    return open()
  }
  const policies = policiesOf(counted(shipped))
  assert.equal(opened, 0)
  assert.deepEqual([policies.authorize(TEXT).outcome, policies.status().ready, opened], ['allow', true, 1])
  const failing = policiesOf(
    counted(() => {
      throw new Error('no set')
    }),
  )
  assert.deepEqual([failing.authorize(TEXT).outcome, failing.status().reason, opened], ['deny', 'no set', 2])
  failing.reload()
  assert.equal(opened, 3)
})

test('a policy tells callers of one name apart by their namespace', () => {
  using folder = policyFolder({}, SHIPPED_POLICIES)
  folder.write(
    'tenants.cedar',
    `@id("only-acme") @reason("POLICY_FORBID")
     forbid (principal == Orch::Caller::"alice", action, resource) unless { principal.namespace == "acme" };`,
  )
  const { authorize } = openCedar(folder.path)
  const outcomeFor = (namespace: string) => {
    const caller = { owner: 'alice', namespace }
    const facts = { registered: { effect: 'read' }, rank: 0, tainted: false, approved: false } as const
    return [
      authorize(governRequest({ ...caller, ...facts, effect: 'none', tool: null })).outcome,
      authorize(governRequest({ ...caller, ...facts, effect: 'read', tool: 'hash' })).outcome,
      authorize(inferRequest({ ...caller, target: 'm', zone: 'local', rank: 0 })).outcome,
    ]
  }
  assert.deepEqual(outcomeFor('acme'), ['allow', 'allow', 'allow'])
  assert.deepEqual(outcomeFor('globex'), ['deny', 'deny', 'deny'])
})
